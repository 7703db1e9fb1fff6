/** No backlog keeps a job from its turn: not one that failed, and not one that the whole service needs. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { listChoreAges } from "@cardkeep/db/queries/operations/chores";
import { enqueue, enqueueAll } from "@cardkeep/db/queue/enqueue";
import { poolSlots } from "@cardkeep/db/queue/liveness";
import { cards } from "@cardkeep/db/schema/tables";
import type { Services } from "@cardkeep/domain/core/services";
import { chores } from "@cardkeep/domain/operations/housekeeping/chores";
import { createRuntime } from "@cardkeep/runtime/compose";
import { startWorker } from "@cardkeep/worker/worker";
import { setStop } from "@cardkeep/domain/operators/stops/setStop";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import { eq, sql } from "drizzle-orm";
import { operatorOf } from "../support/operator.ts";
import { expectWithin, until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder } from "../support/spending.ts";
import { readWorkerSettings } from "../support/workerSettings.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());
let stopWorker = async () => {};
afterEach(async () => {
  await stopWorker();
  await service.runtime.db.execute(sql`delete from graphile_worker._private_jobs`);
});

const requestId = "test";
async function run(issuer: Partial<Services["issuer"]> = {}): Promise<void> {
  const runtime = await createRuntime(readWorkerSettings(service.env), "worker");
  const services = { ...runtime.services, issuer: { ...runtime.services.issuer, ...issuer } };
  const worker = await startWorker({ ...runtime, services });
  stopWorker = async () => {
    await worker.stop();
    await runtime.close();
    stopWorker = async () => {};
  };
}
/** Adds jobs of people, all due for an hour. */
async function addBacklog(count: number): Promise<void> {
  const { db } = service.runtime;
  const jobs = Array.from({ length: count }, (_, index) => ({ payload: { cardId: `none-${index}`, requestId } }));
  await enqueueAll(db, "card.mail", jobs);
  // Ten operations of 24 people each, whose cooldowns end at the same time.
  const operations = Array.from({ length: 24 * 10 }, (_, index) => ({
    payload: { delayId: `none-${index}`, requestId },
  }));
  await enqueueAll(db, "delay.dispatch", operations);
  await db.execute(sql`update graphile_worker._private_jobs set run_at = now() - interval '1 hour'`);
}
const readJob = async (key: string) => {
  const [row] = await service.runtime.db.execute<{ attempts: number; pause: number; priority: number }>(sql`
    select attempts, priority, extract(epoch from run_at - now())::float as pause
    from graphile_worker._private_jobs where key = ${key} and locked_at is null`);
  return row;
};
/** Has a job fail before any request: it has no payload. */
const breakJob = (key: string, attempts: number) =>
  service.runtime.db.execute(sql`
    update graphile_worker._private_jobs set payload = 'null', attempts = ${attempts}, last_error = 'before' where key = ${key}`);

test("a job that failed has its turn before all that came later", async () => {
  const { db } = service.runtime;
  await enqueue(db, "card.mail", { cardId: "failing", requestId });
  await breakJob("card.mail:failing", 0);
  await run();
  await until(async () => (await readJob("card.mail:failing"))?.attempts === 1);
  await stopWorker();
  await addBacklog(3_000);
  await db.execute(
    sql`update graphile_worker._private_jobs set run_at = run_at - interval '1 hour' where key = 'card.mail:failing'`,
  );
  await run();
  await until(async () => (await readJob("card.mail:failing"))?.attempts === 2, { everyMs: 20 });
  const left = await db.$count(sql`graphile_worker._private_jobs`, sql`key like 'card.mail:none-%'`);
  expect(left).toBeGreaterThan(2_000);
});

test("the chain is followed, the relay works and chores run while twenty thousand jobs wait that came before", async () => {
  const { db } = service.runtime;
  await addBacklog(20_000);
  await run();
  const followed = async () => (await readJob("chain.follow:100")) !== undefined;
  await enqueue(db, "chain.follow", { chainId: "100", requestId });
  await expectWithin(3_000, async () => {
    const startedAt = performance.now();
    // It plans its next look in its commit.
    await until(async () => (await followed()) && ((await readJob("chain.follow:100"))?.pause ?? 0) > 0, {
      everyMs: 20,
    });
    return performance.now() - startedAt;
  });
  const left = await db.$count(sql`graphile_worker._private_jobs`, sql`key like 'card.mail:none-%'`);
  expect(left).toBeGreaterThan(10_000);
  // A stranger's withdrawal waits for the jobs of the relay alone, and chores for none.
  await expectWithin(5_000, async () => {
    const startedAt = performance.now();
    await enqueue(db, "delay.relay", { safeId: "a stranger's", requestId });
    await until(async () => (await readJob("delay.relay:a stranger's")) === undefined, { everyMs: 20 });
    return performance.now() - startedAt;
  });
  const often = Object.entries(chores).flatMap(([name, { periodMs }]) => (periodMs <= 15_000 ? [name] : []));
  await until(async () => {
    const ages = await listChoreAges(db);
    return often.every((name) => ages.some((age) => age.name === name && age.succeeded));
  });
  expect(await db.$count(sql`graphile_worker._private_jobs`, sql`key like 'card.mail:none-%'`)).toBeGreaterThan(1_000);
}, 90_000);

test("a person who is blocked, and everybody after a stop, is inactive at the issuer while the new controls of others' cards wait", async () => {
  const { db } = service.runtime;
  const answers = Promise.withResolvers<void>();
  let asked = 0;
  await run({
    setSpendingControls: () => {
      asked += 1;
      return answers.promise;
    },
  });
  const [eve, other] = [await becomeCardHolder(service, 0n), await becomeCardHolder(service, 0n)];
  const [card] = await db.select().from(cards).where(eq(cards.cardToken, other.cardToken));
  if (!card) throw new Error("The card has no row");
  const old = { issuerControls: "old", issuerSyncedControls: "old" };
  const copies = Array.from({ length: 60 }, (_, index) => ({
    ...card,
    ...old,
    id: `copy-${index}`,
    cardToken: `copy-${index}`,
  }));
  await db.insert(cards).values(copies);
  await enqueueAll(
    db,
    "card.controls",
    copies.map(({ id }) => ({ payload: { cardId: id, requestId } })),
  );
  const isInactive = async ({ person, cardToken }: CardHolder) =>
    (await person.sandbox("GET", `/issuer/cards/${cardToken}`)).body.cardholder.status === "inactive";
  const countBacklog = () => db.$count(sql`graphile_worker._private_jobs`, sql`key like 'card.controls:copy-%'`);
  const operator = operatorOf(service.runtime, "test");
  try {
    await until(() => asked === poolSlots.bulk);
    await setUserStatus(operator, { reference: eve.person.userId ?? "", status: "DEACTIVATED" });
    await until(() => isInactive(eve));
    expect(await isInactive(other)).toBe(false);
    await setStop(operator, { name: "card-payments", isStopped: true });
    await until(() => isInactive(other));
    expect([asked, await countBacklog()]).toEqual([poolSlots.bulk, copies.length]);
  } finally {
    answers.resolve();
  }
  await until(async () => (await countBacklog()) === 0);
}, 90_000);

test("a job that the service needs is tried again within seconds, however often it failed", async () => {
  await enqueue(service.runtime.db, "chain.checkSafes", { chainId: "100", requestId });
  await breakJob("chain.checkSafes:100", 24);
  await run();
  await until(async () => ((await readJob("chain.checkSafes:100"))?.attempts ?? 24) < 24);
  expect((await readJob("chain.checkSafes:100"))?.pause).toBeWithin(0, 12);
});

test("a job that failed after a newer one took its key is deleted, and no operator is asked to look at it", async () => {
  const { db } = service.runtime;
  await enqueue(db, "chain.checkSafes", { chainId: "100", requestId }, 60_000);
  await db.execute(sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'other'`);
  await enqueue(db, "chain.checkSafes", { chainId: "100", requestId }, 60_000);
  const list = () =>
    db.execute(sql`select key from graphile_worker._private_jobs where key is null or key like 'chain.checkSafes%'`);
  expect(await list()).toHaveLength(2);
  await db.execute(
    sql`update graphile_worker._private_jobs set locked_at = null, locked_by = null, last_error = 'deadlock'`,
  );
  await run();
  await until(async () => (await list()).length === 1, { timeoutMs: 5 * chores.recoverJobs.periodMs });
  expect((await list())[0]?.["key"]).toBe("chain.checkSafes:100");
});
