/** A worker whose database goes away while it holds fetched jobs that no slot has taken yet. */
import { expect, test } from "bun:test";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { sql } from "drizzle-orm";
import { lockTable } from "../support/locks.ts";
import { expectWithin, until } from "../support/poll.ts";
import { startPrimaryProxy } from "../support/primaryProxy.ts";
import { spawnApp } from "../support/process.ts";
import { startService } from "../support/service.ts";

/** A pool's slots; it fetches as many jobs again before they are free. */
const slots = 10;
const backMsMax = 5_000;

test("a worker that loses the database with fetched jobs takes jobs again within 5 s of its return, and runs them all", async () => {
  const service = await startService({ worker: false });
  const { db } = service.runtime;
  const url = new URL(service.env["DATABASE_URL"] ?? "");
  const port = Number(url.port);
  const proxy = await startPrimaryProxy();
  proxy.switchTo(port);
  url.port = String(proxy.port);
  const worker = await spawnApp("worker", { ...service.env, DATABASE_URL: url.href });
  await worker.ready("taking jobs");
  const countJobs = async (isLocked: boolean): Promise<number> => {
    const [row] = await db.execute<{ count: number }>(sql`
      select count(*)::int from graphile_worker.jobs
      where task_identifier = 'relay.confirm' and (locked_at is not null or not ${isLocked})`);
    return row?.count ?? 0;
  };
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  // The jobs that run wait for this lock, the others for the end of those.
  const held = db.transaction(async (tx) => {
    await lockTable(tx, "relay_transactions");
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  for (let index = 0; index < 3 * slots; index++)
    await enqueue(db, "relay.confirm", { relayTransactionId: `none-${index}`, requestId: "test" });
  await until(async () => (await countJobs(true)) > slots);
  await expectWithin(backMsMax, async () => {
    const printed = worker.output().length;
    proxy.switchTo(null);
    await until(() => worker.output().slice(printed).includes("the queue is not reachable"));
    proxy.switchTo(port);
    const switchedAt = performance.now();
    await until(async () => {
      const heartbeats = await db.execute(
        sql`select 1 from pg_stat_activity where datname = current_database() and application_name like 'cardkeep-liveness:%'`,
      );
      return heartbeats.length === 1;
    });
    return performance.now() - switchedAt;
  });
  release.resolve();
  await held;
  await until(async () => (await countJobs(false)) === 0);
  worker.kill("SIGTERM");
  expect(await worker.exited).toBe(0);
  expect(worker.output()).not.toContain("Releasing local queue failed: Error: Cannot background");
  await proxy.stop();
  await service.stop();
}, 60_000);
