/** Records what the chain made of a transfer of card money. */
import { CallReverted, ChainUnavailable } from "@cardkeep/chain/errors";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { findSpendLog, hasTransfer, proveSpend } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type CardTransfer, findTransfer, moveTransfer } from "@cardkeep/db/queries/spending/transfers";
import { findDeploymentBlock, type RelayTransaction } from "@cardkeep/db/queries/relayTransactions";
import { type CurrencySafe, findSafe, hasCurrency } from "@cardkeep/db/queries/safes";
import type { Context, Work, WorkerContext } from "../context.ts";
import { completeTransfer, failSpend } from "./endTransfer.ts";

type Write = (work: Work) => Promise<void>;

/** Why a spend fails that ran without the token's transfer. */
export const unmovedReason = "It ran, but no money reached the settlement account";

/** How soon a return is sent again that ran and moved nothing. */
const returnAgainMs = 30_000;

/** Settles our mined spend: it ran, it ran earlier in another transaction, or the chain refused it. */
export async function settleSpend(
  ctx: WorkerContext,
  { subjectId, relayer, to, value, data }: RelayTransaction,
  receipt: ChainReceipt,
): Promise<Write> {
  const transfer = await findTransfer(ctx.db, subjectId);
  if (transfer?.status !== "SIGNED") return async () => {};
  const safe = await getTransferSafe(ctx, transfer);
  const write = settleProved(ctx, safe, transfer, receipt);
  if (write) return write;
  const reason = await ctx.chain.simulate({ from: relayer, call: { to, value, data } }).then(
    () => "It reverted when it was mined",
    (error: unknown) => {
      if (error instanceof CallReverted) return error.reason;
      throw error;
    },
  );
  return judgeSpend(ctx, safe, transfer, reason, receipt.transactionHash);
}

/** Settles our mined return by the token's own log; without it the person is still to get the money. */
export async function settleReturn(
  ctx: WorkerContext,
  { subjectId }: RelayTransaction,
  receipt: ChainReceipt,
): Promise<Write> {
  const transfer = await findTransfer(ctx.db, subjectId);
  if (transfer?.status !== "SIGNED") return async () => {};
  const { address: safe, tokenSymbol } = await getTransferSafe(ctx, transfer);
  const { address: token } = tokens[tokenSymbol];
  const { amount, id: transferId, requestId } = transfer;
  if (hasTransfer(receipt.logs, { token, from: ctx.rules.settlementAddress, to: safe, amount })) {
    return completeTransfer(ctx, transfer, { hash: receipt.transactionHash, block: receipt });
  }
  const hasRun = receipt.status === "success";
  if (hasRun) ctx.log.error({ transferId, hash: receipt.transactionHash }, "a return ran, but moved no money");
  return async ({ tx, now }) => {
    await moveTransfer(tx, transferId, "PLANNED", { hash: null, updatedAt: now });
    await enqueue(tx, "card.transfer", { transferId, requestId }, hasRun ? returnAgainMs : 0);
  };
}

/**
 * Settles a spend that the chain refused: it may have run earlier, sent by anyone.
 *
 * @throws ChainUnavailable while the node has no receipt of a spend that has run
 */
export async function judgeSpend(
  ctx: WorkerContext,
  safe: CurrencySafe,
  transfer: CardTransfer,
  reason: string,
  hash: Hex | null = null,
): Promise<Write> {
  const { to: roles, messageHash } = transfer;
  if (!messageHash) throw new Error(`Transfer ${transfer.id} is no spend`);
  const refusedAt = await ctx.chain.getBlock();
  const signer = ctx.rules.spenderAddress;
  if (await ctx.chain.isMessageConsumed({ delay: roles, signer, messageHash })) {
    const [{ number: toBlock }, fromBlock] = await Promise.all([
      ctx.chain.getBlock(),
      findDeploymentBlock(ctx.db, safe.id),
    ]);
    const logs = await ctx.chain.getLogs({ addresses: [roles], fromBlock, toBlock });
    const log = findSpendLog(logs, { roles, messageHash });
    const receipt = log && (await ctx.chain.findReceipt(log.transactionHash));
    const write = receipt && settleProved(ctx, safe, transfer, receipt);
    // Failing it here would let the card be used again for money that may have left the Safe.
    if (!write) throw new ChainUnavailable("The node has no receipt of a spend that has run");
    return write;
  }
  const block = { blockNumber: refusedAt.number, blockHash: refusedAt.hash };
  return (work) => failSpend(ctx, work, safe, transfer, { reason, hash, block });
}

/** Settles a spend by a receipt in which it ran; null where it did not. */
function settleProved(
  ctx: WorkerContext,
  safe: CurrencySafe,
  transfer: CardTransfer,
  receipt: ChainReceipt,
): Write | null {
  const { to: roles, messageHash, amount, id: transferId } = transfer;
  if (!messageHash) throw new Error(`Transfer ${transferId} is no spend`);
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
  if (proof === "moved") return completeTransfer(ctx, transfer, { hash, block });
  ctx.log.error({ transferId, safeId: safe.id, hash }, "a spend ran, but moved no money");
  return (work) => failSpend(ctx, work, safe, transfer, { reason: unmovedReason, hash, block, hasRun: true });
}

/** The Safe of a transfer, which has a currency. */
export async function getTransferSafe(ctx: Context, { safeId }: CardTransfer): Promise<CurrencySafe> {
  const safe = await findSafe(ctx.db, safeId);
  if (!safe || !hasCurrency(safe)) throw new Error(`Safe ${safeId} has no currency`);
  return safe;
}
