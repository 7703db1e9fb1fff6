import { type Card, findCard, lockCard, updateCard } from "@cardkeep/db/queries/cards/cards";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Work } from "../../core/context.ts";
import { readIssuerControls } from "./readIssuerControls.ts";

/**
 * Records which controls the issuer shall have of cards whose rows are locked. It adds a job for each card whose controls at the
 * issuer differ; a card without a difference costs no call.
 */
export async function refreshIssuerControls(work: Work, cards: readonly Card[]): Promise<void> {
  const { tx, now: updatedAt, requestId } = work;
  const wanted = await readIssuerControls(tx, cards);
  for (const [index, card] of cards.entries()) {
    const issuerControls = wanted[index]?.digest ?? null;
    if (issuerControls === card.issuerControls) continue;
    await updateCard(tx, card.id, { issuerControls, updatedAt });
    if (issuerControls !== card.issuerSyncedControls)
      await enqueue(tx, "card.controls", { cardId: card.id, requestId });
  }
}

/** Refreshes the controls of a card after a payment was booked, because rules that count payments change them. */
export async function refreshControlsAfterPayment(work: Work, cardId: string): Promise<void> {
  // Most cards have no controls, and no lock is taken for them.
  if (((await findCard(work.tx, cardId))?.issuerControls ?? null) === null) return;
  const card = await lockCard(work.tx, cardId);
  if (card) await refreshIssuerControls(work, [card]);
}
