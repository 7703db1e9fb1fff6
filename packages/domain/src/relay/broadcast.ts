/** The second half of a relay transaction: send what was signed until it is mined, then settle what it was for. */
import { BroadcastRefused, ChainUnavailable, NonceTooLow, ReplacementUnderpriced } from "@cardkeep/chain/errors";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { type Fees, raiseFees } from "@cardkeep/chain/relayer";
import { enqueue, enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import {
  beginResend,
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
import { restOn } from "../chain/reorgGuard.ts";
import { findFinalInstant } from "../chain/findFinalInstant.ts";
import { recordLoss } from "./recordLoss.ts";
import { renewSubject } from "./renewSubject.ts";
import { listSenders } from "./sign.ts";
import type { RelayContext } from "./settler.ts";

/** What is in no block yet is looked for when the chain counts it, and this often in case it was dropped. */
const lookAgainMs = 5_000;
const finalEveryMs = 1_000;
/** A transaction that waits longer in the mempool is signed again with more fee. */
const replaceAfterMs = 45_000;
/** What a transfer of the native token costs. */
const cancellationGas = 21_000n;

/** Sends the newest attempt of a relay transaction, any number of times, and looks for its receipt. */
export async function broadcast(ctx: RelayContext, input: { relayTransactionId: string }): Promise<void> {
  const transaction = await findRelayTransaction(ctx.db, input.relayTransactionId);
  if (!transaction || !isOpenRelayTransaction(transaction)) return;
  const [newest] = await listRelayAttempts(ctx.db, transaction.id);
  if (newest && (await cancelLost(ctx, transaction, newest))) return;
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
export async function confirm(ctx: RelayContext, input: { relayTransactionId: string }): Promise<void> {
  const transaction = await findRelayTransaction(ctx.db, input.relayTransactionId);
  if (!transaction || !isOpenRelayTransaction(transaction)) return;
  const attempts = await listRelayAttempts(ctx.db, transaction.id);
  const receipt = await findReceipt(ctx, attempts);
  const minedAt = receipt && (await findFinalInstant(ctx, receipt));
  if (receipt && minedAt) return settle(ctx, transaction, receipt, minedAt);
  const [newest] = attempts;
  if (!receipt && newest && (await urge(ctx, transaction, newest)) === "nonce used") {
    if (await recordLoss(ctx, transaction, attempts)) return;
  }
  const payload = { relayTransactionId: transaction.id, requestId: transaction.requestId };
  if (receipt) return enqueue(ctx.db, "relay.confirm", payload, finalEveryMs);
  // Who follows the chain may have it looked for at once meanwhile.
  await enqueueIfNone(ctx.db, "relay.confirm", payload, lookAgainMs);
}

async function findReceipt(ctx: RelayContext, attempts: readonly RelayAttempt[]): Promise<ChainReceipt | null> {
  for (const attempt of attempts) {
    const receipt = await ctx.chain.findReceipt(attempt.hash);
    if (receipt) return receipt;
  }
  return null;
}

async function settle(
  ctx: RelayContext,
  transaction: RelayTransaction,
  receipt: ChainReceipt,
  minedAt: Date,
): Promise<void> {
  // What a lost one was for is with another transaction: its receipt only says that the nonce is filled.
  const write = transaction.lostAt === null ? await ctx.settlers[transaction.purpose](ctx, transaction, receipt) : null;
  const subjects = await listRelaySubjects(ctx.db, transaction.id);
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
    await write?.(work);
    if (!write) for (const subject of subjects) await renewSubject(work, transaction.purpose, subject);
  });
  const { purpose, relayer, nonce } = transaction;
  const [hash, status] = [receipt.transactionHash, receipt.status];
  for (const { requestId } of subjects) {
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

/**
 * Sends again what the node does not have, less and less often, and raises the fees where nothing else can help.
 * Answers "nonce used" where the node says so, which may be by another attempt.
 */
async function urge(
  ctx: RelayContext,
  transaction: RelayTransaction,
  newest: RelayAttempt,
): Promise<"waiting" | "nonce used"> {
  const isKnown = await ctx.chain.hasTransaction(newest.hash);
  const isUsed = !isKnown && (await beginResend(ctx.db, newest.hash)) && (await send(ctx, newest)) === "nonce used";
  if (!isUsed) await replaceStuck(ctx, transaction, newest, isKnown);
  return isUsed ? "nonce used" : "waiting";
}

async function replaceStuck(
  ctx: RelayContext,
  transaction: RelayTransaction,
  newest: RelayAttempt,
  isKnown: boolean,
): Promise<void> {
  const ageMs = (await ctx.clock.now(ctx.db)).getTime() - newest.createdAt.getTime();
  if (ageMs < replaceAfterMs) return;
  const block = await ctx.chain.getBlock();
  const isBelowBaseFee = newest.maxFeePerGas < block.baseFeePerGas;
  // Behind another nonce of its lane it waits for that one, not for a better fee.
  const isFirst = (await findLowestOpenNonce(ctx.db, transaction.relayer)) === transaction.nonce;
  const fees = isBelowBaseFee || (isKnown && isFirst) ? raiseFees(newest, block) : null;
  if (fees) await replace(ctx, transaction, newest, fees);
}

/** Uses up the nonce of a lost transaction that a reorganisation freed: what it was for was signed anew. */
async function cancelLost(ctx: RelayContext, transaction: RelayTransaction, newest: RelayAttempt): Promise<boolean> {
  if (transaction.lostAt === null || newest.isCancellation) return false;
  const fees = raiseFees(newest, await ctx.chain.getBlock());
  if (fees) await replace(ctx, transaction, newest, fees);
  return fees !== null;
}

async function replace(
  ctx: RelayContext,
  transaction: RelayTransaction,
  stuck: RelayAttempt,
  fees: Fees,
): Promise<void> {
  const relayer = listSenders(ctx).find((key) => key.address === transaction.relayer);
  if (!relayer) return;
  const { to, value, data, gasLimit } = transaction;
  const isCancellation = transaction.lostAt !== null;
  const call = isCancellation
    ? ({ to: relayer.address, value: 0n, data: "0x", gasLimit: cancellationGas } as const)
    : { to, value, data, gasLimit };
  const { raw, hash } = await relayer.sign({
    ...call,
    nonce: Number(transaction.nonce),
    chainId: ctx.rules.chainId,
    ...fees,
  });
  await ctx.commit(async ({ tx, now }) => {
    if (!(await lockOpenRelayTransaction(tx, transaction.id))) return;
    const [newest] = await listRelayAttempts(tx, transaction.id);
    if (newest?.hash !== stuck.hash) return;
    const attempt = { hash, relayTransactionId: transaction.id, raw, isCancellation, createdAt: now, ...fees };
    await insertRelayAttempt(tx, attempt);
    await enqueue(tx, "relay.broadcast", { relayTransactionId: transaction.id, requestId: transaction.requestId });
  });
}

/** What came of handing a transaction to the node: its nonce may be used already, by itself or by another one. */
type Sent = "taken" | "refused" | "nonce used";

async function send(ctx: RelayContext, attempt: RelayAttempt): Promise<Sent> {
  const { hash, relayTransactionId, broadcastAt, refusal } = attempt;
  try {
    await ctx.chain.broadcast(attempt.raw);
    if (broadcastAt === null || refusal !== null) {
      await noteBroadcast(ctx.db, hash, { broadcastAt: await ctx.clock.now(ctx.db), refusal: null });
    }
    return "taken";
  } catch (error) {
    // By another attempt, or by another program: receipts and blocks decide.
    if (error instanceof NonceTooLow) return "nonce used";
    if (error instanceof ReplacementUnderpriced) return "refused";
    if (!(error instanceof BroadcastRefused)) throw error;
    await noteBroadcast(ctx.db, hash, { broadcastAt: null, refusal: error.message });
    ctx.log.warn({ relayTransactionId, reason: error.message }, "the node refused a transaction");
    return "refused";
  }
}
