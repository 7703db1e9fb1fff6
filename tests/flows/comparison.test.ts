import { afterAll, beforeAll, expect, test } from "bun:test";
import { findComparedBlock } from "@cardkeep/db/queries/chain/comparison";
import { compareQueues } from "@cardkeep/domain/sync/chainSync/compareQueues";
import { sql } from "drizzle-orm";
import { openNode } from "../support/node.ts";
import { type Service, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

test("a comparison of the queues that is far behind goes on at once, and keeps its place where the node fails", async () => {
  const { runtime, rpcUrl } = service;
  const { db, settings } = runtime;
  const { chainId } = settings.policy;
  const real = createWorkerContext(runtime);
  const { client } = openNode(rpcUrl);
  await compareQueues(real, {});
  const first = (await findComparedBlock(db, chainId)) ?? 0n;
  // In parts, each of which the node answers in time.
  for (let part = 0; part < 5; part++) await client.mine({ blocks: 500 });
  const readAllLogs: typeof real.chain.readAllLogs = (input) => {
    const { fromBlock, toBlock } = input;
    if (toBlock - fromBlock > 1_000n) throw new Error("so many blocks at once are too many");
    if (toBlock > first + 2_000n) throw new Error("these blocks are not there");
    return real.chain.readAllLogs(input);
  };
  const ctx = { ...real, chain: { ...real.chain, readAllLogs } };
  const isDueAtOnce = async () => {
    const [row] = await db.execute<{ isDue: boolean }>(sql`
      select run_at <= now() as "isDue" from graphile_worker.jobs where task_identifier = 'chain.reconcile'`);
    return row?.isDue;
  };
  expect(await isDueAtOnce()).toBe(false);
  for (const block of [1_000n, 2_000n]) {
    await compareQueues(ctx, {});
    expect(await findComparedBlock(db, chainId)).toBe(first + block);
    expect(await isDueAtOnce()).toBe(true);
  }
  await expect(compareQueues(ctx, {})).rejects.toThrow("these blocks are not there");
  expect(await findComparedBlock(db, chainId)).toBe(first + 2_000n);
  const { number: head } = await client.getBlock();
  await compareQueues(real, {});
  expect(await findComparedBlock(db, chainId)).toBeGreaterThanOrEqual(head);
  expect(await isDueAtOnce()).toBe(false);
});
