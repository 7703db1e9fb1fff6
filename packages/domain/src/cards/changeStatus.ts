/** A change of a card's status: its row, the job that syncs the issuer, and the event, in one commit. */
import type { CardStatus } from "@cardkeep/contract/cards";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type Card, moveCard, updateCard } from "@cardkeep/db/queries/cards/cards";
import type { Work } from "../context.ts";
import { publish } from "../publish.ts";
import { issuerStatusOf, wordOf } from "./card.ts";

/**
 * Moves a card whose row is locked to a status; null where the machine's table does not let it go there.
 *
 * The status holds from the commit on. A job syncs it with the issuer. `syncedStatus`: the status that the issuer set itself.
 */
export async function changeStatus(
  work: Work,
  card: Card,
  to: CardStatus,
  {
    by = "anyone",
    syncedStatus = card.issuerSyncedStatus,
  }: { by?: "operator" | "anyone"; syncedStatus?: Card["issuerSyncedStatus"] } = {},
): Promise<Card | null> {
  const issuerStatus = issuerStatusOf({ ...card, statusCode: to });
  const change = { issuerStatus, issuerSyncedStatus: syncedStatus, updatedAt: work.now };
  const moved = await moveCard(work.tx, card.id, to, change, by);
  if (moved) await publishStatusChange(work, card, moved);
  return moved;
}

/** Activates a card whose row is locked. */
export async function activateCard(work: Work, card: Card): Promise<Card> {
  const activated = { ...card, activatedAt: work.now, updatedAt: work.now };
  const moved = { ...activated, issuerStatus: issuerStatusOf(activated) };
  const { activatedAt, issuerStatus, updatedAt } = moved;
  await updateCard(work.tx, card.id, { activatedAt, issuerStatus, updatedAt });
  await publishStatusChange(work, card, moved);
  return moved;
}

async function publishStatusChange(work: Work, from: Card, to: Card): Promise<void> {
  const { tx, requestId } = work;
  if (to.issuerStatus !== to.issuerSyncedStatus) await enqueue(tx, "card.sync", { cardId: to.id, requestId });
  const [oldStatus, newStatus] = [wordOf(from), wordOf(to)];
  if (oldStatus === newStatus) return;
  await publish(work, "card.status.changed", to.userId, {
    userId: to.userId,
    cardToken: to.cardToken,
    oldStatus,
    newStatus,
  });
}
