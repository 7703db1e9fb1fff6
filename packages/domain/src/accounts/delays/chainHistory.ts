/** What the logs of a Safe and its Delay module say of an operation. Where logs and rows differ, the logs are right. */
import { allowanceSetTopics, findReplacedRefill } from "@cardkeep/chain/allowance";
import {
  findEnqueueLog,
  hasInvalidation,
  parseQueueLog,
  type QueueEntry,
  queueTopics,
} from "@cardkeep/chain/delayLogs";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { assignFates, fateTopics, isFateLog, isSettingsChange, type QueueSettings } from "@cardkeep/chain/fates";
import type { ChainLog } from "@cardkeep/chain/log";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import { findEmptyQueueBlock, findLastLimitBlock } from "@cardkeep/db/queries/accounts/delays/queue";
import { hasExecutedViolation } from "@cardkeep/db/queries/accounts/integrity";
import { listOpenDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import { findDeploymentBlock, findSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { findBlockSince, readTimestamps } from "../../chain/guards/findBlockSince.ts";
import type { Context } from "../../core/context.ts";

/**
 * What a consumed message became, in a transaction of any sender: a queue entry, or nothing, because its signer invalidated
 * it.
 *
 * @throws ChainUnavailable when the logs show neither: another node answered than the one that knows of the consumption
 */
export async function findMessageEnd(ctx: Context, item: DelayTransaction): Promise<QueueEntry | "invalidated"> {
  const { fromBlock, head } = await findBlockSince(ctx, item.createdAt);
  const logs = await ctx.chain.getLogs({ addresses: [item.delayAddress], fromBlock, toBlock: head.number });
  const message = { delay: item.delayAddress, messageHash: item.messageHash };
  const entry = findEnqueueLog(logs, message);
  if (entry) return entry;
  if (hasInvalidation(logs, message)) return "invalidated";
  throw new ChainUnavailable("No log shows what a consumed message became");
}

/** The entry at one place of a queue, put there at `createdAt` (unix seconds of the chain). */
export async function findForeignEntry(
  ctx: Context,
  delay: Address,
  { queueNonce, createdAt }: { queueNonce: bigint; createdAt: number },
): Promise<QueueEntry | null> {
  const { fromBlock, head } = await findBlockSince(ctx, createdAt);
  const topics = queueTopics;
  const logs = await ctx.chain.getLogs({ addresses: [delay], topics, fromBlock, toBlock: head.number });
  return logs.map(parseQueueLog).findLast((entry) => entry?.queueNonce === queueNonce) ?? null;
}

/**
 * Entries of a Safe's queue that may still run and are no open operation of ours, in queue order.
 *
 * An expired entry may stay in the queue until an operation behind it is due, but it never runs.
 */
export async function listForeignEntries(ctx: Context, safe: Safe): Promise<QueueEntry[]> {
  const state = await ctx.chain.getDelayState(safe.delayAddress);
  const { txNonce, queueNonce, cooldownSeconds, expirationSeconds } = state;
  if (txNonce === queueNonce) return [];
  const ours = new Set((await listOpenDelays(ctx.db, safe.id)).map((row) => row.queueNonce));
  const waiting = Array.from({ length: Number(queueNonce - txNonce) }, (_, index) => txNonce + BigInt(index));
  const foreign = new Set(waiting.filter((nonce) => !ours.has(nonce)));
  if (foreign.size === 0) return [];
  const isEndless = expirationSeconds === 0;
  const { timestamp } = await ctx.chain.getBlock();
  const queuedAfter = isEndless ? 0 : timestamp - cooldownSeconds - expirationSeconds;
  const { fromBlock, head } = await findBlockSince(ctx, queuedAfter);
  const logs = await ctx.chain.getLogs({
    addresses: [safe.delayAddress],
    topics: queueTopics,
    fromBlock: isEndless ? await findDeploymentBlock(ctx.db, safe.id) : fromBlock,
    toBlock: head.number,
  });
  const entries = logs.flatMap((log) => parseQueueLog(log) ?? []).filter((entry) => foreign.has(entry.queueNonce));
  const queuedAt = await readTimestamps(ctx, entries);
  return entries.filter(({ blockNumber }) => (queuedAt.get(blockNumber) ?? timestamp) >= queuedAfter);
}

/** A node may lack the logs of so many blocks, although it names a newer one. It still has the state of each of them. */
const laggingBlocks = 12n;

/**
 * The daily limit, in base units, that an executed operation replaced; null where the chain does not show it.
 *
 * @param change `block` is that of its transaction
 */
export async function findReplacedLimit(
  ctx: Context,
  safe: Safe,
  change: { transactionHash: Hex; block: bigint; refill: bigint },
): Promise<bigint | null> {
  const { number: head } = await ctx.chain.getBlock();
  const read = async (fromBlock: bigint, toBlock: bigint) => {
    const logs = { addresses: [safe.rolesAddress], topics: allowanceSetTopics, fromBlock, toBlock };
    return findReplacedRefill(await ctx.chain.getLogs(logs), change);
  };
  const last = await findLastLimitBlock(ctx.db, safe.id);
  if (last !== null) return read(last, head);
  if (head - change.block > laggingBlocks) return read(await findDeploymentBlock(ctx.db, safe.id), head);
  // The limit of the set-up may be years back. Another change is in the same block, or the state before that has it.
  return (await read(change.block, change.block)) ?? ctx.chain.findRefill(safe.rolesAddress, change.block - 1n);
}

/** How an operation left the queue, and the newest block that says so: executed by a transaction, or skipped (no hash). */
export interface End {
  executedHash: Hex | null;
  /** It left without a log, in an account whose code does not log what it runs. */
  isUnseen?: boolean;
  block: SeenBlock;
}

/** How an operation left the queue; null while it is in there, or a node that lags does not show how it left. */
export async function findEnd(ctx: Context, item: DelayTransaction): Promise<End | null> {
  const safe = await findSafe(ctx.db, item.safeId);
  if (!safe || item.queueNonce === null) return null;
  const head = await ctx.chain.getBlock();
  // At this block, because the next call may reach another node.
  const state = await ctx.chain.getDelayState(item.delayAddress, head.number);
  const { txNonce, cooldownSeconds, expirationSeconds } = state;
  if (item.queueNonce >= txNonce) return null;
  const accounts = { safe: safe.address, delay: item.delayAddress };
  const history = await readHistory(ctx, item, accounts, head.number, { cooldownSeconds, expirationSeconds });
  const timestamps = await readTimestamps(ctx, history.logs);
  const fates = assignFates({ ...accounts, ...history, txNonce, timestamps, headAt: head.timestamp });
  const fate = fates.get(item.queueNonce);
  const block = { blockNumber: head.number, blockHash: head.hash };
  if (fate)
    return fate.kind === "executed"
      ? { executedHash: fate.transactionHash, block: fate }
      : { executedHash: null, block };
  return (await hasLeftUnseen(ctx, item, head.number)) ? { executedHash: null, isUnseen: true, block } : null;
}

/**
 * Whether an operation without a log left the queue some blocks ago, in an account that was changed. Its owner can have every
 * later entry leave without a log; an account that was not changed logs each one.
 */
async function hasLeftUnseen(
  { db, chain }: Context,
  { safeId, delayAddress, queueNonce }: DelayTransaction,
  head: bigint,
): Promise<boolean> {
  if (queueNonce === null || head < laggingBlocks || !(await hasExecutedViolation(db, safeId))) return false;
  return queueNonce < (await chain.getDelayState(delayAddress, head - laggingBlocks)).txNonce;
}

/**
 * The logs that decide an operation's end: those since the Safe's queue was last known to be empty, so that a long history
 * costs nothing. Where the module's settings changed since, their earlier values are unknown and all logs are read.
 */
async function readHistory(
  ctx: Context,
  item: DelayTransaction,
  accounts: { safe: Address; delay: Address },
  toBlock: bigint,
  settings: QueueSettings,
): Promise<{ logs: ChainLog[]; settings?: QueueSettings }> {
  const read = async (fromBlock: bigint) => {
    const addresses = [accounts.safe, accounts.delay];
    const logs = await ctx.chain.getLogs({ addresses, topics: fateTopics, fromBlock, toBlock });
    return logs.filter((log) => isFateLog(log, accounts));
  };
  const emptyBlock = await findEmptyQueueBlock(ctx.db, item);
  const recent = emptyBlock === null ? null : await read(emptyBlock);
  if (recent?.some((log) => isSettingsChange(log, accounts.delay)) === false) return { logs: recent, settings };
  return { logs: await read(await findDeploymentBlock(ctx.db, item.safeId)) };
}
