/** Records what the chain made of a spend: it ran, it ran earlier in another transaction, or the chain refused it. */
import { CallReverted, ChainUnavailable } from "@cardkeep/chain/errors";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { findSpendLog, proveSpend } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/primitives";
import { findDeploymentBlock, type RelayTransaction } from "@cardkeep/db/queries/relay/transactions";
import type { CurrencySafe } from "@cardkeep/db/queries/safes";
import { type CardTransfer, findTransfer } from "@cardkeep/db/queries/spending/transfers";
import { type WorkerContext, writeNothing, type WriteStep } from "../context.ts";
import { getCurrencySafe } from "../safeAccount.ts";
import { completeTransfer, failSpend } from "./endTransfer.ts";

/** The reason of a spend that ran without the token's transfer. */
export const unmovedReason = "It ran, but no money reached the settlement account";

/** A transfer that is a spend: returns have no signed message. */
type Spend = CardTransfer & { messageHash: Hex };

/** Settles our mined spend by its receipt, or as refused where it did not run in it. */
export async function settleSpend(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  receipt: ChainReceipt,
): Promise<WriteStep> {
  const transfer = await findTransfer(ctx.db, transaction.subjectId);
  if (transfer?.status !== "SIGNED") return writeNothing;
  const safe = await getCurrencySafe(ctx, transfer.safeId);
  const write = settleRunSpend(ctx, safe, getSpend(transfer), receipt);
  if (write) return write;
  const reason = await findRevertReason(ctx, transaction);
  return settleRefusedSpend(ctx, safe, transfer, reason, receipt.transactionHash);
}

/**
 * Settles a spend that the chain refused. It may have run earlier in a transaction of any sender.
 *
 * @throws ChainUnavailable while the node has no receipt of a spend that has run
 */
export async function settleRefusedSpend(
  ctx: WorkerContext,
  safe: CurrencySafe,
  transfer: CardTransfer,
  reason: string,
  hash: Hex | null = null,
): Promise<WriteStep> {
  const spend = getSpend(transfer);
  const { to: roles, messageHash } = spend;
  const refusedAt = await ctx.chain.getBlock();
  const signer = safe.spender;
  if (await ctx.chain.isMessageConsumed({ delay: roles, signer, messageHash })) {
    const receipt = await findSpendReceipt(ctx, safe, spend);
    const write = receipt && settleRunSpend(ctx, safe, spend, receipt);
    // Failing it here would let the card be used again for money that may have left the Safe.
    if (!write) throw new ChainUnavailable("The node has no receipt of a spend that has run");
    return write;
  }
  const block = { blockNumber: refusedAt.number, blockHash: refusedAt.hash };
  return (work) => failSpend(ctx, work, safe, transfer, { reason, hash, block });
}

/** Settles a spend by a receipt in which it ran; null where it did not run in it. */
function settleRunSpend(ctx: WorkerContext, safe: CurrencySafe, spend: Spend, receipt: ChainReceipt): WriteStep | null {
  const { to: roles, messageHash, amount, id: transferId } = spend;
  const proof = proveSpend(receipt.logs, {
    roles,
    messageHash,
    token: tokens[safe.tokenSymbol].address,
    safe: safe.address,
    settlement: ctx.rules.settlementAddress,
    amount,
  });
  if (proof === "absent") return null;
  const { transactionHash: hash, blockNumber, blockHash } = receipt;
  const block = { blockNumber, blockHash };
  if (proof === "moved") return (work) => completeTransfer(ctx, work, spend, { hash, block });
  ctx.log.error({ transferId, safeId: safe.id, hash }, "a spend ran, but moved no money");
  return (work) => failSpend(ctx, work, safe, spend, { reason: unmovedReason, hash, block, hasRun: true });
}

/** The receipt of the transaction, of any sender, that consumed the message of a spend. */
async function findSpendReceipt(
  ctx: WorkerContext,
  safe: CurrencySafe,
  { to: roles, messageHash }: Spend,
): Promise<ChainReceipt | null> {
  const [{ number: toBlock }, fromBlock] = await Promise.all([
    ctx.chain.getBlock(),
    findDeploymentBlock(ctx.db, safe.id),
  ]);
  const logs = await ctx.chain.getLogs({ addresses: [roles], fromBlock, toBlock });
  const log = findSpendLog(logs, { roles, messageHash });
  return log && ctx.chain.findReceipt(log.transactionHash);
}

/** The reason for which the chain refuses the call now; a receipt carries none. */
async function findRevertReason(ctx: WorkerContext, { relayer, to, value, data }: RelayTransaction): Promise<string> {
  try {
    await ctx.chain.simulate({ from: relayer, call: { to, value, data } });
    return "It reverted when it was mined";
  } catch (error) {
    if (error instanceof CallReverted) return error.reason;
    throw error;
  }
}

function getSpend(transfer: CardTransfer): Spend {
  const { messageHash } = transfer;
  if (!messageHash) throw new Error(`Transfer ${transfer.id} is no spend`);
  return { ...transfer, messageHash };
}
