import { BroadcastRefused, NonceTooLow, ReplacementUnderpriced } from "@cardkeep/chain/errors";
import { noteBroadcast, type RelayAttempt } from "@cardkeep/db/queries/chain/relay/attempts";
import type { RelayContext } from "./settler.ts";

/** The node's answer to an attempt. Where its nonce is used, a block holds it or another transaction of the lane. */
type Sent = "taken" | "refused" | "underpriced" | "nonce used";

/** Sends an attempt to the node and records the answer. @throws ChainUnavailable */
export async function sendAttempt(ctx: RelayContext, attempt: RelayAttempt): Promise<Sent> {
  const { relayTransactionId, broadcastAt, refusal } = attempt;
  try {
    await ctx.chain.broadcast(attempt.raw);
    if (broadcastAt === null || refusal !== null) {
      await noteBroadcast(ctx.db, attempt, { broadcastAt: await ctx.clock.now(ctx.db), refusal: null });
    }
    return "taken";
  } catch (error) {
    // Another attempt or another program used it: receipts and blocks decide.
    if (error instanceof NonceTooLow) return "nonce used";
    const isUnderpriced = error instanceof ReplacementUnderpriced;
    if (!isUnderpriced && !(error instanceof BroadcastRefused)) throw error;
    await noteBroadcast(ctx.db, attempt, { broadcastAt: null, refusal: error.message });
    ctx.log.warn({ relayTransactionId, reason: error.message }, "the node refused a transaction");
    return isUnderpriced ? "underpriced" : "refused";
  }
}
