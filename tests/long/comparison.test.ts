import { afterAll, beforeAll, expect, test } from "bun:test";
import { countReorganisations, insertChainCursor } from "@cardkeep/db/queries/chain/blocks";
import { findComparedBlock, setComparedBlock } from "@cardkeep/db/queries/chain/comparison";
import { readDatabaseIdentity } from "@cardkeep/db/queries/core/databaseIdentity";
import type { Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { reconciliations } from "@cardkeep/db/schema/tables";
import { compareQueues } from "@cardkeep/domain/sync/chainSync/compareQueues";
import { eq, sql } from "drizzle-orm";
import { openNode } from "../support/node.ts";
import { type Service, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

const isDueAtOnce = async () => {
  const [row] = await service.runtime.db.execute<{ isDue: boolean }>(sql`
    select run_at <= now() as "isDue" from graphile_worker.jobs where task_identifier = 'chain.reconcile'`);
  return row?.isDue;
};

test("a comparison of the queues that is far behind goes on at once, and keeps its place where the node fails", async () => {
  const { runtime, rpcUrl } = service;
  const { db, settings } = runtime;
  const { chainId } = settings.policy;
  const real = createWorkerContext(runtime);
  const { client } = openNode(rpcUrl);
  await compareQueues(real, {});
  const first = (await findComparedBlock(db, chainId)) ?? 0n;
  // In parts, each of which the node answers in time.
  for (let part = 0; part < 25; part++) await client.mine({ blocks: 100 });
  const readAllLogs: typeof real.chain.readAllLogs = (input) => {
    const { fromBlock, toBlock } = input;
    if (toBlock - fromBlock > 1_000n) throw new Error("so many blocks at once are too many");
    if (toBlock > first + 2_000n) throw new Error("these blocks are not there");
    return real.chain.readAllLogs(input);
  };
  const ctx = { ...real, chain: { ...real.chain, readAllLogs } };
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

test("a comparison in a database that went back keeps the block from which its rows are looked for, until they are back", async () => {
  const { db, settings } = service.runtime;
  const { chainId } = settings.policy;
  const ctx = createWorkerContext(service.runtime);
  const reorganisations = await countReorganisations(db, chainId);
  await insertChainCursor(db, chainId);
  // Far behind, as after an outage.
  await setComparedBlock(db, chainId, { comparedBlock: 1n, reorganisations });
  const { identity } = await readDatabaseIdentity(db);
  const endedAt = new Date();
  const compareBehind = async (row: Pick<Reconciliation, "id" | "reason" | "databaseIdentity" | "endedAt">) => {
    await db.insert(reconciliations).values({ ...row, requestId: "test", startedAt: endedAt });
    await compareQueues(ctx, {});
    return { block: await findComparedBlock(db, chainId), isDueAtOnce: await isDueAtOnce() };
  };
  const held = { block: 1n, isDueAtOnce: false };
  const ofAnother = { reason: "first", databaseIdentity: "another one", endedAt } as const;
  expect(await compareBehind({ id: "of another database", ...ofAnother })).toEqual(held);
  const open = { reason: "restored", databaseIdentity: identity, endedAt: null } as const;
  expect(await compareBehind({ id: "open", ...open })).toEqual(held);
  expect(await compareBehind({ id: "newer", ...open, reason: "operator", endedAt })).toEqual(held);
  await db.update(reconciliations).set({ endedAt }).where(eq(reconciliations.id, "open"));
  await compareQueues(ctx, {});
  expect(await findComparedBlock(db, chainId)).toBeGreaterThan(1n);
});
