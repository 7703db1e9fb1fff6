import { type CardUse, findDoubles } from "@cardkeep/domain/spending/payments/doubles";
import { describe, expect, test } from "bun:test";
import type { SpendingState } from "@cardkeep/chain/accountState";
import { tokens } from "@cardkeep/chain/tokens";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import { checkCard, checkContact } from "@cardkeep/domain/spending/decision/decide";
import { checkAccount } from "@cardkeep/domain/spending/decision/decideAmount";
import { centsToBaseUnits } from "@cardkeep/domain/core/money";
import { describeCountry, describeCurrency, readCurrencyCode } from "@cardkeep/domain/spending/payments/isoCodes";
import { computeStandInExcess, deriveStandIn, sumUnapproved } from "@cardkeep/domain/spending/payments/deriveStandIn";
import { deriveThreadState } from "@cardkeep/domain/spending/payments/deriveThreadState";
import type { ClearingKind, ThreadReport } from "@cardkeep/providers/issuer/spending";
import {
  findThreadId,
  parseAuthorizationRequest,
  readAuthorization,
  readTransaction,
} from "@cardkeep/providers/issuer/stripeSpending";
import fc from "fast-check";

const merchant = { networkId: "1", name: "Shop", city: "Berlin", country: "DE", mcc: "5411" };
const reportOf = (
  authorization: ThreadReport["authorization"],
  clearings: [kind: ClearingKind, cents: bigint][] = [],
): ThreadReport => ({
  threadId: "iauth_1",
  issuerCardId: "ic_1",
  authorization,
  currency: "EUR",
  merchantMinor: 5_000n,
  merchantCurrency: "EUR",
  merchant,
  transactionType: "00",
  channel: null,
  verification: { walletTokenId: null, threeDSecure: null, authenticationExemption: null },
  clearings: clearings.map(([kind, amountCents], index) => ({
    id: `ipi_${index}`,
    kind,
    amountCents,
    merchantMinor: amountCents,
    postedAt: new Date(0),
    processedOn: null,
    networkReference: null,
    feeCents: 0n,
  })),
  faults: [],
});
type Authorization = NonNullable<ThreadReport["authorization"]>;
const requestOf = (amountCents: bigint, isApproved = true): Authorization["requests"][number] => ({
  isApproved,
  amountCents,
  merchantMinor: amountCents,
  feeCents: 0n,
  cashbackCents: 0n,
  decidedBy: "service",
  decidedAt: new Date(0),
  reason: null,
});
const standing = (change: Partial<Authorization> = {}): Authorization => ({
  isApproved: true,
  status: "pending",
  amountCents: 5_000n,
  requests: [requestOf(5_000n)],
  reason: null,
  ...change,
});

describe("the issuer's report of a thread", () => {
  test.each([
    ["authorized", reportOf(standing()), "AUTHORIZED", 5_000n, 0n],
    ["declined", reportOf(standing({ isApproved: false, status: "closed" })), "DECLINED", 0n, 0n],
    ["given up in part", reportOf(standing({ amountCents: 3_000n })), "AUTHORIZED", 3_000n, 2_000n],
    ["given up", reportOf(standing({ status: "reversed", amountCents: 0n })), "REVERSED", 0n, 5_000n],
    ["expired", reportOf(standing({ status: "expired", amountCents: 0n })), "EXPIRED", 0n, 5_000n],
    ["cleared", reportOf(standing({ status: "closed" }), [["capture", 5_000n]]), "CLEARED", 5_000n, 0n],
    ["cleared for less", reportOf(standing({ status: "closed" }), [["capture", 2_000n]]), "CLEARED", 2_000n, 0n],
    ["cleared for more", reportOf(standing({ status: "closed" }), [["capture", 6_000n]]), "CLEARED", 6_000n, 0n],
    ["cleared in part and open", reportOf(standing(), [["capture", 2_000n]]), "AUTHORIZED", 5_000n, 0n],
    ["closed and not reported yet", reportOf(standing({ status: "closed" })), "AUTHORIZED", 5_000n, 0n],
    [
      "closed without an amount",
      reportOf(standing({ status: "closed", amountCents: 0n }), [["capture", 5_000n]]),
      "CLEARED",
      5_000n,
      0n,
    ],
    [
      "refunded",
      reportOf(standing({ status: "closed" }), [
        ["capture", 5_000n],
        ["refund", 1_000n],
      ]),
      "CLEARED",
      4_000n,
      0n,
    ],
    ["cleared by force", reportOf(null, [["capture", 700n]]), "CLEARED", 700n, 0n],
    ["a refund of nothing", reportOf(null, [["refund", 700n]]), "CREDITED", -700n, 0n],
  ] as const)(
    "%s: what should have left the Safe, and what was given up",
    (_what, report, status, target, reversed) => {
      expect(deriveThreadState(report, null)).toMatchObject({ status, targetCents: target, reversedCents: reversed });
    },
  );

  test("counts a capture after the expiry as authorized: nothing of it is reversed, and only what is more is excess", () => {
    const expired = standing({ status: "expired", amountCents: 0n });
    const known = deriveThreadState(reportOf(expired), null);
    expect(known).toMatchObject({ reversedCents: 5_000n, targetCents: 0n });
    const all = { status: "CLEARED", reversedCents: 0n, excessCents: 0n, targetCents: 5_000n } as const;
    for (const authorization of [expired, standing({ status: "closed", amountCents: 0n })]) {
      const captured = (cents: bigint) => deriveThreadState(reportOf(authorization, [["capture", cents]]), known);
      expect(captured(5_000n)).toMatchObject(all);
      expect(captured(2_000n)).toMatchObject({ excessCents: 0n, targetCents: 2_000n });
      expect(captured(6_000n)).toMatchObject({ ...all, excessCents: 1_000n, targetCents: 6_000n });
      const parts = reportOf(authorization, [
        ["capture", 2_000n],
        ["capture", 3_000n],
      ]);
      expect(deriveThreadState(parts, captured(2_000n))).toMatchObject(all);
    }
  });

  test("yields the same state each time, and never more than was captured and is held", () => {
    const amount = fc.bigInt({ min: 0n, max: 10_000n });
    const report = fc
      .record({
        isApproved: fc.boolean(),
        status: fc.constantFrom("pending", "closed", "reversed", "expired"),
        amountCents: amount,
        requests: fc.array(fc.tuple(amount, fc.boolean()), { minLength: 1, maxLength: 3 }),
        captures: fc.array(amount, { maxLength: 3 }),
        refunds: fc.array(amount, { maxLength: 2 }),
      })
      .map(({ captures, refunds, requests, ...authorization }) =>
        reportOf({ ...authorization, requests: requests.map((request) => requestOf(...request)), reason: null }, [
          ...captures.map((cents) => ["capture", cents] as ["capture", bigint]),
          ...refunds.map((cents) => ["refund", cents] as ["refund", bigint]),
        ]),
      );
    fc.assert(
      fc.property(report, (reported) => {
        const once = deriveThreadState(reported, null);
        expect(deriveThreadState(reported, once)).toEqual(once);
        const net = once.capturedCents - once.refundedCents;
        expect(once.targetCents >= net).toBe(true);
        const most = once.capturedCents > once.authorizedCents ? once.capturedCents : once.authorizedCents;
        expect(once.targetCents <= most).toBe(true);
        if (!reported.authorization?.isApproved) expect(once.targetCents).toBe(net);
      }),
      { numRuns: 300 },
    );
  });
});

describe("whether a card may be used", () => {
  const card: SpendingCard = {
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
  const request = { amountCents: 100n, currency: "EUR", hasWrongSecurityCode: false };

  test.each([
    ["nothing against it", {}, {}, null],
    ["a stop of payments", { isStopped: true }, {}, "payments_stopped"],
    ["not activated", { isActivated: false }, {}, "card_not_activated"],
    ["frozen", { statusCode: "1005" }, {}, "card_not_active"],
    ["a deactivated user", { isUserActive: false }, {}, "user_deactivated"],
    ["a user whose KYC is not approved", { isKycApproved: false }, {}, "kyc_not_approved"],
    ["a user who is rated red", { isRisky: true }, {}, "risk_incompatible"],
    ["an account with a violation", { isChanged: true }, {}, "account_changed"],
    ["a debt", { owes: true }, {}, "account_owes"],
    ["an open operation", { isPaused: true }, {}, "account_paused"],
    ["another currency", {}, { currency: "USD" }, "currency_not_supported"],
    ["a negative amount", {}, { amountCents: -1n }, "invalid_amount"],
    ["a wrong security code", {}, { hasWrongSecurityCode: true }, "incorrect_security_code"],
  ])("%s", (_what, ofCard, ofRequest, reason) => {
    const decline = checkCard({ ...card, ...ofCard }, { ...request, ...ofRequest }, tokens.EURe);
    expect<string | null>(decline?.reason ?? null).toBe(reason);
    expect(checkCard(card, request, null)?.reason).toBe("account_not_ready");
  });

  test("3-D Secure and new wallet tokens decline while a change of the contact counts, and nothing else does", () => {
    const now = new Date("2026-03-02T00:00:00Z");
    const [changed, settles] = [now.getTime() - 1_000, now.getTime() + 1_000];
    const contact = { contactChangedAtMs: changed, contactSettlesAtMs: settles };
    const plain = { walletTokenId: null, threeDSecure: null, authenticationExemption: null };
    const check = (
      of: Partial<typeof contact> | { contactSettlesAtMs: null },
      threeDSecure: string | null,
      tokenMadeAt: Date | "unknown" | null = null,
      ordinal = 0,
    ) =>
      checkContact({ ...contact, ...of }, { verification: { ...plain, threeDSecure }, ordinal }, { now, tokenMadeAt })
        ?.reason ?? null;
    expect(check({}, "authenticated")).toBe("contact_changed");
    expect(check({}, "attempt_acknowledged")).toBe("contact_changed");
    expect(check({}, null, "unknown")).toBe("contact_changed");
    expect(check({}, null, new Date(changed))).toBe("contact_changed");
    expect(check({}, null, new Date(changed - 1))).toBeNull();
    expect(check({}, null)).toBeNull();
    expect(check({}, "authenticated", null, 1)).toBeNull();
    expect(check({}, null, "unknown", 1)).toBeNull();
    expect(check({ contactSettlesAtMs: now.getTime() }, "authenticated")).toBeNull();
    expect(check({ contactSettlesAtMs: now.getTime() }, null, new Date(changed))).toBeNull();
    // The owner has repaired the contact, and the thief's token is not recorded yet.
    expect(check({ contactSettlesAtMs: now.getTime() }, null, "unknown")).toBe("contact_changed");
    expect(check({ contactSettlesAtMs: null }, "authenticated")).toBeNull();
  });

  const allowance = { balance: 50n, refill: 350n, maxRefill: 350n, periodSeconds: 86_400n, timestamp: 1_000n };
  const spending: SpendingState = {
    isWhole: true,
    balance: 100n,
    txNonce: 1n,
    queueNonce: 1n,
    allowance,
    timestamp: 1_001,
    hasRun: [],
  };
  const judge = (change: Partial<SpendingState>, amount: bigint, held = 0n) =>
    checkAccount({ ...spending, ...change }, { amount, held, checkedEntries: 1n })?.reason ?? null;

  test("balance and allowance permit exactly the remainder of both", () => {
    expect(judge({}, 50n)).toBeNull();
    expect(judge({}, 51n)).toBe("limit_exceeded");
    expect(judge({}, 41n, 10n)).toBe("limit_exceeded");
    expect(judge({ timestamp: 1_000 + 86_400 }, 100n)).toBeNull();
    expect(judge({ timestamp: 1_000 + 86_400 }, 101n)).toBe("insufficient_funds");
    expect(judge({ balance: 40n }, 31n, 10n)).toBe("insufficient_funds");
    expect(judge({ balance: 40n }, 30n, 10n)).toBeNull();
  });

  test("an account with a queued entry is paused, and one with a changed setup pays nothing", () => {
    expect(judge({ queueNonce: 2n }, 1n)).toBe("account_paused");
    expect(judge({ txNonce: 2n, queueNonce: 2n }, 1n)).toBe("account_paused");
    expect(judge({ isWhole: false }, 1n)).toBe("account_changed");
    expect(judge({ allowance: null }, 1n)).toBe("account_changed");
  });

  test("minor units become base units of each token", () => {
    expect(centsToBaseUnits(1n, tokens.EURe)).toBe(10n ** 16n);
    expect(centsToBaseUnits(2_550n, tokens.USDCe)).toBe(25_500_000n);
  });
});

describe("the issuer's JSON", () => {
  const data = {
    id: "iauth_1",
    object: "issuing.authorization",
    amount: 0,
    approved: false,
    status: "pending",
    currency: "eur",
    merchant_amount: 0,
    merchant_currency: "usd",
    merchant_data: { category_code: "6011", name: "Bank", city: null, country: "de", network_id: "1" },
    metadata: {},
    card: { id: "ic_1", last4: "4242" },
    pending_request: { amount: 2_550, currency: "eur", merchant_amount: 2_800, merchant_currency: "usd" },
    request_history: [],
    transactions: [],
    verification_data: { cvc_check: "mismatch" },
  };

  test("of a request is parsed with its type, cash by the merchant's category", () => {
    expect(parseAuthorizationRequest(data)).toEqual({
      threadId: "iauth_1",
      issuerCardId: "ic_1",
      amountCents: 2_550n,
      currency: "EUR",
      merchantMinor: 2_800n,
      merchantCurrency: "USD",
      merchant: { networkId: "1", name: "Bank", city: null, country: "DE", mcc: "6011" },
      transactionType: "01",
      channel: "cash_machine",
      ordinal: 0,
      isAmountControllable: false,
      feeCents: 0n,
      cashbackCents: 0n,
      verification: { walletTokenId: null, threeDSecure: null, authenticationExemption: null },
      hasWrongSecurityCode: true,
    });
    expect(parseAuthorizationRequest({ ...data, pending_request: null })).toBeNull();
    expect(parseAuthorizationRequest({ ...data, metadata: { transaction_type: "30" } })?.transactionType).toBe("30");
    expect(parseAuthorizationRequest({ id: "iauth_1" })).toBeNull();
    const details = { is_amount_controllable: true, amount_details: { atm_fee: 250, cashback_amount: null } };
    const pending_request = { ...data.pending_request, ...details };
    const request_history = [{ amount: 1, approved: true }];
    expect(parseAuthorizationRequest({ ...data, pending_request, request_history })).toMatchObject({
      ordinal: 1,
      isAmountControllable: true,
      feeCents: 250n,
      cashbackCents: 0n,
    });
  });

  test("of an authorization and of a transaction is parsed with any expansion, amounts without their sign", () => {
    const transaction = {
      id: "ipi_1",
      object: "issuing.transaction",
      type: "capture",
      amount: -2_000,
      currency: "eur",
      merchant_amount: -2_100,
      merchant_currency: "usd",
      merchant_data: { category_code: "5411" },
      card: "ic_1",
      authorization: "iauth_1",
      created: 1_800_000_000,
    };
    const reported = readAuthorization({
      ...data,
      amount: 2_550,
      approved: true,
      status: "closed",
      transactions: [transaction],
      request_history: [{ amount: 2_550, approved: true, reason: "webhook_approved" }],
    });
    expect(reported).toMatchObject({
      threadId: "iauth_1",
      issuerCardId: "ic_1",
      authorization: { isApproved: true, status: "closed", amountCents: 2_550n },
      clearings: [{ id: "ipi_1", kind: "capture", amountCents: 2_000n, merchantMinor: 2_100n }],
    });
    expect(reported?.authorization?.requests).toEqual([{ ...requestOf(2_550n), reason: "webhook_approved" }]);
    expect(readTransaction({ ...transaction, authorization: null })).toMatchObject({
      threadId: "ipi_1",
      authorization: null,
      clearings: [{ amountCents: 2_000n }],
    });
    expect(findThreadId(transaction)).toBe("iauth_1");
    expect(findThreadId({ ...transaction, authorization: { id: "iauth_2" } })).toBe("iauth_2");
    expect(findThreadId({ ...transaction, authorization: null })).toBe("ipi_1");
    expect(findThreadId(data)).toBe("iauth_1");
    expect(findThreadId({ id: "idp_1", object: "issuing.dispute" })).toBeNull();
  });
});

test.each([
  ["isk", 143_000, 1_430n],
  ["ugx", 500, 5n],
  ["mga", 5, 500n],
  ["jpy", 500, 500n],
  ["kwd", 5_120, 5_120n],
  ["usd", 1_000, 1_000n],
])("the merchant's amounts in %s are in the minor units of ISO 4217", (currency, amount, minor) => {
  const merchant = { merchant_amount: amount, merchant_currency: currency };
  const money = { amount: 1_000, currency: "eur", merchant_data: {}, card: "ic_1", ...merchant };
  const shared = { ...money, id: "iauth_1", object: "issuing.authorization", approved: true };
  const asked = parseAuthorizationRequest({ ...shared, pending_request: money });
  expect(asked).toMatchObject({ merchantMinor: minor, amountCents: 1_000n });
  const captured = { ...money, amount: -1_000, merchant_amount: -amount, created: 1 };
  const transaction = { ...captured, id: "ipi_1", object: "issuing.transaction", type: "capture" };
  const request_history = [{ amount: 1_000, approved: true, merchant_amount: amount }];
  const reported = readAuthorization({ ...shared, transactions: [transaction], request_history });
  expect([
    reported?.merchantMinor,
    reported?.authorization?.requests[0]?.merchantMinor,
    reported?.clearings[0]?.merchantMinor,
  ]).toEqual([minor, minor, minor]);
  const alone = readTransaction(transaction);
  expect([alone.merchantMinor, alone.clearings[0]?.merchantMinor, alone.clearings[0]?.amountCents]).toEqual([
    minor,
    minor,
    1_000n,
  ]);
});

describe("a request that the issuer decided", () => {
  const data = {
    id: "iauth_1",
    object: "issuing.authorization",
    amount: 0,
    currency: "eur",
    merchant_amount: 0,
    merchant_currency: "eur",
    merchant_data: {},
    card: "ic_1",
  };
  const deciderOf = (approved: boolean, reason: string) =>
    readAuthorization({ ...data, approved, request_history: [{ amount: 1, approved, reason, created: 60 }] })
      ?.authorization?.requests[0]?.decidedBy;

  test.each([
    [true, "webhook_approved", "service"],
    [false, "webhook_declined", "service"],
    [true, "webhook_timeout", "stand_in"],
    [true, "webhook_error", "stand_in"],
    [true, "card_active", "stand_in"],
    [true, "a_new_reason", "stand_in"],
    [false, "webhook_timeout", "stand_in"],
    [false, "webhook_error", "stand_in"],
    [false, "network_fallback", "stand_in"],
    [false, "card_inactive", "issuer"],
    [false, "spending_controls", "issuer"],
    [false, "a_new_reason", "issuer"],
  ])("approved %p with %s: by the %s", (approved, reason, decider) => {
    expect(deciderOf(approved, reason)).toBe(decider as never);
  });

  test("is a stand-in if any request is, with the sum of those that were approved so", () => {
    const decided = (isApproved: boolean, decidedBy: "service" | "stand_in", amountCents: bigint) => {
      return {
        isApproved,
        amountCents,
        decidedBy,
        decidedAt: new Date(Number(amountCents)),
        reason: "webhook_timeout",
      };
    };
    expect(deriveStandIn([])).toBeNull();
    expect(deriveStandIn([decided(true, "service", 5n)])).toBeNull();
    expect(deriveStandIn([decided(true, "service", 5n), decided(false, "stand_in", 6n)])).toMatchObject({
      decision: "DECLINED",
      approvedCents: 0n,
    });
    const mixed = [decided(false, "stand_in", 5n), decided(true, "stand_in", 6n), decided(true, "stand_in", 7n)];
    expect(deriveStandIn(mixed)).toEqual({
      decision: "APPROVED",
      approvedCents: 13n,
      reason: "webhook_timeout",
      decidedAt: new Date(6),
    });
  });

  test("is measured by what we had not approved: also a part, an increment, and after our own decline", () => {
    const asked = (amountCents: bigint, decidedBy: "service" | "stand_in" = "stand_in") => {
      return { isApproved: true, amountCents, decidedBy, decidedAt: new Date(0), reason: null };
    };
    const own = (ordinal: number, approvedCents: bigint, isByIssuer = false) => {
      return { ordinal, approvedCents, isApproved: approvedCents > 0n, isByIssuer };
    };
    expect(sumUnapproved([asked(500n)], [])).toBe(500n);
    expect(sumUnapproved([asked(500n)], [own(0, 500n)])).toBe(0n);
    expect(sumUnapproved([asked(500n)], [own(0, 200n)])).toBe(300n);
    expect(sumUnapproved([asked(500n)], [own(0, 0n)])).toBe(500n);
    expect(sumUnapproved([asked(500n)], [own(0, 500n, true)])).toBe(500n);
    expect(sumUnapproved([asked(500n, "service"), asked(70n)], [own(0, 500n)])).toBe(70n);
    expect(sumUnapproved([asked(500n, "service"), asked(70n)], [own(0, 200n)])).toBe(70n);
    const whole = standing({
      amountCents: 0n,
      status: "closed",
      requests: [{ ...requestOf(500n), decidedBy: "stand_in" }],
    });
    const part = [{ ordinal: 0, isApproved: true, approvedCents: 200n }];
    expect(deriveThreadState(reportOf(whole, [["capture", 500n]]), null, part)).toMatchObject({
      authorizedCents: 500n,
      excessCents: 0n,
    });
  });

  test.each([
    ["nothing is allowed", 500n, 500n, null, 500n],
    ["within both limits", 500n, 900n, { paymentCentsMax: 500n, dayCentsMax: 900n }, 0n],
    ["above one payment's", 501n, 501n, { paymentCentsMax: 500n, dayCentsMax: 900n }, 1n],
    ["above the day's", 500n, 1_000n, { paymentCentsMax: 500n, dayCentsMax: 900n }, 100n],
    ["a day above before it: no more than itself", 300n, 2_000n, { paymentCentsMax: 500n, dayCentsMax: 900n }, 300n],
  ] as const)("and approved is beyond the settings: %s", (_what, cents, day, allowed, excess) => {
    expect(computeStandInExcess(cents, day, allowed)).toBe(excess);
  });
});

test("countries and currencies follow their standards, and unknown ones are harmless", () => {
  expect(describeCountry("DE")).toEqual({ name: "Germany", numeric: "276", alpha2: "DE", alpha3: "DEU" });
  expect(describeCountry("ZZ")).toEqual({ name: "", numeric: "", alpha2: "ZZ", alpha3: "" });
  expect(describeCountry(null)).toEqual({ name: "", numeric: "", alpha2: "", alpha3: "" });
  expect(describeCurrency("EUR")).toEqual({ symbol: "EUR", code: "978", decimals: 2, name: "Euro" });
  expect(describeCurrency("JPY")).toMatchObject({ symbol: "JPY", code: "392", decimals: 0 });
  expect(describeCurrency("nope")).toEqual({ symbol: "nope", code: "", decimals: 2, name: "nope" });
  expect([readCurrencyCode("978"), readCurrencyCode("eur"), readCurrencyCode("???")]).toEqual(["EUR", "EUR", "???"]);
});

describe("possible double charges", () => {
  const at = new Date("2026-01-01T10:00:00Z");
  const charge = (id: string, change: Partial<CardUse> = {}): CardUse => ({
    id,
    cardId: "card",
    merchantName: "Shop",
    authorizedCents: 1_000n,
    billingCurrency: "EUR",
    status: "CLEARED",
    createdAt: at,
    ...change,
  });
  const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000);

  test("are the same card, merchant and amount within ten minutes", () => {
    expect(findDoubles([charge("a"), charge("b", { createdAt: later(10), merchantName: "SHOP" })])).toEqual(
      new Set(["a", "b"]),
    );
  });

  test("are no payment that took nothing, came later, or was for something else", () => {
    const others: Partial<CardUse>[] = [
      { createdAt: later(11) },
      { status: "DECLINED" },
      { status: "REVERSED" },
      { cardId: "other" },
      { merchantName: "Other" },
      { authorizedCents: 1_001n },
      { billingCurrency: "GBP" },
    ];
    for (const other of others) expect(findDoubles([charge("a"), charge("b", other)]).size).toBe(0);
    const none = { merchantName: null, authorizedCents: 0n };
    expect(findDoubles([charge("a", none), charge("b", none)]).size).toBe(0);
  });
});
