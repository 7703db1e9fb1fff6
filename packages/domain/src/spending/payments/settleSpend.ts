/** Records what the chain made of a spend: it ran, it ran earlier in another transaction, or the chain refused it. */
import { CallReverted, ChainUnavailable } from "@cardkeep/chain/errors";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { findSpendLog, proveSpend } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { type RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { findDeploymentBlock, type CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { type CardTransfer, findTransfer } from "@cardkeep/db/queries/spending/transfers";
import { findCloseBlockSince } from "../../chain/guards/findBlockSince.ts";
import { requireFollowed } from "../../chain/guards/readHead.ts";
import { type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { spendGasMax } from "../../chain/relay/gasLimits.ts";
import { getCurrencySafe } from "../../core/safeAccount.ts";
import { completeTransfer, failSpend } from "./endTransfer.ts";
import { readSpendCase } from "./openSpendCase.ts";

/** The reason of a spend that ran without the token's transfer. */
export const unmovedReason = "It ran, but no money reached the settlement account";

const revertedReason = "It reverted when it was mined";

const noReceipt = "The node has no receipt of a spend that has run";

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
  const hash = receipt.transactionHash;
  const mined = { hash, block: receipt.blockNumber };
  // It would run now: a copy with little gas, which any stranger can send, may have made ours revert.
  if (reason === null) return settleRefusedSpend(ctx, safe, transfer, { reason: revertedReason, ...mined });
  return settleRefusedSpend(ctx, safe, transfer, { reason, ...mined, isRefusedNow: true });
}

/**
 * Settles a spend that the chain refused. It may have run earlier in a transaction of any sender.
 *
 * @param block in which it was refused: the state before it says nothing
 * @param isRefusedNow whether a simulation at the newest block fails too: a mere revert is no proof
 * @throws ChainUnavailable while the node lags, or has no receipt of a spend that has run
 */
export async function settleRefusedSpend(
  ctx: WorkerContext,
  safe: CurrencySafe,
  transfer: CardTransfer,
  { isRefusedNow = false, ...refusal }: { reason: string; hash: Hex | null; block?: bigint; isRefusedNow?: boolean },
): Promise<WriteStep> {
  const spend = getSpend(transfer);
  const { to: roles, messageHash } = spend;
  const { reason, hash } = refusal;
  const refusedAt = await requireFollowed(ctx, refusal.block);
  const signer = safe.spender;
  // At this block, because the next call may reach another node.
  if (await ctx.chain.isMessageConsumed({ delay: roles, signer, messageHash }, refusedAt.number)) {
    const receipt = await findSpendReceipt(ctx, safe, spend);
    const write = receipt && settleRunSpend(ctx, safe, spend, receipt);
    // Failing it here would let the card be used again for money that may have left the Safe.
    if (!write) throw new ChainUnavailable(noReceipt);
    return write;
  }
  const block = { blockNumber: refusedAt.number, blockHash: refusedAt.hash };
  const openCaseOfIt = isRefusedNow ? await readSpendCase(ctx, safe, transfer, reason) : writeNothing;
  return async (work) => {
    if (await failSpend(ctx, work, safe, transfer, { reason, hash, block })) await openCaseOfIt(work);
  };
}

/**
 * Where a spend whose message has run moved its money; null where it moved none.
 *
 * @throws ChainUnavailable while the node has no receipt of it
 */
export async function findPaidSpend(
  ctx: WorkerContext,
  safe: CurrencySafe,
  transfer: CardTransfer,
): Promise<{ hash: Hex; block: SeenBlock } | null> {
  const spend = getSpend(transfer);
  const receipt = await findSpendReceipt(ctx, safe, spend);
  if (!receipt) throw new ChainUnavailable(noReceipt);
  if (prove(ctx, safe, spend, receipt) !== "moved") return null;
  const { transactionHash: hash, blockNumber, blockHash } = receipt;
  return { hash, block: { blockNumber, blockHash } };
}

/** Settles a spend by a receipt in which it ran; null where it did not run in it. */
function settleRunSpend(ctx: WorkerContext, safe: CurrencySafe, spend: Spend, receipt: ChainReceipt): WriteStep | null {
  const proof = prove(ctx, safe, spend, receipt);
  if (proof === "absent") return null;
  const { transactionHash: hash, blockNumber, blockHash } = receipt;
  const block = { blockNumber, blockHash };
  if (proof === "moved") return (work) => completeTransfer(ctx, work, spend, { hash, block });
  ctx.log.error({ transferId: spend.id, safeId: safe.id, hash }, "a spend ran, but moved no money");
  return async (work) => {
    await failSpend(ctx, work, safe, spend, { reason: unmovedReason, hash, block, hasRun: true });
  };
}

const prove = (
  { policy }: Pick<WorkerContext, "policy">,
  safe: CurrencySafe,
  { to: roles, messageHash, amount }: Spend,
  { logs }: ChainReceipt,
): ReturnType<typeof proveSpend> =>
  proveSpend(logs, {
    roles,
    messageHash,
    token: tokens[safe.tokenSymbol].address,
    safe: safe.address,
    settlement: policy.settlementAddress,
    amount,
  });

/**
 * The receipt of the transaction, of any sender, that consumed the message of a spend.
 *
 * It ran after it was planned, so the logs since then are asked for first: a whole history holds up all other settlements.
 * A row that was restored may be younger than its run.
 */
async function findSpendReceipt(
  ctx: WorkerContext,
  safe: CurrencySafe,
  { to: roles, messageHash, createdAt }: Spend,
): Promise<ChainReceipt | null> {
  const { fromBlock: since, head } = await findCloseBlockSince(ctx, createdAt);
  const find = async (fromBlock: bigint, toBlock: bigint) =>
    findSpendLog(await ctx.chain.getLogs({ addresses: [roles], fromBlock, toBlock }), { roles, messageHash });
  const findEarlier = async () => {
    const first = await findDeploymentBlock(ctx.db, safe.id);
    return first < since ? find(first, since - 1n) : null;
  };
  const log = (await find(since, head.number)) ?? (await findEarlier());
  return log && ctx.chain.findReceipt(log.transactionHash);
}

/** The reason for which the newest block refuses the call with a spend's gas; null where it runs. A receipt carries none. */
async function findRevertReason(
  ctx: WorkerContext,
  { relayer, to, value, data }: RelayTransaction,
): Promise<string | null> {
  try {
    // An owner's code that may use more can be so slow that no node answers, and the transaction would stay open.
    await ctx.chain.simulate({ from: relayer, call: { to, value, data }, gasMax: spendGasMax });
    return null;
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
