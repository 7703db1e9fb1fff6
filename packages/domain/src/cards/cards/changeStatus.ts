/** A change of a card's status: its row, the job that syncs the issuer, and the event, in one commit. */
import { type CardStatus, cardStatusCodes } from "@cardkeep/contract/cards/cards";
import { enqueue, enqueueLast } from "@cardkeep/db/queue/enqueue";
import { type Card, moveCard, updateCard } from "@cardkeep/db/queries/cards/cards";
import type { Work } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { endTokensOfCard } from "./recordWalletToken.ts";
import { isEnded, issuerStatusOf, wordOf } from "./card.ts";
import { isSynced } from "../../core/cardholders/issuerCall.ts";

/** A request that calls the issuer itself has ended by then. */
const requestMs = 2_000;

/**
 * Moves a card whose row is locked to a status; null where the machine's table does not let it go there.
 *
 * The status holds from the commit on. A job syncs it with the issuer. `syncedStatus`: the status that the issuer set itself.
 * `isSyncedByRequest`: the request itself calls the issuer after its commit, and the job is for the case that it cannot.
 */
export async function changeStatus(
  work: Work,
  card: Card,
  to: CardStatus,
  {
    by = "anyone",
    syncedStatus = card.issuerSyncedStatus,
    isSyncedByRequest = false,
  }: { by?: "operator" | "anyone"; syncedStatus?: Card["issuerSyncedStatus"]; isSyncedByRequest?: boolean } = {},
): Promise<Card | null> {
  const issuerStatus = issuerStatusOf({ ...card, statusCode: to });
  const change = { issuerStatus, issuerSyncedStatus: syncedStatus, updatedAt: work.now };
  const moved = await moveCard(work.tx, card.id, to, change, by);
  if (!moved) return null;
  await publishStatusChange(work, card, moved, isSyncedByRequest ? requestMs : 0);
  if (isEnded(moved.statusCode)) await endTokensOfCard(work, moved);
  return moved;
}

/** Activates a card whose row is locked; the request calls the issuer. */
export async function activateCard(work: Work, card: Card): Promise<Card> {
  const activated = { ...card, activatedAt: work.now, updatedAt: work.now };
  const moved = { ...activated, issuerStatus: issuerStatusOf(activated) };
  const { activatedAt, issuerStatus, updatedAt } = moved;
  await updateCard(work.tx, card.id, { activatedAt, issuerStatus, updatedAt });
  await publishStatusChange(work, card, moved, requestMs);
  return moved;
}

async function publishStatusChange(work: Work, from: Card, to: Card, syncDelayMs: number): Promise<void> {
  if (!isSynced(to)) await enqueueSync(work, to, syncDelayMs);
  const [oldStatus, newStatus] = [wordOf(from), wordOf(to)];
  if (oldStatus === newStatus) return;
  await publish(work, "card.status.changed", to.userId, {
    userId: to.userId,
    cardToken: to.cardToken,
    oldStatus,
    newStatus,
  });
}

/** An expired card spends nothing at the issuer. A month's end has many: no block and no freeze waits behind them. */
const enqueueSync = ({ tx, requestId }: Work, { id: cardId, statusCode }: Card, delayMs: number): Promise<void> =>
  statusCode === cardStatusCodes.expired
    ? enqueueLast(tx, "card.sync", { cardId, requestId })
    : enqueue(tx, "card.sync", { cardId, requestId }, delayMs);
