import { endedCardStatuses } from "@cardkeep/contract/cards/cards";
import { findCard, lockCard, updateCard } from "@cardkeep/db/queries/cards/cards";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { WorkerContext } from "../../core/context.ts";
import { readIssuerControls } from "./readIssuerControls.ts";

/**
 * Syncs a card's controls at the issuer with the rules here, until both agree. Jobs of one card run one after the other.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function syncIssuerControls(ctx: WorkerContext, { cardId }: { cardId: string }): Promise<void> {
  const card = await findCard(ctx.db, cardId);
  if (!card) return;
  const [wanted] = await readIssuerControls(ctx.db, [card]);
  if (!wanted) return;
  const { controls, digest } = wanted;
  if (digest === card.issuerControls && digest === card.issuerSyncedControls) return;
  // An ended card pays nothing; its row shall not ask for a job again.
  if (digest !== card.issuerSyncedControls && !endedCardStatuses.includes(card.statusCode)) {
    await ctx.issuer.setSpendingControls(card.cardToken, controls).catch((error: unknown) => {
      if (!(error instanceof ProviderRefused)) throw error;
      // Only the operator can resolve it, and sees the failed job. The rules here hold nevertheless.
      throw new Error(`The card issuer refuses the controls of card ${cardId}`, { cause: error });
    });
  }
  await ctx.commit(async ({ tx, now, requestId }) => {
    const fresh = await lockCard(tx, cardId);
    if (!fresh) return;
    // A change since the rules were read has recorded another digest, and this job syncs it next.
    const isLatest = fresh.issuerControls === card.issuerControls;
    const issuerControls = isLatest ? digest : fresh.issuerControls;
    await updateCard(tx, cardId, { issuerControls, issuerSyncedControls: digest, updatedAt: now });
    if (issuerControls !== digest) await enqueue(tx, "card.controls", { cardId, requestId });
  });
}
