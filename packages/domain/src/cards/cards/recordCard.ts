import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import { type Card, insertCard } from "@cardkeep/db/queries/cards/cards";
import { type CardIssue, lockCardIssue, updateCardIssue } from "@cardkeep/db/queries/cards/issues";
import { moveOrder, type Order } from "@cardkeep/db/queries/cards/orders";
import { findUser, lockUser } from "@cardkeep/db/queries/users/users";
import type { IssuedCard } from "@cardkeep/providers/issuer/port";
import type { CommitContext, Work } from "../../core/context.ts";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { publish } from "../../core/publish.ts";
import { buildCard, issuerStatusOf } from "./card.ts";

/** The order of a card under way is no longer ready: it was cancelled, or its payment was rolled back. */
export class OrderMoved extends Error {
  override readonly name = "OrderMoved";
}

/**
 * Records the card that the issuer made, ends its order and publishes the event, in one commit and once.
 *
 * @throws OrderMoved, and nothing is written
 */
export async function recordCard(
  ctx: CommitContext,
  { id: issueId, userId }: CardIssue,
  made: IssuedCard,
): Promise<void> {
  await ctx.commit(async (work) => {
    const { tx, now } = work;
    await lockUser(tx, userId);
    const issue = await lockCardIssue(tx, issueId);
    if (issue?.status !== "open") return;
    const { id, safeId, orderId, virtual, embossedName, requestId } = issue;
    const standing = { statusCode: cardStatusCodes.active, activatedAt: virtual ? now : null } as const;
    const card = await insertCard(tx, {
      id,
      userId,
      safeId,
      orderId,
      cardToken: made.cardToken,
      lastFourDigits: made.lastFourDigits,
      expiresAt: made.expiresAt,
      embossedName,
      virtual,
      ...standing,
      shippingStatus: virtual ? null : (made.shippingStatus ?? "ordered"),
      issuerStatus: issuerStatusOf(standing),
      issuerSyncedStatus: made.status,
      issuerControls: issue.issuerControls?.digest ?? null,
      issuerSyncedControls: issue.issuerControls?.digest ?? null,
      requestId,
      createdAt: now,
      updatedAt: now,
    });
    await updateCardIssue(tx, id, { status: "issued", sealedPin: null, updatedAt: now });
    const order = orderId === null ? null : await moveOrder(tx, orderId, "CARDCREATED", { updatedAt: now });
    if (orderId !== null && order === null) throw new OrderMoved(`Order ${orderId} moved`);
    if (card.issuerStatus !== card.issuerSyncedStatus) await enqueue(tx, "card.sync", { cardId: id, requestId });
    // Rules may have changed since the issuer was asked, by a commit that did not see this card.
    await enqueue(tx, "card.controls", { cardId: id, requestId });
    await publishIssued(work, card, order);
    if (issue.sealedPin !== null) {
      await publish(work, "physical.card.pin.changed", userId, { userId, cardToken: card.cardToken });
    }
  });
}

async function publishIssued(work: Work, card: Card, order: Order | null): Promise<void> {
  const { userId, cardToken, virtual } = card;
  if (virtual || !order) return publish(work, "virtual.card.issued", userId, buildCard(card));
  const { embossedName } = card;
  const { id, status, address1, address2, city, postalCode, state, country } = order;
  const phone = (await findUser(work.tx, userId))?.phone ?? null;
  const address = { address1, address2, city, postalCode, state, country };
  await publish(work, "physical.card.ordered", userId, {
    userId,
    cardToken,
    id,
    status,
    // Null only where its user was erased meanwhile.
    embossedName: embossedName ?? "",
    ...address,
    phone,
  });
}
