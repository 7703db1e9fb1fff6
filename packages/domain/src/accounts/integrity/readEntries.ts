/** Reads the queues of our accounts from the chain and checks every entry, of any sender. */
import { classifyEntry, describeCall, type EntryPolicy } from "@cardkeep/chain/entryPolicy";
import { parseQueueLog, type QueueEntry, queueTopics } from "@cardkeep/chain/delayLogs";
import type { LogBlocks } from "@cardkeep/chain/port";
import { toBaseUnits, tokens } from "@cardkeep/chain/tokens";
import { dailyLimitMax } from "@cardkeep/contract/accounts/dailyLimit";
import type { Address } from "@cardkeep/contract/core/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { countCheckedEntries, insertCheckedEntries, listSafesByDelay } from "@cardkeep/db/queries/accounts/integrity";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import type { Context, Work } from "../../core/context.ts";
import { addressesOf, allowancePeriodSeconds } from "../../core/safeAccount.ts";
import { readQueueLogs } from "./readQueueLogs.ts";
import { recordViolation } from "./recordViolation.ts";

/** Entries of one Safe's queue, in queue order. */
export interface SafeEntries {
  safe: Safe;
  entries: QueueEntry[];
}

/** The policy that the entries of a Safe's queue are compared with. */
export const policyOf = ({ policy }: Pick<Context, "policy">, safe: Safe): EntryPolicy => ({
  account: addressesOf(safe),
  limitMax: safe.tokenSymbol === null ? 0n : toBaseUnits(dailyLimitMax, tokens[safe.tokenSymbol]),
  periodSecondsMin: allowancePeriodSeconds,
  allowedCalls: policy.allowedCalls,
});

/** A node that is late with an entry has it soon; one that lost it is not asked without a pause. */
const leftOutCheckMs = 1_000;

/**
 * The entries that were queued in some blocks: of one Delay module, or with null of every one of ours. It is one question
 * to the node, however many Safes there are.
 */
export async function readEntries(
  ctx: Pick<Context, "chain" | "db">,
  { delay, ...blocks }: LogBlocks & { delay: Address | null },
): Promise<SafeEntries[]> {
  const logs =
    delay === null
      ? await readQueueLogs(ctx, blocks)
      : await ctx.chain.getLogs({ addresses: [delay], topics: queueTopics, ...blocks });
  const byDelay = Map.groupBy(logs, ({ address }) => address);
  const safes = await listSafesByDelay(ctx.db, [...byDelay.keys()]);
  return safes.map((safe) => ({
    safe,
    entries: (byDelay.get(safe.delayAddress) ?? []).flatMap((log) => parseQueueLog(log) ?? []),
  }));
}

/**
 * Checks entries and records them, each once. An entry of no known kind is a violation.
 *
 * Entries are recorded without gaps: behind one that the node left out, the Safe is checked again by a job of its own.
 */
export async function recordEntries(ctx: Context, work: Work, { safe, entries }: SafeEntries): Promise<void> {
  const { tx, requestId } = work;
  const { id: safeId, delayAddress } = safe;
  const policy = policyOf(ctx, safe);
  let checked = await countCheckedEntries(tx, delayAddress);
  const rows: Parameters<typeof insertCheckedEntries>[1][number][] = [];
  for (const entry of entries) {
    const { queueNonce, operation, transactionHash: hash, blockNumber, blockHash } = entry;
    if (queueNonce < checked) continue;
    if (queueNonce > checked) {
      ctx.log.warn({ safeId, queueNonce: String(checked) }, "the node left out a queue entry");
      await enqueue(tx, "safe.check", { safeId, requestId }, leftOutCheckMs);
      break;
    }
    const kind = classifyEntry(entry, operation, policy);
    rows.push({ delayAddress, queueNonce, kind, blockNumber });
    checked += 1n;
    if (kind !== null) continue;
    const block = { blockNumber, blockHash };
    await recordViolation(ctx, work, { safeId, queueNonce, reason: describeCall(entry, operation), hash, block });
  }
  await insertCheckedEntries(tx, rows);
}
