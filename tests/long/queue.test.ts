import { afterAll, beforeAll, expect, test } from "bun:test";
import { announcePools, freeIdleQueues, poolSlots, recoverDeadPools, releasePool } from "@cardkeep/db/queue/liveness";
import { openDatabase, readConnectionsMax } from "@cardkeep/db/client";
import { enqueue, enqueueAll, enqueueIfNone, enqueueQuietly } from "@cardkeep/db/queue/enqueue";
import { endlessTasks } from "@cardkeep/db/queue/catalogue";
import { countJobs as countAllJobs, findOldestWaitSeconds, type JobRow, listJobs } from "@cardkeep/db/queue/inspect";
import { readDuePools } from "@cardkeep/db/queue/due";
import { addMissingJobs } from "@cardkeep/db/queue/missing";
import type { JobState } from "@cardkeep/db/queue/tables";
import { createTestDatabase } from "../support/database.ts";
import { countLockWaits, lockTable } from "../support/locks.ts";
import { Person } from "../support/person.ts";
import { sql, TransactionRollbackError } from "drizzle-orm";
import { run } from "graphile-worker";
import { EventEmitter } from "node:events";
import { startWorker } from "@cardkeep/worker/worker";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { spawnApp } from "../support/process.ts";
import { expectWithin, retry, until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { startSqlProxy } from "../support/sqlProxy.ts";
import { productionWorker } from "../support/workerSettings.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

/** Runs `part` beside a worker of this process, which stops afterwards, also where the part fails. */
async function besideWorker<T>(part: () => Promise<T>, env: Record<string, string> = service.env): Promise<T> {
  const runtime = await createRuntime(readSettings(env), "worker");
  const worker = await startWorker(runtime);
  try {
    return await part();
  } finally {
    await worker.stop();
    await runtime.close();
  }
}

const countLocked = async (): Promise<number> => {
  const [row] = await service.runtime.db.execute<{ count: string }>(
    sql`select count(*) from graphile_worker._private_jobs where locked_by is not null`,
  );
  return Number(row?.count);
};
/** Jobs that end; following the chain and the issuer never does. */
const countJobs = async (): Promise<number> => {
  const [row] = await service.runtime.db.execute<{ count: string }>(
    sql`select count(*) from graphile_worker.jobs where task_identifier not in ${endlessTasks}`,
  );
  return Number(row?.count);
};
/** Adds jobs in one statement, so that a worker that looks for jobs finds all of them. */
const addJobs = (count: number) =>
  enqueueAll(
    service.runtime.db,
    "relay.confirm",
    Array.from({ length: count }, (_, index) => ({
      payload: { relayTransactionId: `none-${index}`, requestId: "test" },
    })),
  );

test("due pools are those of jobs that a worker may take, and the next due time is that of the earliest other one", async () => {
  const { db } = service.runtime;
  const isRolledBack = await db
    .transaction(async (tx) => {
      const read = async (withinMs: number) => {
        const { nextMs, pools } = await readDuePools(tx, withinMs);
        return { nextMs, pools: [...pools].toSorted() };
      };
      await tx.execute(sql`delete from graphile_worker._private_jobs`);
      expect(await read(1_000)).toEqual({ nextMs: 1_000, pools: [] });
      await enqueue(tx, "safe.check", { safeId: "late", requestId: "test" }, 60_000);
      expect(await read(1_000)).toEqual({ nextMs: 1_000, pools: [] });
      expect((await read(120_000)).nextMs).toBeWithin(1, 60_001);
      await enqueue(tx, "delay.relay", { safeId: "locked", requestId: "test" });
      const due = await read(120_000);
      expect(due).toEqual({ nextMs: expect.any(Number), pools: ["relay"] });
      expect(due.nextMs).toBeWithin(1, 60_001);
      await enqueue(tx, "webhook.deliver", { partnerId: "locked", requestId: "test" });
      expect((await read(1_000)).pools).toEqual(["relay", "strangers"]);
      await tx.execute(
        sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'other' where run_at <= now()`,
      );
      const later = await read(120_000);
      expect(later).toEqual({ nextMs: expect.any(Number), pools: [] });
      expect(later.nextMs).toBeWithin(1, 60_001);
      // A look reads few of a long backlog, and any pool may have a job behind them.
      const backlog = Array.from({ length: 60 }, (_, index) => ({
        payload: { cardId: `${index}`, requestId: "test" },
      }));
      await enqueueAll(tx, "card.mail", backlog);
      expect((await read(1_000)).pools).toEqual(["bulk", "chain", "own", "relay", "standing", "strangers"]);
      tx.rollback();
    })
    .catch((error: unknown) => error instanceof TransactionRollbackError);
  expect(isRolledBack).toBe(true);
});

test("a job added while a worker takes the one before it follows that one", async () => {
  const { db } = service.runtime;
  const payload = { safeId: "taken", requestId: "test" };
  const ways: [string, () => Promise<unknown>][] = [
    ["enqueue", () => enqueue(db, "safe.check", payload)],
    ["enqueueIfNone", () => enqueueIfNone(db, "safe.check", payload, 0)],
    ["enqueueQuietly", () => enqueueQuietly(db, "safe.check", { subjects: [payload.safeId], requestId: "test" })],
  ];
  const added: string[] = [];
  for (const [name, add] of ways) {
    await enqueue(db, "safe.check", payload, 60_000);
    let adding: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      const locked = await tx.execute<{ id: string }>(sql`
        update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker'
        where key = 'safe.check:taken' and locked_at is null returning id`);
      expect(locked).toHaveLength(1);
      adding = add();
      await until(async () => {
        const waiting = await db.execute(sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`);
        return waiting.length > 0;
      });
    });
    await adding;
    const free = await db.execute(sql`select id from graphile_worker._private_jobs
      where key = 'safe.check:taken' and locked_at is null`);
    if (free.length === 1) added.push(name);
  }
  await db.execute(sql`delete from graphile_worker._private_jobs where payload::jsonb ->> 'safeId' = 'taken'`);
  expect(added).toEqual(ways.map(([name]) => name));
});

test("a new job makes no pool fetch but its own", async () => {
  const { db } = service.runtime;
  const proxy = await startSqlProxy(service.env["DATABASE_URL"] ?? "");
  const said: string[] = [];
  const countFetches = (slots: number) =>
    said.filter((text) => text.includes("j_raw") && text.includes(`limit ${slots}\n`)).length;
  const runTwenty = async (): Promise<void> => {
    for (let index = 0; index < 20; index++) {
      const relayTransactionId = `none-${index}`;
      await enqueue(db, "relay.confirm", { relayTransactionId, requestId: "test" });
      await until(
        async () =>
          (await db.$count(sql`graphile_worker.jobs`, sql`key = ${`relay.confirm:${relayTransactionId}`}`)) === 0,
        { everyMs: 20 },
      );
      said.push(...proxy.take());
    }
  };
  await besideWorker(runTwenty, { ...service.env, DATABASE_URL: proxy.url }).finally(() => proxy.stop());
  await db.execute(sql`delete from graphile_worker._private_jobs`);
  expect(countFetches(poolSlots.relay)).toBeGreaterThanOrEqual(20);
  // Each fetches at its start, for the few jobs that the chores add at their start, and every five seconds besides.
  for (const pool of ["bulk", "strangers"] as const) expect(countFetches(poolSlots[pool])).toBeLessThan(10);
});

test("a clean stop during jobs leaves no locked row, and no completed job", async () => {
  for (let round = 0; round < 2; round++) {
    await addJobs(30);
    await besideWorker(() => Promise.resolve());
    expect(await countLocked()).toBe(0);
  }
  await besideWorker(() => until(async () => (await countJobs()) === 0));
});

test("SIGTERM in the middle of jobs finishes those that run; the others wait unlocked, with all their attempts", async () => {
  const { db } = service.runtime;
  const play = async () => {
    // As in production: ten jobs run at once, and hang at the lock.
    const worker = await spawnApp("worker", { ...service.env, ...productionWorker });
    await worker.ready("taking jobs");
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Every job reads this table first.
    const lock = db.transaction(async (tx) => {
      await lockTable(tx, "chain_cursor");
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const startedAtMs = performance.now();
    await addJobs(40);
    await until(async () => (await countLocked()) > 15 && (await countLockWaits(db)) >= readConnectionsMax);
    worker.kill("SIGTERM");
    // Ten run. Those that were fetched for later go back.
    await until(async () => (await countLocked()) <= 10);
    release.resolve();
    await lock;
    const heldMs = performance.now() - startedAtMs;
    const exitCode = await worker.exited;
    const lockedCount = await countLocked();
    const left = await db.execute<{ attempts: number }>(
      sql`select attempts from graphile_worker.jobs where task_identifier = 'relay.confirm'`,
    );
    await db.execute(sql`delete from graphile_worker._private_jobs`);
    return { heldMs, exitCode, lockedCount, left, output: worker.output() };
  };
  // A statement waits for ten seconds. Where a busy machine holds the lock for about as long, the jobs begin again.
  const { exitCode, lockedCount, left, output } = await retry(play, ({ heldMs }) => heldMs < 8_000, 3);
  expect([exitCode, lockedCount]).toEqual([0, 0]);
  expect(left.length).toBeGreaterThanOrEqual(30);
  expect(left.length).toBeLessThan(40);
  expect(left.filter(({ attempts }) => attempts > 0)).toEqual([]);
  expect(output).not.toContain("did not finish in time");
}, 120_000);

test("jobs that meet an outage together come back within six seconds, and not in step", async () => {
  const { db } = service.runtime;
  await db.execute(sql`delete from graphile_worker._private_jobs`);
  const jobs = Array.from({ length: 60 }, (_, index) => ({
    payload: { threadId: `none-${index}`, requestId: "test" },
  }));
  // A job that comes back is a new row, added after its failure.
  const listPauses = async () =>
    (
      await db.execute<{ seconds: number }>(sql`
        select extract(epoch from run_at - created_at)::float as seconds from graphile_worker._private_jobs
        where key like 'card.settle:none-%' and run_at > created_at`)
    ).map(({ seconds }) => seconds);
  const meetOutage = async (): Promise<number[]> => {
    await enqueueAll(db, "card.settle", jobs);
    await until(async () => (await listPauses()).length > 40);
    return listPauses();
  };
  const pauses = await besideWorker(meetOutage, { ...service.env, CARD_ISSUER_URL: "http://127.0.0.1:1" });
  expect(Math.max(...pauses)).toBeLessThanOrEqual(6);
  expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(2);
  await db.execute(sql`delete from graphile_worker._private_jobs`);
});

test("a pool that stops before its jobs are done frees them at once, and none has lost an attempt", async () => {
  const { db } = service.runtime;
  await addJobs(3);
  await db.execute(sql`update graphile_worker._private_jobs
    set locked_by = 'pool-slow', locked_at = now(), attempts = 1 where key <> 'relay.confirm:none-2'`);
  expect(await releasePool(db, "pool-slow")).toBe(2);
  expect(await countLocked()).toBe(0);
  const jobs = await db.execute<{ attempts: number }>(sql`select attempts from graphile_worker.jobs`);
  expect(jobs.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
  await db.execute(sql`delete from graphile_worker._private_jobs`);
});

test("a worker that stops while Postgres does exits with code 0, without an uncaught error", async () => {
  const proxy = await startSqlProxy(service.env["DATABASE_URL"] ?? "", { isStopping: true });
  const worker = await spawnApp("worker", { ...service.env, DATABASE_URL: proxy.url });
  await worker.ready("taking jobs");
  worker.kill("SIGTERM");
  expect(await worker.exited).toBe(0);
  // An uncaught error is written between the lines of the log.
  await until(() => worker.output().includes("terminating connection"));
  const said = worker.output().trim().split("\n");
  expect(said.filter((line) => !line.startsWith(`{"level":`))).toEqual([]);
  await proxy.stop();
});

test("the jobs of a dead pool are freed, those of a living pool are not", async () => {
  const database = openDatabase({
    url: service.env["DATABASE_URL"] ?? "",
    connectionsMax: 2,
    statementTimeoutMs: 5_000,
    applicationName: "test",
  });
  await addJobs(2);
  const lock = (pool: string, key: string) =>
    database.db.execute(
      sql`update graphile_worker._private_jobs set locked_by = ${pool}, locked_at = now() - interval '10 seconds' where key = ${key}`,
    );
  await lock("pool-dead", "relay.confirm:none-0");
  await lock("pool-alive", "relay.confirm:none-1");
  const alive = await announcePools(service.env["DATABASE_URL"] ?? "", ["pool-alive"], "test");
  expect(await recoverDeadPools(database.db)).toEqual(["pool-dead"]);
  expect(await countLocked()).toBe(1);
  await alive.release();
  await until(async () => (await recoverDeadPools(database.db)).includes("pool-alive"));
  expect(await countLocked()).toBe(0);
  await database.db.execute(sql`delete from graphile_worker._private_jobs`);
  await database.close();
});

test("a job that a living pool holds for five hours is not freed", async () => {
  const { db } = service.runtime;
  await db.execute(sql`delete from graphile_worker._private_jobs`);
  await enqueue(db, "webhook.deliver", { partnerId: "long", requestId: "test" });
  await db.execute(sql`with j as (
      update graphile_worker._private_jobs set locked_by = 'pool-long', locked_at = now() - interval '5 hours' returning job_queue_id)
    update graphile_worker._private_job_queues q set locked_by = 'pool-long', locked_at = now() - interval '5 hours'
    from j where q.id = j.job_queue_id`);
  const alive = await announcePools(service.env["DATABASE_URL"] ?? "", ["pool-long"], "test");
  const events = new EventEmitter();
  const looks = Promise.withResolvers<void>();
  events.on("resetLocked:success", () => looks.resolve());
  // The queue's own look at old locks, which a worker has each ten minutes.
  const runner = await run({
    connectionString: service.env["DATABASE_URL"] ?? "",
    taskList: { none: () => Promise.resolve() },
    preset: { worker: { minResetLockedInterval: 10, maxResetLockedInterval: 20 } },
    noHandleSignals: true,
    parsedCronItems: [],
    events,
  });
  await looks.promise;
  await runner.stop();
  expect(await recoverDeadPools(db)).toEqual([]);
  expect(await freeIdleQueues(db)).toBe(0);
  const held = sql`graphile_worker._private_job_queues where locked_by = 'pool-long'`;
  expect([await countLocked(), await db.$count(held)]).toEqual([1, 1]);
  await alive.release();
  await until(async () => (await recoverDeadPools(db)).includes("pool-long"));
  expect([await countLocked(), await db.$count(held)]).toEqual([0, 0]);
  await db.execute(sql`delete from graphile_worker._private_jobs`);
});

test("a queue is free again where a job ran twice because its living pool was believed dead", async () => {
  const { db } = service.runtime;
  const partnerId = "twice";
  await enqueue(db, "webhook.deliver", { partnerId, requestId: "test" });
  // As the queue's own statements do.
  const take = (pool: string) =>
    db.execute(sql`with j as (
        update graphile_worker._private_jobs set locked_by = ${pool}, locked_at = now() - interval '10 seconds' returning job_queue_id)
      update graphile_worker._private_job_queues q set locked_by = ${pool}, locked_at = now() - interval '10 seconds'
      from j where q.id = j.job_queue_id`);
  const complete = (pool: string) =>
    db.execute(sql`with j as (delete from graphile_worker._private_jobs returning job_queue_id)
      update graphile_worker._private_job_queues q set locked_by = null, locked_at = null
      from j where q.id = j.job_queue_id and q.locked_by = ${pool}`);
  const countHeld = async () =>
    (await db.execute(sql`select from graphile_worker._private_job_queues where locked_by is not null`)).length;
  await take("pool-first");
  await releasePool(db, "pool-first");
  await take("pool-second");
  expect(await freeIdleQueues(db)).toBe(0);
  await complete("pool-first");
  await complete("pool-second");
  expect(await countHeld()).toBe(1);
  expect(await freeIdleQueues(db)).toBe(1);
  expect(await countHeld()).toBe(0);
});

test("a job that waits for another one of its queue does not count as one that no worker takes", async () => {
  const { db } = service.runtime;
  await db.execute(sql`delete from graphile_worker._private_jobs`);
  await enqueueAll(db, "webhook.deliver", [
    { payload: { partnerId: "slow", requestId: "test" } },
    { payload: { partnerId: "other", requestId: "test" } },
  ]);
  // One of the queue runs, as after an event that came meanwhile.
  await db.execute(sql`with j as (
      update graphile_worker._private_jobs set locked_by = 'pool', locked_at = now(), key = null
      where key = 'webhook.deliver:slow' returning job_queue_id)
    update graphile_worker._private_job_queues q set locked_by = 'pool', locked_at = now() from j where q.id = j.job_queue_id`);
  await enqueue(db, "webhook.deliver", { partnerId: "slow", requestId: "test" });
  const wait = (partnerId: string, seconds: number) =>
    db.execute(sql`update graphile_worker._private_jobs set run_at = now() - ${seconds} * interval '1 second'
      where key = ${`webhook.deliver:${partnerId}`}`);
  await wait("slow", 500);
  await wait("other", 20);
  const oldest = async () => {
    const counts = (await countAllJobs(db)).filter(({ state }) => state === "waiting");
    return [
      Math.floor(await findOldestWaitSeconds(db)),
      counts.map((row) => [row.count, Math.floor(row.oldestSeconds)]),
    ];
  };
  expect(await oldest()).toEqual([20, [[2, 20]]]);
  await releasePool(db, "pool");
  expect(await oldest()).toEqual([500, [[3, 500]]]);
  await db.execute(sql`delete from graphile_worker._private_jobs`);
});

test("a job whose workers died repeatedly does not count as failed", async () => {
  const { db } = service.runtime;
  await addJobs(1);
  for (let kills = 0; kills < 30; kills++) {
    await db.execute(sql`update graphile_worker._private_jobs
      set locked_by = 'pool-dead', locked_at = now() - interval '10 seconds', attempts = attempts + 1`);
    expect(await recoverDeadPools(db)).toEqual(["pool-dead"]);
  }
  const [job] = await db.execute<{ attempts: number }>(sql`select attempts from graphile_worker.jobs`);
  expect(job?.attempts).toBe(0);
  await db.execute(sql`delete from graphile_worker._private_jobs`);
});

test("open work without a job gets one", async () => {
  const person = await new Person(service).becomeApproved();
  await person.call("POST", "/safe/deploy");
  const { db } = service.runtime;
  const listAll = () =>
    db.execute(sql`select key, payload, max_attempts, job_queue_id, priority
      from graphile_worker._private_jobs order by key`);
  const accepted = (await listAll()).filter(({ key }) => String(key).startsWith("safe.deploy:"));
  expect(accepted).toHaveLength(1);
  await db.execute(sql`delete from graphile_worker._private_jobs`);
  const input = { chainId: 100, now: new Date() };
  expect(await addMissingJobs(db, input)).toBe(10);
  expect(await addMissingJobs(db, input)).toBe(0);
  const chores = [
    "card.callbacks:100",
    "card.compare:100",
    "chain.follow:100",
    "chain.funds:100",
    "chain.nonces:100",
    "chain.reconcile:100",
    "chain.topUps:100",
    "issuer.balance:100",
  ];
  const jobs = await listAll();
  expect(jobs.map(({ key }) => key)).toEqual([...chores, accepted[0]?.["key"], "treasury.approvals:100"]);
  expect(jobs.at(-2)).toEqual(accepted[0]);
});

test("an add without a time leaves a waiting job unchanged; one with a time moves it", async () => {
  const { db } = service.runtime;
  const payload = { safeId: "waits", requestId: "test" };
  const isDue = async () =>
    (await db.$count(sql`graphile_worker.jobs`, sql`key = 'delay.relay:waits' and run_at <= now()`)) === 1;
  await enqueueIfNone(db, "delay.relay", payload, 60_000);
  expect(await isDue()).toBe(false);
  await enqueue(db, "delay.relay", payload);
  expect(await isDue()).toBe(true);
  await enqueueIfNone(db, "delay.relay", payload, 60_000);
  expect(await isDue()).toBe(true);
  await enqueue(db, "delay.relay", payload, 60_000);
  expect(await isDue()).toBe(false);
  await db.execute(sql`delete from graphile_worker._private_jobs`);
});

test("a quiet add leaves the jobs of a subject as a plain one does: where none is, one waits, one runs, one failed", async () => {
  const { db } = service.runtime;
  const add = {
    plain: (safeId: string) => enqueue(db, "delay.relay", { safeId, requestId: "again" }),
    quiet: (safeId: string) => enqueueQuietly(db, "delay.relay", { subjects: [safeId], requestId: "again" }),
  };
  const states = {
    none: sql`select 1`,
    waiting: sql`update graphile_worker._private_jobs set attempts = 3, last_error = 'before' where key = `,
    running: sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'test', attempts = 1 where key = `,
    failed: sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'before' where key = `,
  };
  for (const [state, change] of Object.entries(states)) {
    const found = [];
    for (const [kind, addAgain] of Object.entries(add)) {
      const safeId = `${kind}-${state}`;
      if (state !== "none") {
        await enqueue(db, "delay.relay", { safeId, requestId: "first" }, 3_600_000);
        await db.execute(sql`${change} ${`delay.relay:${safeId}`}`);
      }
      await addAgain(safeId);
      found.push(
        await db.execute(sql`
          select payload ->> 'requestId' as request, key is null as "hasNoKey", attempts, max_attempts, last_error, priority,
            revision, locked_by, run_at <= now() as "isDue"
          from graphile_worker._private_jobs where payload ->> 'safeId' = ${safeId} order by id`),
      );
      await db.execute(sql`delete from graphile_worker._private_jobs where payload ->> 'safeId' = ${safeId}`);
    }
    expect([state, found[1]]).toEqual([state, found[0]]);
    expect(found[0]?.at(-1)).toMatchObject({ request: "again", hasNoKey: false, attempts: 0, isDue: true });
  }
});

test("jobs are listed page by page, once each, in the order of their time, in all states", async () => {
  const own = await createTestDatabase();
  const { db, close } = openDatabase({
    url: own.url,
    connectionsMax: 1,
    statementTimeoutMs: 5_000,
    applicationName: "test",
  });
  await db.execute(sql`
    with task as (insert into graphile_worker._private_tasks (identifier) values ('safe.deploy') returning id)
    insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, attempts, locked_at, locked_by)
    select id, json_build_object('safeId', 'safe-' || n), now() + (6 - n / 2) * interval '1 hour', 25,
      case when n % 4 = 0 then 25 else 1 end, case when n % 4 = 1 then now() end, case when n % 4 = 1 then 'pool' end
    from task, generate_series(1, 24) n`);
  const listAll = async (state: JobState | null) => {
    const pages: JobRow[][] = [[]];
    do pages.push(await listJobs(db, { state, after: BigInt(pages.at(-1)?.at(-1)?.id ?? 0), limit: 5 }));
    while (pages.at(-1)?.length === 5);
    return pages.flat();
  };
  const all = await listAll(null);
  expect(all).toHaveLength(24);
  expect(all).toEqual(all.toSorted((a, b) => a.runAt.getTime() - b.runAt.getTime() || Number(a.id) - Number(b.id)));
  for (const state of ["scheduled", "waiting", "running", "failed"] as const) {
    const ofState = all.filter((job) => job.state === state);
    expect([state, ofState.length]).toEqual([state, 6]);
    expect(await listAll(state)).toEqual(ofState);
  }
  await close();
  await own.drop();
});

test("a thousand jobs that always fail delay no others: each begins within a second of its time", async () => {
  const { db } = service.runtime;
  const isGone = async (key: string) =>
    (await db.execute(sql`select from graphile_worker._private_jobs where key = ${key}`)).length === 0;
  const measureWorstWait = async (name: string): Promise<number> => {
    const waits = Array.from({ length: 50 }, async (_, index) => {
      await Bun.sleep(index * 20);
      const startedAt = performance.now();
      await enqueue(db, "relay.confirm", { relayTransactionId: `${name}-${index}`, requestId: "test" });
      await until(() => isGone(`relay.confirm:${name}-${index}`), { everyMs: 50 });
      return performance.now() - startedAt;
    });
    return Math.max(...(await Promise.all(waits)));
  };
  const countFailed = () =>
    db.$count(sql`graphile_worker.jobs`, sql`task_identifier = 'card.settle' and last_error is not null`);
  await besideWorker(async () => {
    const alone = await measureWorstWait("alone");
    // Without a payload a job fails before any request.
    await db.transaction(async (tx) => {
      await tx.execute(sql`
        select count(*) from graphile_worker.add_jobs(array(select json_populate_record(
          null::graphile_worker.job_spec, '{"identifier":"card.settle"}') from generate_series(1, 1000)))`);
      await tx.execute(sql`
        update graphile_worker._private_jobs set payload = 'null' where key is null`);
    });
    await until(async () => (await countFailed()) === 1_000, { timeoutMs: 60_000, everyMs: 250 });
    await expectWithin(1_000, async () => (await measureWorstWait("beside")) - alone);
  });
  expect(await countFailed()).toBe(1_000);
  await db.execute(sql`delete from graphile_worker._private_jobs`);
}, 120_000);
