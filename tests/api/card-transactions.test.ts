import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CardEvent } from "@cardkeep/contract/spending/cardEvents";
import { tokens } from "@cardkeep/chain/tokens";
import { disputeReasons } from "@cardkeep/contract/core/disputeReasons";
import { kycStatuses } from "@cardkeep/contract/verification/kyc";
import {
  cardClearings,
  cardDecisions,
  cardPayments,
  cardTransfers,
  events as eventRows,
  ledgerEntries,
  unmatchedThreads,
} from "@cardkeep/db/schema/tables";
import { ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import { insertIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { issuerObjects } from "@cardkeep/db/sandbox/tables";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { listStandings } from "@cardkeep/db/queries/cards/cardholders";
import { countUnmatchedThreads, listUnmatchedThreads } from "@cardkeep/db/queries/spending/refunds";
import { settleThread } from "@cardkeep/domain/spending/payments/settleThread";
import { ThreadUnreadable } from "@cardkeep/providers/issuer/spending";
import { acceptCase, closeCase, listCases } from "@cardkeep/domain/spending/cases/listCases";
import { createContext } from "@cardkeep/domain/core/context";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { releaseHold } from "@cardkeep/domain/spending/payments/releaseHold";
import { writeOffDebt } from "@cardkeep/domain/spending/payments/writeOffDebt";
import { getApproval } from "@cardkeep/domain/operations/executors/decideApproval";
import { deleteOldRows } from "@cardkeep/domain/operations/housekeeping/deleteOldRows";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { listDecisionHours } from "@cardkeep/domain/operations/health/listDecisionHours";
import { recordDecisions } from "@cardkeep/runtime/recordDecisions";
import { eq, sql } from "drizzle-orm";
import { fail } from "@cardkeep/contract/core/errors";
import { pageRoutes } from "@cardkeep/server/operator/routes";
import { readCardBooks } from "../support/cardBooks.ts";
import { filled } from "../support/filled.ts";
import { askCli } from "../support/cli.ts";
import { operatorOf } from "../support/operator.ts";
import { Person } from "../support/person.ts";
import { retry, until } from "../support/poll.ts";
import { createWorkerContext } from "../support/workerContext.ts";
import { openTwoPersons } from "../support/twoPersons.ts";
import { type Service, startService } from "../support/service.ts";
import {
  atIssuer,
  balancesOf,
  becomeCardHolder,
  type CardHolder,
  cent,
  euro,
  follow,
  give,
  historyOf,
  setHolding,
  untilSettled,
  use,
  isInTime,
  useOnce,
} from "../support/spending.ts";

let service: Service;
let ada: CardHolder;
let bob: CardHolder;
beforeAll(async () => {
  service = await startService();
  [ada, bob] = await Promise.all([becomeCardHolder(service, 300n * euro), becomeCardHolder(service, 20n * euro)]);
});
afterAll(() => service.stop());

const settlementBalance = () =>
  service.runtime.chain.getTokenBalance(tokens.EURe.address, service.runtime.settings.policy.settlementAddress);

/**
 * The amount that a step moved out of the Safe, in cents, after everything is settled. It must arrive at the settlement
 * account.
 */
async function moved(holder: CardHolder, step: () => Promise<unknown>): Promise<number> {
  const [before, arrived] = [await balancesOf(holder), await settlementBalance()];
  await step();
  await untilSettled(service);
  const after = await balancesOf(holder);
  expect(after.pending).toBe(0n);
  expect((await settlementBalance()) - arrived).toBe(before.total - after.total);
  return Number((before.total - after.total) / cent);
}

const eventsOf = async ({ person }: CardHolder, threadId: string) =>
  (
    await service.runtime.db
      .select()
      .from(eventRows)
      .where(eq(eventRows.userId, person.userId ?? ""))
  )
    .filter(({ eventType }) => eventType.startsWith("card.transaction."))
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads any published data
    .filter(({ data }) => (data as any).event.threadId === threadId)
    .toSorted((a, b) => Number(a.sequence - b.sequence));

const eventTypesOf = async (holder: CardHolder, threadId: string) =>
  (await eventsOf(holder, threadId)).map(({ eventType }) => eventType.slice("card.transaction.".length));

test("decisions are counted by hour with their answer and their time, and nothing is lost where the database is away", async () => {
  const { runtime } = service;
  await recordDecisions(runtime);
  // A busy machine may need several uses until one is decided in time; each has its decision.
  const countApproved = () => runtime.db.$count(cardDecisions, eq(cardDecisions.isApproved, true));
  const [before, approvedBefore] = [await listDecisionHours(runtime, { count: 24 }), await countApproved()];
  await use(ada, 100);
  await use(bob, 700_000);
  // Of the counting alone, a database that does not answer.
  const away = { ...runtime, clock: { ...runtime.clock, now: () => Promise.reject(new Error("away")) } };
  await expect(recordDecisions(away)).rejects.toThrow("away");
  const readCounted = async () => {
    await recordDecisions(runtime);
    const [hours, approved] = [await listDecisionHours(runtime, { count: 24 }), await countApproved()];
    return { hours, counted: hours.approved - before.approved, approved: approved - approvedBefore };
  };
  // One that the issuer did not wait for is counted when its request ends.
  await until(async () => {
    const { counted, approved } = await readCounted();
    return counted === approved;
  });
  const { hours: after, approved } = await readCounted();
  expect(after.hours).toHaveLength(24);
  expect(approved).toBeGreaterThan(0);
  expect(after.approved - before.approved).toBe(approved);
  expect(after.declined - before.declined).toBeGreaterThanOrEqual(1);
  expect(after.declines.map(({ reason }) => reason)).toContain("insufficient_funds");
  expect(after.p99Ms).toBeGreaterThan(0);
  expect(after.hours.slice(0, -2).every(({ p99Ms, approved }) => p99Ms === null && approved === 0)).toBe(true);
  await untilSettled(service);
});

describe("a used card", () => {
  test("gets an answer in time, holds the money at once, and moves it on chain within the allowance", async () => {
    const limit = async () => (await ada.person.call("GET", "/accounts/daily-limit")).body.data.dailyRemaining;
    const [before, remaining] = [await balancesOf(ada), await limit()];
    // The issuer itself says whether the answer came in time: after its deadline the reason is another.
    const used = await use(ada, 2_550, { merchant: "Bakery", mcc: "5462", country: "FR", type: "00" });
    expect(used).toMatchObject({ approved: true, reason: "approved" });
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(
      /^cardkeep_decision_seconds_count\{outcome="approved"\} [1-9]/m,
    );
    const held = await balancesOf(ada);
    expect(held.spendable).toBe(before.spendable - 2_550n * cent);
    expect(held.total).toBe(held.spendable + held.pending);
    await untilSettled(service);
    expect(await balancesOf(ada)).toEqual({ total: held.spendable, spendable: held.spendable, pending: 0n });
    expect(await limit()).toBe(remaining - 25.5);

    const [event] = (await historyOf(ada)).results;
    expect(event).toMatchObject({
      threadId: used.threadId,
      kind: "Payment",
      status: "Approved",
      isPending: true,
      clearedAt: null,
      impactsCashback: null,
      mcc: "5462",
      merchant: { name: "Bakery", city: "Berlin", country: { alpha2: "FR" } },
      country: { name: "France", numeric: "250", alpha2: "FR", alpha3: "FRA" },
      billingAmount: "2550",
      billingCurrency: { symbol: "EUR", code: "978", decimals: 2, name: "Euro" },
      transactionAmount: "2550",
      transactionType: "00",
      cardToken: ada.cardToken,
    });
    expect(event.transactions).toHaveLength(1);
    const [{ status, hash, value }] = event.transactions;
    expect({ status, value }).toEqual({ status: "ExecSuccess", value: "0" });
    expect((await service.runtime.chain.findReceipt(hash))?.status).toBe("success");
    expect(await eventTypesOf(ada, used.threadId)).toEqual(["created", "confirmed"]);
    const [created] = await eventsOf(ada, used.threadId);
    expect(created?.data).toMatchObject({
      userId: ada.person.userId,
      signInWallets: [{ address: ada.person.account.address }],
      safeWallets: [{ address: ada.safe, chainId: "100", tokenSymbol: "EURe" }],
      event: { threadId: used.threadId, transactions: [{ status: "Unsubmitted", hash: null }] },
    });
  });

  test("moves what the merchant captures (less, more, in several parts) and what it refunds", async () => {
    const { threadId } = await use(ada, 5_000);
    await untilSettled(service);
    expect(await moved(ada, () => follow(ada, threadId, "clear", { amount: 2_000 }))).toBe(-3_000);
    expect(await moved(ada, () => follow(ada, threadId, "clear", { amount: 1_500 }))).toBe(1_500);
    expect(await moved(ada, () => follow(ada, threadId, "refund", { amount: 500 }))).toBe(-500);
    expect(await moved(ada, () => follow(ada, threadId, "refund"))).toBe(-3_000);
    const lines = (await historyOf(ada)).results.filter((line: { threadId: string }) => line.threadId === threadId);
    expect(
      lines.map(({ kind, refundAmount, billingAmount, isPending }: Record<string, unknown>) => [
        kind,
        refundAmount ?? billingAmount,
        isPending,
      ]),
    ).toEqual([
      ["Refund", "3000", false],
      ["Refund", "500", false],
      ["Payment", "3500", false],
    ]);
    expect(lines[0]).toMatchObject({ transactionType: "20", transactions: [{ status: "ExecSuccess" }] });
    expect(lines[2].clearedAt).not.toBeNull();
    // This service has no cashback, and an app shows null as "awaiting settlement".
    expect(lines[2].impactsCashback).toBe(false);

    const more = await use(ada, 1_000);
    await untilSettled(service);
    expect(await moved(ada, () => follow(ada, more.threadId, "clear", { amount: 1_200 }))).toBe(200);
    expect(await eventTypesOf(ada, more.threadId)).toEqual(["created", "confirmed", "cleared", "confirmed"]);
  });

  test("is reported with each capture's own amount and time, while more may follow", async () => {
    const { threadId } = await use(ada, 1_000, { merchantCurrency: "USD", merchantAmount: 2_000 });
    await untilSettled(service);
    await follow(ada, threadId, "clear", { amount: 400, close: false });
    await untilSettled(service);
    await follow(ada, threadId, "clear", { amount: 600 });
    await untilSettled(service);
    const cleared = (await eventsOf(ada, threadId)).filter(({ eventType }) => eventType === "card.transaction.cleared");
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads any published data
    const reported: CardEvent[] = cleared.map(({ data }) => (data as any).event);
    expect(reported).toMatchObject([
      { kind: "Payment", billingAmount: "400", transactionAmount: "800", isPending: false },
      { kind: "Payment", billingAmount: "600", transactionAmount: "1200", isPending: false },
    ]);
    expect(reported.map(({ clearedAt }) => typeof clearedAt)).toEqual(["string", "string"]);
    expect(new Set(reported.map(({ transactions }) => JSON.stringify(transactions.map(({ hash }) => hash)))).size).toBe(
      1,
    );
  });

  test("has one clearing time in its history, event and statement, also where the callback was lost", async () => {
    const kim = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(kim, 1_000);
    await untilSettled(service);
    await kim.person.sandbox("PUT", "/faults/callbacks.lose", { match: "/callbacks/stripe" });
    await follow(kim, threadId, "clear");
    await kim.person.sandbox("DELETE", "/faults/callbacks.lose", {});
    await kim.person.sandbox("POST", "/chain/advance", { seconds: 120 });
    const readLine = async (): Promise<CardEvent> => (await historyOf(kim)).results[0];
    await service.runtime.db.transaction((tx) => enqueue(tx, "card.settle", { threadId, requestId: "test" }));
    await until(async () => (await readLine()).clearedAt !== null);
    await untilSettled(service);
    const { clearedAt } = await readLine();
    const events = await eventsOf(kim, threadId);
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads any published data
    const cleared: any = events.find(({ eventType }) => eventType === "card.transaction.cleared")?.data;
    expect(cleared.event.clearedAt).toBe(clearedAt);
    const [from, to] = [-2, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
    const { body } = await kim.person.call("GET", `/statements?from=${from}&to=${to}`);
    const stated = body.entries.find(({ card }: { card: { threadId: string } | null }) => card?.threadId === threadId);
    expect(stated.card.clearedAt).toBe(clearedAt);
  }, 60_000);

  test("returns what is reversed, in part and in whole, and what expires", async () => {
    const { threadId } = await use(ada, 3_000);
    await untilSettled(service);
    expect(await moved(ada, () => follow(ada, threadId, "reverse", { amount: 1_000 }))).toBe(-1_000);
    const [, payment] = (await historyOf(ada)).results;
    expect(payment).toMatchObject({ threadId, kind: "Payment", status: "PartialReversal", isPending: true });
    expect(await moved(ada, () => follow(ada, threadId, "reverse"))).toBe(-2_000);
    const lines = (await historyOf(ada)).results.slice(0, 2);
    expect(lines).toMatchObject([
      { threadId, kind: "Reversal", reversalAmount: "3000", reversalCurrency: { symbol: "EUR" } },
      { threadId, kind: "Payment", status: "Reversal", isPending: false, clearedAt: null },
    ]);
    expect(await eventTypesOf(ada, threadId)).toEqual([
      "created",
      "confirmed",
      "reversed",
      "confirmed",
      "reversed",
      "confirmed",
    ]);
    const forgotten = await use(ada, 700);
    await untilSettled(service);
    expect(await moved(ada, () => follow(ada, forgotten.threadId, "expire"))).toBe(-700);
  });

  test("moves what is captured after it expired: the history has it as a payment, and nothing of it as reversed", async () => {
    const late = await becomeCardHolder(service, 20n * euro);
    const { threadId } = await use(late, 900);
    await untilSettled(service);
    expect(await moved(late, () => follow(late, threadId, "expire"))).toBe(-900);
    const capture = (cents: string) =>
      moved(late, () => atIssuer(service, `authorizations/${threadId}/capture`, { capture_amount: cents }));
    expect(await capture("900")).toBe(900);
    const lines = (await historyOf(late)).results.filter((line: CardEvent) => line.threadId === threadId);
    expect(lines).toMatchObject([
      { kind: "Reversal", reversalAmount: "0" },
      { kind: "Payment", status: "Approved", billingAmount: "900", isPending: false },
    ]);
    expect(lines.map(({ transactions }: CardEvent) => transactions.length)).toEqual([1, 2]);
  });

  test("moves a capture without an authorization, and a refund without a payment", async () => {
    const fields = { amount: "900", card: ada.cardToken, currency: "eur" };
    expect(await moved(ada, () => atIssuer(service, "transactions/create_force_capture", fields))).toBe(900);
    expect((await historyOf(ada)).results[0]).toMatchObject({
      kind: "Payment",
      billingAmount: "900",
      isPending: false,
    });
    expect(await moved(ada, () => atIssuer(service, "transactions/create_unlinked_refund", fields))).toBe(-900);
    expect((await historyOf(ada)).results[0]).toMatchObject({ kind: "Refund", refundAmount: "900" });
  });

  test("shows the merchant's amount in its own currency", async () => {
    const { threadId } = await use(ada, 1_000, { merchantAmount: 1_250, merchantCurrency: "CHF", type: "01" });
    await untilSettled(service);
    const [line] = (await historyOf(ada, "?transactionCurrency=CHF")).results;
    expect(line).toMatchObject({
      threadId,
      billingAmount: "1000",
      transactionAmount: "1250",
      transactionCurrency: { code: "756", symbol: "CHF" },
      transactionType: "01",
      mcc: "6011",
    });
  });
});

describe("a card is declined", () => {
  test.each([
    ["for more than the Safe holds", 2_001, {}, "insufficient_funds", "InsufficientFunds"],
    ["in another currency", 100, { currency: "USD" }, "currency_not_supported", "Other"],
    ["with a wrong security code", 100, { cvc: "mismatch" }, "incorrect_security_code", "IncorrectSecurityCode"],
  ] as const)("%s, and the decline is on record", async (_what, amount, fields, reason, status) => {
    const used = await use(bob, amount, fields);
    expect(used).toMatchObject({ approved: false, reason });
    expect((await historyOf(bob)).results[0]).toMatchObject({
      threadId: used.threadId,
      kind: "Payment",
      status,
      isPending: false,
      clearedAt: null,
      billingAmount: String(amount),
      transactions: [],
    });
    expect(await eventTypesOf(bob, used.threadId)).toEqual(["declined"]);
    expect(await balancesOf(bob)).toEqual({ total: 20n * euro, spendable: 20n * euro, pending: 0n });
  });

  test("while the user's KYC is not approved, and not after a new approval", async () => {
    const gone = await becomeCardHolder(service, 50n * euro);
    const decide = (outcome: string) => gone.person.sandbox("POST", `/kyc/${gone.person.userId}/review`, { outcome });
    for (const outcome of filled(kycStatuses.filter((status) => status !== "approved"))) {
      expect((await decide(outcome)).status).toBe(200);
      // The issuer declines by itself as soon as it has the person as inactive.
      const { approved, reason } = await use(gone, 100);
      expect([approved, ["kyc_not_approved", "cardholder_inactive"].includes(reason)]).toEqual([false, true]);
    }
    expect(await balancesOf(gone)).toEqual({ total: 50n * euro, spendable: 50n * euro, pending: 0n });
    await decide("approved");
    await until(async () => (await use(gone, 100)).approved);
  });

  test("above the remaining daily limit, until the next day", async () => {
    const rich = await becomeCardHolder(service, 1_000n * euro);
    expect(await use(rich, 35_001)).toMatchObject({ approved: false, reason: "limit_exceeded" });
    expect((await historyOf(rich)).results[0].status).toBe("ExceedsApprovalAmountLimit");
    expect(await use(rich, 35_000)).toMatchObject({ approved: true });
    expect(await use(rich, 1)).toMatchObject({ approved: false, reason: "limit_exceeded" });
    await untilSettled(service);
    expect((await rich.person.call("GET", "/accounts/daily-limit")).body.data).toEqual({
      dailyLimit: 350,
      dailyRemaining: 0,
    });
  });

  test("while an operation on its Safe is open, and not afterwards", async () => {
    const cleo = await becomeCardHolder(service, 50n * euro);
    const transfer = { tokenAddress: tokens.EURe.address, to: `0x${"be".repeat(20)}`, amount: String(10n * euro) };
    const { body } = await cleo.person.call("POST", "/accounts/withdraw", await cleo.person.signWithdrawal(transfer));
    expect(await use(cleo, 100)).toMatchObject({ approved: false, reason: "account_paused" });
    await until(async () => (await cleo.person.findDelay(body.data.id))?.status === "WAITING");
    expect(await balancesOf(cleo)).toEqual({ total: 50n * euro, spendable: 40n * euro, pending: 10n * euro });
    expect(await use(cleo, 100)).toMatchObject({ approved: false, reason: "account_paused" });
    await cleo.person.sandbox("POST", "/chain/advance", { seconds: 181 });
    await until(async () => (await cleo.person.findDelay(body.data.id))?.status === "EXECUTED");
    expect(await use(cleo, 100)).toMatchObject({ approved: true });
    const signed = await cleo.person.signWithdrawal({ ...transfer, amount: String(40n * euro) });
    expect(await cleo.person.call("POST", "/accounts/withdraw", signed)).toMatchObject({
      status: 422,
      body: { error: "Insufficient balance" },
    });
  });
});

test("of parallel authorizations for one balance, exactly the balance is approved", async () => {
  // The money of a late approval is on its way back while the others are decided, so such a race is run again by another person.
  const { racer, outcomes } = await retry(
    async () => {
      const holder = await becomeCardHolder(service, 3n * euro);
      return { racer: holder, outcomes: await Promise.all(Array.from({ length: 6 }, () => useOnce(holder, 100))) };
    },
    (race) => race.outcomes.every(isInTime),
  );
  expect(outcomes.filter(({ approved }) => approved)).toHaveLength(3);
  const reasons = outcomes.flatMap(({ approved, reason }) => (approved ? [] : [reason]));
  expect(new Set(reasons)).toEqual(new Set(["insufficient_funds"]));
  const { total, spendable, pending } = await balancesOf(racer);
  expect([spendable, total - pending]).toEqual([0n, 0n]);
  await untilSettled(service);
  expect(await balancesOf(racer)).toEqual({ total: 0n, spendable: 0n, pending: 0n });
  const { results } = await historyOf(racer);
  const sent: { status: string }[] = results.flatMap((line: { transactions: object[] }) => line.transactions);
  expect(sent.map(({ status }) => status)).toEqual(["ExecSuccess", "ExecSuccess", "ExecSuccess"]);
});

describe("what the issuer signs the other way round", () => {
  test("a refund that the merchant takes back leaves the Safe again, and shows as a payment; a capture comes back", async () => {
    const eve = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(eve, 3_000);
    await follow(eve, threadId, "clear");
    await untilSettled(service);
    expect(await moved(eve, () => follow(eve, threadId, "refund", { amount: 1_000 }))).toBe(-1_000);
    expect(await moved(eve, () => follow(eve, threadId, "take-back", { amount: 777 }))).toBe(777);
    expect((await balancesOf(eve)).total).toBe(7_223n * cent);
    expect(await moved(eve, () => follow(eve, threadId, "return-capture", { amount: 500 }))).toBe(-500);
    expect((await balancesOf(eve)).total).toBe(7_723n * cent);
    const { results } = await historyOf(eve);
    expect(results.map(({ kind, billingAmount }: CardEvent) => [kind, Number(billingAmount)])).toEqual([
      ["Reversal", 500],
      ["Payment", 777],
      ["Refund", 1_000],
      ["Payment", 2_500],
    ]);
    const out = 2_277n * cent;
    const books = { ledger: out, payments: out, issuer: out, chain: out, api: out };
    expect(await readCardBooks(service, eve, 100n * euro)).toEqual(books);
  });

  test("an unknown type, a sign against its type and a capture that comes twice move nothing, and wait as cases", async () => {
    const fay = await becomeCardHolder(service, 100n * euro);
    const caseOf = async (threadId: string) => {
      const cases = await listCases(service.runtime.services, { user: fay.person.userId, limit: 10 });
      return cases.find((each) => each.threadId === threadId && each.status === "OPEN") ?? null;
    };
    const untilParked = (threadId: string) =>
      until(async () => (await caseOf(threadId)) !== null, { timeoutMs: 20_000 });
    const post = (threadId: string, fields: object) => follow(fay, threadId, "transactions", { ...fields });
    const begin = async () => {
      const { threadId } = await use(fay, 1_000);
      await follow(fay, threadId, "clear", { reference: `ref-${threadId}` });
      await untilSettled(service);
      return threadId;
    };
    const [typed, signed, twice, foreign] = [await begin(), await begin(), await begin(), await begin()];
    const takenBack = await begin();
    const left = await balancesOf(fay);
    expect((await fay.person.sandbox("POST", "/issuer/cards/ic_none/clearings", { amount: 1 })).status).toBe(404);
    for (const step of ["take-back", "return-capture", "close"])
      expect((await fay.person.sandbox("POST", `/issuer/authorizations/iauth_none/${step}`)).status).toBe(404);
    await post(typed, { type: "fee", amount: -250 });
    await post(takenBack, { type: "refund", amount: -200 });
    await post(signed, { type: "capture", amount: 2_500 });
    await follow(fay, twice, "clear", { amount: 1_000, reference: `ref-${twice}` });
    await post(foreign, { type: "refund", amount: 300, merchantAmount: -300 });
    for (const threadId of [typed, signed, twice, foreign, takenBack]) await untilParked(threadId);
    // A presentment that comes twice without its authorization is found as well.
    const clearings = `/issuer/cards/${fay.cardToken}/clearings`;
    const { body } = await fay.person.sandbox("POST", clearings, { amount: 1_000, reference: `ref-${typed}` });
    await untilParked(body.threadId);
    await untilSettled(service);
    expect(await balancesOf(fay)).toEqual(left);
    expect((await caseOf(typed))?.note).toContain("a type of transaction that is not known");
    // What is booked of a thread is no part of its case.
    expect(await caseOf(typed)).toMatchObject({ kind: "unbooked", amountCents: 250n });
    expect(await caseOf(signed)).toMatchObject({ kind: "unbooked", amountCents: 2_500n });
    expect(await caseOf(takenBack)).toMatchObject({ kind: "contradictory_capture", amountCents: 200n });
    expect(await caseOf(twice)).toMatchObject({ kind: "double_capture", amountCents: 1_000n });
    expect(await caseOf(body.threadId)).toMatchObject({ kind: "double_capture", amountCents: 1_000n });
    const report = (await diagnose(service.runtime.services)).find(({ check }) => check === "unbooked threads");
    expect(report?.text).toContain("a type of transaction that is not known");
    // Nothing is deleted while its case is open, however old it is.
    await service.runtime.db.execute(sql`update unmatched_threads set seen_at = seen_at - interval '90 days'`);
    await deleteOldRows({ ...service.runtime.services, stopping: new AbortController().signal });
    expect(await caseOf(typed)).not.toBeNull();
    expect((await service.runtime.db.select().from(unmatchedThreads)).map(({ threadId }) => threadId)).toContain(typed);
    // The acquirer takes the second capture back: the thread is booked, and its case ends.
    await follow(fay, twice, "return-capture", { amount: 1_000 });
    await until(async () => (await caseOf(twice)) === null, { timeoutMs: 20_000 });
    await untilSettled(service);
    expect(await balancesOf(fay)).toEqual(left);
    // Both are recorded, although they come to nothing, and a third capture is a case again.
    const recorded = await service.runtime.db
      .select()
      .from(cardClearings)
      .where(eq(cardClearings.userId, fay.person.userId ?? ""));
    expect(recorded.filter(({ kind }) => kind === "capture_reversal").map(({ amountCents }) => amountCents)).toEqual([
      1_000n,
    ]);
    await follow(fay, twice, "clear", { amount: 1_000, reference: `ref-${twice}` });
    await untilParked(twice);
    expect(await caseOf(twice)).toMatchObject({ kind: "double_capture", amountCents: 1_000n });
    await service.runtime.db.delete(unmatchedThreads);
  });
});

test("an answer of the issuer that cannot be read is a case of the card's person, also before there is a payment", async () => {
  const lou = await becomeCardHolder(service, 10n * euro);
  const { db, services } = service.runtime;
  const settle = (threadId: string) =>
    createContext(services, { log: service.runtime.log, requestId: "read" }).commit(({ tx, requestId }) =>
      enqueue(tx, "card.settle", { threadId, requestId }),
    );
  const { threadId: known } = await use(lou, 100);
  await untilSettled(service);
  // The same use under another id, of which no row is known here, in a currency that is none.
  const unknown = `${known}x`;
  const [kept] = await db.select().from(issuerObjects).where(eq(issuerObjects.id, known));
  if (!kept) throw new Error("The issuer does not know the use");
  const { object, hidden, createdAt } = kept;
  const copy = { object, hidden, createdAt, id: unknown, data: { ...kept.data, id: unknown, currency: "?" } };
  await db.transaction((tx) => insertIssuerObject(tx, copy));
  const find = () => listCases(services, { kind: "unbooked", user: lou.person.userId, limit: 2 });
  await settle(unknown);
  await until(async () => (await find()).length === 1);
  expect((await find())[0]).toMatchObject({ threadId: unknown, status: "OPEN" });
  // It can be read now, and is booked.
  await db
    .update(issuerObjects)
    .set({ data: sql`${issuerObjects.data} || '{"currency": "eur"}'` })
    .where(eq(issuerObjects.id, unknown));
  expect(await moved(lou, () => settle(unknown))).toBe(100);
  expect((await find())[0]).toMatchObject({ threadId: unknown, status: "CLOSED" });
});

describe("a hold ends", () => {
  test("on its last day where the issuer closed it without a capture, and not before", async () => {
    const gil = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(gil, 3_000);
    await follow(gil, threadId, "close");
    await untilSettled(service);
    expect((await balancesOf(gil)).spendable).toBe(70n * euro);
    const age = async (days: number) => {
      await service.runtime.db.execute(
        sql`update card_payments set created_at = now() - make_interval(days => ${days}) where thread_id = ${threadId}`,
      );
      const ctx = createContext(service.runtime.services, { log: service.runtime.log, requestId: "hold" });
      await ctx.commit(({ tx, requestId }) => enqueue(tx, "card.settle", { threadId, requestId }));
    };
    expect(await moved(gil, () => age(6))).toBe(0);
    expect(await moved(gil, () => age(8))).toBe(-3_000);
    // A capture that comes later is collected all the same.
    expect(await moved(gil, () => follow(gil, threadId, "clear"))).toBe(3_000);
  });

  test("on its last day where the merchant refunded some of it, and by a capture beside it; the refund stays", async () => {
    const { db } = service.runtime;
    const settle = (threadId: string) =>
      db.transaction((tx) => enqueue(tx, "card.settle", { threadId, requestId: "test" }));
    const liv = await becomeCardHolder(service, 100n * euro);
    await give(liv.person, service.runtime.settings.policy.settlementAddress, 10n * euro);
    const old = await use(liv, 3_000);
    await untilSettled(service);
    await follow(liv, old.threadId, "close");
    expect(await moved(liv, () => follow(liv, old.threadId, "transactions", { type: "refund", amount: 500 }))).toBe(
      -500,
    );
    expect(await moved(liv, () => settle(old.threadId))).toBe(0);
    await db.execute(
      sql`update card_payments set created_at = now() - interval '8 days' where thread_id = ${old.threadId}`,
    );
    expect(await moved(liv, () => settle(old.threadId))).toBe(-3_000);
    const hotel = { merchant: "Hotel Refund", mcc: "7011" };
    const held = await use(liv, 3_000, hotel);
    await untilSettled(service);
    const refund = () => follow(liv, held.threadId, "transactions", { type: "refund", amount: 500 });
    expect(await moved(liv, refund)).toBe(-500);
    const { total } = await balancesOf(liv);
    await liv.person.sandbox("POST", `/issuer/cards/${liv.cardToken}/clearings`, { amount: 3_000, ...hotel });
    await until(async () =>
      (await historyOf(liv)).results.some(
        (line: { threadId?: string; status?: string }) => line.threadId === held.threadId && line.status === "Reversal",
      ),
    );
    await untilSettled(service);
    expect((await balancesOf(liv)).total).toBe(total);
  });

  test("once a capture beside it was paid that did not name it, so that the person pays once, also if its own comes later", async () => {
    const jon = await becomeCardHolder(service, 100n * euro);
    const hotel = { merchant: "Hotel Beside", mcc: "7011" };
    const first = await use(jon, 3_000, hotel);
    const second = await use(jon, 3_000, hotel);
    await untilSettled(service);
    const clearings = `/issuer/cards/${jon.cardToken}/clearings`;
    const captureAlone = (amount: number) => jon.person.sandbox("POST", clearings, { amount, ...hotel });
    // Another amount ends no hold.
    expect(await moved(jon, () => captureAlone(1_000))).toBe(1_000);
    // The capture takes 30, and one of the two holds of 30 comes back.
    await captureAlone(3_000);
    const isEnded = async () =>
      (await balancesOf(jon)).total === 30n * euro &&
      (await historyOf(jon)).results.some(({ status }: { status?: string }) => status === "Reversal");
    await until(isEnded, { timeoutMs: 20_000 });
    await untilSettled(service);
    const left = await balancesOf(jon);
    expect(left).toEqual({ total: 30n * euro, spendable: 30n * euro, pending: 0n });
    await follow(jon, first.threadId, "clear");
    const find = () =>
      listCases(service.runtime.services, { kind: "double_capture", user: jon.person.userId, limit: 2 });
    await until(async () => (await find()).length === 1, { timeoutMs: 20_000 });
    await untilSettled(service);
    expect((await find())[0]).toMatchObject({ threadId: first.threadId, amountCents: 3_000n });
    expect(await balancesOf(jon)).toEqual(left);
    // The other hold is captured as its own.
    expect(await moved(jon, () => follow(jon, second.threadId, "clear"))).toBe(0);
    // There were two purchases after all. What the merchant gives back of the accepted one repeats no capture.
    const [asked] = await find();
    const accept = () => acceptCase(operatorOf(service.runtime, "two rooms"), { id: asked?.id ?? "" });
    expect(await moved(jon, accept)).toBe(3_000);
    expect(await moved(jon, () => follow(jon, first.threadId, "refund", { amount: 1_000 }))).toBe(-1_000);
    await service.runtime.db.delete(unmatchedThreads);
  });

  test("beside paid captures only as long as what a person may cost stays below UNPAID_CENTS_MAX: a merchant who captures all holds too gets no more of the operator", async () => {
    const { db, settings } = service.runtime;
    expect(settings.policy.unpaidCentsMax).toBe(5_000n);
    const mia = await becomeCardHolder(service, 210n * euro);
    const shop = { merchant: "Shop Twice", mcc: "5411" };
    /** A hold, and an unlinked capture of the same amount. */
    const pair = async (amount: number) => {
      const { threadId } = await use(mia, amount, shop);
      await untilSettled(service);
      await mia.person.sandbox("POST", `/issuer/cards/${mia.cardToken}/clearings`, { amount, ...shop });
      return threadId;
    };
    const totalIs = (total: bigint) => until(async () => (await balancesOf(mia)).total === total * euro);
    const settle = (threadId: string) =>
      db.transaction((tx) => enqueue(tx, "card.settle", { threadId, requestId: "test" }));
    const costOf = async () => {
      const [standing] = await listStandings(db, [mia.person.userId ?? ""], new Date(0));
      return [standing?.matchedCents, standing?.waitingCents];
    };
    const costIs = (matched: bigint, waiting: bigint) =>
      until(async () => {
        const [matchedCents, waitingCents] = await costOf();
        return matchedCents === matched && waitingCents === waiting;
      });
    const ended = await pair(4_900);
    await costIs(4_900n, 0n);
    await totalIs(161n);
    // Once the issuer has ended it, a capture is without a valid authorization.
    await follow(mia, ended, "expire");
    await costIs(0n, 0n);
    const givenUp = await pair(1_000);
    await costIs(1_000n, 0n);
    await totalIs(151n);
    // As it has where the merchant gave it up.
    await follow(mia, givenUp, "reverse");
    await costIs(0n, 0n);
    const first = await pair(4_900);
    await costIs(4_900n, 0n);
    await totalIs(102n);
    const second = await pair(4_900);
    await totalIs(4n);
    await untilSettled(service);
    await settle(second);
    await untilSettled(service);
    expect((await balancesOf(mia)).total).toBe(4n * euro);
    // A cent less is no other capture than the paid one.
    await follow(mia, first, "clear", { amount: 4_899 });
    await costIs(1n, 4_899n);
    await untilSettled(service);
    expect((await balancesOf(mia)).total).toBe(4n * euro);
    // The other hold pays its own capture.
    expect(await moved(mia, () => follow(mia, second, "clear"))).toBe(0);
    await db.delete(unmatchedThreads);
  });

  test("beside a paid capture, and what is captured of it beyond that and not paid is a case that names its end", async () => {
    const max = await becomeCardHolder(service, 40n * euro);
    const shop = { merchant: "Shop Beyond", mcc: "5411" };
    const { threadId } = await use(max, 2_000, shop);
    await untilSettled(service);
    await max.person.sandbox("POST", `/issuer/cards/${max.cardToken}/clearings`, { amount: 2_000, ...shop });
    const isHold = eq(cardPayments.threadId, threadId);
    await until(async () => {
      const [hold] = await service.runtime.db.select().from(cardPayments).where(isHold);
      return hold?.holdEndedAt !== null;
    });
    await untilSettled(service);
    await follow(max, threadId, "clear", { amount: 2_100 });
    const find = () =>
      listCases(service.runtime.services, { kind: "unpaid_capture", user: max.person.userId, limit: 2 });
    await until(async () => (await find()).length === 1);
    await untilSettled(service);
    expect((await find())[0]).toMatchObject({ amountCents: 2_100n });
    expect((await find())[0]?.note).toContain("captured after its hold ended here at");
  });

  test("by hand, with a reason and a second person; a payment without a hold has none to release", async () => {
    const hal = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(hal, 3_000);
    await follow(hal, threadId, "close");
    await untilSettled(service);
    const two = await openTwoPersons(service.runtime, ["holds.release"]);
    const id = await two.ask((asker) => releaseHold(asker, { reference: threadId }));
    expect(await refusalOf(two.approve("ada", id))).toBe("approvals.own");
    expect(await moved(hal, async () => undefined)).toBe(0);
    expect(await moved(hal, () => two.approve("grace", id))).toBe(-3_000);
    expect(await refusalOf(two.approve("grace", id))).toBe("approvals.ended");
    expect(await refusalOf(releaseHold(operatorOf(service.runtime, "paid in cash"), { reference: threadId }))).toBe(
      "holds.none",
    );
    expect(await moved(hal, () => follow(hal, threadId, "clear", { amount: 2_000 }))).toBe(2_000);
  });

  test("by hand, and a part of it that is captured later is a payment, which its holder may report as fraud", async () => {
    const hal = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(hal, 3_000);
    await untilSettled(service);
    const release = () => releaseHold(operatorOf(service.runtime, "paid in cash"), { reference: threadId });
    expect(await moved(hal, release)).toBe(-3_000);
    expect(await moved(hal, () => follow(hal, threadId, "clear", { amount: 1_000, close: false }))).toBe(1_000);
    const { results } = await historyOf(hal);
    const line = results.find(({ kind }: CardEvent) => kind === "Payment");
    expect(line).toMatchObject({ status: "Approved", billingAmount: "1000", isPending: false });
    expect(line.clearedAt).not.toBeNull();
    const cleared = (await eventsOf(hal, threadId)).find(({ eventType }) => eventType.endsWith(".cleared"));
    expect(cleared).toMatchObject({ data: { event: { status: "Approved" } } });
    const fraud = { disputeReason: "unrecognized_transaction_report_fraudulent" };
    expect((await hal.person.call("POST", `/transactions/${threadId}/dispute`, fraud)).status).toBe(202);
  });

  test("that grew since a second person was asked about it is not released", async () => {
    const hal = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(hal, 3_000);
    await untilSettled(service);
    const two = await openTwoPersons(service.runtime, ["holds.release"]);
    const ask = () => two.ask((asker) => releaseHold(asker, { reference: threadId }));
    const first = await ask();
    expect((await getApproval(service.runtime.services, { id: first })).input).toMatchObject({ amount: "30.00 EUR" });
    expect(await moved(hal, () => follow(hal, threadId, "increment", { amount: 500 }))).toBe(500);
    expect(await refusalOf(two.approve("grace", first))).toBe("approvals.changed");
    expect(await moved(hal, async () => undefined)).toBe(0);
    const second = await ask();
    expect(await moved(hal, () => two.approve("grace", second))).toBe(-3_500);
  });

  test("that the issuer has nothing about waits as a case, is asked about once a day, and ends by hand", async () => {
    const { runtime } = service;
    const kim = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(kim, 3_000);
    await untilSettled(service);
    await runtime.db.execute(sql`delete from sandbox.issuer_objects where id = ${threadId}`);
    const settle = () => runtime.db.transaction((tx) => enqueue(tx, "card.settle", { threadId, requestId: "test" }));
    const find = () =>
      listCases(runtime.services, { kind: "unbooked", status: "OPEN", user: kim.person.userId, limit: 2 });
    const readTime = async () => {
      const [row] = await runtime.db.select().from(cardPayments).where(eq(cardPayments.threadId, threadId));
      return row?.updatedAt.getTime() ?? 0;
    };
    const before = await readTime();
    expect(await moved(kim, settle)).toBe(0);
    await until(async () => (await find()).length === 1);
    expect(await find()).toMatchObject([{ threadId, amountCents: 3_000n }]);
    // A day without news would have it asked about again and again.
    expect((await readTime()) > before).toBe(true);
    const two = await openTwoPersons(runtime, ["holds.release"]);
    const id = await two.ask((asker) => releaseHold(asker, { reference: threadId }));
    expect(await moved(kim, () => two.approve("grace", id))).toBe(-3_000);
    await until(async () => (await find()).length === 0);
    expect(await moved(kim, settle)).toBe(0);
  });
});

test("a credit without a payment above the limit waits as a case, and is paid once two operators accept it", async () => {
  const ida = await becomeCardHolder(service, 100n * euro);
  const { services, settings } = service.runtime;
  const { settlementAddress } = settings.policy;
  await setHolding(service, settlementAddress, (await settlementBalance()) + 600n * euro);
  const credit = { kind: "refund", amount: 50_001 };
  const { body } = await ida.person.sandbox("POST", `/issuer/cards/${ida.cardToken}/clearings`, credit);
  const find = () => listCases(services, { kind: "unbooked", status: "OPEN", user: ida.person.userId, limit: 2 });
  await until(async () => (await find()).length === 1, { timeoutMs: 20_000 });
  await untilSettled(service);
  expect((await balancesOf(ida)).total).toBe(100n * euro);
  const [shown] = await find();
  expect(shown).toMatchObject({ threadId: body.threadId, amountCents: 50_001n });
  const two = await openTwoPersons(service.runtime, ["cases.accept"]);
  const accept = (ctx: Parameters<typeof acceptCase>[0]) => acceptCase(ctx, { id: shown?.id ?? "" });
  const id = await two.ask(accept);
  expect(await refusalOf(two.approve("ada", id))).toBe("approvals.own");
  expect(await moved(ida, async () => undefined)).toBe(0);
  expect(await moved(ida, () => two.approve("grace", id))).toBe(-50_001);
  expect(await refusalOf(accept(operatorOf(service.runtime, "the merchant owes it")))).toBe("cases.closed");
  expect(await find()).toEqual([]);
});

test("credits without a payment are bounded by person and 30 days; what operators accepted does not count, and what waits stays", async () => {
  const [ida, jan] = [await becomeCardHolder(service, 100n * euro), await becomeCardHolder(service, 100n * euro)];
  const { services, settings, db } = service.runtime;
  await setHolding(service, settings.policy.settlementAddress, (await settlementBalance()) + 2_000n * euro);
  const credit = async (holder: CardHolder, amount: number): Promise<string> => {
    const fields = { kind: "refund", amount };
    const { body } = await holder.person.sandbox("POST", `/issuer/cards/${holder.cardToken}/clearings`, fields);
    return body.threadId;
  };
  const paid = (holder: CardHolder, amount: number) => moved(holder, () => credit(holder, amount));
  const find = () => listCases(services, { kind: "unbooked", status: "OPEN", user: ida.person.userId, limit: 2 });
  const waits = async (threadId: string) => {
    await until(async () => (await find()).length === 1, { timeoutMs: 20_000 });
    expect((await find())[0]).toMatchObject({ threadId });
  };
  const accept = async (): Promise<unknown> =>
    acceptCase(operatorOf(service.runtime, "the merchant owes it"), { id: (await find())[0]?.id ?? "" });

  expect(await paid(ida, 30_000)).toBe(-30_000);
  const second = await credit(ida, 30_000);
  await waits(second);
  expect(await paid(jan, 30_000)).toBe(-30_000);
  expect((await balancesOf(ida)).total).toBe(400n * euro);

  await service.ownerDb
    .update(cardClearings)
    .set({ createdAt: sql`${cardClearings.createdAt} - interval '30 days'` })
    .where(eq(cardClearings.userId, ida.person.userId ?? ""));
  const settle = () => db.transaction((tx) => enqueue(tx, "card.settle", { threadId: second, requestId: "test" }));
  expect(await moved(ida, settle)).toBe(0);
  expect(await paid(ida, 30_000)).toBe(-30_000);
  expect(await moved(ida, accept)).toBe(-30_000);
  expect(await paid(ida, 20_000)).toBe(-20_000);
  await waits(await credit(ida, 1));
  expect(await moved(ida, accept)).toBe(-1);
});

test("a credit that operators accepted counts with what it grew by since", async () => {
  const ida = await becomeCardHolder(service, 100n * euro);
  const { services, settings } = service.runtime;
  await setHolding(service, settings.policy.settlementAddress, (await settlementBalance()) + 1_100n * euro);
  const path = `/issuer/cards/${ida.cardToken}/clearings`;
  const alone = () => ida.person.sandbox("POST", path, { kind: "refund", amount: 50_000 });
  const find = () => listCases(services, { kind: "unbooked", status: "OPEN", user: ida.person.userId, limit: 2 });
  expect(await moved(ida, alone)).toBe(-50_000);
  const { threadId } = await use(ida, 100);
  await follow(ida, threadId, "clear");
  await untilSettled(service);
  const refund = (amount: number) => () => follow(ida, threadId, "transactions", { type: "refund", amount });
  await refund(200)();
  await until(async () => (await find()).length === 1, { timeoutMs: 20_000 });
  const accept = async () =>
    acceptCase(operatorOf(service.runtime, "the merchant owes it"), { id: (await find())[0]?.id ?? "" });
  expect(await moved(ida, accept)).toBe(-200);
  await service.ownerDb
    .update(cardClearings)
    .set({ createdAt: sql`${cardClearings.createdAt} - interval '30 days'` })
    .where(eq(cardClearings.userId, ida.person.userId ?? ""));
  expect(await moved(ida, refund(49_900))).toBe(-49_900);
  const { body } = await alone();
  await until(async () => (await find()).length === 1, { timeoutMs: 20_000 });
  expect((await find())[0]).toMatchObject({ threadId: body.threadId });
  expect(await moved(ida, async () => undefined)).toBe(0);
});

test("credits of a person that come at the same moment are added up, also those of two Safes", async () => {
  const ida = await becomeCardHolder(service, 100n * euro);
  const { services, settings, db } = service.runtime;
  await setHolding(service, settings.policy.settlementAddress, (await settlementBalance()) + 700n * euro);
  const path = `/issuer/cards/${ida.cardToken}/clearings`;
  const credit = () => ida.person.sandbox("POST", path, { kind: "refund", amount: 30_000 });
  expect(await moved(ida, credit)).toBe(-30_000);
  const userId = ida.person.userId ?? "";
  const age = (days: number) =>
    service.ownerDb
      .update(cardClearings)
      .set({ createdAt: sql`now() - make_interval(days => ${days})` })
      .where(eq(cardClearings.userId, userId));
  await age(40);
  // Another commit has the person, as one that books a credit to another Safe: it commits while this one waits.
  const { threadId } = await db.transaction(async (tx) => {
    await lockUser(tx, userId);
    const { body } = await credit();
    await until(async () => {
      const waiting = sql`select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`;
      return (await tx.execute(waiting)).length > 0;
    });
    await age(0);
    return body;
  });
  const find = () => listCases(services, { kind: "unbooked", status: "OPEN", user: userId, limit: 2 });
  await until(async () => (await find()).length === 1, { timeoutMs: 20_000 });
  expect((await find())[0]).toMatchObject({ threadId });
  expect(await moved(ida, async () => undefined)).toBe(0);
});

test("a credit that operators refused is not paid once its row has aged, nor where the merchant takes a cent of it back", async () => {
  const ida = await becomeCardHolder(service, 100n * euro);
  const { services, settings, db } = service.runtime;
  await setHolding(service, settings.policy.settlementAddress, (await settlementBalance()) + 700n * euro);
  const pathOf = `/issuer/cards/${ida.cardToken}/clearings`;
  const credit = () => ida.person.sandbox("POST", pathOf, { kind: "refund", amount: 30_000 });
  expect(await moved(ida, credit)).toBe(-30_000);
  const { threadId } = (await credit()).body;
  const find = () => listCases(services, { kind: "unbooked", status: "OPEN", user: ida.person.userId, limit: 2 });
  await until(async () => (await find()).length === 1, { timeoutMs: 20_000 });
  await closeCase(operatorOf(service.runtime, "the merchant owes nothing"), { id: (await find())[0]?.id ?? "" });
  const age = sql.raw("interval '40 days'");
  await service.ownerDb
    .update(cardClearings)
    .set({ createdAt: sql`${cardClearings.createdAt} - ${age}` })
    .where(eq(cardClearings.userId, ida.person.userId ?? ""));
  await db
    .update(unmatchedThreads)
    .set({ seenAt: sql`${unmatchedThreads.seenAt} - ${age}` })
    .where(eq(unmatchedThreads.threadId, threadId));
  await deleteOldRows({ ...services, stopping: new AbortController().signal });
  const settle = () => db.transaction((tx) => enqueue(tx, "card.settle", { threadId, requestId: "test" }));
  expect(await moved(ida, settle)).toBe(0);
  await db
    .update(issuerObjects)
    .set({ data: sql`jsonb_set(${issuerObjects.data}, '{amount}', '29999')` })
    .where(eq(issuerObjects.id, threadId));
  expect(await moved(ida, settle)).toBe(0);
});

test("an answer that cannot be read undoes no decision about a credit, and a refused credit counts among those that wait no more", async () => {
  const ida = await becomeCardHolder(service, 100n * euro);
  const { services, settings, db } = service.runtime;
  await setHolding(service, settings.policy.settlementAddress, (await settlementBalance()) + 700n * euro);
  const credit = () =>
    ida.person.sandbox("POST", `/issuer/cards/${ida.cardToken}/clearings`, { kind: "refund", amount: 30_000 });
  expect(await moved(ida, credit)).toBe(-30_000);
  const { threadId } = (await credit()).body;
  const find = () => listCases(services, { kind: "unbooked", status: "OPEN", user: ida.person.userId, limit: 2 });
  await until(async () => (await find()).length === 1, { timeoutMs: 20_000 });
  const countWaiting = async () =>
    (await countUnmatchedThreads(db)).find(({ reason }) => reason === "credit")?.count ?? 0;
  const listWaiting = async () => (await listUnmatchedThreads(db, 1_000)).map((each) => each.threadId);
  const open = await countWaiting();
  expect(await listWaiting()).toContain(threadId);
  await closeCase(operatorOf(service.runtime, "the merchant owes nothing"), { id: (await find())[0]?.id ?? "" });
  expect(await countWaiting()).toBe(open - 1);
  expect(await listWaiting()).not.toContain(threadId);
  await service.ownerDb
    .update(cardClearings)
    .set({ createdAt: sql`${cardClearings.createdAt} - interval '40 days'` })
    .where(eq(cardClearings.userId, ida.person.userId ?? ""));

  const isOfIt = eq(unmatchedThreads.threadId, threadId);
  const ctx = createWorkerContext(service.runtime);
  const findThread = async () => {
    throw new ThreadUnreadable("It has a currency of no country", { issuerCardId: ida.cardToken });
  };
  const settleUnread = () => settleThread({ ...ctx, issuer: { ...ctx.issuer, findThread } }, { threadId });
  const settle = () => db.transaction((tx) => enqueue(tx, "card.settle", { threadId, requestId: "test" }));
  await settleUnread();
  const kept = { reason: "credit", amountMinor: -30_000n, currency: "EUR" };
  expect(await db.select().from(unmatchedThreads).where(isOfIt)).toMatchObject([{ ...kept, acceptedAt: null }]);
  expect(await find()).toEqual([]);
  expect(await moved(ida, settle)).toBe(0);
  await db.update(unmatchedThreads).set({ acceptedAt: new Date() }).where(isOfIt);
  await settleUnread();
  expect(await db.select().from(unmatchedThreads).where(isOfIt)).toMatchObject([
    { ...kept, acceptedAt: expect.any(Date) },
  ]);
  expect(await countWaiting()).toBe(open);
  // The same of a second capture that operators accepted.
  await db.update(unmatchedThreads).set({ reason: "duplicate" }).where(isOfIt);
  await settleUnread();
  expect(await db.select().from(unmatchedThreads).where(isOfIt)).toMatchObject([
    { ...kept, reason: "duplicate", acceptedAt: expect.any(Date) },
  ]);
  expect(await moved(ida, settle)).toBe(-30_000);
  expect(await countWaiting()).toBe(open - 1);
});

test("a credit that operators refused is not paid after an answer with a fault, nor after a capture that the merchant gives back", async () => {
  const ida = await becomeCardHolder(service, 600n * euro);
  const { services, settings, db } = service.runtime;
  await setHolding(service, settings.policy.settlementAddress, (await settlementBalance()) + 1_000n * euro);
  const credit = { kind: "refund", amount: 30_000 };
  const alone = () => ida.person.sandbox("POST", `/issuer/cards/${ida.cardToken}/clearings`, credit);
  expect(await moved(ida, alone)).toBe(-30_000);
  const find = () => listCases(services, { kind: "unbooked", status: "OPEN", user: ida.person.userId, limit: 2 });
  const refuse = async (threadId: string) => {
    await until(async () => (await find())[0]?.threadId === threadId, { timeoutMs: 20_000 });
    await closeCase(operatorOf(service.runtime, "the merchant owes nothing"), { id: (await find())[0]?.id ?? "" });
  };
  const { threadId } = (await alone()).body;
  await refuse(threadId);
  const used = await use(ida, 1_000);
  await follow(ida, used.threadId, "clear");
  await untilSettled(service);
  await follow(ida, used.threadId, "transactions", { type: "refund", amount: 31_000 });
  await refuse(used.threadId);
  await service.ownerDb
    .update(cardClearings)
    .set({ createdAt: sql`${cardClearings.createdAt} - interval '40 days'` })
    .where(eq(cardClearings.userId, ida.person.userId ?? ""));

  const change = async (type: string) => {
    await db
      .update(issuerObjects)
      .set({ data: sql`${issuerObjects.data} || ${JSON.stringify({ type })}::text::jsonb` })
      .where(eq(issuerObjects.id, threadId));
    const settle = () => db.transaction((tx) => enqueue(tx, "card.settle", { threadId, requestId: "test" }));
    expect(await moved(ida, settle)).toBe(0);
  };
  await change("other");
  await change("refund");
  expect(await db.select().from(unmatchedThreads).where(eq(unmatchedThreads.threadId, threadId))).toMatchObject([
    { reason: "credit", acceptedAt: null },
  ]);
  // The use is booked in between, and its row is gone.
  expect(await moved(ida, () => follow(ida, used.threadId, "clear", { amount: 30_100 }))).toBe(-900);
  expect(await moved(ida, () => follow(ida, used.threadId, "return-capture", { amount: 30_100 }))).toBe(0);
  const waiting = (await find()).find((each) => each.threadId === used.threadId);
  const accept = () => acceptCase(operatorOf(service.runtime, "it does after all"), { id: waiting?.id ?? "" });
  expect(await moved(ida, accept)).toBe(-30_100);
  const more = { type: "refund", amount: 100 };
  expect(await moved(ida, () => follow(ida, used.threadId, "transactions", more))).toBe(-100);
});

test("what is booked moves nothing where its amount or sign changes, and waits as a case until it is as before", async () => {
  const ida = await becomeCardHolder(service, 100n * euro);
  const { services, settings, db } = service.runtime;
  await setHolding(service, settings.policy.settlementAddress, (await settlementBalance()) + 700n * euro);
  const path = `/issuer/cards/${ida.cardToken}/clearings`;
  const book = async (kind: string, amount: number): Promise<string> => {
    let id = "";
    const clear = async () => (id = (await ida.person.sandbox("POST", path, { kind, amount })).body.threadId);
    expect(await moved(ida, clear)).toBe(kind === "refund" ? -amount : amount);
    return id;
  };
  const find = () => listCases(services, { status: "OPEN", user: ida.person.userId, limit: 2 });
  const change = async (threadId: string, amount: number) => {
    const changed = JSON.stringify({ amount, merchant_amount: amount });
    await db
      .update(issuerObjects)
      .set({ data: sql`${issuerObjects.data} || ${changed}::text::jsonb` })
      .where(eq(issuerObjects.id, threadId));
    const settle = () => db.transaction((tx) => enqueue(tx, "card.settle", { threadId, requestId: "test" }));
    expect(await moved(ida, settle)).toBe(0);
  };
  const refund = await book("refund", 500);
  await change(refund, 60_000);
  expect(await find()).toMatchObject([{ threadId: refund, kind: "unbooked", amountCents: 59_500n }]);
  await change(refund, 500);
  expect(await find()).toEqual([]);
  const capture = await book("capture", 800);
  await change(capture, -900);
  expect(await find()).toMatchObject([{ threadId: capture, kind: "contradictory_capture", amountCents: 100n }]);
  await change(capture, 800);
  expect(await find()).toMatchObject([{ threadId: capture, kind: "unbooked", amountCents: 1_600n }]);
  await change(capture, -800);
  expect(await find()).toEqual([]);
  const { results } = await historyOf(ida);
  const lines = results.map(({ kind, refundAmount, billingAmount }: Record<string, unknown>) => [
    kind,
    refundAmount ?? billingAmount,
  ]);
  expect(lines).toEqual([
    ["Payment", "800"],
    ["Refund", "500"],
  ]);
});

test("what a merchant takes back of an accepted credit is collected, although the rest is above the limit", async () => {
  const ida = await becomeCardHolder(service, 100n * euro);
  const { services, settings } = service.runtime;
  await setHolding(service, settings.policy.settlementAddress, (await settlementBalance()) + 700n * euro);
  const { threadId } = await use(ida, 1_000);
  await follow(ida, threadId, "clear");
  await untilSettled(service);
  await follow(ida, threadId, "transactions", { type: "refund", amount: 61_000 });
  const find = () => listCases(services, { kind: "unbooked", status: "OPEN", user: ida.person.userId, limit: 2 });
  await until(async () => (await find()).length === 1, { timeoutMs: 20_000 });
  const id = (await find())[0]?.id ?? "";
  const accept = () => acceptCase(operatorOf(service.runtime, "the merchant owes it"), { id });
  expect(await moved(ida, accept)).toBe(-61_000);
  const back = { type: "refund", amount: -5_000 };
  expect(await moved(ida, () => follow(ida, threadId, "transactions", back))).toBe(5_000);
  expect(await find()).toEqual([]);
});

test("a case that grew since a second person was asked about it is not accepted", async () => {
  const ida = await becomeCardHolder(service, 100n * euro);
  const { services, db } = service.runtime;
  const credit = { kind: "refund", amount: 60_000 };
  const { body } = await ida.person.sandbox("POST", `/issuer/cards/${ida.cardToken}/clearings`, credit);
  const find = async () =>
    (await listCases(services, { kind: "unbooked", status: "OPEN", user: ida.person.userId, limit: 2 }))[0];
  await until(async () => (await find()) !== undefined, { timeoutMs: 20_000 });
  const caseId = (await find())?.id ?? "";
  const two = await openTwoPersons(service.runtime, ["cases.accept"]);
  const ask = () => two.ask((ctx) => acceptCase(ctx, { id: caseId }));
  const asked = await ask();
  expect((await getApproval(services, { id: asked })).input).toEqual({ id: caseId, amount: "-600.00 EUR" });
  await db
    .update(issuerObjects)
    .set({ data: sql`jsonb_set(${issuerObjects.data}, '{amount}', '6000000')` })
    .where(eq(issuerObjects.id, body.threadId));
  await db.transaction((tx) => enqueue(tx, "card.settle", { threadId: body.threadId, requestId: "test" }));
  await until(async () => (await find())?.amountCents === 6_000_000n);
  expect(await refusalOf(two.approve("grace", asked))).toBe("approvals.changed");
  expect(await find()).toMatchObject({ id: caseId, status: "OPEN" });
  expect(await moved(ida, async () => undefined)).toBe(0);
  expect(await ask()).not.toBe(asked);
  await db.delete(unmatchedThreads);
});

test("an amount that nobody can read is not asked for, and each way to write one is the same request", async () => {
  const gus = await becomeCardHolder(service, 20n * euro);
  const { threadId: reference } = await use(gus, 1_000);
  await untilSettled(service);
  const two = await openTwoPersons(service.runtime, ["payments.refund", "debts.write-off"]);
  const kinds = [
    { run: refundPayment, code: "payments.refund_amount" },
    { run: writeOffDebt, code: "debts.amount" },
  ];
  for (const { run, code } of kinds) {
    const ask = (amount: string) => two.ask((ctx) => run(ctx, { reference, amount }));
    for (const wrong of ["abc", "-1", "0", "9".repeat(3_000), "1e1"])
      await expect(ask(wrong)).rejects.toMatchObject({ cause: { code } });
    const ids = await Promise.all(["7", "7.00", "7,00"].map(ask));
    expect(new Set(ids).size).toBe(1);
    expect((await getApproval(service.runtime.services, { id: ids[0] ?? "" })).input["amount"]).toBe("7");
  }
});

/** The code with which a verb refuses. */
const refusalOf = (asked: Promise<unknown>): Promise<string | null> =>
  asked.then(
    () => null,
    (error: unknown) => (error instanceof CardkeepError ? error.code : String(error)),
  );

describe("a refund that cannot be returned is reported to the operator", () => {
  const reportOf = async (name = "refunds") =>
    (await diagnose(service.runtime.services)).find(({ check }) => check === name);
  const measure = async (name: string) => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(new RegExp(`^cardkeep_${name} (\\d+)$`, "m").exec(text)?.[1] ?? Number.NaN);
  };

  test("a refund in another currency, or for another card than the thread's; no money moves", async () => {
    const [cleo, dan] = await Promise.all([
      becomeCardHolder(service, 50n * euro),
      becomeCardHolder(service, 50n * euro),
    ]);
    expect(await reportOf()).toEqual({ check: "refunds", severity: "ok", text: "None waits" });
    const refund = { amount: "500", card: cleo.cardToken, currency: "usd" };
    const { id } = await atIssuer(service, "transactions/create_unlinked_refund", refund);
    await until(async () => (await reportOf("unbooked threads"))?.severity === "fault");
    expect((await reportOf("unbooked threads"))?.text).toContain(
      `${id} (-500 minor units of USD, another currency than the account's)`,
    );
    const { threadId } = await use(cleo, 1_000);
    await untilSettled(service);
    // The use and what was captured of it: a capture names the card by its id alone.
    const moveTo = async (cardToken: string) => {
      const { db } = service.runtime;
      const card = sql`to_jsonb(${cardToken}::text)`;
      await db
        .update(issuerObjects)
        .set({ data: sql`jsonb_set(${issuerObjects.data}, '{card,id}', ${card})` })
        .where(eq(issuerObjects.id, threadId));
      await db
        .update(issuerObjects)
        .set({ data: sql`jsonb_set(${issuerObjects.data}, '{card}', ${card})` })
        .where(sql`${issuerObjects.data} ->> 'authorization' = ${threadId}`);
    };
    await moveTo(dan.cardToken);
    await follow(cleo, threadId, "clear", { amount: 1_500 });
    await until(async () => (await measure('unmatched_threads{reason="card"}')) === 1);
    expect(await measure('unmatched_threads{reason="currency"}')).toBe(1);
    expect(await balancesOf(cleo)).toEqual({ total: 40n * euro, spendable: 40n * euro, pending: 0n });
    expect(await balancesOf(dan)).toEqual({ total: 50n * euro, spendable: 50n * euro, pending: 0n });
    // Booked as soon as the issuer reports the card that was decided on.
    await moveTo(cleo.cardToken);
    await follow(cleo, threadId, "refund", { amount: 100 });
    await until(async () => (await measure('unmatched_threads{reason="card"}')) === 0);
    await untilSettled(service);
    expect(await balancesOf(cleo)).toEqual({ total: 36n * euro, spendable: 36n * euro, pending: 0n });
    await service.runtime.db.delete(unmatchedThreads);
  });

  test("a refund waits for funds of the settlement account", async () => {
    const { settlementAddress } = service.runtime.settings.policy;
    const before = await settlementBalance();
    await setHolding(service, settlementAddress, 0n);
    const refund = { amount: "700", card: bob.cardToken };
    const funds = (await balancesOf(bob)).total;
    await atIssuer(service, "transactions/create_unlinked_refund", refund);
    const { db } = service.runtime;
    await until(
      async () => (await db.select().from(cardTransfers).where(eq(cardTransfers.status, "PLANNED"))).length > 0,
    );
    expect(await measure("card_returns_waiting")).toBe(0);
    await bob.person.sandbox("POST", "/chain/advance", { seconds: 61 });
    expect(await measure("card_returns_waiting")).toBe(1);
    const report = await reportOf();
    expect([report?.severity, report?.text]).toEqual(["fault", expect.stringContaining(`fund ${settlementAddress}`)]);
    await setHolding(service, settlementAddress, before + 7n * euro);
    // A try that began before the money came is followed by another pause.
    await until(
      async () => {
        await bob.person.sandbox("POST", "/chain/advance", { seconds: 31 });
        return (await db.$count(cardTransfers, eq(cardTransfers.status, "PLANNED"))) === 0;
      },
      { everyMs: 500 },
    );
    await untilSettled(service);
    expect((await balancesOf(bob)).total).toBe(funds + 7n * euro);
    expect((await reportOf())?.severity).toBe("ok");
  });
});

describe("the history", () => {
  let dora: CardHolder;
  const threads: string[] = [];
  beforeAll(async () => {
    dora = await becomeCardHolder(service, 100n * euro);
    for (const mcc of ["5812", "5411"]) threads.unshift((await use(dora, 10, { mcc })).threadId);
    await untilSettled(service);
    // Copies, each older than the one before: their money moved nowhere.
    await service.runtime.db.execute(sql`insert into card_payments
      select (jsonb_populate_record(p, jsonb_build_object('id', 'copy-' || n, 'thread_id', 'copy-' || n,
        'mcc', case n % 2 when 0 then '5411' else '5812' end, 'created_at', p.created_at - n * interval '1 second'))).*
      from card_payments p, generate_series(2, 12) n where thread_id = ${threads[1]}`);
    for (let n = 2; n < 13; n++) threads.push(`copy-${n}`);
  });
  afterAll(() => service.runtime.db.execute(sql`delete from card_payments where thread_id like 'copy-%'`));

  test("is paged, newest first, with links between the pages", async () => {
    const first = await historyOf(dora, "?limit=10");
    expect([first.count, first.next, first.previous]).toEqual([
      13,
      "/api/v1/cards/transactions?limit=10&offset=10",
      null,
    ]);
    const pages = [first];
    for (let next = first.next; next; next = pages.at(-1).next) {
      pages.push(await historyOf(dora, next.slice("/api/v1/cards/transactions".length)));
    }
    expect(pages.map(({ results }) => results.length)).toEqual([10, 3]);
    expect(pages.flatMap(({ results }) => results.map(({ threadId }: { threadId: string }) => threadId))).toEqual(
      threads,
    );
    expect(pages[1]).toMatchObject({
      count: 13,
      next: null,
      previous: "/api/v1/cards/transactions?limit=10&offset=0",
    });
    const { status, body, headers } = await dora.person.call("GET", "/transactions");
    expect(status).toBe(200);
    expect(headers.get("deprecation")).toBe("@1767225600");
    expect(body.map(({ threadId }: { threadId: string }) => threadId)).toEqual(threads);
  });

  test("is filtered by card, time, currency, category and type; the links keep the filter", async () => {
    const count = async (query: string) => (await historyOf(dora, `?${query}`)).count;
    expect(await count("mcc=5812")).toBe(6);
    expect(await count("mcc=9999")).toBe(0);
    expect(await count("billingCurrency=eur")).toBe(13);
    expect(await count("billingCurrency=978")).toBe(13);
    expect(await count("billingCurrency=USD")).toBe(0);
    expect(await count("transactionCurrency=EUR")).toBe(13);
    expect(await count("transactionType=00")).toBe(13);
    expect(await count("transactionType=01")).toBe(0);
    expect(await count(`cardTokens=${dora.cardToken},other`)).toBe(13);
    expect(await count(`cardTokens=${ada.cardToken}`)).toBe(0);
    const { results } = await historyOf(dora);
    const at = results[5].createdAt;
    expect((await count(`before=${at}`)) + (await count(`after=${at}`))).toBe(12);
    const day = (ahead: number) => new Date(Date.parse(at) + ahead * 86_400_000).toISOString().slice(0, 10);
    const ofDay = results.filter(({ createdAt }: { createdAt: string }) => createdAt.startsWith(day(0))).length;
    // A date is the start of its day in UTC for `after`; `before` includes its day.
    expect(await count(`after=${day(0)}&before=${day(0)}`)).toBe(ofDay);
    expect(await count(`after=2026-01-01&before=${day(1)}`)).toBe(13);
    expect([await count(`before=${day(-1)}`), await count(`after=${day(1)}`)]).toEqual([0, 0]);
    const listed = await dora.person.call("GET", `/transactions?after=${day(0)}&before=${day(0)}`);
    expect([listed.status, listed.body.length]).toEqual([200, ofDay]);
    expect(await count("after=0001-01-01&before=9999-12-31")).toBe(13);
    expect(await count(`before=${encodeURIComponent("9999-12-31T23:59:59-14:00")}`)).toBe(13);
    const { next } = await historyOf(dora, `?billingCurrency=EUR&limit=10&after=2020-01-01T00:00:00Z`);
    expect(next).toContain("billingCurrency=EUR");
    expect((await historyOf(dora, next.slice("/api/v1/cards/transactions".length))).results).toHaveLength(3);
  });

  test.each([
    "limit=9",
    "limit=x",
    "offset=-1",
    "before=yesterday",
    "after=2026-11-31",
    "after=2026-11",
    "before=20261130",
    "before=0000-01-01",
    "before=0000-01-01T00:00:00Z",
    `after=${encodeURIComponent("0001-01-01T00:00:00+14:00")}`,
    "mcc=54111",
    `cardTokens=${encodeURIComponent("\0")}`,
  ])("refuses %s", async (query) => {
    const { status, body } = await dora.person.call("GET", `/cards/transactions?${query}`);
    expect([status, typeof body.error]).toEqual([422, "string"]);
  });

  test("is paged before the present instant, where the clock is ahead, by a bound that stays in the links", async () => {
    await dora.person.sandbox("POST", "/chain/advance", { seconds: 3_600 });
    const { threadId } = await use(dora, 10);
    const pages = [await historyOf(dora, `?limit=10&before=${new Date().toISOString()}`)];
    for (let next = pages[0].next; next; next = pages.at(-1).next) {
      // A bound by the caller's clock would be before every line once the request that named it is over.
      const bound = new URL(next, "http://localhost").searchParams.get("before");
      expect(bound && bound > pages[0].results[0].createdAt).toBe(true);
      pages.push(await historyOf(dora, next.slice("/api/v1/cards/transactions".length)));
    }
    const listed = pages.flatMap(({ results }) => results.map((line: CardEvent) => line.threadId));
    expect(listed).toEqual([threadId, ...threads]);
  });

  test("of a user without a card is empty, and users see only their own", async () => {
    const eve = await new Person(service).becomeApproved();
    expect((await eve.call("GET", "/cards/transactions")).body).toEqual({
      count: 0,
      next: null,
      previous: null,
      results: [],
    });
    expect((await eve.call("GET", `/cards/transactions?cardTokens=${dora.cardToken}`)).body.count).toBe(0);
    expect((await eve.call("GET", "/transactions")).body).toEqual([]);
    eve.token = null;
    const { status, body } = await eve.call("GET", "/cards/transactions");
    expect([status, body]).toEqual([401, { message: "Unauthorized" }]);
  });
});

describe("a dispute", () => {
  const dispute = (person: Person, threadId: string, disputeReason?: unknown) =>
    person.call("POST", `/transactions/${threadId}/dispute`, { disputeReason });

  test("has one of seven reasons", async () => {
    const { status, body } = await ada.person.call("GET", "/transactions/dispute");
    expect([status, Object.keys(body.result)]).toEqual([200, Object.keys(disputeReasons)]);
    const { threadId } = await use(ada, 100);
    for (const reason of [undefined, "", "because", 7, null]) {
      const refused = await dispute(ada.person, threadId, reason);
      expect([refused.status, refused.body]).toEqual([
        400,
        { error: "Invalid dispute reason", validReasons: Object.keys(disputeReasons) },
      ]);
    }
    for (const unfit of ["[]", '"wrong_value"', "7", "{}"]) {
      const refused = await ada.person.call("POST", `/transactions/${threadId}/dispute`, unfit);
      expect([refused.status, refused.headers.get("x-error-code"), refused.body.validReasons]).toEqual([
        400,
        "transactions.invalid_reason",
        Object.keys(disputeReasons),
      ]);
    }
  });

  test("is submitted to the issuer once, after the transaction is captured", async () => {
    const { threadId } = await use(ada, 800);
    expect(await dispute(ada.person, threadId, "wrong_value")).toMatchObject({
      status: 202,
      body: { message: "Dispute submitted for review" },
    });
    const again = await dispute(ada.person, threadId, "wrong_value");
    expect([again.status, Object.keys(again.body).toSorted()]).toEqual([409, ["error", "message"]]);
    await untilSettled(service);
    await follow(ada, threadId, "clear");
    const explanation = "The till showed less";
    await ada.person.call("POST", `/transactions/${threadId}/dispute/evidence`, { explanation });
    await until(async () => (await disputesAtIssuer())[0]?.status === "submitted");
    expect((await disputesAtIssuer())[0]).toMatchObject({
      status: "submitted",
      amount: 800,
      evidence: { reason: "other" },
    });
  });

  test("of another user's transaction is answered like an unknown one, byte for byte", async () => {
    const { threadId } = await use(ada, 100);
    const ofAnother = await dispute(bob.person, threadId, "wrong_value");
    for (const unknown of ["unknown", "%00", threadId.slice(0, -1)]) {
      const ofNobody = await dispute(bob.person, unknown, "wrong_value");
      expect([ofNobody.status, ofNobody.body]).toEqual([ofAnother.status, ofAnother.body]);
    }
    expect([ofAnother.status, ofAnother.body]).toEqual([404, { error: "Transaction not found" }]);
  });

  test("of a payment that moved no money, or returned it, says so to its holder alone", async () => {
    const declined = await use(bob, 5_000);
    const reversed = await use(bob, 100);
    await follow(bob, reversed.threadId, "reverse");
    // Before the reversal is booked, the payment can be disputed.
    await untilSettled(service);
    const returned = "The transaction took no money, or its money was returned: it cannot be disputed";
    for (const [threadId, error] of [
      [declined.threadId, "A declined payment moved no money and cannot be disputed"],
      [reversed.threadId, returned],
    ] as const) {
      const ofHolder = await dispute(bob.person, threadId, "wrong_value");
      expect([ofHolder.status, ofHolder.body]).toEqual([404, { error }]);
      const evidence = await bob.person.call("POST", `/transactions/${threadId}/dispute/evidence`, {
        explanation: "x",
      });
      expect([evidence.status, evidence.body]).toEqual([404, { error }]);
      const ofAnother = await dispute(ada.person, threadId, "wrong_value");
      expect([ofAnother.status, ofAnother.body]).toEqual([404, { error: "Transaction not found" }]);
    }
  });

  test("for fraud closes the card for good, at the issuer too", async () => {
    const victim = await becomeCardHolder(service, 10n * euro);
    const { threadId } = await use(victim, 100);
    const { status } = await dispute(victim.person, threadId, "unrecognized_transaction_report_fraudulent");
    expect(status).toBe(202);
    expect(await use(victim, 100)).toMatchObject({ approved: false });
    const { body } = await victim.person.call("GET", "/cards");
    expect(body[0]).toMatchObject({ cardToken: victim.cardToken, statusCode: 1062, statusName: "Restricted" });
    const ofCard = async () => (await atIssuer(service, `/v1/issuing/cards/${victim.cardToken}`, null)).status;
    await until(async () => (await ofCard()) === "canceled");
    const { id } = body[0];
    await expect(askCli(service, "cards", "restore", id)).rejects.toThrow("A closed card stays closed");
    expect((await victim.person.call("POST", `/cards/${id}/unfreeze`)).status).toBe(400);
  });

  const disputesAtIssuer = async () => (await atIssuer(service, "/v1/issuing/disputes", null)).data;
});

test("a list before the present instant contains the latest events, after any advance of the clock", async () => {
  const late = await becomeCardHolder(service, 10n * euro);
  await use(late, 100);
  await late.person.sandbox("POST", "/chain/advance", { seconds: 3_600 });
  const { threadId } = await use(late, 200);
  const listBefore = async (before: Date): Promise<string[]> =>
    (await historyOf(late, `?before=${before.toISOString()}`)).results.map((event: CardEvent) => event.threadId);
  const { timestamp } = (await late.person.sandbox("GET", "/chain")).body;
  const count = (await historyOf(late)).results.length;
  for (const now of [new Date(), new Date((timestamp + 2) * 1000)]) {
    const listed = await listBefore(now);
    expect([listed[0], listed.length]).toEqual([threadId, count]);
  }
  expect(await listBefore(new Date(Date.now() - 60_000))).not.toContain(threadId);
});

test("the ledger lists every booking once, by Safe, payment and time, and its sums are those of its entries", async () => {
  await untilSettled(service);
  const { runtime } = service;
  const readTables = async (query: Record<string, string>) => {
    const visit = { ctx: operatorOf(runtime), path: "/operator/ledger", params: {} };
    const { show } = pageRoutes["/operator/ledger"] ?? fail("request.not_found");
    const page = await show({ ...visit, query: new URLSearchParams({ ...query, format: "csv" }) });
    const tables = new Map<string, string[][]>();
    for (const table of page.tables ?? []) {
      const texts: string[] = [];
      for await (const text of table.listRecords()) texts.push(text);
      tables.set(
        table.name,
        texts
          .join("")
          .trim()
          .split("\r\n")
          .slice(1)
          .map((line) => line.split(",")),
      );
    }
    return tables;
  };
  const all = (await readTables({})).get("ledger") ?? [];
  expect(all.length).toBe(await runtime.db.$count(ledgerEntries));
  expect(new Set(all.map(([id]) => id)).size).toBe(all.length);
  const [, , safe = ""] = all[0] ?? [];
  const ofSafe = await readTables({ safe });
  const entries = ofSafe.get("ledger") ?? [];
  expect(entries.map(([id]) => id)).toEqual(all.filter(([, , address]) => address === safe).map(([id]) => id));
  const columnOf = (rows: string[][], index: number) => rows.reduce((sum, row) => sum + Number(row[index]), 0);
  const sums = (ofSafe.get("sums") ?? []).map(([, sum]) => Number(sum));
  for (const [index, sum] of filled(sums.entries())) expect(columnOf(entries, 4 + index)).toBeCloseTo(sum, 8);
  expect(sums).toHaveLength(ledgerAccounts.length);
  expect(sums.reduce((total, sum) => total + sum, 0)).toBeCloseTo(0, 8);
  const [, paymentId = ""] = entries[0] ?? [];
  const ofPayment = (await readTables({ payment: paymentId })).get("ledger") ?? [];
  expect(ofPayment.map(([id]) => id)).toEqual(entries.filter(([, id]) => id === paymentId).map(([id]) => id));
  expect((await readTables({ from: "2020-01-01", until: "2020-01-02" })).get("ledger")).toEqual([]);
  expect((await readTables({ from: "2020-01-01" })).get("ledger")).toHaveLength(all.length);
  expect((await readTables({ safe: "nothing" })).get("ledger")).toEqual([]);
});
