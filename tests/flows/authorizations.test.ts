import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tokens } from "@cardkeep/chain/tokens";
import { cardCases, cardDecisions, cardPayments, cardTransfers } from "@cardkeep/db/schema/tables";
import { createContext } from "@cardkeep/domain/core/context";
import { authorize, decideInTime } from "@cardkeep/domain/spending/decision/authorize";
import { getPaymentDetails } from "@cardkeep/domain/spending/payments/listAllPayments";
import { listPaymentSteps } from "@cardkeep/domain/spending/payments/paymentSteps";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import { eq, sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import Stripe from "stripe";
import { compareCards } from "../support/cardAccounts.ts";
import { operatorOf } from "../support/operator.ts";
import { retry, until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import {
  balancesOf,
  becomeCardHolder,
  type CardHolder,
  cent,
  euro,
  follow,
  historyOf,
  isInTime,
  untilSettled,
  use,
} from "../support/spending.ts";

let service: Service;
let ada: CardHolder;
let bob: CardHolder;
beforeAll(async () => {
  service = await startService();
  [ada, bob] = await Promise.all([becomeCardHolder(service, 100n * euro), becomeCardHolder(service, 100n * euro)]);
});
afterAll(() => service.stop());

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const decide = (request: AuthorizationRequest) =>
  authorize(createContext(service.runtime.services, { log: quiet, requestId: "test" }), request);

const requestOf = (
  { cardToken: issuerCardId }: CardHolder,
  amountCents: bigint,
  change: Partial<AuthorizationRequest> = {},
): AuthorizationRequest => ({
  threadId: `iauth_${randomUUID()}`,
  issuerCardId,
  amountCents,
  currency: "EUR",
  merchantMinor: amountCents,
  merchantCurrency: "EUR",
  merchant: { name: "Grand Hotel", city: "Berlin", country: "DE", mcc: "7011", networkId: null },
  transactionType: "00",
  channel: "online",
  ordinal: 0,
  isAmountControllable: false,
  feeCents: 0n,
  cashbackCents: 0n,
  verification: { walletTokenId: null, threeDSecure: null, authenticationExemption: null },
  hasWrongSecurityCode: false,
  ...change,
});

/** An approved authorization. A busy machine may be too slow for a decision in time. */
async function open(holder: CardHolder, amountCents: bigint, change: Partial<AuthorizationRequest> = {}) {
  let request = requestOf(holder, amountCents, change);
  await until(async () => {
    const { approved } = await decide(request);
    if (!approved) request = requestOf(holder, amountCents, change);
    return approved;
  });
  return request;
}

/** The answer to a request that was decided in time. */
async function answerOf(request: AuthorizationRequest) {
  let next = request;
  const ask = () => {
    request = next;
    next = { ...request, ordinal: request.ordinal + 1 };
    return decide(request);
  };
  const answer = await retry(ask, isInTime);
  return { answer, request };
}

async function rowsOf(threadId: string) {
  const { db } = service.runtime;
  const [payment] = await db.select().from(cardPayments).where(eq(cardPayments.threadId, threadId));
  const id = payment?.id ?? "";
  const decisions = await db.select().from(cardDecisions).where(eq(cardDecisions.paymentId, id));
  const transfers = await db.select().from(cardTransfers).where(eq(cardTransfers.paymentId, id));
  return { payment, decisions: decisions.toSorted((a, b) => a.ordinal - b.ordinal), transfers };
}

describe("an increment", () => {
  test("grows the hold by its amount once, also when it comes twice at once and once more", async () => {
    const request = await open(ada, 5_000n);
    let increment = { ...request, ordinal: 1, amountCents: 1_500n, merchantMinor: 1_500n };
    const askThrice = async () => {
      const { decisions } = await rowsOf(request.threadId);
      // One that came too late is followed by another. An approved one is asked again: another would grow the hold twice.
      const isApproved = decisions.slice(1).some((decision) => decision.isApproved);
      if (!isApproved) increment = { ...increment, ordinal: decisions.length };
      return [...(await Promise.all([decide(increment), decide(increment)])), await decide(increment)];
    };
    const answers = await retry(askThrice, (all) => all.every(isInTime));
    const yes = { approved: true, reason: "approved" };
    expect(answers).toEqual([yes, yes, yes]);
    const { payment, decisions, transfers } = await rowsOf(request.threadId);
    expect(payment?.authorizedCents).toBe(6_500n);
    expect(decisions.map(({ ordinal }) => ordinal)).toEqual(decisions.map((_, index) => index));
    expect(decisions.filter(({ isApproved }) => isApproved).map(({ approvedCents }) => approvedCents)).toEqual([
      5_000n,
      1_500n,
    ]);
    expect(transfers.map(({ amount }) => amount)).toEqual([50n * euro, 15n * euro]);
    expect(await decide({ ...increment, amountCents: 1_501n })).toEqual({ approved: false, reason: "thread_conflict" });
    expect(await decide(request)).toEqual({ approved: true, reason: "approved" });
  });

  test("beyond the balance is declined and leaves the authorization as it was", async () => {
    const holder = await becomeCardHolder(service, 60n * euro);
    const request = await open(holder, 5_000n);
    const { answer, request: asked } = await answerOf({ ...request, ordinal: 1, amountCents: 1_001n });
    expect(answer).toEqual({ approved: false, reason: "insufficient_funds" });
    expect(await decide(asked)).toEqual(answer);
    const { payment, transfers } = await rowsOf(request.threadId);
    expect(payment).toMatchObject({ status: "AUTHORIZED", authorizedCents: 5_000n, target: 50n * euro });
    expect(transfers).toHaveLength(1);
    await untilSettled(service);
    expect(await balancesOf(holder)).toEqual({ total: 10n * euro, spendable: 10n * euro, pending: 0n });
  });

  test("two at once never hold more than the Safe has", async () => {
    const holder = await becomeCardHolder(service, 60n * euro);
    const request = await open(holder, 3_000n);
    let ordinal = 0;
    const raise = () => decide({ ...request, ordinal: ++ordinal, amountCents: 2_000n });
    const reasons: string[] = [];
    const raiseTwice = async () => {
      reasons.push(...(await Promise.all([raise(), raise()])).map(({ reason }) => reason));
      return reasons;
    };
    const decided = (all: string[]) => all.filter((reason) => reason !== "unavailable").toSorted();
    await retry(raiseTwice, (all) => decided(all).length > 1);
    expect([...new Set(decided(reasons))]).toEqual(["approved", "insufficient_funds"]);
    expect(decided(reasons).filter((reason) => reason === "approved")).toHaveLength(1);
    const { payment } = await rowsOf(request.threadId);
    expect(payment?.authorizedCents).toBe(5_000n);
  });

  test("of an unknown, declined or ended thread, and with another card or currency, is declined with its reason", async () => {
    const reasonOf = async (request: AuthorizationRequest) => (await decide(request)).reason;
    expect(await reasonOf(requestOf(ada, 100n, { ordinal: 1 }))).toBe("authorization_unknown");
    const standing = await open(ada, 100n);
    expect(await reasonOf({ ...standing, ordinal: 1, issuerCardId: bob.cardToken })).toBe("thread_conflict");
    const { answer } = await answerOf({ ...standing, ordinal: 1, currency: "EUR", hasWrongSecurityCode: true });
    expect(answer.reason).toBe("incorrect_security_code");
    const tooMuch = requestOf(bob, 1_000_000n);
    expect((await decide(tooMuch)).approved).toBe(false);
    expect(await reasonOf({ ...tooMuch, ordinal: 1, amountCents: 1n })).toBe("authorization_unknown");
  });
});

describe("an increment whose answer does not reach the issuer", () => {
  const advance = (seconds: number) =>
    fetch(`${service.sandboxUrl}/chain/advance`, { method: "POST", body: JSON.stringify({ seconds }) });

  test("is declined where it is too late, and leaves the authorization as it was", async () => {
    const request = await open(ada, 500n);
    const late = { ...request, ordinal: 1, amountCents: 200n };
    const context = createContext(service.runtime.services, { log: quiet, requestId: "test" });
    expect(await decideInTime(context, late, () => true)).toEqual({ approved: false, reason: "unavailable" });
    expect(await decide(late)).toEqual({ approved: false, reason: "unavailable" });
    const { payment, transfers } = await rowsOf(request.threadId);
    expect(payment).toMatchObject({ authorizedCents: 500n, target: 5n * euro });
    expect(transfers).toHaveLength(1);
  });

  test("stays held while the issuer may still record it, and is returned when it does not", async () => {
    const { threadId } = await use(bob, 1_000);
    const { answer } = await answerOf(requestOf(bob, 300n, { threadId, ordinal: 1 }));
    expect(answer.approved).toBe(true);
    await follow(bob, threadId, "reverse", { amount: 100 });
    await untilSettled(service);
    expect((await rowsOf(threadId)).payment).toMatchObject({ authorizedCents: 1_300n, target: 12n * euro });
    await advance(601);
    await follow(bob, threadId, "reverse", { amount: 100 });
    await untilSettled(service);
    expect((await rowsOf(threadId)).payment).toMatchObject({
      authorizedCents: 1_000n,
      reversedCents: 200n,
      target: 8n * euro,
    });
    await follow(bob, threadId, "clear", { amount: 800 });
    await untilSettled(service);
    expect((await balancesOf(bob)).total).toBe(92n * euro);
  });
});

describe("a part of a purchase", () => {
  let eve: CardHolder;
  beforeAll(async () => {
    eve = await becomeCardHolder(service, 40n * euro);
  });

  test("is approved where the merchant takes one, and the hold is that part", async () => {
    const { answer, request } = await answerOf(requestOf(eve, 15_000n, { isAmountControllable: true }));
    expect(answer).toEqual({ approved: true, reason: "approved", amountCents: 4_000n });
    expect(await decide(request)).toEqual(answer);
    const { payment, transfers } = await rowsOf(request.threadId);
    expect(payment).toMatchObject({ authorizedCents: 4_000n, target: 40n * euro });
    expect(transfers.map(({ amount }) => amount)).toEqual([40n * euro]);
    // Nothing is left, so that even a part is declined.
    const { answer: next } = await answerOf(requestOf(eve, 200n, { isAmountControllable: true }));
    expect(next).toEqual({ approved: false, reason: "insufficient_funds" });
  });

  test.each([
    ["a cash machine", { transactionType: "01", isAmountControllable: true }],
    ["cash beside a purchase", { cashbackCents: 100n, isAmountControllable: true }],
    ["a merchant that takes the whole alone", {}],
  ])("%s gets none", async (_what, change) => {
    const { answer } = await answerOf(requestOf(bob, 15_000n, change));
    expect(answer).toEqual({ approved: false, reason: "insufficient_funds" });
  });
});

describe("a story of the terminal ends with ledger = chain = issuer:", () => {
  const given = 280n * euro;
  const pumpGiven = 100n * euro;
  let traveller: CardHolder;
  let driver: CardHolder;
  let arrived: bigint;
  beforeAll(async () => {
    await untilSettled(service);
    const { chain, settings, db } = service.runtime;
    const settled = await db.execute<{ sum: string }>(
      sql`select coalesce(sum(settlement), 0) as sum from ledger_entries`,
    );
    const { address } = tokens.EURe;
    arrived = (await chain.getTokenBalance(address, settings.policy.settlementAddress)) - BigInt(settled[0]?.sum ?? 0);
    [traveller, driver] = await Promise.all([becomeCardHolder(service, given), becomeCardHolder(service, pumpGiven)]);
  });

  const play = async ({ person, cardToken }: CardHolder, script: string) => {
    const { status, body } = await person.sandbox("POST", `/issuer/cards/${cardToken}/scripts/${script}`, {});
    expect([status, body]).toMatchObject([200, {}]);
    return body.steps as { step: string; threadId: string; amount: number }[];
  };
  const settle = async () => {
    await untilSettled(service);
    const people = [
      { holder: traveller, given },
      { holder: driver, given: pumpGiven },
    ];
    expect(await compareCards(service, people, { arrived })).toEqual([]);
  };
  const amountsOf = async (holder: CardHolder) =>
    (await historyOf(holder)).results.map(({ kind, billingAmount }: Record<string, unknown>) => [kind, billingAmount]);

  test("hotel", async () => {
    const [stay] = await play(traveller, "hotel");
    await settle();
    expect(await amountsOf(traveller)).toEqual([
      ["Payment", "950"],
      ["Payment", "10150"],
    ]);
    const { payment, decisions } = await rowsOf(stay?.threadId ?? "");
    expect(payment).toMatchObject({ status: "CLEARED", authorizedCents: 10_500n, capturedCents: 10_150n });
    expect(decisions.filter(({ isApproved }) => isApproved).map(({ approvedCents }) => approvedCents)).toEqual([
      6_000n,
      3_000n,
      1_500n,
    ]);
    const steps = listPaymentSteps(
      await getPaymentDetails(operatorOf(service.runtime), { reference: stay?.threadId ?? "" }),
    );
    const decided = steps.filter(({ word }) => word === "authorized" || word === "raised");
    expect(decided.map(({ word, facts }) => [word, facts[0]])).toEqual([
      ["authorized", "60.00 EUR"],
      ["raised", "30.00 EUR more"],
      ["raised", "15.00 EUR more"],
    ]);
  });

  test("fuel", async () => {
    const [pump] = await play(driver, "fuel");
    expect(pump?.amount).toBe(10_000);
    await settle();
    const { payment } = await rowsOf(pump?.threadId ?? "");
    expect(payment).toMatchObject({ authorizedCents: 10_000n, capturedCents: 6_240n, reversedCents: 0n });
  });

  test("ride", async () => {
    const [trip] = await play(traveller, "ride");
    await settle();
    const { payment } = await rowsOf(trip?.threadId ?? "");
    expect(payment).toMatchObject({ authorizedCents: 2_500n, capturedCents: 2_900n, excessCents: 400n });
  });

  test("subscription", async () => {
    const [verification] = await play(traveller, "subscription");
    await settle();
    const { payment, transfers } = await rowsOf(verification?.threadId ?? "");
    expect(payment).toMatchObject({ status: "EXPIRED", target: 0n });
    expect(transfers).toEqual([]);
  });

  test("cash machine", async () => {
    const [cash] = await play(traveller, "cashMachine");
    await settle();
    const { decisions } = await rowsOf(cash?.threadId ?? "");
    expect(decisions.at(-1)).toMatchObject({ askedCents: 5_395n, feeCents: 395n, isApproved: true });
    const steps = listPaymentSteps(
      await getPaymentDetails(operatorOf(service.runtime), { reference: cash?.threadId ?? "" }),
    );
    expect(steps[0]?.facts).toContain("of it 3.95 EUR are the fee of the machine's owner");
  });

  test("the issuer's own package, by its test helpers", async () => {
    const { port } = new URL(service.sandboxUrl);
    const options = { host: "127.0.0.1", port: Number(port), protocol: "http", telemetry: false } as const;
    const stripe = new Stripe(service.runtime.settings.issuer.apiKey, { ...options, maxNetworkRetries: 0 });
    const { authorizations } = stripe.testHelpers.issuing;
    const merchant_data = { category: "hotels_motels_and_resorts", name: "Inn" } as const;
    const request = { card: driver.cardToken, amount: 90_000, is_amount_controllable: true, merchant_data } as const;
    const asked = await retry(
      () => authorizations.create(request),
      ({ approved }) => approved,
    );
    expect(asked).toMatchObject({ status: "pending", merchant_data: { category_code: "7011" } });
    expect(asked.request_history).toMatchObject([{ amount: 90_000, approved: true }]);
    expect(asked.amount).toBe(Number((pumpGiven - 6_240n * cent) / cent));
    const reversed = await authorizations.reverse(asked.id, { reverse_amount: 2_000 });
    expect(reversed).toMatchObject({ status: "pending", amount: asked.amount - 2_000 });
    await untilSettled(service);
    const raised = await retry(
      () => authorizations.increment(asked.id, { increment_amount: 100 }),
      ({ amount }) => amount === asked.amount - 1_900,
    );
    expect(raised.request_history.at(-1)).toMatchObject({ amount: 100, approved: true });
    expect(await authorizations.finalizeAmount(asked.id, { final_amount: 500 })).toMatchObject({ amount: 500 });
    await authorizations.capture(asked.id, { capture_amount: 200, close_authorization: false });
    const closed = await authorizations.capture(asked.id, { capture_amount: 300 });
    expect(closed.transactions.map(({ amount }) => amount)).toEqual([-200, -300]);
    expect(closed.status).toBe("closed");
    expect(await authorizations.expire(asked.id).catch((error: Error) => error.message)).toContain("closed");
    await settle();
  });

  test("travel", async () => {
    const [meal] = await play(traveller, "travel");
    await settle();
    const { payment } = await rowsOf(meal?.threadId ?? "");
    expect(payment).toMatchObject({ capturedCents: 4_185n, capturedMinor: 3_900n, refundedCents: 1_040n });
  });
});

describe("a capture beyond the policy is collected, and a case for the operator:", () => {
  let holder: CardHolder;
  beforeAll(async () => {
    holder = await becomeCardHolder(service, 100n * euro);
  });
  const casesOf = async (threadId: string) => {
    await untilSettled(service);
    const { payment } = await rowsOf(threadId);
    const cases = await service.runtime.db
      .select()
      .from(cardCases)
      .where(eq(cardCases.paymentId, payment?.id ?? ""));
    return cases.map(({ kind, amountCents }) => [kind, amountCents]);
  };

  test.each([
    ["more than a tenth above", [["clear", { amount: 1_101 }]], [["over_capture", 101n]]],
    ["a tenth above: none", [["clear", { amount: 1_100 }]], []],
    [
      "after a reversal",
      [
        ["reverse", {}],
        ["clear", { amount: 1_000 }],
      ],
      [["late_capture", 1_000n]],
    ],
    [
      "after an expiry: none",
      [
        ["expire", {}],
        ["clear", { amount: 1_000 }],
      ],
      [],
    ],
  ] as const)("%s", async (_what, steps, cases) => {
    const { threadId } = await use(holder, 1_000);
    for (const [step, fields] of steps) {
      await untilSettled(service);
      await follow(holder, threadId, step, fields);
    }
    expect(await casesOf(threadId)).toEqual(cases.map((each) => [...each]));
    const { payment } = await rowsOf(threadId);
    const captured = steps.map(([, fields]) => ("amount" in fields ? fields.amount : 0)).at(-1) ?? 0;
    expect(payment).toMatchObject({ status: "CLEARED", target: BigInt(captured) * cent });
  });
});
