/** A database that is put back while card money has moved and a card was made: the chain and the issuer keep them. */
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { address } from "@cardkeep/contract/core/primitives";
import { readDatabaseIdentity } from "@cardkeep/db/queries/core/databaseIdentity";
import { findCardholderId } from "@cardkeep/db/queries/cards/issues";
import { findNewestReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import {
  cardCases,
  cardDisputes,
  cardIssues,
  cardPayments,
  cards,
  cardTransfers,
  reconciliations,
  relayTransactions,
} from "@cardkeep/db/schema/tables";
import { compareQueues } from "@cardkeep/domain/sync/chainSync/compareQueues";
import { closeUpTo, findLastDay } from "@cardkeep/domain/books/closes/closeDay";
import { cancelAsOperator } from "@cardkeep/domain/cards/orders/cancelOrder";
import { generateId } from "@cardkeep/domain/core/generateId";
import { createRestoreDetector } from "@cardkeep/domain/sync/reconciliations/detectRestore";
import { reconcileCards } from "@cardkeep/domain/sync/reconciliations/reconcileCards";
import { runReconciliation } from "@cardkeep/domain/sync/reconciliations/runReconciliation";
import { reissueCard } from "@cardkeep/domain/cards/orders/reissueCard";
import { acceptCase, closeCase, listCases } from "@cardkeep/domain/spending/cases/listCases";
import { grantCredit } from "@cardkeep/domain/spending/disputes/decideCredit";
import { broadcast } from "@cardkeep/domain/chain/relay/broadcast";
import { carryOutTransfer } from "@cardkeep/domain/spending/payments/carryOutTransfer";
import { collectDebts } from "@cardkeep/domain/spending/payments/collectDebts";
import { compareThreads } from "@cardkeep/domain/spending/payments/compareThreads";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { noControls } from "@cardkeep/providers/issuer/controls";
import { seed } from "@cardkeep/sandbox/seed";
import { startWorker } from "@cardkeep/worker/worker";
import { and, eq, inArray, sql } from "drizzle-orm";
import { parseUnits } from "viem";
import { completePerson } from "../support/completePerson.ts";
import { becomeEligible, readyOrder } from "../support/cards.ts";
import { changeSafe, deployAgain } from "../support/changedSafes.ts";
import { copyDatabase, putInPlace, untilConnected } from "../support/database.ts";
import { openNode } from "../support/node.ts";
import { operatorOf } from "../support/operator.ts";
import { order, payFromWallet, statusOf } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import {
  atIssuer,
  becomeCardHolder,
  type CardHolder,
  euro,
  follow,
  raise,
  setHolding,
  untilSettled,
  use,
  useOnce,
} from "../support/spending.ts";
import { eure } from "../support/tokens.ts";
import { awaitAttempts, registerPartner } from "../support/webhooks.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const patience = { timeoutMs: 40_000 };

let service: Service;
let bea: CardHolder;
beforeAll(async () => {
  service = await startService({ worker: false, ownStore: true });
  await withWorker(async () => {
    bea = await becomeCardHolder(service, 200n * euro);
    await untilSettled(service);
  });
}, 60_000);
afterAll(() => service.stop());

async function withWorker<T>(work: () => Promise<T>): Promise<T> {
  const worker = await startWorker(service.runtime);
  try {
    return await work();
  } finally {
    await worker.stop();
  }
}

/** Loses what `work` writes: the database of before is put in place. */
async function lose<T>(work: () => Promise<T>, run: typeof withWorker<T> = withWorker): Promise<T> {
  const { env, runtime } = service;
  const url = env["DATABASE_URL"] ?? "";
  const copy = await copyDatabase(url);
  await untilConnected(runtime.db);
  const done = await run(work);
  await putInPlace(copy, url);
  await untilConnected(runtime.db);
  await seed(runtime);
  return done;
}

/** Lets a worker that has seen nothing of the loss restore the rows. */
async function restore(): Promise<void> {
  const { db } = service.runtime;
  const known = await findNewestReconciliation(db);
  await withWorker(async () => {
    await until(async () => {
      const newest = await findNewestReconciliation(db);
      return newest?.reason === "restored" && newest.id !== known?.id && newest.endedAt !== null;
    }, patience);
    await untilSettled(service);
  });
}

/** The comparison of the queues runs before all else, as in a worker that has jobs due. */
const compareFirst = () => compareQueues(createWorkerContext(service.runtime), {});

/** Lets the database pass for the one of before, as a copy of the disk that is put back, and its jobs be due. */
async function passForBefore(): Promise<void> {
  const { db } = service.runtime;
  const { identity: databaseIdentity } = await readDatabaseIdentity(db);
  await db.update(reconciliations).set({ databaseIdentity });
  await db.execute(sql`
    select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs), run_at := now() - interval '1 second')`);
}

/** Gives a Safe up that another one changed, and waits for the person's new one. */
async function loseSafe(holder: CardHolder): Promise<void> {
  await changeSafe(service, holder);
  await setHolding(service, holder.safe, 0n);
  await until(async () => (await holder.person.call("DELETE", "/safe/reset")).status === 200, patience);
  await deployAgain(holder, patience);
}

const readMoney = (...threads: string[]) => readMoneyOf(bea, ...threads);

const readMoneyOf = async ({ safe }: Pick<CardHolder, "safe">, ...threads: string[]) => {
  const { chain, db, settings } = service.runtime;
  const payments = await Promise.all(
    threads.map(async (threadId) => {
      const [payment] = await db.select().from(cardPayments).where(eq(cardPayments.threadId, threadId));
      const transfers = await db
        .select()
        .from(cardTransfers)
        .where(eq(cardTransfers.paymentId, payment?.id ?? ""))
        .orderBy(cardTransfers.ordinal);
      return {
        status: payment?.status,
        transfers: transfers.map(({ direction, amount, status }) => `${direction} ${amount / (euro / 100n)} ${status}`),
      };
    }),
  );
  return {
    payments,
    paid: await chain.getTokenBalance(eure, settings.policy.settlementAddress),
    left: await chain.getTokenBalance(eure, address.parse(safe)),
  };
};

test.each([
  ["a copy of the disk was put back while no worker ran", passForBefore],
  ["a backup was restored", compareFirst],
])(
  "uses whose rows are lost are paid once, also where their first spend had another amount than they cleared: %s",
  async (_, begin) => {
    const { threads, before } = await lose(async () => {
      const lowered = await use(bea, 900);
      const raised = await use(bea, 500);
      await untilSettled(service);
      expect(await raise(bea, raised.threadId, 400)).toBe(400);
      await follow(bea, lowered.threadId, "clear", { amount: 700 });
      await untilSettled(service);
      const used = [lowered.threadId, raised.threadId];
      return { threads: used, before: await readMoney(...used) };
    });
    expect(before.payments).toEqual([
      { status: "CLEARED", transfers: ["spend 900 DONE", "return 200 DONE"] },
      { status: "AUTHORIZED", transfers: ["spend 500 DONE", "spend 400 DONE"] },
    ]);
    await begin();
    await restore();
    expect(await readMoney(...threads)).toEqual(before);
  },
  60_000,
);

test("what a merchant gave up and captured again is paid, and counts as no dispute's", async () => {
  const threads = await lose(async () => {
    const [parts, lowered, released] = [await use(bea, 900), await use(bea, 900), await use(bea, 900)];
    await untilSettled(service);
    await follow(bea, parts.threadId, "clear", { amount: 700 });
    await follow(bea, lowered.threadId, "reverse", { amount: 400 });
    await follow(bea, released.threadId, "reverse");
    await untilSettled(service);
    return { parts: parts.threadId, lowered: lowered.threadId, released: released.threadId };
  });
  await follow(bea, threads.parts, "clear", { amount: 200 });
  await follow(bea, threads.lowered, "clear", { amount: 900 });
  await follow(bea, threads.released, "clear", { amount: 900 });
  await compareFirst();
  await restore();
  const { payments } = await readMoney(...Object.values(threads));
  expect(payments.map(({ transfers }) => transfers)).toEqual([
    ["spend 900 DONE", "return 200 DONE", "spend 200 DONE"],
    ["spend 900 DONE", "return 400 DONE", "spend 400 DONE"],
    ["spend 900 DONE", "return 900 DONE", "spend 900 DONE"],
  ]);
  const { db } = service.runtime;
  const isReturned = eq(cardCases.kind, "unauthorized_payment");
  const cases = await db
    .select({ threadId: cardPayments.threadId, note: cardCases.note })
    .from(cardCases)
    .innerJoin(cardPayments, eq(cardPayments.id, cardCases.paymentId))
    .where(and(isReturned, inArray(cardPayments.threadId, Object.values(threads))));
  // The issuer's report of a hold that was released whole does not show when.
  expect(cases).toEqual([{ threadId: threads.released, note: expect.stringContaining("It is taken again") }]);
}, 60_000);

test("money that a report of fraud returned stays with the person, also where the report's rows are lost", async () => {
  const { db } = service.runtime;
  const listIssued = async () =>
    (await db.select().from(cardDisputes)).filter(({ issuerDisputeId }) => issuerDisputeId);
  const kept = await withWorker(async () => {
    const [first, second] = [await use(bea, 800), await use(bea, 700)];
    await follow(bea, second.threadId, "clear");
    await untilSettled(service);
    return [first.threadId, second.threadId];
  });
  const { threads, before } = await lose(async () => {
    // There are grounds against its return, so an operator decides.
    const third = await use(bea, 600, { method: "chip" });
    await follow(bea, third.threadId, "clear");
    await untilSettled(service);
    const all = [...kept, third.threadId];
    const disputeReason = "unrecognized_transaction_report_fraudulent";
    for (const threadId of all) {
      expect((await bea.person.call("POST", `/transactions/${threadId}/dispute`, { disputeReason })).status).toBe(202);
    }
    const listReports = () => db.select().from(cardDisputes);
    await until(async () => (await listReports()).every(({ creditDecidedAt }) => creditDecidedAt !== null), patience);
    for (const { id, creditCents } of await listReports()) {
      if (creditCents === 0n) await grantCredit(operatorOf(service.runtime, "Believed"), { reference: id });
    }
    await untilSettled(service);
    await until(async () => (await listIssued()).length === 2, patience);
    return { threads: all, before: await readMoney(...all) };
  });
  expect(before.payments.map(({ transfers }) => transfers)).toEqual([
    ["spend 800 DONE", "return 800 DONE"],
    ["spend 700 DONE", "return 700 DONE"],
    ["spend 600 DONE", "return 600 DONE"],
  ]);
  expect(await db.$count(cardDisputes)).toBe(0);
  await compareFirst();
  await restore();
  expect(await readMoney(...threads)).toEqual(before);
  expect((await db.select().from(cardCases)).map(({ kind, amountCents }) => [kind, amountCents])).toEqual(
    expect.arrayContaining([
      ["unauthorized_payment", 800n],
      ["unauthorized_payment", 700n],
      ["unauthorized_payment", 600n],
    ]),
  );
  await compareThreads(createWorkerContext(service.runtime), {});
  await withWorker(async () => {
    await until(async () => (await listIssued()).filter(({ status }) => status === "created").length === 2, patience);
    await untilSettled(service);
  });
  const adopted = (await listIssued()).toSorted((a, b) => Number(a.creditCents - b.creditCents));
  expect(adopted).toMatchObject([600n, 700n].map((creditCents) => ({ creditCents, creditDueAt: expect.any(Date) })));
  expect(await readMoney(...threads)).toEqual(before);
}, 90_000);

test("money that came back to a newer Safe than the one that paid has its row again, and is not returned twice", async () => {
  const { cleo, to, paid } = await withWorker(async () => {
    const cleo = await becomeCardHolder(service, 100n * euro);
    const paid = await use(cleo, 2_000);
    await follow(cleo, paid.threadId, "clear");
    await untilSettled(service);
    await loseSafe(cleo);
    const to: string = (await cleo.person.call("GET", "/safe/config")).body.address;
    return { cleo, to, paid };
  });
  const asked = (amount: string) => ({ reference: paid.threadId, amount });
  const holding = () => service.runtime.chain.getTokenBalance(eure, address.parse(to));
  await lose(async () => {
    await refundPayment(operatorOf(service.runtime, "Damaged"), asked("10"));
    await until(async () => (await holding()) === 10n * euro, patience);
  });
  expect((await readMoneyOf(cleo, paid.threadId)).payments).toMatchObject([{ transfers: ["spend 2000 DONE"] }]);
  await restore();
  expect((await readMoneyOf(cleo, paid.threadId)).payments).toMatchObject([
    { transfers: ["spend 2000 DONE", "return 1000 DONE"] },
  ]);
  await expect(refundPayment(operatorOf(service.runtime, "Damaged"), asked("12"))).rejects.toMatchObject({
    code: "payments.refund_amount",
  });
  expect(await holding()).toBe(10n * euro);
}, 120_000);

test("a return that the mempool still holds when its rows are lost is paid once, also behind another one", async () => {
  const { db } = service.runtime;
  const operator = operatorOf(service.runtime, "Broken goods");
  const ctx = createWorkerContext(service.runtime);
  const { client } = openNode(service.rpcUrl);
  const { dan, held, other } = await withWorker(async () => {
    const holder = await becomeCardHolder(service, 100n * euro);
    const used = [await use(holder, 2_000), await use(holder, 3_000)];
    for (const { threadId } of used) await follow(holder, threadId, "clear");
    await untilSettled(service);
    return { dan: holder, held: used[0]?.threadId ?? "", other: used[1]?.threadId ?? "" };
  });
  const returnOf = async (reference: string, amount: string): Promise<string> => {
    await refundPayment(operator, { reference, amount });
    const isPlanned = and(eq(cardTransfers.userId, dan.person.userId ?? ""), eq(cardTransfers.status, "PLANNED"));
    const rows = await db.select().from(cardTransfers).where(isPlanned);
    return rows.find(({ amount: moved }) => moved === parseUnits(amount, 18))?.id ?? "";
  };
  await client.setAutomine(false);
  await client.setIntervalMining({ interval: 0 });
  try {
    await lose(
      async () => {
        const transferId = await returnOf(held, "10");
        await carryOutTransfer(ctx, { transferId });
        const [signed] = await db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, transferId));
        await broadcast(ctx, { relayTransactionId: signed?.id ?? "" });
      },
      (work) => work(),
    );
    expect(await client.getTxpoolStatus()).toMatchObject({ pending: 1 });
    const known = await findNewestReconciliation(db);
    await withWorker(() =>
      until(async () => {
        const newest = await findNewestReconciliation(db);
        return newest?.reason === "restored" && newest.id !== known?.id && newest.endedAt !== null;
      }, patience),
    );
    for (const transferId of [await returnOf(other, "12"), await returnOf(held, "10")]) {
      const signing = carryOutTransfer(ctx, { transferId }).then(
        () => "signed",
        (error: unknown) => (error instanceof ChainUnavailable ? "put off" : String(error)),
      );
      expect(await signing).toBe("put off");
    }
  } finally {
    await client.setAutomine(true);
    await client.setIntervalMining({ interval: 1 });
  }
  await withWorker(() => untilSettled(service));
  expect((await readMoneyOf(dan, held, other)).payments).toMatchObject([
    { transfers: ["spend 2000 DONE", "return 1000 DONE"] },
    { transfers: ["spend 3000 DONE", "return 1200 DONE"] },
  ]);
  expect((await readMoneyOf(dan)).left).toBe(72n * euro);
}, 120_000);

test("an order whose card's rows are lost gets its card back, and neither a second one nor its money", async () => {
  const { runtime } = service;
  const ada = await withWorker(() => becomeEligible(new Person(service)));
  const orderId = await readyOrder(ada);
  const create = () => ada.call("POST", `/order/${orderId}/create-card`, {}, { "Idempotency-Key": orderId });
  const cancel = () => cancelAsOperator(operatorOf(runtime, "Waits too long"), { orderId });
  const { cardToken } = await lose(async () => {
    const { status, body } = await create();
    expect(status).toBe(200);
    return body;
  });
  expect(await statusOf(ada, orderId)).toBe("READY");
  expect((await create()).status).toBe(503);
  await expect(cancel()).rejects.toThrow("The database went back");
  await restore();
  expect(await statusOf(ada, orderId)).toBe("CARDCREATED");
  const isOfOrder = eq(cards.orderId, orderId);
  expect(await runtime.db.select().from(cards).where(isOfOrder)).toMatchObject([{ cardToken, virtual: false }]);
  expect((await create()).status).toBe(400);
  await expect(cancel()).rejects.toThrow("not in the correct status");
  const { data } = await atIssuer(service, "/v1/issuing/cards?limit=100", null);
  expect(
    data.filter(({ metadata }: { metadata: Record<string, string> }) => metadata["order_id"] === orderId),
  ).toHaveLength(1);
}, 60_000);

test("an order that a restore left behind its card pays for that card alone", async () => {
  const { db } = service.runtime;
  const [free, paid, unpaid] = await withWorker(() =>
    Promise.all([1, 2, 3].map(() => becomeEligible(new Person(service)))),
  );
  if (!free || !paid || !unpaid) throw new Error("Three people are needed");
  const waiting = new Person(service);
  await withWorker(() => waiting.becomeAccountHolder());
  const changes = ["attach-transaction", "confirm-payment"];
  const people = [waiting, free, paid, unpaid];
  const orders = new Map<Person, string>();
  for (const person of people) orders.set(person, await order(person));
  const idOf = (person: Person) => orders.get(person) ?? "";
  const change = (person: Person, what: string, body?: unknown) =>
    person.call(changes.includes(what) ? "PUT" : "POST", `/order/${idOf(person)}/${what}`, body);
  const attach = async (person: Person, transactionHash: string) =>
    expect((await change(person, "attach-transaction", { transactionHash })).status).toBe(200);
  const confirm = async (person: Person) => (await change(person, "confirm-payment")).status;
  expect((await change(free, "attach-coupon", { couponCode: "FREECARD" })).status).toBe(200);
  await attach(paid, await payFromWallet(service, paid.account));
  const lateHash = await payFromWallet(service, unpaid.account);
  const { client } = openNode(service.rpcUrl);
  await attach(waiting, await payFromWallet(service, waiting.account));
  await client.mine({ blocks: 5 });
  await until(async () => (await confirm(waiting)) === 200, patience);
  expect(await statusOf(waiting, idOf(waiting))).toBe("CONFIRMATIONREQUIRED");
  const made = await lose(async () => {
    await attach(unpaid, lateHash);
    await completePerson(waiting);
    for (const person of [free, paid, unpaid]) await until(async () => (await confirm(person)) === 200, patience);
    const created = people.map((person) => change(person, "create-card", {}));
    return (await Promise.all(created)).map(({ status, body }) => (status === 200 ? body.cardToken : status));
  });
  for (const person of people) expect((await change(person, "cancel")).status).toBe(503);
  const [known] = await db.select({ id: cards.id }).from(cards).limit(1);
  const reissue = reissueCard(operatorOf(service.runtime, "Broken"), { reference: known?.id ?? "" });
  await expect(reissue).rejects.toThrow("The database went back");
  await restore();
  for (const person of [free, waiting]) expect(await statusOf(person, idOf(person))).toBe("CARDCREATED");
  await withWorker(() => until(async () => (await statusOf(paid, idOf(paid))) === "CARDCREATED", patience));
  expect(await statusOf(unpaid, idOf(unpaid))).toBe("PENDINGTRANSACTION");
  for (const person of people) expect((await change(person, "cancel")).status).toBe(400);
  await attach(unpaid, lateHash);
  expect(await confirm(unpaid)).toBe(200);
  expect(await statusOf(unpaid, idOf(unpaid))).toBe("CARDCREATED");
  const ids = [...orders.values()];
  const found = await db.select().from(cards).where(inArray(cards.orderId, ids));
  expect(found.map(({ cardToken }) => cardToken).toSorted()).toEqual(made.toSorted());
  expect(await db.$count(cardCases, inArray(cardCases.orderId, ids))).toBe(0);
}, 60_000);

test("a card that was given up for an order leaves the order as it is, also where it gets a row", async () => {
  const { db } = service.runtime;
  const ctx = createWorkerContext(service.runtime);
  const ada = await withWorker(() => becomeCardHolder(service, 0n));
  const orderId = await readyOrder(ada.person, { virtual: true });
  const [card] = await db.select().from(cards).where(eq(cards.cardToken, ada.cardToken));
  const [issue] = await db
    .select()
    .from(cardIssues)
    .where(eq(cardIssues.id, card?.id ?? ""));
  const cardholderId = await findCardholderId(db, ada.person.userId ?? "");
  if (!issue || cardholderId === null) throw new Error("The first card has no issue");
  const reference = generateId();
  const refused = { id: reference, orderId, requestKey: null, status: "refused", reason: "It moved" } as const;
  await db.insert(cardIssues).values({ ...issue, ...refused });
  const wanted = { currency: "EUR", secondLine: null, shipping: null, sealedPin: null, controls: noControls } as const;
  const { cardToken } = await ctx.issuer.createCard({ ...wanted, reference, orderId, cardholderId });
  await ctx.issuer.setCardStatus(cardToken, "canceled", null);
  const reconciliation = await findNewestReconciliation(db);
  if (!reconciliation) throw new Error("Nothing was reconciled");
  await reconcileCards(ctx, { ...reconciliation, fromBlock: 0n });
  expect(await db.select().from(cards).where(eq(cards.cardToken, cardToken))).toMatchObject([{ orderId: null }]);
  expect(await statusOf(ada.person, orderId)).toBe("READY");
}, 60_000);

test("the books of a day are closed again only once the rows are back, and partners hear of that close too", async () => {
  const { runtime } = service;
  await registerPartner(bea.person, "auditor", { hasAllEvents: true });
  const ctx = createWorkerContext(runtime);
  const day = await findLastDay(ctx);
  const listIds = async (count: number) =>
    (await awaitAttempts(bea.person, "auditor", count)).map(({ headers }) => headers["webhook-id"]);
  await lose(async () => {
    await closeUpTo(ctx, day);
    await listIds(1);
  });
  await expect(closeUpTo(ctx, day)).rejects.toThrow("The database went back");
  await restore();
  await withWorker(async () => {
    await closeUpTo(ctx, day);
    expect(new Set(await listIds(2)).size).toBe(2);
  });
}, 60_000);

test("no use is approved before the lost ones are back: it would spend the same money", async () => {
  const eve = await withWorker(() => becomeCardHolder(service, 101n * euro));
  const { threadId } = await lose(
    async () => {
      const used = await use(eve, 10_000);
      expect(used.approved).toBe(true);
      return used;
    },
    // Its money is still in the Safe.
    (work) => work(),
  );
  expect(await useOnce(eve, 10_000)).toMatchObject({ approved: false });
  await compareFirst();
  await restore();
  expect((await readMoney(threadId)).payments).toEqual([{ status: "AUTHORIZED", transfers: ["spend 10000 DONE"] }]);
  expect(await useOnce(eve, 200)).toMatchObject({ approved: false });
  expect(await use(eve, 100)).toMatchObject({ approved: true });
}, 60_000);

describe("a database that went back behind an approval, and behind a debt that was collected", () => {
  let eve: CardHolder;
  let collected: string;
  let approved: string;
  beforeAll(async () => {
    eve = await withWorker(() => becomeCardHolder(service, 150n * euro));
    [collected, approved] = await lose(
      async () => {
        const { threadId } = await use(eve, 900);
        await setHolding(service, eve.safe, 0n);
        await withWorker(() => untilSettled(service));
        await setHolding(service, eve.safe, 150n * euro);
        await collectDebts(createWorkerContext(service.runtime), { userId: eve.person.userId ?? "" });
        await withWorker(() => untilSettled(service));
        const [payment] = (await readMoney(threadId)).payments;
        expect(payment?.transfers).toEqual(["spend 900 FAILED", "spend 900 DONE"]);
        // Its money is still in the Safe, and pays one such use.
        const used = await use(eve, 10_000);
        expect(used.approved).toBe(true);
        return [threadId, used.threadId] as const;
      },
      (work) => work(),
    );
  }, 60_000);

  test("approves no use before the lost one is booked, also where the worker's clock is behind", async () => {
    const { db } = service.runtime;
    const ctx = createWorkerContext(service.runtime);
    const known = await findNewestReconciliation(db);
    setSystemTime(new Date(Date.now() - 300_000));
    await createRestoreDetector()(ctx).finally(() => setSystemTime());
    const begun = await findNewestReconciliation(db);
    if (!begun || begun.id === known?.id) throw new Error("The loss was not noticed");
    const declined = { approved: false, reason: "unavailable" };
    expect(await useOnce(eve, 10_000)).toMatchObject(declined);
    await runReconciliation(ctx, { reconciliationId: begun.id });
    // A slow machine does not end the minute.
    await db.update(reconciliations).set({ startedAt: await service.runtime.clock.now(db) });
    expect(await useOnce(eve, 10_000)).toMatchObject(declined);
    await withWorker(() => untilSettled(service));
    const money = await readMoney(collected, approved);
    expect(money.payments.map(({ transfers }) => transfers)).toEqual([["spend 900 DONE"], ["spend 10000 DONE"]]);
    expect(await use(eve, 100)).toMatchObject({ approved: true });
  }, 60_000);

  test("returns a refund, although the place of the spend that failed is empty", async () => {
    await withWorker(async () => {
      await untilSettled(service);
      await follow(eve, collected, "clear");
      await follow(eve, collected, "refund", { amount: 300 });
      await untilSettled(service);
      await refundPayment(operatorOf(service.runtime, "Damaged"), { reference: collected, amount: "1" });
      await untilSettled(service);
    });
    const [payment] = (await readMoney(collected)).payments;
    expect(payment?.transfers).toEqual(["spend 900 DONE", "return 300 DONE", "return 100 DONE"]);
  }, 60_000);
});

test("what waited for operators, or was refused by them, waits again and moves nothing; what they accepted stays paid", async () => {
  const { runtime } = service;
  const { settlementAddress } = runtime.settings.policy;
  const fay = await withWorker(() => becomeCardHolder(service, 300n * euro));
  const listAll = async () =>
    (await listCases(runtime.services, { user: fay.person.userId, limit: 20 })).map(
      ({ id, kind, threadId, amountCents, status }) => ({ id, threadId, is: `${kind} ${amountCents} ${status}` }),
    );
  const findOpen = async (of: string) =>
    (await listAll()).find(({ threadId, is }) => threadId === of && is.endsWith("OPEN"))?.id;
  const untilCase = async (of: string) => {
    await until(async () => (await findOpen(of)) !== undefined, patience);
    return (await findOpen(of)) ?? "";
  };
  const capture = async (amount: number, reference?: string) => {
    const { threadId } = await use(fay, amount);
    await follow(fay, threadId, "clear", { amount, reference });
    await untilSettled(service);
    return threadId;
  };
  const credit = async (threadId: string, amount: number) => {
    await follow(fay, threadId, "transactions", { type: "refund", amount });
    return untilCase(threadId);
  };
  const held = await runtime.chain.getTokenBalance(eure, settlementAddress);
  await setHolding(service, settlementAddress, held + 1_400n * euro);
  const refused = await withWorker(async () => {
    const threadId = await capture(2_000);
    const id = await credit(threadId, 62_000);
    await closeCase(operatorOf(runtime, "Not owed"), { id });
    return threadId;
  });
  const { threads, before, cases } = await lose(async () => {
    await refundPayment(operatorOf(runtime, "Damaged"), { reference: refused, amount: "1" });
    // The later one of two credits, both within the bound, is the one that waits.
    const [credited, small] = [await capture(1_100), await capture(1_200)];
    await follow(fay, small, "transactions", { type: "refund", amount: 26_200 });
    await untilSettled(service);
    await credit(credited, 31_000);
    const accepted = await capture(1_000);
    const id = await credit(accepted, 63_000);
    await acceptCase(operatorOf(runtime, "The merchant owes it"), { id });
    await untilSettled(service);
    const [twice, once] = [await capture(1_500, "ref-twice"), await capture(700, "ref-once")];
    await follow(fay, twice, "clear", { amount: 1_500, reference: "ref-twice" });
    await untilCase(twice);
    const { threadId: again } = await use(fay, 900);
    await follow(fay, again, "clear", { amount: 700, reference: "ref-once", close: false });
    await untilCase(again);
    // Its hold stays for the capture that waits.
    await follow(fay, again, "expire");
    await untilSettled(service);
    const threads = [refused, accepted, credited, small, twice, once, again];
    return { threads, before: await readMoneyOf(fay, ...threads), cases: await listAll() };
  });
  expect(before.payments).toEqual([
    { status: "CLEARED", transfers: ["spend 2000 DONE", "return 100 DONE"] },
    { status: "CLEARED", transfers: ["spend 1000 DONE", "return 63000 DONE"] },
    { status: "CLEARED", transfers: ["spend 1100 DONE"] },
    { status: "CLEARED", transfers: ["spend 1200 DONE", "return 26200 DONE"] },
    { status: "CLEARED", transfers: ["spend 1500 DONE"] },
    { status: "CLEARED", transfers: ["spend 700 DONE"] },
    { status: "AUTHORIZED", transfers: ["spend 900 DONE"] },
  ]);
  await compareFirst();
  await restore();
  expect(await readMoneyOf(fay, ...threads)).toEqual(before);
  const isOfAccepted = ({ threadId }: { threadId: string | null }) => threadId === threads[1];
  const listStates = (all: typeof cases) => all.map(({ threadId, is }) => `${threadId} ${is}`).toSorted();
  expect(listStates(await listAll())).toEqual(listStates(cases.filter((each) => !isOfAccepted(each))));
}, 240_000);
