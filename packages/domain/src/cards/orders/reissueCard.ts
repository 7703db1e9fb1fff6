import { cardStatusCodes, cardStatusWords } from "@cardkeep/contract/cards/cards";
import { fail } from "@cardkeep/contract/core/errors";
import { type Card, findCardByOrder } from "@cardkeep/db/queries/cards/cards";
import {
  buildReissueKey,
  findCardIssue,
  findIssueOfRequest,
  insertCardIssue,
  updateCardIssue,
} from "@cardkeep/db/queries/cards/issues";
import { findOrder, insertOrder, moveOrder, type Order } from "@cardkeep/db/queries/cards/orders";
import { findActiveSafe, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { findUser, lockUser } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { isAccountWhole } from "../../accounts/safes/getDeployment.ts";
import { requireRows } from "../../chain/guards/restoreGuard.ts";
import type { CompleteUser } from "../../core/cardholders/buildDetails.ts";
import type { OperatorContext, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { refuseStopped } from "../../operators/stops/refuseStopped.ts";
import { findPrice } from "./orderPrice.ts";
import { isEnded } from "../cards/card.ts";
import { lockCardFor, reportToHolder, requireReason } from "../cards/changeCardFor.ts";
import { changeStatus } from "../cards/changeStatus.ts";
import { isAtHome, requireEligible, requireShippable, requireTerms } from "../cards/eligibility.ts";
import { getAnyCard } from "../cards/getAnyCard.ts";

/** The card that ended, and the issue of the new one. */
export interface Reissue {
  cardId: string;
  issueId: string;
  virtual: boolean;
}

/**
 * Ends a holder's card and begins another one of the same kind, once for each card. A physical one goes to the address of
 * the old one while that is in its person's country, else to the verified one. Its holder activates it, and support never
 * sees a number.
 *
 * @throws cards.not_found, cards.reissued, cards.in_progress, what a person lacks for a card, safes.not_found,
 *   cards.safe_misconfigured, orders.stopped, operators.reason_required, RowsMissing
 */
export async function reissueCard(ctx: OperatorContext, input: { reference: string }): Promise<Reissue> {
  requireReason(ctx);
  // The new card may be there already, and its row lost.
  await requireRows(ctx, "cards");
  const known = await getAnyCard(ctx, input);
  const safe = (await findActiveSafe(ctx.db, known.userId)) ?? fail("safes.not_found");
  if (!(await isAccountWhole(ctx, safe))) fail("cards.safe_misconfigured");
  return ctx.act("cards.reissue", async (work) => {
    const { tx, now, requestId } = work;
    await refuseStopped(tx, "card-orders");
    // In the order of all locks: user, Safe, card.
    await lockUser(tx, known.userId);
    if ((await lockSafe(tx, safe.id))?.status !== "ok") fail("safes.not_found");
    const card = await lockCardFor(work, known);
    await requireFirst(work, card);
    if (!isEnded(card.statusCode)) await changeStatus(work, card, cardStatusCodes.void);
    const user = (await findUser(tx, card.userId)) ?? fail("cards.not_found");
    await requireTerms(tx, user);
    const person = await requireEligible(ctx, tx, user);
    const order = card.virtual ? null : await orderAgain(ctx, work, card, person);
    if (order) requireShippable(order, person);
    const id = generateId();
    const begun = await insertCardIssue(tx, {
      id,
      userId: card.userId,
      safeId: safe.id,
      orderId: order?.id ?? null,
      requestKey: buildReissueKey(card.id),
      virtual: card.virtual,
      embossedName: order?.embossedName ?? `${person.firstName} ${person.lastName}`,
      status: "open",
      requestId,
      createdAt: now,
      updatedAt: now,
    });
    if (!begun) fail("cards.in_progress");
    await enqueue(tx, "card.issue", { issueId: id, requestId });
    await reportToHolder(work, card.id);
    return {
      output: { cardId: card.id, issueId: id, virtual: card.virtual },
      subject: { kind: "card", id: card.id },
      before: { status: cardStatusWords[card.statusCode] },
      after: { issueId: id, virtual: card.virtual, orderId: order?.id ?? null },
    };
  });
}

/**
 * A card is replaced once; where the issuer refused the new one, again. The order of the refused one ends: a person has one
 * open order at most.
 *
 * @throws cards.reissued
 */
async function requireFirst({ tx, now }: Work, { id, userId }: Card): Promise<void> {
  const requestKey = buildReissueKey(id);
  const earlier = await findIssueOfRequest(tx, { userId, requestKey }, new Date(0));
  const issue = earlier === null ? null : await findCardIssue(tx, earlier);
  if (issue === null) return;
  // The order of a refused one stays ready: its holder may have had the card made from it.
  const made = issue.orderId === null ? null : await findCardByOrder(tx, issue.orderId);
  if (issue.status !== "refused" || made !== null) fail("cards.reissued");
  // It stays an operator's, which no quota of the user counts.
  await updateCardIssue(tx, issue.id, { requestKey: `${requestKey}:${issue.id}` });
  if (issue.orderId !== null) await moveOrder(tx, issue.orderId, "CANCELLED", { updatedAt: now }, "operator");
}

/** A free order of a physical card, ready to be made, with the name of the one that it replaces. */
async function orderAgain(ctx: OperatorContext, work: Work, card: Card, user: CompleteUser): Promise<Order> {
  const { tx, now, requestId } = work;
  const before = card.orderId === null ? null : await findOrder(tx, card.orderId);
  const { address1, address2, city, postalCode, state, country } =
    before?.address1 && isAtHome(before, user) ? before : user;
  const price = await findPrice(ctx, tx, user);
  const row = await insertOrder(tx, {
    id: generateId(),
    userId: user.id,
    status: "PENDINGTRANSACTION",
    personalizationSource: before?.personalizationSource ?? "KYC",
    virtual: false,
    embossedName: card.embossedName,
    address1,
    address2,
    city,
    postalCode,
    state,
    country,
    ...price,
    discountEurCents: price.totalEurCents,
    requestId,
    createdAt: now,
    updatedAt: now,
  });
  const { id } = row ?? fail("cards.in_progress");
  return (await moveOrder(tx, id, "READY", { confirmedAt: now, updatedAt: now })) ?? fail("orders.wrong_status");
}
