/** What the logs of a Safe and its Delay module say of an operation. The logs are the truth, our rows a record of it. */
import { allowanceSetTopics, findReplacedRefill } from "@cardkeep/chain/allowance";
import { findEnqueueLog, parseQueueLog, type QueueEntry } from "@cardkeep/chain/delay";
import { assignFates } from "@cardkeep/chain/fates";
import type { ChainLog, LogTopics } from "@cardkeep/chain/reader";
import type { Hex } from "@cardkeep/contract/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain";
import { type DelayTransaction, listOpenDelays } from "@cardkeep/db/queries/delays";
import { findDeploymentBlock } from "@cardkeep/db/queries/relayers";
import { findSafe, type Safe } from "@cardkeep/db/queries/safes";
import type { Context } from "../context.ts";

/** The queue entry that an operation's signed message became, whoever relayed it; null when it became none. */
export async function findQueueEntry(ctx: Context, item: DelayTransaction): Promise<QueueEntry | null> {
  const logs = await listLogs(ctx, item, [item.delayAddress]);
  return findEnqueueLog(logs, { delay: item.delayAddress, messageHash: item.messageHash });
}

/** The entry at one place of the queue that an operation waits in. */
export async function findForeignEntry(
  ctx: Context,
  item: DelayTransaction,
  queueNonce: bigint,
): Promise<QueueEntry | null> {
  const logs = await listLogs(ctx, item, [item.delayAddress]);
  return logs.map(parseQueueLog).findLast((entry) => entry?.queueNonce === queueNonce) ?? null;
}

/**
 * What may still run in a Safe's queue and is not known to be an open operation of ours, in queue order.
 *
 * What has expired may stay in the queue for as long as nobody needs what is behind it, but it never runs.
 */
export async function listForeignEntries(ctx: Context, safe: Safe): Promise<QueueEntry[]> {
  const state = await ctx.chain.getDelayState(safe.delayAddress);
  const { txNonce, queueNonce, cooldownSeconds, expirationSeconds } = state;
  if (txNonce === queueNonce) return [];
  const ours = new Set((await listOpenDelays(ctx.db, safe.id)).map((row) => row.queueNonce));
  const waiting = Array.from({ length: Number(queueNonce - txNonce) }, (_, index) => txNonce + BigInt(index));
  const foreign = new Set(waiting.filter((nonce) => !ours.has(nonce)));
  if (foreign.size === 0) return [];
  const logs = await listLogs(ctx, { safeId: safe.id }, [safe.delayAddress]);
  const entries = logs.flatMap((log) => parseQueueLog(log) ?? []).filter((entry) => foreign.has(entry.queueNonce));
  const { timestamp } = await ctx.chain.getBlock();
  const queuedAfter = expirationSeconds === 0 ? 0 : timestamp - cooldownSeconds - expirationSeconds;
  const queuedAt = await readTimestamps(ctx, entries);
  return entries.filter(({ blockNumber }) => (queuedAt.get(blockNumber) ?? timestamp) >= queuedAfter);
}

/** The daily limit, in base units, that an executed operation replaced; null where the logs do not tell. */
export async function findReplacedLimit(
  ctx: Context,
  safe: Safe,
  change: { transactionHash: Hex; refill: bigint },
): Promise<bigint | null> {
  return findReplacedRefill(await listLogs(ctx, { safeId: safe.id }, [safe.rolesAddress], allowanceSetTopics), change);
}

/** How an operation left the queue, and the newest block that says so: executed by a transaction, or skipped (no hash). */
export interface End {
  executedHash: Hex | null;
  block: SeenBlock;
}

/** How an operation left the queue; null while it is in there. */
export async function findEnd(ctx: Context, item: DelayTransaction): Promise<End | null> {
  const safe = await findSafe(ctx.db, item.safeId);
  if (!safe || item.queueNonce === null) return null;
  // Read before the logs: what runs in between must not look skipped.
  const { txNonce } = await ctx.chain.getDelayState(item.delayAddress);
  if (item.queueNonce >= txNonce) return null;
  const head = await ctx.chain.getBlock();
  const logs = await listLogs(ctx, item, [safe.address, item.delayAddress]);
  const fates = assignFates({
    safe: safe.address,
    delay: item.delayAddress,
    txNonce,
    logs,
    timestamps: await readTimestamps(ctx, logs),
  });
  const fate = fates.get(item.queueNonce);
  if (!fate) return null;
  return fate.kind === "executed"
    ? { executedHash: fate.transactionHash, block: fate }
    : { executedHash: null, block: { blockNumber: head.number, blockHash: head.hash } };
}

async function listLogs(
  ctx: Context,
  item: Pick<DelayTransaction, "safeId">,
  addresses: DelayTransaction["delayAddress"][],
  topics: LogTopics = [],
): Promise<ChainLog[]> {
  const fromBlock = await findDeploymentBlock(ctx.db, item.safeId);
  const { number: toBlock } = await ctx.chain.getBlock();
  return ctx.chain.getLogs({ addresses, topics, fromBlock, toBlock });
}

async function readTimestamps(
  ctx: Context,
  logs: readonly Pick<ChainLog, "blockNumber">[],
): Promise<Map<bigint, number>> {
  const numbers = [...new Set(logs.map((log) => log.blockNumber))];
  const blocks = await Promise.all(numbers.map((number) => ctx.chain.getBlockAt(number)));
  return new Map(blocks.flatMap((block) => (block ? [[block.number, block.timestamp] as const] : [])));
}
