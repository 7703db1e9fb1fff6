/** A database that is put back while card money has moved: the chain keeps the transfers, and the issuer the uses. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { address } from "@cardkeep/contract/core/primitives";
import { findNewestReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { cardPayments, cardTransfers } from "@cardkeep/db/schema/tables";
import { compareQueues } from "@cardkeep/domain/sync/chainSync/compareQueues";
import { seed } from "@cardkeep/sandbox/seed";
import { startWorker } from "@cardkeep/worker/worker";
import { eq } from "drizzle-orm";
import { copyDatabase, putInPlace, untilConnected } from "../support/database.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, euro, follow, raise, untilSettled, use } from "../support/spending.ts";
import { eure } from "../support/tokens.ts";
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

/** Loses what `work` writes: the database of before is put in place, and the comparison of the queues runs before all else. */
async function lose<T>(work: () => Promise<T>): Promise<T> {
  const { env, runtime } = service;
  const url = env["DATABASE_URL"] ?? "";
  const copy = await copyDatabase(url);
  await untilConnected(runtime.db);
  const done = await withWorker(work);
  await putInPlace(copy, url);
  await untilConnected(runtime.db);
  await seed(runtime);
  await compareQueues(createWorkerContext(runtime), {});
  return done;
}

/** Lets a worker that has seen nothing of the loss restore the rows. */
const restore = () =>
  withWorker(async () => {
    await until(async () => {
      const newest = await findNewestReconciliation(service.runtime.db);
      return newest?.reason === "restored" && newest.endedAt !== null;
    }, patience);
    await untilSettled(service);
  });

const readMoney = async (...threads: string[]) => {
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
    left: await chain.getTokenBalance(eure, address.parse(bea.safe)),
  };
};

test("uses whose rows are lost are paid once, also where their first spend had another amount than they cleared", async () => {
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
  await restore();
  expect(await readMoney(...threads)).toEqual(before);
}, 60_000);
