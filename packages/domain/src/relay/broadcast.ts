/** The second half of a relay transaction: send what was signed until it is mined, then settle what it was for. */
import { BroadcastRefused, ChainUnavailable, NonceTooLow, ReplacementUnderpriced } from "@cardkeep/chain/errors";
import type { ChainReceipt } from "@cardkeep/chain/reader";
import { type Fees, raiseFees } from "@cardkeep/chain/relayer";
import { enqueue, enqueueIfNone } from "@cardkeep/db/jobs";
import {
  findRelayTransaction,
  insertRelayAttempt,
  isOpenRelayTransaction,
  listRelayAttempts,
  listRelaySubjects,
  lockOpenRelayTransaction,
  noteBroadcast,
  type RelayAttempt,
  type RelayTransaction,
  updateRelayTransaction,
} from "@cardkeep/db/queries/relayTransactions";
import { findLowestOpenNonce } from "@cardkeep/db/queries/lanes";
import { restOn } from "../chain/fence.ts";
import { findFinalInstant } from "../chain/finality.ts";
import type { WorkerContext } from "../context.ts";
import { listSenders } from "./sign.ts";
import { settlers } from "./settlers.ts";

/** What is in no block yet is looked for when the chain counts it, and this often in case it was dropped. */
const lookAgainMs = 5_000;
const finalEveryMs = 1_000;
/** A transaction that waits longer in the mempool is signed again with more fee. */
const replaceAfterMs = 45_000;

/** Sends the newest attempt of a relay transaction, any number of times, and looks for its receipt. */
export async function broadcast(ctx: WorkerContext, input: { relayTransactionId: string }): Promise<void> {
  const transaction = await findRelayTransaction(ctx.db, input.relayTransactionId);
  if (!transaction || !isOpenRelayTransaction(transaction)) return;
  const [newest] = await listRelayAttempts(ctx.db, transaction.id);
  try {
    if (newest) await send(ctx, newest);
  } catch (error) {
    // Perhaps only the answer was lost: the chain is asked for what became of it.
    if (!(error instanceof ChainUnavailable)) throw error;
  }
  await confirm(ctx, input);
}

/**
 * Settles a relay transaction by the receipt of any of its attempts.
 *
 * Without one the newest attempt is sent again if the node forgot it, and signed again with more fee if it is stuck.
 */
export async function confirm(ctx: WorkerContext, input: { relayTransactionId: string }): Promise<void> {
  const transaction = await findRelayTransaction(ctx.db, input.relayTransactionId);
  if (!transaction || !isOpenRelayTransaction(transaction)) return;
  const attempts = await listRelayAttempts(ctx.db, transaction.id);
  const receipt = await findReceipt(ctx, attempts);
  const minedAt = receipt && (await findFinalInstant(ctx, receipt));
  if (receipt && minedAt) return settle(ctx, transaction, receipt, minedAt);
  const [newest] = attempts;
  if (!receipt && newest) await urge(ctx, transaction, newest);
  const payload = { relayTransactionId: transaction.id, requestId: transaction.requestId };
  if (receipt) return enqueue(ctx.db, "relay.confirm", payload, finalEveryMs);
  // Who follows the chain may have it looked for at once meanwhile.
  await enqueueIfNone(ctx.db, "relay.confirm", payload, lookAgainMs);
}

async function findReceipt(ctx: WorkerContext, attempts: readonly RelayAttempt[]): Promise<ChainReceipt | null> {
  for (const attempt of attempts) {
    const receipt = await ctx.chain.findReceipt(attempt.hash);
    if (receipt) return receipt;
  }
  return null;
}

async function settle(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  receipt: ChainReceipt,
  minedAt: Date,
): Promise<void> {
  const write = await settlers[transaction.purpose](ctx, transaction, receipt);
  await ctx.commit(async (work) => {
    if (!(await lockOpenRelayTransaction(work.tx, transaction.id))) return;
    await restOn(work, receipt);
    await updateRelayTransaction(work.tx, transaction.id, {
      status: receipt.status === "success" ? "MINED" : "REVERTED",
      minedHash: receipt.transactionHash,
      blockNumber: receipt.blockNumber,
      blockHash: receipt.blockHash,
      minedAt,
      updatedAt: work.now,
    });
    await write(work);
  });
  const { purpose, relayer, nonce } = transaction;
  const [hash, status] = [receipt.transactionHash, receipt.status];
  for (const { requestId } of await listRelaySubjects(ctx.db, transaction.id)) {
    ctx.log.info({ requestId, relayTransactionId: transaction.id, purpose, hash, status }, "settled");
    ctx.trace?.({
      requestId,
      name: "chain transaction",
      startedAt: transaction.createdAt,
      endedAt: minedAt,
      attributes: { purpose, hash, status, relayer, nonce: Number(nonce) },
    });
  }
}

/** Sends again what the node does not have, and asks for more attention where nothing else can help. */
async function urge(ctx: WorkerContext, transaction: RelayTransaction, newest: RelayAttempt): Promise<void> {
  const isKnown = await ctx.chain.hasTransaction(newest.hash);
  if (!isKnown) await send(ctx, newest);
  const ageMs = (await ctx.clock.now(ctx.db)).getTime() - newest.createdAt.getTime();
  if (ageMs < replaceAfterMs) return;
  const block = await ctx.chain.getBlock();
  const isBelowBaseFee = newest.maxFeePerGas < block.baseFeePerGas;
  // Behind another nonce of its lane it waits for that one, not for a better fee.
  const isFirst = (await findLowestOpenNonce(ctx.db, transaction.relayer)) === transaction.nonce;
  const fees = isBelowBaseFee || (isKnown && isFirst) ? raiseFees(newest, block) : null;
  if (fees) await replace(ctx, transaction, newest, fees);
}

async function replace(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  stuck: RelayAttempt,
  fees: Fees,
): Promise<void> {
  const relayer = listSenders(ctx).find((key) => key.address === transaction.relayer);
  if (!relayer) return;
  const { raw, hash } = await relayer.sign({
    to: transaction.to,
    value: transaction.value,
    data: transaction.data,
    nonce: Number(transaction.nonce),
    gasLimit: transaction.gasLimit,
    chainId: ctx.rules.chainId,
    ...fees,
  });
  await ctx.commit(async ({ tx, now }) => {
    if (!(await lockOpenRelayTransaction(tx, transaction.id))) return;
    const [newest] = await listRelayAttempts(tx, transaction.id);
    if (newest?.hash !== stuck.hash) return;
    await insertRelayAttempt(tx, { hash, relayTransactionId: transaction.id, raw, createdAt: now, ...fees });
    await enqueue(tx, "relay.broadcast", { relayTransactionId: transaction.id, requestId: transaction.requestId });
  });
}

async function send(ctx: WorkerContext, attempt: RelayAttempt): Promise<void> {
  const { hash, relayTransactionId, broadcastAt, refusal } = attempt;
  try {
    await ctx.chain.broadcast(attempt.raw);
    if (broadcastAt === null || refusal !== null) {
      await noteBroadcast(ctx.db, hash, { broadcastAt: await ctx.clock.now(ctx.db), refusal: null });
    }
  } catch (error) {
    // The nonce is used up, or another attempt leads: either way the receipts will tell.
    if (error instanceof NonceTooLow || error instanceof ReplacementUnderpriced) return;
    if (!(error instanceof BroadcastRefused)) throw error;
    await noteBroadcast(ctx.db, hash, { broadcastAt: null, refusal: error.message });
    ctx.log.warn({ relayTransactionId, reason: error.message }, "the node refused a transaction");
  }
}
