import { listRelayerKeys } from "./listRelayerKeys.ts";
import { listUnlinkedHashes, type UnlinkedHash } from "@cardkeep/db/queries/chain/relay/missing";
import { isCall } from "@cardkeep/chain/log";
import type { WorkerContext } from "../../core/context.ts";
import { restoreRelayTransaction } from "./restoreRelayTransaction.ts";

/** Of more the next run has the rest. */
const hashesMax = 500;

/**
 * Gives the transactions of our keys their rows whose results are known: executions and transfers of card money. Their
 * nonces count as ours again. Returns how many got a row.
 */
export async function linkTransactions(ctx: WorkerContext, fromBlock: bigint): Promise<number> {
  const unlinked = await listUnlinkedHashes(ctx.db, { fromBlock, limit: hashesMax });
  if (unlinked.length === 0) return 0;
  const senders = await listRelayerKeys(ctx);
  let linked = 0;
  for (const each of unlinked) if (await link(ctx, senders, each)) linked += 1;
  if (linked > 0) ctx.log.warn({ linked }, "restored relay transactions from the chain");
  return linked;
}

async function link(
  ctx: WorkerContext,
  senders: ReadonlySet<string>,
  { hash, purpose, subjectId, requestId }: UnlinkedHash,
): Promise<boolean> {
  const transaction = await ctx.chain.findTransaction(hash);
  if (!transaction || !isCall(transaction) || !senders.has(transaction.from)) return false;
  const receipt = await ctx.chain.findReceipt(hash);
  const block = receipt && (await ctx.chain.getBlockAt(receipt.blockNumber));
  if (!receipt || block?.hash !== receipt.blockHash) return false;
  const mined = { transaction, receipt, minedAt: new Date(block.timestamp * 1000) };
  const subjects = [{ subjectId, requestId }];
  return ctx.commit((work) => restoreRelayTransaction(work, mined, { purpose, subjects }));
}
