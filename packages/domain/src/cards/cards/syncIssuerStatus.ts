import { enqueue } from "@cardkeep/db/queue/enqueue";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { WorkerContext } from "../../core/context.ts";
import { cardCall } from "./cardCall.ts";
import { announceCall, sendCall } from "../../core/cardholders/issuerCall.ts";

/** Two requests to the issuer, each within the time limit of a partner. */
const callMs = 8_000;

/**
 * Syncs a card's status at the issuer with the one here, until both agree.
 *
 * Calls of one card follow each other, so the status that reaches the issuer last is recorded last.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function syncIssuerStatus(ctx: WorkerContext, { cardId }: { cardId: string }): Promise<void> {
  const subject = cardCall(ctx, cardId);
  const call = await announceCall(ctx, subject, callMs);
  if (call.kind === "synced") return;
  if (call.kind === "busy") return enqueue(ctx.db, "card.sync", { cardId, requestId: ctx.requestId }, call.busyMs);
  try {
    await sendCall(ctx, subject, call);
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    // Only the operator can resolve it, and sees the failed job. The card's own status stays.
    throw new Error(`The card issuer refuses to have card ${cardId} ${call.row.issuerStatus}`, { cause: error });
  }
}
