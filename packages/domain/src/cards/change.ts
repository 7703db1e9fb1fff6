/** How a card moves, whoever moves it: its row, what the issuer is to do and what partners hear, in one commit. */
import type { CardStatus } from "@cardkeep/contract/cards";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type Card, moveCard, updateCard } from "@cardkeep/db/queries/cards";
import type { Work } from "../context.ts";
import { publish } from "../publish.ts";
import { issuerStatusOf, wordOf } from "./card.ts";

/**
 * Moves a card whose row is locked to a status; null where the machine's table does not let it go there.
 *
 * It holds here from the commit on; a job tells the issuer. `toldStatus` is what the issuer has it as by itself.
 */
export async function changeStatus(
  work: Work,
  card: Card,
  to: CardStatus,
  {
    by = "anyone",
    toldStatus: syncedStatus = card.issuerToldStatus,
  }: { by?: "operator" | "anyone"; toldStatus?: Card["issuerToldStatus"] } = {},
): Promise<Card | null> {
  const issuerStatus = issuerStatusOf({ ...card, statusCode: to });
  const change = { issuerStatus, issuerToldStatus: syncedStatus, updatedAt: work.now };
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
  if (to.issuerStatus !== to.issuerToldStatus) await enqueue(tx, "card.tell", { cardId: to.id, requestId });
  const [oldStatus, newStatus] = [wordOf(from), wordOf(to)];
  if (oldStatus === newStatus) return;
  await publish(work, "card.status.changed", to.userId, {
    userId: to.userId,
    cardToken: to.cardToken,
    oldStatus,
    newStatus,
  });
}
