import { hourMs } from "@cardkeep/contract/core/durations";
import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import { orderMachine } from "@cardkeep/contract/cards/orders";
import { listFinalStates } from "@cardkeep/contract/core/machine";
import { findCardByOrder, findCardByToken, insertCard } from "@cardkeep/db/queries/cards/cards";
import { findCardIssue, findUserByCardholder, insertCardholder } from "@cardkeep/db/queries/cards/issues";
import { findOrder, type Order } from "@cardkeep/db/queries/cards/orders";
import { insertDiscrepancies, type Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { findActiveSafe } from "@cardkeep/db/queries/accounts/safes";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { ListedCard } from "@cardkeep/providers/issuer/port";
import { issuerStatusOf } from "../../cards/cards/card.ts";
import { endMadeOrder } from "../../cards/orders/endMadeOrder.ts";
import { changeStatus } from "../../cards/cards/changeStatus.ts";
import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { findSince } from "./reconcileThreads.ts";

/** Callbacks come late, and clocks differ. */
const overlapMs = 2 * hourMs;

/**
 * Gives a row to each card that the issuer made for a user of ours and that is unknown here, and ends its order. A card of a person
 * who is unknown too is recorded, and its uses are declined.
 */
export async function reconcileCards(ctx: WorkerContext, reconciliation: Reconciliation): Promise<void> {
  const since = await findSince(ctx, reconciliation);
  if (since === null) return;
  for (const listed of await ctx.issuer.listCards(new Date(since.getTime() - overlapMs))) {
    if (await findCardByToken(ctx.db, listed.cardToken)) continue;
    await ctx.commit((work) => restoreCard(ctx, work, listed));
  }
}

async function restoreCard(ctx: WorkerContext, work: Work, listed: ListedCard): Promise<void> {
  const { tx, now } = work;
  const { cardToken, reference } = listed;
  // An issue under way looks for its card itself.
  const issue = reference === null ? null : await findCardIssue(tx, reference);
  if (issue?.status === "open") return;
  const text = `The issuer has card ${cardToken}`;
  const ordered = listed.orderId === null ? null : await findOrder(tx, listed.orderId);
  const known = await findUserByCardholder(tx, listed.cardholderId);
  // With a person's first card the issuer's id of the person is lost too.
  const userId = known ?? ordered?.userId ?? null;
  const user = userId === null ? null : await lockUser(tx, userId);
  const safe = user && (await findActiveSafe(tx, user.id));
  if (!user || !safe) {
    await insertDiscrepancies(
      tx,
      [{ kind: "card", name: cardToken, text: `${text} of a person who is unknown here` }],
      now,
    );
    return;
  }
  if (await findCardByToken(tx, cardToken)) return;
  if (known === null) {
    await insertCardholder(tx, { userId: user.id, issuerId: listed.cardholderId, createdAt: now });
    await enqueueCardholderSync(work, user.id);
  }
  const virtual = listed.isVirtual;
  const isActivated = virtual || listed.status === "active";
  // A card that was given up is not the order's.
  const isFor = ordered?.userId === user.id && ordered.virtual === listed.isVirtual;
  const order = isFor && issue?.status !== "refused" ? await findAwaiting(work, ordered.id) : null;
  const standing = { statusCode: cardStatusCodes.active, activatedAt: isActivated ? now : null } as const;
  const requestId = generateId();
  const card = await insertCard(tx, {
    id: reference ?? generateId(),
    userId: user.id,
    safeId: safe.id,
    orderId: order?.id ?? null,
    cardToken,
    lastFourDigits: listed.lastFourDigits,
    expiresAt: listed.expiresAt,
    embossedName: order?.embossedName ?? null,
    virtual,
    ...standing,
    shippingStatus: virtual ? null : (listed.shippingStatus ?? "ordered"),
    issuerStatus: issuerStatusOf(standing),
    issuerSyncedStatus: listed.status,
    issuerSyncedControls: "unknown",
    requestId,
    createdAt: now,
    updatedAt: now,
  });
  if (order) await endMadeOrder(work, order, user);
  await enqueue(tx, "card.controls", { cardId: card.id, requestId });
  // Its user, or the operator, had stopped it.
  if (listed.status === "canceled") await changeStatus(work, card, cardStatusCodes.void);
  else if (card.issuerStatus !== listed.status) await changeStatus(work, card, cardStatusCodes.frozen);
  ctx.log.warn({ cardId: card.id, cardToken }, "restored a card of the issuer");
  const done = { action: "Restored its row", subjectId: card.id };
  await insertDiscrepancies(tx, [{ kind: "card", name: cardToken, text: `${text} of user ${user.id}`, ...done }], now);
}

/** An order that has neither ended nor a card, as it is behind its user's row lock. */
async function findAwaiting({ tx }: Work, id: string): Promise<Order | null> {
  const order = await findOrder(tx, id);
  const hasEnded = order === null || listFinalStates(orderMachine).includes(order.status);
  return hasEnded || (await findCardByOrder(tx, id)) ? null : order;
}
