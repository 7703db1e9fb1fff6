/** The end of a relay transaction: its receipt is found and settled, or it is sent again. */
import type { ChainReceipt } from "@cardkeep/chain/log";
import { enqueue, enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { beginResend, listRelayAttempts, type RelayAttempt } from "@cardkeep/db/queries/chain/relay/attempts";
import {
  findRelayTransaction,
  isOpenRelayTransaction,
  listRelaySubjects,
  lockOpenRelayTransaction,
  type RelayTransaction,
  updateRelayTransaction,
} from "@cardkeep/db/queries/chain/relay/transactions";
import { findFinalInstant } from "../guards/findBlockSince.ts";
import { restOn } from "../guards/reorgGuard.ts";
import { recordLoss, resendDoublingsMax } from "./recordLoss.ts";
import { renewSubject } from "./renewSubject.ts";
import { cancelLost, lowerRefused, replaceStuck } from "./replaceStuck.ts";
import { sendAttempt } from "./sendAttempt.ts";
import type { RelayContext } from "./settler.ts";

/** Without a receipt the chain is asked again this often, because the node may have dropped the transaction. */
const lookAgainMs = 5_000;
const finalEveryMs = 1_000;

/** A look is put off by so much while another one runs: beside one that takes long, each would take a slot of its own. */
const besideMs = 500;

/** The transactions that this process looks at now, by its database. Another process may look at the same one. */
const lookedAt = new WeakMap<RelayContext["db"], Set<string>>();

/**
 * Settles a relay transaction by the receipt of any of its attempts; later where this process is at it already.
 *
 * Without one the newest attempt is sent again if the node forgot it, and signed again with other fees if it is stuck.
 */
export async function confirm(ctx: RelayContext, input: { relayTransactionId: string }): Promise<void> {
  const transaction = await findRelayTransaction(ctx.db, input.relayTransactionId);
  if (!transaction || !isOpenRelayTransaction(transaction)) return;
  const payload = { relayTransactionId: transaction.id, requestId: transaction.requestId };
  const present = lookedAt.get(ctx.db) ?? new Set();
  lookedAt.set(ctx.db, present);
  // The job of the first look is not run again after a failure, because this one replaced it.
  if (present.has(transaction.id)) return enqueueIfNone(ctx.db, "relay.confirm", payload, besideMs);
  present.add(transaction.id);
  try {
    await look(ctx, transaction, payload);
  } finally {
    present.delete(transaction.id);
  }
}

async function look(
  ctx: RelayContext,
  transaction: RelayTransaction,
  payload: { relayTransactionId: string; requestId: string },
): Promise<void> {
  const attempts = await listRelayAttempts(ctx.db, transaction.id);
  // Its nonce is reserved and its signer has not signed yet: that job signs.
  if (attempts.length === 0) return enqueueIfNone(ctx.db, "relay.broadcast", payload, 0);
  const receipt = await findReceipt(ctx, attempts);
  const minedAt = receipt && (await findFinalInstant(ctx, receipt));
  if (receipt && minedAt) return settle(ctx, transaction, receipt, minedAt);
  if (!receipt && (await cancelLost(ctx, transaction, attempts))) return;
  if (!receipt && (await resend(ctx, transaction, attempts)) === "nonce used") {
    if (await recordLoss(ctx, transaction, attempts)) return;
  }
  if (receipt) return enqueue(ctx.db, "relay.confirm", payload, finalEveryMs);
  // The follower of the chain may have enqueued an earlier look meanwhile.
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
  // The subject of a lost one has another transaction: this receipt only proves that the nonce is filled.
  const write = transaction.lostAt === null ? await ctx.settlers[transaction.purpose](ctx, transaction, receipt) : null;
  const subjects = await listRelaySubjects(ctx.db, transaction.id);
  await ctx.commit(async (work) => {
    if (!(await lockOpenRelayTransaction(work.tx, transaction.id))) return;
    restOn(work, receipt);
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
 * Sends the newest attempt again that the node does not have, less and less often, and changes the fees where nothing else
 * can help. "nonce used" is the node's answer, and may mean another attempt of ours.
 */
async function resend(
  ctx: RelayContext,
  transaction: RelayTransaction,
  attempts: readonly RelayAttempt[],
): Promise<"waiting" | "nonce used"> {
  const [newest] = attempts;
  if (!newest) return "waiting";
  const isKnown = await ctx.chain.hasTransaction(newest.hash);
  const isDue = !isKnown && (await beginResend(ctx.db, newest, resendDoublingsMax));
  const sent = isDue ? await sendAttempt(ctx, newest) : null;
  if (sent === "nonce used") return sent;
  if (sent === "refused" && (await lowerRefused(ctx, transaction, attempts))) return "waiting";
  await replaceStuck(ctx, transaction, newest, isKnown || sent === "underpriced");
  return "waiting";
}
