import type { ChainReceipt } from "@cardkeep/chain/log";
import { hasTransfer } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import { findTransfer, moveTransfer } from "@cardkeep/db/queries/spending/transfers";
import { type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { getCurrencySafe } from "../../core/safeAccount.ts";
import { completeTransfer } from "./endTransfer.ts";

/** How soon a return is sent again that ran and moved nothing. */
const returnAgainMs = 30_000;

/** Settles our mined return by the token's own log. Without it the money is still due, and the return is sent again. */
export async function settleReturn(
  ctx: WorkerContext,
  { subjectId }: RelayTransaction,
  receipt: ChainReceipt,
): Promise<WriteStep> {
  const transfer = await findTransfer(ctx.db, subjectId);
  if (transfer?.status !== "SIGNED") return writeNothing;
  const { address: safe, tokenSymbol } = await getCurrencySafe(ctx, transfer.safeId);
  const { address: token } = tokens[tokenSymbol];
  const { amount, id: transferId, requestId } = transfer;
  const { transactionHash: hash } = receipt;
  if (hasTransfer(receipt.logs, { token, from: ctx.policy.settlementAddress, to: safe, amount }))
    return (work) => completeTransfer(ctx, work, transfer, { hash, block: receipt });
  const hasRun = receipt.status === "success";
  if (hasRun) ctx.log.error({ transferId, hash }, "a return ran, but moved no money");
  return async ({ tx, now }) => {
    await moveTransfer(tx, transfer, "PLANNED", { hash: null, updatedAt: now });
    await enqueue(tx, "card.transfer", { transferId, requestId }, hasRun ? returnAgainMs : 0);
  };
}
