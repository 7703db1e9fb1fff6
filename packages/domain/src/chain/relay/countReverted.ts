import type { ChainReceipt } from "@cardkeep/chain/log";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import { insertRevertedGas } from "@cardkeep/db/queries/chain/relay/revertedGas";
import type { RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import type { WorkerContext, WriteStep } from "../../core/context.ts";

/** A transaction of ours as the chain has it, and how many operations share its cost. */
export interface RevertedTransaction {
  transaction: Pick<RelayTransaction, "id">;
  receipt: ChainReceipt;
  sharers: number;
}

/**
 * The write that counts what a refused transaction cost for one operation, or for the set-up of one Safe, in the commit that
 * settles the transaction. A dear entry that an owner queued past the service counts for the operation behind it.
 */
export const countReverted =
  (
    { id: subjectId, safeId, userId }: Pick<DelayTransaction, "id" | "safeId" | "userId">,
    { transaction, receipt, sharers }: RevertedTransaction,
  ): WriteStep =>
  ({ tx, now }) =>
    insertRevertedGas(tx, {
      relayTransactionId: transaction.id,
      subjectId,
      safeId,
      userId,
      cost: (receipt.gasUsed * receipt.gasPrice) / BigInt(sharers),
      createdAt: now,
    });

/**
 * Whether a transaction stands before ours on chain: what it did may be why ours was refused. One that comes after ours in
 * the same block is no cause.
 */
export async function isBefore(
  ctx: Pick<WorkerContext, "chain">,
  other: Pick<ChainReceipt, "transactionHash" | "blockNumber">,
  own: ChainReceipt,
): Promise<boolean> {
  if (other.blockNumber !== own.blockNumber) return other.blockNumber < own.blockNumber;
  const found = await ctx.chain.findReceipt(other.transactionHash);
  return found !== null && found.transactionIndex < own.transactionIndex;
}
