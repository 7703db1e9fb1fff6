import { cardStatusCodes } from "@cardkeep/contract/cards";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type Card, findCard, lockCard, updateCard } from "@cardkeep/db/queries/cards/cards";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { WorkerContext } from "../context.ts";

/**
 * Syncs a card's status at the issuer with the one here, until both agree.
 *
 * Jobs of one card run one after the other, so the status that reaches the issuer last is recorded last.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function syncIssuerStatus(ctx: WorkerContext, { cardId }: { cardId: string }): Promise<void> {
  const card = await findCard(ctx.db, cardId);
  if (!card || card.issuerStatus === card.issuerSyncedStatus) return;
  const { issuerStatus: synced } = card;
  try {
    await ctx.issuer.setCardStatus(card.cardToken, synced, reasonOf(card));
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    // Only the operator can resolve it, and sees the failed job. The card's own status stays.
    throw new Error(`The card issuer refuses to have card ${cardId} ${synced}`, { cause: error });
  }
  await ctx.commit(async ({ tx, now, requestId }) => {
    const fresh = await lockCard(tx, cardId);
    await updateCard(tx, cardId, { issuerSyncedStatus: synced, updatedAt: now });
    if (fresh?.issuerStatus !== synced) await enqueue(tx, "card.sync", { cardId, requestId });
  });
}

const reasonOf = ({ statusCode }: Card): "lost" | "stolen" | null =>
  statusCode === cardStatusCodes.lost ? "lost" : statusCode === cardStatusCodes.stolen ? "stolen" : null;
