import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CardEvent } from "@cardkeep/contract/spending/cardEvents";
import { evidenceFiles } from "@cardkeep/contract/spending/disputeEvidence";
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { insertIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { issuerObjects } from "@cardkeep/db/sandbox/tables";
import {
  bookLines,
  cardCases,
  cardDisputes,
  cardPayments,
  disputeEvidence,
  events,
  users,
} from "@cardkeep/db/schema/tables";
import { readPersonalData } from "@cardkeep/db/queries/core/personalData/personalData";
import { findUser, lockUser } from "@cardkeep/db/queries/users/users";
import { postAll } from "@cardkeep/domain/books/postings/postBooks";
import { findNextBusinessDayEnd } from "@cardkeep/domain/core/businessDays";
import { getDisputeDetails, listAllDisputes } from "@cardkeep/domain/spending/disputes/listAllDisputes";
import { addEvidence } from "@cardkeep/domain/spending/disputes/addEvidence";
import { advanceDispute } from "@cardkeep/domain/spending/disputes/advanceDispute";
import { grantCredit } from "@cardkeep/domain/spending/disputes/decideCredit";
import { mailOpenedDispute } from "@cardkeep/domain/spending/disputes/disputePaymentFor";
import { mailCredit, mailDispute } from "@cardkeep/domain/spending/disputes/mailDispute";
import { submitDispute, withdrawDispute } from "@cardkeep/domain/spending/disputes/submitDispute";
import { compareThreads } from "@cardkeep/domain/spending/payments/compareThreads";
import { createContext } from "@cardkeep/domain/core/context";
import { isUnavailable } from "@cardkeep/domain/core/errors";
import { createRateLimits } from "@cardkeep/domain/core/limits/rateLimits";
import { getApproval } from "@cardkeep/domain/operations/executors/decideApproval";
import { addMissingJobs } from "@cardkeep/domain/operations/housekeeping/recoverJobs";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { and, asc, eq, inArray, like, sql } from "drizzle-orm";
import { z } from "zod";
import { readOpenSums } from "../support/bookSums.ts";
import { findPaymentId } from "../support/cases.ts";
import { askCli } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { findShortfall } from "../support/funds.ts";
import { type HttpProxy, startHttpProxy } from "../support/httpProxy.ts";
import { operatorOf } from "../support/operator.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { startSqlProxy } from "../support/sqlProxy.ts";
import { openTwoPersons } from "../support/twoPersons.ts";
import {
  atIssuer,
  balancesOf,
  becomeCardHolder,
  cent,
  euro,
  follow,
  give,
  untilSettled,
  use,
} from "../support/spending.ts";
import type { CardHolder } from "../support/spending.ts";
import { createWorkerContext } from "../support/workerContext.ts";
import { readWorkerSettings } from "../support/workerSettings.ts";

let service: Service;
let ada: CardHolder;
/** The issuer, as the worker reaches it. */
let proxy: HttpProxy;
let workerRuntime: Runtime;
let worker: Worker;
beforeAll(async () => {
  const env = {
    DISPUTE_CREDIT: "provisional",
    DISPUTE_ADVANCE_CENTS_MAX: "2000",
    UNAUTHORIZED_CREDIT_CENTS_MAX: "2000",
  };
  service = await startService({ worker: false, env });
  proxy = startHttpProxy(service.sandboxUrl);
  workerRuntime = await createRuntime(readWorkerSettings({ ...service.env, CARD_ISSUER_URL: proxy.url }), "worker");
  worker = await startWorker(workerRuntime);
  ada = await becomeCardHolder(service, 200n * euro);
  await markProven(ada);
});
afterAll(async () => {
  await worker.stop();
  proxy.stop();
  await workerRuntime.close();
  await service.stop();
});

/** An unproven address gets few mails, and no amount. */
const markProven = ({ person: { userId } }: CardHolder) =>
  service.runtime.db
    .update(users)
    .set({ emailProvenAt: new Date() })
    .where(eq(users.id, userId ?? ""));

/** A captured payment, disputed and submitted. */
async function dispute(
  holder: CardHolder,
  cents: number,
  disputeReason = "wrong_value",
  explanation: string | null = "The receipt says less",
): Promise<{ threadId: string; paymentId: string }> {
  const { threadId } = await use(holder, cents);
  await follow(holder, threadId, "clear");
  await untilSettled(service);
  if (explanation !== null) await explain(holder, threadId, { explanation });
  const { status } = await holder.person.call("POST", `/transactions/${threadId}/dispute`, { disputeReason });
  expect(status).toBe(202);
  return { threadId, paymentId: await findPaymentId(service, threadId) };
}

/** The person's own words, and what else the reason needs. */
async function explain(holder: CardHolder, threadId: string, fields: object): Promise<void> {
  const { status } = await holder.person.call("POST", `/transactions/${threadId}/dispute/evidence`, fields);
  expect(status).toBe(200);
}

async function findRow(paymentId: string) {
  const [row] = await service.runtime.db.select().from(cardDisputes).where(eq(cardDisputes.paymentId, paymentId));
  if (!row) throw new Error("The payment has no dispute");
  return row;
}

/** What operators are asked about a payment that its person did not authorize. */
async function findCreditCase(paymentId: string) {
  const isOfPayment = and(eq(cardCases.paymentId, paymentId), eq(cardCases.kind, "unauthorized_payment"));
  return (await service.runtime.db.select().from(cardCases).where(isOfPayment))[0];
}

const untilAsked = (paymentId: string, amountCents: bigint): Promise<void> =>
  until(async () => {
    const known = await findCreditCase(paymentId);
    return known?.status === "OPEN" && known.amountCents === amountCents;
  });

const untilStatus = (paymentId: string, status: string): Promise<void> =>
  until(async () => (await findRow(paymentId)).status === status);

async function decide(paymentId: string, fields: Record<string, unknown>): Promise<void> {
  const { issuerDisputeId } = await findRow(paymentId);
  const { status, body } = await ada.person.sandbox("POST", `/issuer/disputes/${issuerDisputeId}/decide`, fields);
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/** What a worker does every ten seconds. */
const addJobs = (): Promise<void> =>
  addMissingJobs(createContext(service.runtime.services, { log: service.runtime.log, requestId: "test" }));

/** Waits until no look at a dispute is due or under way. */
const untilLooked = () =>
  until(async () => {
    const [row] = await service.runtime.db.execute<{ open: number }>(sql`
      select count(*)::int as open from graphile_worker.jobs
      where task_identifier = 'card.dispute' and (run_at <= now() or locked_at is not null)`);
    return row?.open === 0;
  });

/** What a worker does when its time has come to look at a dispute, without an event. */
async function look(paymentId: string): Promise<void> {
  const { id: disputeId } = await findRow(paymentId);
  await advanceDispute(createWorkerContext(workerRuntime), { disputeId });
}

const totalOf = async (holder: CardHolder): Promise<bigint> => (await balancesOf(holder)).total;

/** Waits until a Safe holds this much, and checks that nothing is missing at the settlement account. */
async function untilHolds(holder: CardHolder, amount: bigint): Promise<void> {
  await until(async () => (await totalOf(holder)) === amount);
  await untilSettled(service);
  expect(await totalOf(holder)).toBe(amount);
  expect(await findShortfall(service.runtime)).toBeNull();
}

const lineOf = async ({ person }: CardHolder, threadId: string): Promise<CardEvent | undefined> =>
  (await person.call("GET", "/cards/transactions")).body.results.find((line: CardEvent) => line.threadId === threadId);

const mailsTo = async ({ person }: CardHolder): Promise<string[]> => {
  const { email } = (await person.call("GET", "/user")).body;
  const { body } = await person.sandbox("GET", `/mailbox?to=${encodeURIComponent(email)}`);
  return body.map(({ text }: { text: string }) => text);
};

const published = z.object({ threadId: z.string(), status: z.string() });

const statusesOf = async (threadId: string): Promise<string[]> => {
  const isOfKind = eq(events.eventType, "card.dispute.updated");
  const rows = await service.runtime.db.select().from(events).where(isOfKind).orderBy(asc(events.id));
  const ofThread = rows.map(({ data }) => published.parse(data)).filter((data) => data.threadId === threadId);
  return ofThread.map(({ status }) => status);
};

describe("a dispute's money", () => {
  test("is advanced up to the bound, is what the issuer pays once it is won, and goes back when that is taken back", async () => {
    const before = await totalOf(ada);
    const { threadId, paymentId } = await dispute(ada, 3_000);
    await untilStatus(paymentId, "submitted");
    await untilHolds(ada, before - 1_000n * cent);
    await decide(paymentId, { outcome: "win" });
    await untilStatus(paymentId, "won");
    await untilHolds(ada, before);
    await decide(paymentId, { outcome: "takeBack" });
    await untilStatus(paymentId, "taken_back");
    await untilHolds(ada, before - 3_000n * cent);
    expect(await statusesOf(threadId)).toEqual(["requested", "created", "submitted", "won", "taken_back"]);
    expect(await findRow(paymentId)).toMatchObject({ reinstatedCents: 0n, lossReason: null });
  });

  test("goes back when it is lost, and what the Safe lacks becomes a debt and a case", async () => {
    const bob = await becomeCardHolder(service, 30n * euro);
    const { paymentId, threadId: disputed } = await dispute(bob, 2_000);
    await untilHolds(bob, 30n * euro);
    const { threadId } = await use(bob, 2_800);
    await follow(bob, threadId, "clear");
    await untilHolds(bob, 2n * euro);
    const untilOwed = (owed: bigint): Promise<void> => {
      const isOwed = and(eq(cardPayments.id, paymentId), eq(cardPayments.owed, owed));
      return until(async () => (await service.runtime.db.$count(cardPayments, isOwed)) === 1);
    };
    const isOfDispute = and(eq(cardCases.paymentId, paymentId), eq(cardCases.kind, "dispute_loss"));
    // What the merchant captures beyond the authorization is owed too, before and after, and is none of the dispute's money.
    await follow(bob, disputed, "clear", { amount: 300 });
    await untilOwed(euro);
    await decide(paymentId, { outcome: "lose", lossReason: "refund_issued" });
    await untilStatus(paymentId, "lost");
    await untilOwed(21n * euro);
    await untilHolds(bob, 0n);
    const [opened] = await service.runtime.db.select().from(cardCases).where(isOfDispute);
    expect(opened).toMatchObject({ kind: "dispute_loss", status: "OPEN", currency: "EUR", amountCents: 2_000n });
    expect(await findRow(paymentId)).toMatchObject({ lossReason: "refund_issued" });
    await follow(bob, disputed, "clear", { amount: 400 });
    await untilOwed(25n * euro);
    expect(await service.runtime.db.select().from(cardCases).where(isOfDispute)).toMatchObject([
      { amountCents: 2_000n },
    ]);
    await give(bob.person, bob.safe, 40n * euro);
    await untilHolds(bob, 15n * euro);
    expect(await readOpenSums(service, [paymentId])).toEqual({});
  });

  test("leaves the books' accounts where it is set off against a debt, and the issuer pays for it", async () => {
    const bob = await becomeCardHolder(service, 20n * euro);
    const owing = await use(bob, 900);
    await follow(bob, owing.threadId, "clear");
    const { threadId, paymentId } = await dispute(bob, 1_000, "wrong_value", null);
    await follow(bob, owing.threadId, "clear", { amount: 800 });
    await untilHolds(bob, 0n);
    await explain(bob, threadId, { explanation: "The receipt says less" });
    await untilHolds(bob, 3n * euro);
    const ids = [paymentId, await findPaymentId(service, owing.threadId)];
    expect(await readOpenSums(service, ids)).toEqual({ "provisional-credits:EUR": 10n * euro });
    await untilStatus(paymentId, "submitted");
    await decide(paymentId, { outcome: "win" });
    await untilStatus(paymentId, "won");
    await untilHolds(bob, 3n * euro);
    expect(await readOpenSums(service, ids)).toEqual({});
  });

  test("never comes to more than the payment moved: with a refund of the merchant beside it, and with a partial win", async () => {
    const before = await totalOf(ada);
    const { threadId, paymentId } = await dispute(ada, 1_500);
    await untilHolds(ada, before);
    await follow(ada, threadId, "refund", { amount: 1_000 });
    await untilSettled(service);
    expect(await totalOf(ada)).toBe(before);
    await decide(paymentId, { outcome: "win", amount: 700 });
    await untilStatus(paymentId, "won");
    await untilHolds(ada, before);
    await follow(ada, threadId, "refund", { amount: 500 });
    await untilHolds(ada, before);
  });

  test("follows the issuer's record, also when its callbacks are lost or the decision is reversed", async () => {
    const before = await totalOf(ada);
    const { threadId, paymentId } = await dispute(ada, 1_200);
    await untilHolds(ada, before);
    // A job of an earlier callback may look between two decisions; the next look comes hours later.
    for (const outcome of ["lose", "win", "takeBack"]) await decide(paymentId, { outcome, isSilent: true });
    await until(
      async () => {
        await ada.person.sandbox("POST", "/chain/advance", { seconds: 7 * 3_600 });
        await addJobs();
        return (await findRow(paymentId)).status === "taken_back";
      },
      { everyMs: 1_000 },
    );
    await untilHolds(ada, before - 1_200n * cent);
    const statuses = await statusesOf(threadId);
    expect([statuses.slice(0, 3), statuses.at(-1)]).toEqual([["requested", "created", "submitted"], "taken_back"]);
  });

  test("is advanced up to the bound for all disputes of a person that the issuer has not paid for, also at once", async () => {
    const eve = await becomeCardHolder(service, 100n * euro);
    const threads: string[] = [];
    for (const cents of [900, 901, 902, 700, 1_200]) {
      const { threadId } = await use(eve, cents);
      await follow(eve, threadId, "clear");
      threads.push(threadId);
    }
    await untilSettled(service);
    const paymentIds = await Promise.all(threads.map((id) => findPaymentId(service, id)));
    const [fourth, fifth] = [threads[3] ?? "", threads[4] ?? ""];
    const begin = async (threadId: string, disputeReason = "wrong_value") => {
      await explain(eve, threadId, { explanation: "The receipt says less" });
      const given = { disputeReason };
      expect((await eve.person.call("POST", `/transactions/${threadId}/dispute`, given)).status).toBe(202);
    };
    const creditOf = async (id: string): Promise<bigint> => {
      const [row] = await service.runtime.db.select().from(cardPayments).where(eq(cardPayments.id, id));
      return (row?.credit ?? 0n) / cent;
    };
    await Promise.all(threads.slice(0, 3).map((threadId) => begin(threadId)));
    for (const id of paymentIds.slice(0, 3)) await untilStatus(id, "submitted");
    const before = 10_000n - 900n - 901n - 902n - 700n - 1_200n;
    await untilHolds(eve, (before + 2_000n) * cent);

    // What the issuer paid for leaves the bound to others, and what it has not paid for counts for reports of fraud too.
    const credits = await Promise.all(paymentIds.slice(0, 3).map(creditOf));
    const [first = "", second = ""] = paymentIds.slice(0, 3).filter((_, index) => (credits[index] ?? 0n) >= 900n);
    const paid = await creditOf(first);
    await decide(first, { outcome: "win" });
    await untilStatus(first, "won");
    await begin(fourth);
    await untilStatus(paymentIds[3] ?? "", "submitted");
    await untilHolds(eve, (before + 2_000n + 700n) * cent);
    await begin(fifth, "unrecognized_transaction_report_fraudulent");
    await untilStatus(paymentIds[4] ?? "", "submitted");
    const opened = await findCreditCase(paymentIds[4] ?? "");
    expect([opened?.amountCents, opened?.note.startsWith("The person's open credits")]).toEqual([1_200n, true]);
    await untilHolds(eve, (before + 2_000n + 700n) * cent);

    // What stands is not taken back before the network decides, also where operators went beyond the bound.
    await askCli(service, "disputes", "credit", (await findRow(paymentIds[4] ?? "")).id, "--reason", "believed");
    await untilHolds(eve, (before + 2_000n + 700n + 1_200n) * cent);
    await decide(second, { outcome: "win", amount: 0 });
    await untilStatus(second, "won");
    await untilHolds(eve, (before + 2_000n + 700n + 1_200n) * cent);
    await decide(second, { outcome: "reinstate" });
    await until(async () => (await findRow(second)).reinstatedCents > 0n);
    expect([await creditOf(first), await creditOf(second)]).toEqual([paid, (await findRow(second)).reinstatedCents]);
  });

  test("is counted behind the person's lock, so that those of other Safes wait for it", async () => {
    const eve = await becomeCardHolder(service, 20n * euro);
    const { threadId, paymentId } = await dispute(eve, 500, "wrong_value", null);
    await untilStatus(paymentId, "created");
    const { userId } = await findRow(paymentId);
    const [taken, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const other = createWorkerContext(workerRuntime).commit(async ({ tx }) => {
      await lockUser(tx, userId);
      taken.resolve();
      await held.promise;
    });
    await taken.promise;
    await explain(eve, threadId, { explanation: "The receipt says less" });
    // The issuer's callback may bring a second look, which waits too.
    const waiting = sql`datname = current_database() and wait_event_type = 'Lock' and query like '%"users"%'`;
    await until(async () => (await service.runtime.db.$count(sql`pg_stat_activity`, waiting)) > 0);
    expect(await findRow(paymentId)).toMatchObject({ status: "created" });
    held.resolve();
    await other;
    await untilStatus(paymentId, "submitted");
    await untilHolds(eve, 20n * euro);
  });
});

test("a dispute that was made at the issuer itself is adopted", async () => {
  const before = await totalOf(ada);
  const { threadId } = await use(ada, 800);
  await follow(ada, threadId, "clear");
  await untilSettled(service);
  const { data } = await atIssuer(service, "/v1/issuing/transactions", null);
  const evidence = { "evidence[reason]": "fraudulent", "evidence[fraudulent][explanation]": "Not the cardholder" };
  const { id } = await atIssuer(service, "/v1/issuing/disputes", { transaction: data[0].id, ...evidence });
  const paymentId = await findPaymentId(service, threadId);
  await until(async () => {
    const rows = await service.runtime.db.select().from(cardDisputes).where(eq(cardDisputes.paymentId, paymentId));
    return rows[0]?.issuerDisputeId === id && rows[0]?.status === "submitted";
  });
  expect(await findRow(paymentId)).toMatchObject({ reason: "unrecognized_transaction_report_fraudulent" });
  await untilHolds(ada, before);
});

/** Files a dispute at the issuer itself, about one of its transactions. */
async function fileAtIssuer(transaction: string): Promise<string> {
  const evidence = { "evidence[reason]": "fraudulent", "evidence[fraudulent][explanation]": "Not the cardholder" };
  return (await atIssuer(service, "/v1/issuing/disputes", { transaction, ...evidence })).id;
}

const untilAdopted = (issuerDisputeId: string): Promise<void> =>
  until(async () => {
    const isIt = eq(cardDisputes.issuerDisputeId, issuerDisputeId);
    return (await service.runtime.db.$count(cardDisputes, isIt)) === 1;
  });

test("a dispute whose row a restored database lost is adopted, also where a newer one was adopted before it", async () => {
  const { db } = service.runtime;
  const capture = async (cents: number): Promise<string> => {
    const { threadId } = await use(ada, cents);
    await follow(ada, threadId, "clear");
    await untilSettled(service);
    return (await atIssuer(service, "/v1/issuing/transactions", null)).data[0].id;
  };
  const lost = await fileAtIssuer(await capture(700));
  await untilAdopted(lost);
  await untilLooked();
  await db.delete(cardDisputes).where(eq(cardDisputes.issuerDisputeId, lost));
  const aged = sql`jsonb_set(${issuerObjects.data}, '{created}', to_jsonb((${issuerObjects.data} ->> 'created')::int - 10800))`;
  await db
    .update(issuerObjects)
    .set({ data: aged, createdAt: sql`${issuerObjects.createdAt} - interval '3 hours'` })
    .where(eq(issuerObjects.id, lost));
  await untilAdopted(await fileAtIssuer(await capture(600)));
  const since = new Date(Date.now() - 4 * hourMs).toISOString();
  await compareThreads(createWorkerContext(workerRuntime), { since });
  await untilAdopted(lost);
});

test("a dispute that comes before the payment that it is about is adopted once that is booked", async () => {
  const { db } = service.runtime;
  const { threadId } = await use(ada, 500);
  await follow(ada, threadId, "clear");
  await untilSettled(service);
  const { data } = await atIssuer(service, "/v1/issuing/transactions", null);
  const [kept] = await db.select().from(issuerObjects).where(eq(issuerObjects.id, data[0].id));
  if (!kept) throw new Error("The issuer does not know the capture");
  // The same capture without its authorization, under another id, of which no row is known here.
  const unknown = `${kept.id}x`;
  const { object, hidden, createdAt } = kept;
  const copied = { ...kept.data, id: unknown, authorization: null, network_data: null };
  const copy = { object, hidden, createdAt, id: unknown, data: copied };
  await db.transaction((tx) => insertIssuerObject(tx, copy));
  const id = await fileAtIssuer(unknown);
  const waiting = sql`graphile_worker._private_jobs where key = ${`card.adoptDispute:${id}`} and attempts = 0 and run_at > now()`;
  const findWaiting = async () =>
    (await db.execute<{ since: string }>(sql`select payload ->> 'since' as since from ${waiting}`))[0];
  await until(async () => (await findWaiting()) !== undefined);
  // The hourly comparison finds the dispute again. The look for its payment began when it began.
  const began = new Date(Date.now() - 5 * dayMs).toISOString();
  await db.execute(sql`update graphile_worker._private_jobs
    set payload = jsonb_set(payload::jsonb, '{since}', to_jsonb(${began}::text))::json, run_at = now() + interval '1 hour'
    where key = ${`card.adoptDispute:${id}`}`);
  await compareThreads(createWorkerContext(workerRuntime), {});
  await until(async () => (await findWaiting()) !== undefined);
  expect((await findWaiting())?.since).toBe(began);
  await db.execute(sql`update graphile_worker._private_jobs
    set payload = (payload::jsonb - 'since')::json, run_at = now() where key = ${`card.adoptDispute:${id}`}`);
  await db.transaction((tx) => enqueue(tx, "card.settle", { threadId: unknown, requestId: "test" }));
  await untilAdopted(id);
});

describe("evidence", () => {
  const pdf = Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.alloc(200_000, 7)]).toString("base64");
  const add = (threadId: string, fields: object, path = "evidence") =>
    ada.person.call("POST", `/transactions/${threadId}/dispute/${path}`, fields);

  test("is sealed until the issuer has it, is handed on with its files, and lets the dispute be submitted", async () => {
    const { threadId, paymentId } = await dispute(ada, 900, "problem_with_the_product_chargeback_");
    await untilStatus(paymentId, "created");
    const { status, body } = await ada.person.call("GET", `/transactions/${threadId}/dispute`);
    expect([status, body.status, body.missing]).toEqual([
      200,
      "created",
      ["receivedAt", "returnStatus", "returnDescription"],
    ]);
    const file = await add(threadId, { slot: "cashReceipt", file: pdf }, "evidence/files");
    expect([file.status, file.body.evidence[0].mediaType]).toEqual([200, "application/pdf"]);
    const first = await add(threadId, { explanation: "It is broken", receivedAt: "2026-01-01T10:00:00Z" });
    expect(first.body.missing).toEqual(["returnStatus", "returnDescription"]);
    const [sealed] = await service.runtime.db.select().from(disputeEvidence).where(eq(disputeEvidence.slot, "text"));
    expect(sealed?.sealed ?? "").not.toContain("broken");
    await add(threadId, { returnStatus: "merchant_rejected", returnDescription: "The merchant refused it" });
    await untilStatus(paymentId, "submitted");
    const { issuerDisputeId } = await findRow(paymentId);
    const { evidence } = await atIssuer(service, `/v1/issuing/disputes/${issuerDisputeId}`, null);
    expect(evidence["merchandise_not_as_described"]).toMatchObject({
      explanation: "It is broken",
      received_at: Date.parse("2026-01-01T10:00:00Z") / 1000,
      return_status: "merchant_rejected",
    });
    const kept = await service.runtime.db
      .select()
      .from(disputeEvidence)
      .where(eq(disputeEvidence.paymentId, paymentId));
    expect(kept.map(({ sealed: left }) => left)).toEqual([null, null]);
    expect(kept.find(({ slot }) => slot === "cashReceipt")?.issuerFileId).toStartWith("file_");
    expect((await add(threadId, { explanation: "More" })).status).toBe(409);
    expect((await add("unknown", { explanation: "More" })).status).toBe(404);
  });

  test("is not needed where an operator submits the dispute, whom the issuer may refuse, nor where one withdraws it", async () => {
    const { threadId, paymentId } = await dispute(ada, 600, "problem_with_service_subscription_chargeback");
    await untilStatus(paymentId, "created");
    const operator = operatorOf(service.runtime, "asked for");
    const [listed] = await listAllDisputes(service.runtime.services, { user: ada.person.userId, limit: 1 });
    expect(listed?.paymentId).toBe(paymentId);
    expect(await listAllDisputes(service.runtime.services, { isDue: true, limit: 10 })).toEqual([]);
    await submitDispute(operator, { reference: threadId, explanation: "The user called" });
    await until(async () => {
      const { evidence } = await getDisputeDetails(service.runtime.services, { reference: threadId });
      return evidence.some(({ handedAt }) => handedAt !== null);
    });
    expect((await findRow(paymentId)).status).toBe("created");
    await withdrawDispute(operator, { reference: threadId });
    expect(await findRow(paymentId)).toMatchObject({ status: "withdrawn", nextAt: null });
    expect(submitDispute(operator, { reference: threadId })).rejects.toThrow("not waiting for its submission");
  });

  test("may come before its dispute, where few bytes of a person wait, and a file is what its content says, within its bound", async () => {
    const { threadId } = await use(ada, 400);
    for (const file of ["", "%%%", Buffer.from("MZ executable").toString("base64"), `${pdf}!`])
      expect((await add(threadId, { slot: "checkImage", file }, "evidence/files")).status).toBe(422);
    const large = Buffer.concat([Buffer.from("%PDF-"), Buffer.alloc(5 * 1024 * 1024)]).toString("base64");
    expect((await add(threadId, { slot: "checkImage", file: large }, "evidence/files")).status).toBe(422);
    expect((await add(threadId, { slot: "checkImage", file: large + large }, "evidence/files")).status).toBe(413);
    expect((await add(threadId, { slot: "cardStatement", file: pdf }, "evidence/files")).status).toBe(200);
    await explain(ada, threadId, { explanation: "I was charged twice" });
    // Files that wait for no dispute are few in all; one that takes the place of another counts alone.
    const { db } = service.runtime;
    const userId = ada.person.userId ?? "";
    const waiting = { slot: "checkImage", sealed: "x", size: 10_480_000, createdAt: new Date() } as const;
    const others = Array.from({ length: 5 }, (_, index) => ({
      ...waiting,
      userId,
      paymentId: `pay_${index}`,
      fields: [],
    }));
    await db.insert(disputeEvidence).values(others);
    const full = await add(threadId, { slot: "checkImage", file: pdf }, "evidence/files");
    expect([full.status, full.headers.get("x-error-code")]).toEqual([409, "transactions.evidence_full"]);
    const small = Buffer.from("%PDF-1.4\n").toString("base64");
    expect((await add(threadId, { slot: "cardStatement", file: small }, "evidence/files")).status).toBe(200);
    await db.delete(disputeEvidence).where(like(disputeEvidence.paymentId, "pay\\__"));
    expect((await add(threadId, { slot: "cardStatement", file: pdf }, "evidence/files")).status).toBe(200);
    const none = await ada.person.call("GET", `/transactions/${threadId}/dispute`);
    expect([none.status, none.body]).toEqual([404, { error: "The transaction has no dispute" }]);
    await follow(ada, threadId, "clear");
    await untilSettled(service);
    await ada.person.call("POST", `/transactions/${threadId}/dispute`, { disputeReason: "charged_more_than_once" });
    const paymentId = await findPaymentId(service, threadId);
    await untilStatus(paymentId, "submitted");
    const { issuerDisputeId } = await findRow(paymentId);
    const { evidence } = await atIssuer(service, `/v1/issuing/disputes/${issuerDisputeId}`, null);
    expect(evidence.duplicate.card_statement).toStartWith("file_");
  });
});

describe("the files of a dispute", () => {
  const [disputesCount, filesMax] = [10, 4];
  const pdfOf = (text: string) => Buffer.from(`%PDF-1.4\n${text}`).toString("base64");
  const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString().split("\n")[1] ?? "";
  const addFile = async (holder: CardHolder, threadId: string, slot: string, file: string): Promise<void> => {
    const path = `/transactions/${threadId}/dispute/evidence/files`;
    expect((await holder.person.call("POST", path, { slot, file })).status).toBe(200);
  };

  test("are in a worker's memory one by one, however many disputes are to be submitted, and one that was replaced stays", async () => {
    const eve = await becomeCardHolder(service, 100n * euro);
    const threads: string[] = [];
    for (let index = 0; index < disputesCount; index++) {
      const { threadId } = await use(eve, 300 + index);
      await follow(eve, threadId, "clear");
      threads.push(threadId);
    }
    await untilSettled(service);
    const paymentIds = await Promise.all(threads.map((id) => findPaymentId(service, id)));
    for (const threadId of filled(threads)) {
      const given = { disputeReason: "wrong_value" };
      expect((await eve.person.call("POST", `/transactions/${threadId}/dispute`, given)).status).toBe(202);
    }
    for (const paymentId of paymentIds) await untilStatus(paymentId, "created");
    const held = Promise.withResolvers<void>();
    await worker.stop();
    try {
      for (const [index, threadId] of threads.entries()) {
        for (const slot of evidenceFiles) await addFile(eve, threadId, slot, pdfOf(`${index} ${slot}`));
        await explain(eve, threadId, { explanation: "The receipt says less" });
      }

      const by = createWorkerContext(workerRuntime);
      const uploads: string[] = [];
      let [open, openMax, refused] = [0, 0, 0];
      const uploadEvidence: typeof by.issuer.uploadEvidence = async (input) => {
        uploads.push(textOf(input.bytes));
        openMax = Math.max(openMax, ++open);
        await held.promise;
        return by.issuer.uploadEvidence(input).finally(() => {
          open--;
        });
      };
      const ctx = { ...by, issuer: { ...by.issuer, uploadEvidence } };
      const advance = async (paymentId: string): Promise<void> =>
        advanceDispute(ctx, { disputeId: (await findRow(paymentId)).id });
      const all = Promise.allSettled(
        paymentIds.map((id) =>
          advance(id).catch((error: unknown) => {
            refused++;
            throw error;
          }),
        ),
      );
      // Few wait for the first one: other jobs of the worker need their slots.
      await until(() => uploads.length + refused >= 8);
      expect([uploads.length, refused]).toEqual([1, 7]);
      const [first = ""] = uploads;
      const index = Number(first.split(" ")[0]);
      const [present = "", later = ""] = [first.split(" ")[1], evidenceFiles.find((slot) => !first.endsWith(slot))];
      for (const slot of [present, later]) await addFile(eve, threads[index] ?? "", slot, pdfOf("replaced"));
      held.resolve();
      const failures = (await all).flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect(failures.map(isUnavailable)).toEqual(Array.from({ length: 7 }, () => true));
      for (const paymentId of paymentIds) await advance(paymentId);
      expect([openMax, uploads.length]).toEqual([1, disputesCount * filesMax]);
      expect(uploads.slice(0, filesMax)).toEqual([first, "replaced", ...uploads.slice(2, filesMax)]);
      for (const paymentId of filled(paymentIds)) expect((await findRow(paymentId)).status).toBe("submitted");
      const rows = await service.runtime.db
        .select()
        .from(disputeEvidence)
        .where(inArray(disputeEvidence.paymentId, paymentIds));
      const waiting = rows.filter(({ handedAt }) => handedAt === null);
      expect(waiting.map(({ paymentId, slot }) => [paymentId, slot])).toEqual([[paymentIds[index] ?? "", present]]);
    } finally {
      held.resolve();
      worker = await startWorker(workerRuntime);
    }
  }, 60_000);

  test("are not read where words are added, where nothing is submitted, and where the person's data are copied", async () => {
    const { threadId, paymentId } = await dispute(ada, 700, "problem_with_the_product_chargeback_");
    await untilStatus(paymentId, "created");
    for (const slot of evidenceFiles) await addFile(ada, threadId, slot, pdfOf(slot));
    const sqlProxy = await startSqlProxy(service.env["DATABASE_URL"] ?? "");
    const settings = readWorkerSettings({ ...service.env, DATABASE_URL: sqlProxy.url });
    const runtime = await createRuntime(settings, "worker");
    try {
      const by = createWorkerContext(runtime);
      const { id: disputeId, userId } = await findRow(paymentId);
      const readsOf = async (run: () => Promise<unknown>): Promise<string[]> => {
        sqlProxy.take();
        await run();
        const statements = sqlProxy.take().filter((text) => /from "dispute_evidence"/.test(text));
        expect(statements).not.toEqual([]);
        return statements.filter((text) => /^select [^]*"sealed"[^]* from /.test(text));
      };
      const actor = { userId, signerAddress: "0x0000000000000000000000000000000000000001" } as const;
      const addWords = async () =>
        by.commit(await addEvidence({ ...by, actor }, { threadId, explanation: "It is broken" }));
      for (const text of filled(await readsOf(addWords))) expect(text).toContain(`"slot" = $`);
      expect(await readsOf(() => advanceDispute(by, { disputeId }))).toEqual([]);
      const user = await findUser(service.runtime.db, userId);
      if (!user) throw new Error("There is no user");
      expect(await readsOf(() => readPersonalData(by.db, user, "person"))).toEqual([]);
      expect((await findRow(paymentId)).status).toBe("created");
    } finally {
      await runtime.close();
      await sqlProxy.stop();
    }
  }, 30_000);
});

describe("a dispute is submitted", () => {
  const reasonAtIssuer = async (paymentId: string) => {
    const { issuerDisputeId } = await findRow(paymentId);
    return (await atIssuer(service, `/v1/issuing/disputes/${issuerDisputeId}`, null)).evidence;
  };
  const fraud = "unrecognized_transaction_report_fraudulent";

  test("with the person's words, and never by itself with the label of its reason", async () => {
    const eve = await becomeCardHolder(service, 20n * euro);
    const { threadId, paymentId } = await dispute(eve, 310, fraud, null);
    await untilStatus(paymentId, "created");
    await addJobs();
    await untilSettled(service);
    const { body } = await eve.person.call("GET", `/transactions/${threadId}/dispute`);
    expect([body.status, body.missing]).toEqual(["created", ["explanation"]]);
    await explain(eve, threadId, { explanation: "My wallet was stolen that day" });
    await untilStatus(paymentId, "submitted");
    expect((await reasonAtIssuer(paymentId)).fraudulent).toMatchObject({
      explanation: "My wallet was stolen that day",
    });
  });

  test("once: a job that comes second finds it submitted, and warns of nothing", async () => {
    const { paymentId } = await dispute(ada, 315, "wrong_value", null);
    await untilStatus(paymentId, "created");
    const { id: disputeId, issuerDisputeId } = await findRow(paymentId);
    const path = `/v1/issuing/disputes/${issuerDisputeId}/submit`;
    proxy.intercept(`POST ${path}`, async (forward) => {
      await atIssuer(service, path, {});
      return forward();
    });
    const warnings: unknown[] = [];
    const log = { ...workerRuntime.log, warn: (...warning: unknown[]) => void warnings.push(warning) };
    await advanceDispute(createWorkerContext({ ...workerRuntime, log }), { disputeId, isForced: true });
    expect(warnings).toEqual([]);
    await untilStatus(paymentId, "submitted");
  });

  test("as not received where its evidence says so, which needs no day of receipt", async () => {
    const { threadId, paymentId } = await dispute(ada, 320, "problem_with_the_product_chargeback_");
    await untilStatus(paymentId, "created");
    const expected = {
      expectedAt: "2026-01-01T10:00:00Z",
      productDescription: "Headphones",
      productType: "merchandise",
    };
    await explain(ada, threadId, expected);
    await untilStatus(paymentId, "submitted");
    const evidence = await reasonAtIssuer(paymentId);
    expect([evidence.reason, evidence.not_received.explanation]).toEqual(["not_received", "The receipt says less"]);
  });

  test("as without a valid authorization where the merchant captured what was reversed", async () => {
    const { threadId } = await use(ada, 330);
    await follow(ada, threadId, "reverse");
    await untilSettled(service);
    await atIssuer(service, `authorizations/${threadId}/capture`, { capture_amount: "330" });
    await untilSettled(service);
    await explain(ada, threadId, { explanation: "The order was cancelled at the till" });
    const given = { disputeReason: "wrong_value" };
    expect((await ada.person.call("POST", `/transactions/${threadId}/dispute`, given)).status).toBe(202);
    const paymentId = await findPaymentId(service, threadId);
    await untilStatus(paymentId, "submitted");
    expect((await reasonAtIssuer(paymentId)).reason).toBe("no_valid_authorization");
  });

  test("as without a valid authorization where the merchant captured soon after it expired, by the issuer's dates", async () => {
    const { threadId } = await use(ada, 340);
    await follow(ada, threadId, "expire");
    const paymentId = await findPaymentId(service, threadId);
    const findExpiry = async () =>
      (await service.runtime.db.select().from(cardPayments).where(eq(cardPayments.id, paymentId)))[0]?.expiredAt ??
      null;
    // The callback itself dates it: the worker, which settles the thread, may be away.
    await until(async () => (await findExpiry()) !== null);
    const expiredAt = await findExpiry();
    expect(expiredAt?.getMilliseconds()).toBe(0);
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 5 });
    await follow(ada, threadId, "clear", { amount: 340 });
    await untilSettled(service);
    expect(await findExpiry()).toEqual(expiredAt);
    await explain(ada, threadId, { explanation: "The shop had given the order up" });
    const given = { disputeReason: "wrong_value" };
    expect((await ada.person.call("POST", `/transactions/${threadId}/dispute`, given)).status).toBe(202);
    await untilStatus(paymentId, "submitted");
    expect((await reasonAtIssuer(paymentId)).reason).toBe("no_valid_authorization");
  });
});

describe("a dispute that ended here", () => {
  const withdraw = (threadId: string) =>
    withdrawDispute(operatorOf(service.runtime, "asked for"), { reference: threadId });
  const statusAtIssuer = async (paymentId: string): Promise<string> =>
    (await atIssuer(service, `/v1/issuing/disputes/${(await findRow(paymentId)).issuerDisputeId}`, null)).status;
  const untilJobsEnd = (): Promise<void> =>
    until(async () => {
      const jobs = await service.runtime.db.execute(sql`
        select from graphile_worker.jobs where task_identifier in ('card.settle', 'card.dispute', 'card.submitDispute')`);
      return jobs.length === 0;
    });
  const findCase = async (paymentId: string) => {
    const rows = await service.runtime.db.select().from(cardCases).where(eq(cardCases.paymentId, paymentId));
    return rows.find(({ kind }) => kind === "uncredited_dispute");
  };

  test("is not submitted where it is withdrawn while the issuer makes it", async () => {
    const { threadId } = await use(ada, 350);
    await untilSettled(service);
    await ada.person.call("POST", `/transactions/${threadId}/dispute`, { disputeReason: "wrong_value" });
    const paymentId = await findPaymentId(service, threadId);
    proxy.intercept("POST /v1/issuing/disputes", async (forward) => {
      await withdraw(threadId);
      return forward();
    });
    await follow(ada, threadId, "clear");
    await untilStatus(paymentId, "withdrawn");
    await untilJobsEnd();
    expect(await statusAtIssuer(paymentId)).toBe("unsubmitted");
  });

  test("is not submitted where it is withdrawn while its evidence is handed on", async () => {
    const { threadId, paymentId } = await dispute(ada, 360, "problem_with_the_product_chargeback_");
    await untilStatus(paymentId, "created");
    await untilJobsEnd();
    const { issuerDisputeId } = await findRow(paymentId);
    proxy.intercept(`POST /v1/issuing/disputes/${issuerDisputeId}`, async (forward) => {
      await withdraw(threadId);
      return forward();
    });
    await ada.person.call("POST", `/transactions/${threadId}/dispute/evidence`, {
      receivedAt: "2026-01-01T10:00:00Z",
      returnStatus: "merchant_rejected",
      returnDescription: "The merchant refused it",
    });
    await untilStatus(paymentId, "withdrawn");
    await untilJobsEnd();
    expect(await statusAtIssuer(paymentId)).toBe("unsubmitted");
  });

  test("and that the issuer goes on with is a case, over what it pays, and is open again when it pays more", async () => {
    const { threadId, paymentId } = await dispute(ada, 370, "problem_with_the_product_chargeback_");
    await untilStatus(paymentId, "created");
    await withdraw(threadId);
    const { issuerDisputeId } = await findRow(paymentId);
    const pieces = { received_at: "1", return_status: "merchant_rejected", return_description: "Refused" };
    const evidence = Object.entries(pieces).map(([name, text]) => [
      `evidence[merchandise_not_as_described][${name}]`,
      text,
    ]);
    await atIssuer(service, `/v1/issuing/disputes/${issuerDisputeId}`, Object.fromEntries(evidence));
    await atIssuer(service, `/v1/issuing/disputes/${issuerDisputeId}/submit`, {});
    await until(async () => (await findCase(paymentId)) !== undefined);
    expect(await findCase(paymentId)).toMatchObject({ status: "OPEN", amountCents: 0n, currency: "EUR" });
    await decide(paymentId, { outcome: "win" });
    await until(async () => (await findCase(paymentId))?.amountCents === 370n);
    expect(await findRow(paymentId)).toMatchObject({ status: "withdrawn" });
  });

  test("and another one that is made at the issuer for the same payment is a case", async () => {
    const { threadId, paymentId } = await dispute(ada, 380, "problem_with_the_product_chargeback_");
    await untilStatus(paymentId, "created");
    await atIssuer(service, `authorizations/${threadId}/capture`, { capture_amount: "100" });
    await untilSettled(service);
    const { claimId } = await findRow(paymentId);
    const { data } = await atIssuer(service, "/v1/issuing/transactions", null);
    const second: { id: string } = data.find(
      (each: { id: string; authorization: string }) => each.authorization === threadId && each.id !== claimId,
    );
    const fields = { "evidence[reason]": "fraudulent", "evidence[fraudulent][explanation]": "Not the cardholder" };
    const { id } = await atIssuer(service, "/v1/issuing/disputes", { transaction: second.id, ...fields });
    await atIssuer(service, `/v1/issuing/disputes/${id}/submit`, {});
    await until(async () => (await findCase(paymentId)) !== undefined);
    expect(await findRow(paymentId)).toMatchObject({ claimId });
  });
});

describe("a dispute without its evidence", () => {
  test("is submitted as it is on its last day by the issuer's date of the capture, where the issuer takes that", async () => {
    const { paymentId } = await dispute(ada, 710, "wrong_value", null);
    await untilStatus(paymentId, "created");
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 108 * 86_400 });
    await addJobs();
    await untilSettled(service);
    expect((await findRow(paymentId)).status).toBe("created");
    await until(async () => {
      await ada.person.sandbox("POST", "/chain/advance", { seconds: 6 * 3_600 });
      await addJobs();
      // The issuer takes it on its last day alone, which another look must not pass.
      await untilLooked();
      return (await findRow(paymentId)).status === "submitted";
    });
    const { submittedAt, submitBy } = await findRow(paymentId);
    expect((submitBy?.getTime() ?? 0) - (submittedAt?.getTime() ?? 0)).toBeGreaterThan(0);
  });

  test("waits for it, and expires at the issuer's deadline", async () => {
    const { paymentId } = await dispute(ada, 700, "problem_with_the_product_chargeback_");
    await untilStatus(paymentId, "created");
    const { submitBy, createdAt, claimId, issuerDisputeId } = await findRow(paymentId);
    expect(claimId).toStartWith("ipi_");
    const refused = atIssuer(service, `/v1/issuing/disputes/${issuerDisputeId}/submit`, {});
    expect(String(await refused.catch((error: unknown) => error))).toContain("Missing required evidence: received_at");
    expect(((submitBy?.getTime() ?? 0) - createdAt.getTime()) / 86_400_000).toBeCloseTo(110, 0);
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 111 * 86_400 });
    // A look that began before the deadline may end after it; the next one comes six hours later.
    await until(async () => {
      await ada.person.sandbox("POST", "/chain/advance", { seconds: 6 * 3_600 });
      await addJobs();
      return (await findRow(paymentId)).status === "expired";
    });
  });

  test("expires when nothing is captured, and goes on when it is captured nevertheless", async () => {
    const { threadId } = await use(ada, 300);
    await untilSettled(service);
    await ada.person.call("POST", `/transactions/${threadId}/dispute`, { disputeReason: "wrong_value" });
    await explain(ada, threadId, { explanation: "The receipt says less" });
    const paymentId = await findPaymentId(service, threadId);
    await follow(ada, threadId, "expire");
    await untilStatus(paymentId, "expired");
    expect(await statusesOf(threadId)).toEqual(["requested", "expired"]);
    // Nothing was captured: the mail names what was approved.
    await until(async () => (await mailsTo(ada)).some((text) => text.includes("dispute of €3.00")));
    await atIssuer(service, `authorizations/${threadId}/capture`, { capture_amount: "300" });
    await untilStatus(paymentId, "submitted");
  });

  test("expires when it is of a verification, of which nothing is captured", async () => {
    const { threadId } = await use(ada, 0);
    const { status } = await ada.person.call("POST", `/transactions/${threadId}/dispute`, {
      disputeReason: "wrong_value",
    });
    expect(status).toBe(202);
    const paymentId = await findPaymentId(service, threadId);
    await follow(ada, threadId, "close");
    await untilStatus(paymentId, "expired");
  });
});

describe("a report of fraud of a person in the EEA", () => {
  const fraud = "unrecognized_transaction_report_fraudulent";
  const untilDecided = (paymentId: string): Promise<void> =>
    until(async () => (await findRow(paymentId)).creditDecidedAt !== null);

  test("returns the money at once, by the next business day at the latest, says so, and not once the dispute is lost", async () => {
    const eve = await becomeCardHolder(service, 50n * euro);
    await markProven(eve);
    const { threadId, paymentId } = await dispute(eve, 1_000, fraud, null);
    await untilHolds(eve, 50n * euro);
    await untilStatus(paymentId, "created");
    const { creditDueAt, createdAt, creditCents } = await findRow(paymentId);
    expect([creditCents, creditDueAt]).toEqual([1_000n, findNextBusinessDayEnd(createdAt)]);
    const { body } = await eve.person.call("GET", `/transactions/${threadId}/dispute`);
    expect([body.status, body.creditedAmount]).toEqual(["created", "1000"]);
    expect(await lineOf(eve, threadId)).toMatchObject({ kind: "Payment", status: "Approved", creditedAmount: "1000" });
    await until(async () => (await mailsTo(eve)).some((text) => text.includes("We returned €10.00 to your account")));
    await explain(eve, threadId, { explanation: "I was at work" });
    await untilStatus(paymentId, "submitted");
    await decide(paymentId, { outcome: "lose" });
    await untilStatus(paymentId, "lost");
    await untilHolds(eve, 40n * euro);
    expect(await lineOf(eve, threadId)).not.toHaveProperty("creditedAmount");
  });

  test("is mailed to an unproven address as often as codes, without amount and evidence; to a proven one in words", async () => {
    const eve = await becomeCardHolder(service, 50n * euro);
    const { paymentId } = await dispute(eve, 1_000, fraud, null);
    await untilDecided(paymentId);
    await untilStatus(paymentId, "created");
    const { id: disputeId } = await findRow(paymentId);
    const { db, log, services } = service.runtime;
    // Beyond what the worker itself has sent meanwhile.
    let nowMs = (await services.clock.now(db)).getTime() + 2 * hourMs;
    const clock = { ...services.clock, now: async () => new Date(nowMs) };
    const said: string[] = [];
    const send = async ({ subject, text }: { subject: string; text: string }) => void said.push(`${subject}\n${text}`);
    const rateLimits = createRateLimits({ db, clock, log });
    const ctx = { ...createWorkerContext(service.runtime), mailer: { send }, rateLimits };
    const mails = [mailDispute, mailCredit, mailOpenedDispute];
    for (let time = 0; time < 9; time++, nowMs += 5 * 60_000) await mails[time % 3]?.(ctx, { disputeId });
    expect(said).toHaveLength(5);
    for (const text of filled(said)) {
      expect(text).toContain("There is news about one of your card payments.");
      expect(text).not.toMatch(/€|dispute|information|returned|Support/);
    }
    const waiting = await db.execute<{ task: string }>(sql`
      select task_identifier as task from graphile_worker.jobs
      where key like ${`%:${disputeId}`} and task_identifier like '%Mail' and run_at > now() order by 1`);
    expect(waiting.map(({ task }) => task)).toEqual(["card.creditMail", "card.disputeMail", "card.openedDisputeMail"]);
    await markProven(eve);
    for (const mail of filled(mails)) await mail(ctx, { disputeId });
    const [state = "", credit = "", opened = ""] = said.slice(5);
    expect(state).toContain("needs more information");
    expect(credit).toContain("We returned €10.00");
    expect(opened).toContain("Support opened a dispute of a card payment of €10.00");
  });

  test("costs no more than the bound where a person reports own payments at once, and spends what comes back", async () => {
    const mallory = await becomeCardHolder(service, 50n * euro);
    await markProven(mallory);
    const threads: string[] = [];
    for (const cents of [900, 901, 902]) {
      const { threadId } = await use(mallory, cents);
      await follow(mallory, threadId, "clear");
      threads.push(threadId);
    }
    await untilSettled(service);
    const answers = await Promise.all(
      threads.map((id) => mallory.person.call("POST", `/transactions/${id}/dispute`, { disputeReason: fraud })),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    const paymentIds = await Promise.all(threads.map((id) => findPaymentId(service, id)));
    await Promise.all(paymentIds.map(untilDecided));
    const rows = await Promise.all(paymentIds.map(findRow));
    const returned = rows.reduce((sum, { creditCents }) => sum + creditCents, 0n);
    expect([rows.filter(({ creditCents }) => creditCents > 0n).length, returned <= 2_000n]).toEqual([2, true]);
    await untilHolds(mallory, (5_000n - 2_703n + returned) * cent);
    // Nothing is advanced beside what the law returned or operators decide about.
    for (const threadId of threads) await explain(mallory, threadId, { explanation: "I was at work" });
    for (const paymentId of paymentIds) await untilStatus(paymentId, "submitted");
    await untilHolds(mallory, (5_000n - 2_703n + returned) * cent);
    const refused = rows.find(({ creditCents }) => creditCents === 0n);
    if (!refused) throw new Error("No report was refused");
    const findOpened = () => findCreditCase(refused.paymentId);
    expect(await findOpened()).toMatchObject({ status: "OPEN", dueAt: refused.creditDueAt });

    await askCli(service, "disputes", "credit", refused.id, "--reason", "believed");
    expect(await findOpened()).toMatchObject({ status: "CLOSED", closeReason: "believed" });
    await untilHolds(mallory, 50n * euro);
    await askCli(service, "disputes", "revoke", refused.id, "--reason", "admitted");
    await until(async () => (await mailsTo(mallory)).some((text) => text.includes("we collect the money again")));
    await untilHolds(mallory, (5_000n - 2_703n + returned) * cent);
    await expect(askCli(service, "disputes", "revoke", refused.id, "--reason", "again")).rejects.toThrow("no money");
  });

  const report = async ({ person }: CardHolder, threadId: string) => {
    const given = { disputeReason: fraud };
    expect((await person.call("POST", `/transactions/${threadId}/dispute`, given)).status).toBe(202);
    return findPaymentId(service, threadId);
  };

  test("leaves the bound to other reports once its merchant reversed it, and is decided anew where that captures late", async () => {
    const eve = await becomeCardHolder(service, 100n * euro);
    const held = await use(eve, 1_500);
    const other = await use(eve, 900);
    await untilSettled(service);
    const reversed = await report(eve, held.threadId);
    await untilHolds(eve, 91n * euro);
    expect(await findRow(reversed)).toMatchObject({ creditCents: 1_500n });
    await follow(eve, held.threadId, "reverse");
    await untilStatus(reversed, "expired");
    await untilHolds(eve, 91n * euro);
    const returned = await report(eve, other.threadId);
    await untilDecided(returned);
    expect(await findRow(returned)).toMatchObject({ creditCents: 900n });
    await untilHolds(eve, 100n * euro);
    // Together with the second report it is above the bound.
    await atIssuer(service, `authorizations/${held.threadId}/capture`, { capture_amount: "1500" });
    await untilHolds(eve, 85n * euro);
    const ofPayment = and(eq(cardCases.paymentId, reversed), eq(cardCases.kind, "unauthorized_payment"));
    await until(async () => (await service.runtime.db.$count(cardCases, ofPayment)) === 1);
    expect(await findRow(reversed)).toMatchObject({ creditCents: 0n });
    await untilStatus(reversed, "created");
    expect(await findRow(reversed)).toMatchObject({ closedAt: null });
  });

  test("is asked about again where its merchant takes again what came back after operators returned it", async () => {
    const eve = await becomeCardHolder(service, 100n * euro);
    const [held, captured] = [await use(eve, 2_100), await use(eve, 2_200)];
    await follow(eve, captured.threadId, "clear");
    await untilSettled(service);
    for (const [threadId, cents] of [
      [held.threadId, 2_100n],
      [captured.threadId, 2_200n],
    ] as const) {
      const paymentId = await report(eve, threadId);
      await untilAsked(paymentId, cents);
      await askCli(service, "disputes", "credit", (await findRow(paymentId)).id, "--reason", "believed");
      expect(await findCreditCase(paymentId)).toMatchObject({ status: "CLOSED" });
    }
    await untilHolds(eve, 100n * euro);
    const [reversed, lowered] = await Promise.all(
      [held, captured].map((each) => findPaymentId(service, each.threadId)),
    );
    if (reversed === undefined || lowered === undefined) throw new Error("A payment is missing");
    await follow(eve, held.threadId, "reverse");
    await untilStatus(reversed, "expired");
    await atIssuer(service, `authorizations/${held.threadId}/capture`, { capture_amount: "2100" });
    await untilAsked(reversed, 2_100n);
    await untilHolds(eve, 79n * euro);

    await follow(eve, captured.threadId, "refund", { amount: 500 });
    const isRefunded = and(eq(cardPayments.threadId, captured.threadId), eq(cardPayments.refundedCents, 500n));
    await until(async () => (await service.runtime.db.$count(cardPayments, isRefunded)) === 1);
    await look(lowered);
    await until(async () => (await findRow(lowered)).creditCents === 1_700n);
    await follow(eve, captured.threadId, "clear", { amount: 500 });
    await untilHolds(eve, 74n * euro);
    await look(lowered);
    await untilAsked(lowered, 500n);
  });

  test("is asked about again where its merchant captures more than operators returned, and not after a refusal", async () => {
    const eve = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(eve, 2_100);
    const paymentId = await report(eve, threadId);
    await untilAsked(paymentId, 2_100n);
    await askCli(service, "disputes", "credit", (await findRow(paymentId)).id, "--reason", "believed");
    await follow(eve, threadId, "clear", { amount: 2_600 });
    await untilHolds(eve, 95n * euro);
    await look(paymentId);
    await untilAsked(paymentId, 500n);
    const { id } = (await findCreditCase(paymentId)) ?? { id: "" };
    await askCli(service, "cases", "close", id, "--reason", "not believed");
    await look(paymentId);
    expect(await findCreditCase(paymentId)).toMatchObject({ status: "CLOSED" });
  });

  test("is an operator's to return once the network found for the merchant, also where its merchant refunded before", async () => {
    const eve = await becomeCardHolder(service, 50n * euro);
    const { threadId, paymentId } = await dispute(eve, 1_500, fraud);
    await untilStatus(paymentId, "submitted");
    await untilHolds(eve, 50n * euro);
    await follow(eve, threadId, "refund", { amount: 1_500 });
    const isRefunded = and(eq(cardPayments.threadId, threadId), eq(cardPayments.refundedCents, 1_500n));
    await until(async () => (await service.runtime.db.$count(cardPayments, isRefunded)) === 1);
    await look(paymentId);
    await until(async () => (await findRow(paymentId)).creditCents === 0n);
    await decide(paymentId, { outcome: "lose" });
    await untilStatus(paymentId, "lost");
    await follow(eve, threadId, "clear", { amount: 1_500 });
    await untilHolds(eve, 35n * euro);
    await look(paymentId);
    expect(await findRow(paymentId)).toMatchObject({ creditCents: 0n });
    await untilHolds(eve, 35n * euro);
  });

  test("leaves the bound to other reports once its merchant refunded what the network decides about", async () => {
    const eve = await becomeCardHolder(service, 50n * euro);
    const other = await use(eve, 900);
    const { threadId, paymentId } = await dispute(eve, 1_500, fraud);
    await untilStatus(paymentId, "submitted");
    await untilHolds(eve, 41n * euro);
    await follow(eve, threadId, "refund", { amount: 1_500 });
    const ofThread = eq(cardPayments.threadId, threadId);
    const isRefunded = and(ofThread, eq(cardPayments.refundedCents, 1_500n));
    await until(async () => (await service.runtime.db.$count(cardPayments, isRefunded)) === 1);
    const returned = await report(eve, other.threadId);
    await untilDecided(returned);
    expect(await findRow(returned)).toMatchObject({ creditCents: 900n });
    await untilHolds(eve, 50n * euro);
  });

  test.each([0, 100])(
    "returns what the merchant captures after it too, of a hold of %i cents, within the bound",
    async (cents) => {
      const eve = await becomeCardHolder(service, 50n * euro);
      const { threadId } = await use(eve, cents);
      await untilSettled(service);
      const given = { disputeReason: fraud };
      expect((await eve.person.call("POST", `/transactions/${threadId}/dispute`, given)).status).toBe(202);
      const paymentId = await findPaymentId(service, threadId);
      await untilHolds(eve, 50n * euro);
      await follow(eve, threadId, "clear", { amount: 1_500 });
      await until(async () => (await findRow(paymentId)).creditCents === 1_500n);
      await untilHolds(eve, 50n * euro);

      await follow(eve, threadId, "clear", { amount: 900 });
      await untilHolds(eve, 41n * euro);
      const { id } = await findRow(paymentId);
      // Otherwise the worker asks again within hours.
      await askCli(service, "disputes", "submit", id);
      const findOpened = () => findCreditCase(paymentId);
      await until(async () => (await findOpened()) !== undefined);
      expect(await findOpened()).toMatchObject({ status: "OPEN", amountCents: 900n });
      // A second person approves the amount that was asked about, and no greater one.
      const two = await openTwoPersons(service.runtime, ["disputes.credit"]);
      const asked = await two.ask((asker) => grantCredit(asker, { reference: id }));
      const { input } = await getApproval(service.runtime.services, { id: asked });
      expect(input).toEqual({ reference: id, amount: "9.00 EUR" });
      await follow(eve, threadId, "clear", { amount: 500 });
      await untilHolds(eve, 36n * euro);
      await expect(two.approve("grace", asked)).rejects.toMatchObject({ code: "approvals.changed" });
      await untilHolds(eve, 36n * euro);
      await askCli(service, "disputes", "credit", id, "--reason", "believed");
      await untilHolds(eve, 50n * euro);
      await expect(askCli(service, "disputes", "credit", id, "--reason", "again")).rejects.toThrow("no money");
    },
  );

  test("leaves the books' accounts where the merchant refunds the payment itself", async () => {
    const eve = await becomeCardHolder(service, 50n * euro);
    const { threadId, paymentId } = await dispute(eve, 1_000, fraud, null);
    await untilHolds(eve, 50n * euro);
    await untilStatus(paymentId, "created");
    expect(await readOpenSums(service, [paymentId])).toEqual({ "provisional-credits:EUR": 10n * euro });
    await follow(eve, threadId, "refund", { amount: 1_000 });
    await until(async () => (await findRow(paymentId)).creditCents === 0n);
    await untilHolds(eve, 50n * euro);
    expect(await readOpenSums(service, [paymentId])).toEqual({});
  });

  test("leaves the books' accounts where it ends a debt of the same payment, and the issuer pays for it", async () => {
    const eve = await becomeCardHolder(service, 5n * euro);
    const { threadId } = await use(eve, 500);
    await follow(eve, threadId, "clear");
    await untilHolds(eve, 0n);
    await follow(eve, threadId, "clear", { amount: 800 });
    const isOwed = and(eq(cardPayments.threadId, threadId), eq(cardPayments.owed, 8n * euro));
    await until(async () => (await service.runtime.db.$count(cardPayments, isOwed)) === 1);
    const paymentId = await report(eve, threadId);
    await untilHolds(eve, 5n * euro);
    await untilStatus(paymentId, "created");
    expect(await readOpenSums(service, [paymentId])).toEqual({ "provisional-credits:EUR": 13n * euro });
    await explain(eve, threadId, { explanation: "I was at work" });
    await untilStatus(paymentId, "submitted");
    await decide(paymentId, { outcome: "win", amount: 1_300 });
    await untilStatus(paymentId, "won");
    await untilHolds(eve, 5n * euro);
    expect(await readOpenSums(service, [paymentId])).toEqual({});
  });

  test("is an operator's to decide where the card's chip was used, with what its merchant captures later", async () => {
    const eve = await becomeCardHolder(service, 20n * euro);
    const { threadId } = await use(eve, 500, { method: "chip" });
    await follow(eve, threadId, "clear");
    await untilSettled(service);
    await eve.person.call("POST", `/transactions/${threadId}/dispute`, { disputeReason: fraud });
    const paymentId = await findPaymentId(service, threadId);
    await untilDecided(paymentId);
    expect((await findRow(paymentId)).creditCents).toBe(0n);
    const [opened] = await service.runtime.db.select().from(cardCases).where(eq(cardCases.paymentId, paymentId));
    expect(opened).toMatchObject({ kind: "unauthorized_payment", status: "OPEN", amountCents: 500n });
    expect(opened?.note).toContain("chip");
    // What its merchant captures later is asked about too, also after a refusal; the same again is not.
    await follow(eve, threadId, "clear", { amount: 300 });
    await untilAsked(paymentId, 800n);
    await askCli(service, "cases", "close", opened?.id ?? "", "--reason", "not believed");
    await look(paymentId);
    expect(await findCreditCase(paymentId)).toMatchObject({ status: "CLOSED" });
    await follow(eve, threadId, "clear", { amount: 200 });
    await untilAsked(paymentId, 1_000n);
    expect((await findRow(paymentId)).creditCents).toBe(0n);
  });

  test("counts for 13 months after the issuer's date, also where the network takes no dispute any more, and is booked as a loss then", async () => {
    const eve = await becomeCardHolder(service, 30n * euro);
    const pay = async (cents: number) => {
      const { threadId } = await use(eve, cents);
      await follow(eve, threadId, "clear");
      await untilSettled(service);
      return threadId;
    };
    const [first, second] = [await pay(600), await pay(700)];
    await eve.person.sandbox("POST", "/chain/advance", { seconds: 300 * 86_400 });
    const late = await report(eve, first);
    await untilHolds(eve, 23n * euro);
    await until(async () => ["refused", "expired"].includes((await findRow(late)).status));
    expect((await findRow(late)).creditCents).toBe(600n);
    // The merchant takes more of it, and no dispute leads anywhere.
    await follow(eve, first, "clear", { amount: 100 });
    await until(async () => (await findRow(late)).creditCents === 700n);
    await untilHolds(eve, 23n * euro);
    await eve.person.sandbox("POST", "/chain/advance", { seconds: 100 * 86_400 });
    const { id, issuerDisputeId } = await findRow(late);
    expect(issuerDisputeId).toBeNull();
    const { services, log, db } = service.runtime;
    await postAll(createContext(services, { log, requestId: "test" }));
    const ofDispute = await db.select().from(bookLines).where(eq(bookLines.reference, id));
    expect(ofDispute.reduce((sum, { amount }) => sum + amount, 0n)).toBe(0n);
    const causedBy = sql`${bookLines.postingId} in (select p.id from book_postings p where p.cause = ${id})`;
    const lost = await db.select().from(bookLines).where(causedBy);
    expect(lost.map(({ account, amount }) => [account, amount]).toSorted()).toEqual([
      ["dispute-losses:EUR", 700n * cent],
      ["provisional-credits:EUR", -700n * cent],
    ]);
    expect(await findRow(await report(eve, second))).toMatchObject({ creditDueAt: null, creditCents: 0n });
  });
});
