import { describe, expect, test } from "bun:test";
import { tokens } from "@cardkeep/chain/tokens";
import type { DeclineReason } from "@cardkeep/contract/spending/declineReasons";
import { noHistory } from "@cardkeep/domain/core/cardRules/evaluateRules";
import { decide } from "@cardkeep/domain/spending/decision/decide";
import type { Asked, Behind, DecisionFacts } from "@cardkeep/domain/spending/decision/decisionFacts";
import { filled } from "../support/filled.ts";

const now = new Date("2026-03-02T00:00:00Z");
const seconds = now.getTime() / 1000;
const euro = 10n ** 18n;

const card: DecisionFacts["card"] = {
  cardId: "card",
  cardToken: "ic_1",
  statusCode: "1000",
  isActivated: true,
  userId: "user",
  isUserActive: true,
  isKycApproved: true,
  isRisky: false,
  contactChangedAtMs: null,
  contactSettlesAtMs: null,
  safeId: "safe",
  isPaused: false,
  isChanged: false,
  owes: false,
  sharedRuleStamp: "0",
  ownRuleStamp: "0",
  isStopped: false,
};
const noRules = { hits: [], pending: [] };
const use = {
  cardId: "card",
  amountCents: 1_000n,
  mcc: "5411",
  country: "DE",
  channel: null,
  currency: "EUR",
  merchantNetworkId: "1",
  merchantName: "Shop",
};
const allowance = { balance: 350n * euro, refill: 0n, maxRefill: 0n, periodSeconds: 0n, timestamp: 0n };
const state: Behind["state"] = {
  isWhole: true,
  balance: 100n * euro,
  txNonce: 1n,
  queueNonce: 1n,
  allowance,
  timestamp: seconds,
  hasRun: [],
};
type Growth = NonNullable<Behind["growth"]>;
const failed = { direction: "spend", status: "FAILED" } as Growth["transfers"][number];
type Payment = Pick<Growth["payment"], "status" | "safeId" | "holdEndedAt">;
const growthOf = (payment: Payment): Growth => ({
  payment: payment as Growth["payment"],
  decisions: [],
  transfers: [],
});
const open = { status: "AUTHORIZED", safeId: "safe", holdEndedAt: null } as const;

/** A use that nothing declines, and what differs from it. */
interface Change {
  card?: Partial<typeof card>;
  safe?: DecisionFacts["safe"];
  facts?: Partial<DecisionFacts>;
  state?: Partial<typeof state>;
  behind?: Partial<Behind>;
  request?: Partial<Asked>;
}

function build(...changes: readonly Change[]): { facts: DecisionFacts; behind: Behind; request: Asked } {
  const merged = changes.reduce<Required<Change>>(
    (all, change) => ({
      card: { ...all.card, ...change.card },
      safe: change.safe ?? all.safe,
      facts: { ...all.facts, ...change.facts },
      state: { ...all.state, ...change.state },
      behind: { ...all.behind, ...change.behind },
      request: { ...all.request, ...change.request },
    }),
    { card: {}, safe: { status: "ok", cooldownSeconds: 180 }, facts: {}, state: {}, behind: {}, request: {} },
  );
  const changed = { ...card, ...merged.card };
  return {
    facts: {
      card: changed,
      safe: merged.safe,
      token: tokens.EURe,
      holds: [],
      checkedEntries: 1n,
      behindMs: 0,
      oldestHoldAt: null,
      rules: noRules,
      policy: { contactWindowHours: 24, partialApprovalCentsMin: 100n },
      ...merged.facts,
    },
    behind: {
      now,
      card: changed,
      holds: [],
      growth: null,
      rules: noRules,
      use: { ...use, at: now.getTime() },
      history: noHistory,
      tokenMadeAt: null,
      ...merged.behind,
      state: { ...state, ...merged.state },
    },
    request: {
      amountCents: 1_000n,
      currency: "EUR",
      ordinal: 0,
      cashbackCents: 0n,
      hasWrongSecurityCode: false,
      isAmountControllable: false,
      transactionType: "00",
      verification: { walletTokenId: null, threeDSecure: null, authenticationExemption: null },
      ...merged.request,
    },
  };
}

const isBlocked = (mode: "ACTIVE" | "SHADOW") => ({
  hits: [{ ruleId: "rule", version: 1, state: mode, reason: "category_blocked" as const }],
  pending: [],
});
const ofIncrement = (payment: Payment): Change => ({ behind: { growth: growthOf(payment) }, request: { ordinal: 1 } });

/** Every decline behind the lock in the order in which it counts, with what causes it. */
const order: readonly (readonly [reason: DeclineReason, cause: string, change: Change])[] = [
  ["authorization_unknown", "the authorization was declined", ofIncrement({ ...open, status: "DECLINED" })],
  ["authorization_ended", "the authorization was captured", ofIncrement({ ...open, status: "CLEARED" })],
  ["authorization_ended", "its hold was released", ofIncrement({ ...open, holdEndedAt: now })],
  ["authorization_ended", "the authorization is of another Safe", ofIncrement({ ...open, safeId: "other" })],
  [
    "authorization_ended",
    "a spend of the authorization failed",
    { behind: { growth: { ...growthOf(open), transfers: [failed] } }, request: { ordinal: 1 } },
  ],
  ["payments_stopped", "an operator stopped payments", { card: { isStopped: true } }],
  ["card_not_activated", "the card is not activated", { card: { isActivated: false } }],
  ["card_not_active", "the card is frozen", { card: { statusCode: "1005" } }],
  ["user_deactivated", "the user is deactivated", { card: { isUserActive: false } }],
  ["kyc_not_approved", "the identity is not verified", { card: { isKycApproved: false } }],
  ["risk_incompatible", "the user is rated red", { card: { isRisky: true } }],
  ["account_not_ready", "the Safe is not set up", { safe: { status: "processing", cooldownSeconds: 180 } }],
  ["invalid_amount", "the amount is below zero", { request: { amountCents: -1n } }],
  ["currency_not_supported", "the currency is not the token's", { request: { currency: "USD" } }],
  ["incorrect_security_code", "the security code is wrong", { request: { hasWrongSecurityCode: true } }],
  ["account_changed", "a violation stands", { card: { isChanged: true } }],
  ["account_owes", "the user owes", { card: { owes: true } }],
  ["account_paused", "an operation is open", { card: { isPaused: true } }],
  [
    "contact_changed",
    "a wallet token is newer than a change of the contact",
    {
      card: { contactChangedAtMs: now.getTime() - 1, contactSettlesAtMs: now.getTime() + 1 },
      behind: { tokenMadeAt: "unknown" },
    },
  ],
  ["category_blocked", "a rule declines", { behind: { rules: isBlocked("ACTIVE") } }],
  ["chain_stale", "the chain stands still", { state: { timestamp: seconds - 61 } }],
  ["chain_stale", "the chain stands still by the database's clock", { facts: { behindMs: 61_000 } }],
  ["chain_stale", "a hold does not move", { facts: { oldestHoldAt: new Date(now.getTime() - 61_000) } }],
  ["account_changed", "the account's set-up is another", { state: { isWhole: false } }],
  ["account_paused", "an entry is queued", { state: { txNonce: 0n } }],
  ["account_paused", "an entry is not checked", { facts: { checkedEntries: 0n } }],
  ["insufficient_funds", "the balance is too low", { state: { balance: 0n } }],
  ["limit_exceeded", "the limit is too low", { state: { allowance: { ...allowance, balance: 0n } } }],
];

/** What a decision says behind the lock of a use with these changes. */
const reasonOf = (...changes: readonly Change[]): string | null => {
  const { facts, behind, request } = build(...changes);
  return decide(facts, behind, request).decline?.reason ?? null;
};

describe("the order of declines", () => {
  test("nothing declines a use that nothing is wrong with, nor an increment of an open authorization", () => {
    const { facts, behind, request } = build();
    expect(decide(facts, behind, request)).toEqual({
      decline: null,
      askedCents: 1_000n,
      approvedCents: 1_000n,
      hits: [],
    });
    expect(reasonOf(ofIncrement(open))).toBeNull();
  });

  test.each(order)("%s: %s", (reason, _cause, change) => {
    expect<string | null>(reasonOf(change)).toBe(reason);
  });

  test("a Safe with a shorter cooldown than new accounts have declines after a third of its own", () => {
    const silent = (silentSeconds: number): Change => ({ state: { timestamp: seconds - silentSeconds } });
    const short: Change = { safe: { status: "ok", cooldownSeconds: 60 } };
    expect(reasonOf(short, silent(20))).toBeNull();
    expect(reasonOf(short, silent(21))).toBe("chain_stale");
    const long: Change = { safe: { status: "ok", cooldownSeconds: 600 } };
    expect(reasonOf(long, silent(200))).toBeNull();
  });

  test("of two causes the earlier one counts, whichever came first", () => {
    const pairs = order.flatMap((earlier, index) => order.slice(index + 1).map((later) => [earlier, later] as const));
    // An increment raises one authorization, and a change of the contact is about first requests.
    const possible = pairs.filter(
      ([[, , { behind: one }], [, , { behind: other }]]) => !one?.growth || !(other?.growth ?? other?.tokenMadeAt),
    );
    for (const [[reason, cause, change], [, otherCause, other]] of filled(possible)) {
      const both = `${cause}, and ${otherCause}`;
      expect([both, reasonOf(other, change)]).toEqual([both, reason]);
    }
  });

  test("approves nothing of what is declined", () => {
    for (const [, cause, change] of filled(order)) {
      const { facts, behind, request } = build(change, { request: { isAmountControllable: true } });
      expect([cause, decide(facts, behind, request).approvedCents]).toEqual([cause, 0n]);
    }
  });
});

describe("before the lock", () => {
  const early = (...changes: readonly Change[]) => {
    const { facts, request } = build(...changes);
    return decide(facts, null, request);
  };

  test("the card and rules that need no other payment decline, and nothing that the chain has to say", () => {
    const ofCard = order.filter(([, , { card: of, safe, request }]) => of ?? safe ?? request);
    for (const [reason, cause, change] of filled(ofCard)) {
      const known = change.behind ? null : reason;
      expect<[string, string | null]>([cause, early(change).decline?.reason ?? null]).toEqual([cause, known]);
    }
    expect(early({ facts: { rules: isBlocked("ACTIVE") } }).decline?.reason).toBe("category_blocked");
    expect(early({ state: { balance: 0n } }).decline).toBeNull();
  });

  test("a card that declines by itself is not compared with its rules; a rule that watches never declines", () => {
    expect(early({ card: { isStopped: true }, facts: { rules: isBlocked("ACTIVE") } }).hits).toEqual([]);
    const watched = early({ facts: { rules: isBlocked("SHADOW") } });
    expect([watched.decline, watched.hits.length]).toEqual([null, 1]);
  });
});

describe("behind the lock", () => {
  test("what changed meanwhile counts: the card as it is now, and holds that were planned since", () => {
    const { facts, behind, request } = build();
    const frozen = { ...behind, card: { ...card, statusCode: "1005" } };
    expect(decide(facts, frozen, request).decline?.reason).toBe("card_not_active");
    const held = { id: "new", amount: 95n * euro, messageHash: null, sequence: 1n };
    expect(decide(facts, { ...behind, holds: [held] }, request).decline?.reason).toBe("insufficient_funds");
    expect(
      decide({ ...facts, holds: [held] }, { ...behind, state: { ...state, hasRun: [true] } }, request).decline,
    ).toBeNull();
  });

  test("a part of a purchase is approved where the whole is not covered, and a rule still declines it", () => {
    const short: Change = { state: { balance: 4n * euro }, request: { isAmountControllable: true } };
    const { facts, behind, request } = build(short);
    const part = { decline: null, askedCents: 1_000n, approvedCents: 400n, hits: [] };
    expect(decide(facts, behind, request)).toEqual(part);
    expect(reasonOf(short, { behind: { rules: isBlocked("ACTIVE") } })).toBe("category_blocked");
    expect(reasonOf(short, { state: { txNonce: 0n } })).toBe("account_paused");
  });
});
