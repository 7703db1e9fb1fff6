/** Commits of any kind take what they share in one order: see packages/db/README.md. So Postgres never ends one of two that wait. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { enqueue, enqueueIfNone, dequeue } from "@cardkeep/db/queue/enqueue";
import { chainBlocks, delayTransactions } from "@cardkeep/db/schema/tables";
import { countReorganisations, insertChainCursor, noteReorganisation } from "@cardkeep/db/queries/chain/blocks";
import { lockChain } from "@cardkeep/db/queries/operators/actions";
import { retryFailedJobs, retryJob } from "@cardkeep/domain/core/jobs/listJobs";
import { beginChainGuard, restOn } from "@cardkeep/domain/chain/guards/reorgGuard";
import type { Work } from "@cardkeep/domain/core/context";
import type { RelayContext } from "@cardkeep/domain/chain/relay/settler";
import { deliver } from "@cardkeep/domain/partners/webhooks/deliver";
import { fanOut } from "@cardkeep/domain/partners/webhooks/fanOut";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq, sql } from "drizzle-orm";
import { countLockWaits } from "../support/locks.ts";
import { operatorOf } from "../support/operator.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, follow, untilSettled, useOnce } from "../support/spending.ts";
import { openPayers, startWithdrawals } from "../support/withdrawalLoad.ts";
import { publishEvents, registerPartner, subscribe } from "../support/webhooks.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
let runtimes: Runtime[];
let ctx: RelayContext;
let workers: Worker[] = [];
beforeAll(async () => {
  service = await startService({
    worker: false,
    env: { COOLDOWN_SECONDS: "3", RELAYED_OPERATIONS_PER_HOUR: "1000000" },
  });
  const [row] = await service.ownerDb.execute<{ name: string }>(sql`select current_database() as name`);
  // Postgres looks for a deadlock once a lock was waited for so long; a shorter wait hides none.
  await service.ownerDb.execute(sql.raw(`alter database ${row?.name} set deadlock_timeout = '10ms'`));
  runtimes = await Promise.all([1, 2].map(() => createRuntime(readSettings(service.env), "worker")));
  const [first] = runtimes;
  if (!first) throw new Error("no runtime");
  ctx = createWorkerContext(first);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await Promise.all(runtimes.map((runtime) => runtime.close()));
  await service.stop();
});

const requestId = "locks";
const job = (cardId: string) => ({ cardId, requestId });
const block = { blockNumber: 9_000_000n, blockHash: `0x${"ab".repeat(32)}` } as const;

/** Two commits whose steps alternate: each has done its first step before either begins its second. */
async function alternate(first: readonly ((work: Work) => unknown)[], second: readonly ((work: Work) => unknown)[]) {
  const both = Promise.withResolvers<void>();
  let arrived = 0;
  const run = (steps: readonly ((work: Work) => unknown)[]) =>
    ctx.commit(async (work) => {
      const [begin, ...others] = steps;
      await begin?.(work);
      arrived += 1;
      if (arrived === 2) both.resolve();
      await both.promise;
      for (const step of others) await step(work);
    });
  return Promise.allSettled([run(first), run(second)]);
}
const fulfilled = [
  { status: "fulfilled", value: undefined },
  { status: "fulfilled", value: undefined },
] as const;
const countDeadlocks = async () => {
  const [row] = await service.ownerDb.execute<{ count: number }>(
    sql`select deadlocks::int as count from pg_stat_database where datname = current_database()`,
  );
  return row?.count ?? 0;
};

test("two commits that rest on one block and add one job end, whichever comes first in each", async () => {
  const addJob = ({ tx }: Work) => enqueue(tx, "card.mail", job("one"));
  const rest = (work: Work) => restOn(work, block);
  expect(await alternate([addJob, rest], [rest, addJob])).toEqual([...fulfilled]);
  expect(await ctx.db.$count(chainBlocks, eq(chainBlocks.blockNumber, block.blockNumber))).toBe(1);
});

test("two commits that add and remove the same jobs in opposite order end", async () => {
  const add = (id: string) => (work: Work) => enqueue(work.tx, "card.mail", job(id));
  const remove = (id: string) => (work: Work) => dequeue(work.tx, "card.mail", id);
  expect(await alternate([add("a"), add("b")], [add("b"), add("a")])).toEqual([...fulfilled]);
  expect(await alternate([add("a"), remove("b")], [remove("b"), add("a")])).toEqual([...fulfilled]);
});

test("a commit writes of several changes of one job the one that they come to", async () => {
  const read = () =>
    ctx.db.execute(sql`
      select key, round(extract(epoch from run_at - created_at))::int as seconds from graphile_worker._private_jobs
      where key like 'card.mail:%' order by key`);
  await ctx.db.execute(sql`delete from graphile_worker._private_jobs`);
  await enqueue(ctx.db, "card.mail", job("removed"));
  await ctx.commit(async ({ tx }) => {
    await enqueue(tx, "card.mail", job("earlier"), 100_000);
    await enqueueIfNone(tx, "card.mail", job("earlier"), 5_000);
    await enqueueIfNone(tx, "card.mail", job("later"), 5_000);
    await enqueue(tx, "card.mail", job("later"), 100_000);
    await enqueue(tx, "card.mail", job("removed"), 5_000);
    await dequeue(tx, "card.mail", "removed");
    await dequeue(tx, "card.mail", "again");
    await enqueue(tx, "card.mail", job("again"), 50_000);
  });
  expect([...(await read())]).toEqual([
    { key: "card.mail:again", seconds: 50 },
    { key: "card.mail:earlier", seconds: 100 },
    { key: "card.mail:later", seconds: 100 },
  ]);
});

test("of two looks at the chain that both find a reorganisation one records it, and the other writes nothing", async () => {
  const { chainId } = ctx.policy;
  await insertChainCursor(ctx.db, chainId);
  const before = await countReorganisations(ctx.db, chainId);
  let begun = 0;
  const record = async ({ tx }: Work) => {
    begun += 1;
    await until(async () => begun === 2 || (await countLockWaits(ctx.db)) === 1);
    await noteReorganisation(tx, chainId);
  };
  const guards = await Promise.all([beginChainGuard(ctx), beginChainGuard(ctx)]);
  const ended = await Promise.allSettled(guards.map((guard) => ctx.commit(guard(record, true))));
  const reasons = ended.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
  expect(reasons).toEqual([expect.stringContaining("The chain reorganised")]);
  expect(await countReorganisations(ctx.db, chainId)).toBe(before + 1);
});

test("a failed attempt locks the partner of its endpoint before its delivery, as what begins the endpoint anew does", async () => {
  const ada = await (await new Person(service).signIn()).signUp();
  await registerPartner(ada, "torn");
  await subscribe(ada, "torn");
  await ada.sandbox("POST", "/inbox/torn/behaviour", { statuses: [500], delayMs: 0 });
  await publishEvents(service.runtime, ada.userId, 1);
  await fanOut(ctx);
  await service.ownerDb
    .transaction(async (tx) => {
      await tx.execute(sql`select from partners where id = 'torn' for update`);
      const delivering = deliver(ctx, { partnerId: "torn" });
      await until(async () => (await countLockWaits(ctx.db)) === 1);
      const free = await tx.execute(sql`select from deliveries where partner_id = 'torn' for update skip locked`);
      expect(free).toHaveLength(1);
      return { delivering };
    })
    .then(({ delivering }) => delivering);
});

test("a retry takes its jobs behind the end of the action log, as all commits do", async () => {
  await ctx.db.execute(sql`delete from graphile_worker._private_jobs`);
  await enqueue(ctx.db, "card.mail", job("given-up"));
  await ctx.db.execute(sql`update graphile_worker._private_jobs set attempts = max_attempts`);
  const [row] = await ctx.db.execute<{ id: string }>(sql`select id::text as id from graphile_worker._private_jobs`);
  const operator = operatorOf(service.runtime);
  for (const retry of [() => retryJob(operator, { id: row?.id ?? "" }), () => retryFailedJobs(operator)]) {
    const [taken, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const other = ctx.commit(async ({ tx }) => {
      await lockChain(tx);
      taken.resolve();
      await held.promise;
      await enqueue(tx, "card.mail", job("given-up"));
    });
    await taken.promise;
    const retried = retry();
    await until(async () => (await countLockWaits(ctx.db)) === 1);
    held.resolve();
    const ended = await Promise.allSettled([other, retried]);
    expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  }
});

test("a commit that fails leaves no job and no block", async () => {
  const other = { ...block, blockNumber: block.blockNumber + 1n };
  const failed = ctx.commit(async (work) => {
    await enqueue(work.tx, "card.mail", job("never"));
    restOn(work, other);
    throw new Error("no");
  });
  expect(await failed.catch(String)).toBe("Error: no");
  expect(await ctx.db.$count(sql`graphile_worker._private_jobs`, sql`key = 'card.mail:never'`)).toBe(0);
  expect(await ctx.db.$count(chainBlocks, eq(chainBlocks.blockNumber, other.blockNumber))).toBe(0);
});

test("withdrawals and card money under load, by two workers, meet no deadlock", async () => {
  await ctx.db.delete(chainBlocks).where(eq(chainBlocks.blockNumber, block.blockNumber));
  workers = await Promise.all(runtimes.map(startWorker));
  const withdrawalsMax = 6;
  const payers = await openPayers(service, { people: 4, withdrawalsMax });
  const holders = await Promise.all([becomeCardHolder(service), becomeCardHolder(service)]);
  const before = await countDeadlocks();
  const load = startWithdrawals(payers, { withdrawalsMax, pauseMs: 20 });
  await Promise.all(
    holders.map(async (holder, index) => {
      for (let uses = 0; uses < 8; uses++) {
        const { approved, threadId } = await useOnce(holder, 1);
        if (approved) await follow(holder, threadId, (uses + index) % 2 === 0 ? "clear" : "reverse");
      }
    }),
  );
  await until(() => Promise.resolve(load.countAcknowledged() === payers.length * withdrawalsMax), {
    timeoutMs: 60_000,
  });
  await load.stop();
  const isExecuted = eq(delayTransactions.status, "EXECUTED");
  await until(async () => (await ctx.db.$count(delayTransactions, isExecuted)) === load.countAcknowledged(), {
    timeoutMs: 60_000,
  });
  await untilSettled(service, 60_000);
  expect(load.surprises).toEqual([]);
  expect(await countDeadlocks()).toBe(before);
}, 120_000);
