import { type CardStatus, cardStatusCodes, type ShippingStatus } from "@cardkeep/contract/cards/cards";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type Card, findCardByToken, lockCard, updateCard } from "@cardkeep/db/queries/cards/cards";
import { findDispute, findIssuedDispute } from "@cardkeep/db/queries/spending/disputes";
import { findCardIssue, findUserByCardholder, reportCardholder } from "@cardkeep/db/queries/cards/issues";
import { recordExpiry } from "@cardkeep/db/queries/spending/paymentExpiry";
import { insertIssuerCallback } from "@cardkeep/db/queries/cards/issuerCallbacks";
import type { IssuerCallbackOutcome } from "@cardkeep/db/schema/cards/cards";
import { hasEndedHere } from "@cardkeep/db/schema/spending/disputes";
import type { CardChange, CardholderChange, IssuerCallback } from "@cardkeep/providers/issuer/port";
import type { CommitContext, Context, Work } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import type { CallbackOutcome } from "../../core/callbackOutcome.ts";
import { isEnded } from "./card.ts";
import { changeStatus } from "./changeStatus.ts";
import { isSynced } from "../../core/cardholders/issuerCall.ts";
import { retryDetails } from "../../core/cardholders/syncCardholder.ts";

/**
 * Applies an authentic callback of the issuer, once, and keeps its type and object.
 *
 * Whether a card spends is decided here; of the issuer's own decisions only the one that ends a card counts.
 */
export async function applyIssuerCallback(ctx: CommitContext, callback: IssuerCallback): Promise<CallbackOutcome> {
  if (!isForUs(ctx, callback)) return "refused";
  switch (callback.kind) {
    case "card":
      return applyCard(ctx, callback);
    case "cardholder":
      return applyCardholder(ctx, callback);
    case "thread": {
      const { threadId, isExpired, createdAt } = callback;
      return applyOnce(ctx, callback, async ({ tx, requestId }) => {
        if (isExpired) await recordExpiry(tx, threadId, createdAt);
        await enqueue(tx, "card.settle", { threadId, requestId });
      });
    }
    case "dispute": {
      const { issuerDisputeId, reference } = callback;
      return applyOnce(ctx, callback, async ({ tx, requestId }) => {
        const known = await findIssuedDispute(tx, issuerDisputeId);
        // The issuer may report a dispute before its answer to our request for it is recorded here.
        const dispute = known ?? (reference === null ? null : await findDispute(tx, reference));
        // One that ended here before that answer is looked at as one of the issuer's own.
        const isOurs = dispute !== null && (dispute.issuerDisputeId !== null || !hasEndedHere(dispute));
        if (isOurs) await enqueue(tx, "card.dispute", { disputeId: dispute.id, requestId });
        else await enqueue(tx, "card.adoptDispute", { issuerDisputeId, requestId });
      });
    }
    case "walletToken": {
      const { walletTokenId } = callback;
      return applyOnce(ctx, callback, async ({ tx, requestId }) => {
        await enqueue(tx, "card.walletToken", { walletTokenId, requestId });
      });
    }
    case "unknown":
      ctx.log.warn({ callbackId: callback.id, type: callback.type }, "the issuer sent a callback of an unknown type");
      return keep(ctx, callback, "unknown");
    default:
      return keep(ctx, callback, "ignored");
  }
}

/** Whether a callback counts here: not one of the issuer's test environment in production. */
export const isForUs = ({ policy }: Context, { testMode }: IssuerCallback): boolean =>
  policy.testCallbacks || !testMode;

const isNew = ({ tx, now }: Work, { id, type, objectId }: IssuerCallback, outcome: IssuerCallbackOutcome) =>
  insertIssuerCallback(tx, { id, type, objectId, outcome, receivedAt: now });

const applyOnce = (
  ctx: CommitContext,
  callback: IssuerCallback,
  write: (work: Work) => Promise<void>,
): Promise<CallbackOutcome> =>
  ctx.commit(async (work) => {
    if (!(await isNew(work, callback, "handled"))) return "duplicate";
    await write(work);
    return "applied";
  });

const keep = <T extends "ignored" | "unknown">(
  ctx: CommitContext,
  callback: IssuerCallback,
  outcome: T,
  kept: IssuerCallbackOutcome = outcome,
): Promise<T | "duplicate"> =>
  ctx.commit(async (work) => ((await isNew(work, callback, kept)) ? outcome : "duplicate"));

async function applyCard(ctx: CommitContext, callback: Extract<IssuerCallback, CardChange>): Promise<CallbackOutcome> {
  const { cardToken, reference } = callback;
  const known = await findCardByToken(ctx.db, cardToken);
  if (known) {
    return ctx.commit(async (work) => {
      const card = await lockCard(work.tx, known.id);
      if (!card || !(await isNew(work, callback, "handled"))) return "duplicate";
      return applyCardChange(work, card, callback);
    });
  }
  // The job that makes a card records it when the issuer has answered.
  if (reference !== null && (await findCardIssue(ctx.db, reference))) return keep(ctx, callback, "ignored");
  ctx.log.warn({ cardToken }, "the issuer has a card that was not made here");
  return keep(ctx, callback, "ignored", "unmatched");
}

async function applyCardholder(
  ctx: CommitContext,
  callback: Extract<IssuerCallback, CardholderChange>,
): Promise<CallbackOutcome> {
  const { cardholderId: issuerId, status, disabledReason, pastDue, createdAt: reportedAt } = callback;
  const userId = await findUserByCardholder(ctx.db, issuerId);
  if (userId === null) return keep(ctx, callback, "ignored", "unmatched");
  if (disabledReason !== null)
    ctx.log.warn({ userId, disabledReason, pastDue }, "the issuer declines all cards of a person");
  return ctx.commit(async (work) => {
    if (!(await isNew(work, callback, "handled"))) return "duplicate";
    const report = { status, disabledReason, pastDue: pastDue.join(", ") || null, reportedAt };
    if (!(await reportCardholder(work.tx, userId, report))) return "stale";
    if (disabledReason === null) await retryDetails(work, userId);
    return "applied";
  });
}

async function applyCardChange(work: Work, card: Card, change: CardChange): Promise<CallbackOutcome> {
  const isWarned = await applyFraudWarning(work, card, change);
  const isShipped = await applyShipping(work, card, change.shippingStatus);
  const isCancelled = change.status === "canceled" && !isEnded(card.statusCode);
  if (isCancelled) await changeStatus(work, card, cancelledStatusOf(change), { syncedStatus: "canceled" });
  // A call that was given up may have arrived after the one that stopped the card. Or the callback is late: what the issuer has is
  // unknown, and is set again, also where the card may be used once more before that.
  const isLoose = change.status === "active" && card.issuerStatus !== "active" && isSynced(card);
  if (isLoose) {
    await updateCard(work.tx, card.id, { issuerCallEndsAt: work.now });
    await enqueue(work.tx, "card.sync", { cardId: card.id, requestId: work.requestId });
  }
  return isWarned || isShipped || isCancelled || isLoose ? "applied" : "ignored";
}

/** Keeps the issuer's newest warning about a card, for operators to see; it ends no card by itself. */
async function applyFraudWarning(work: Work, card: Card, { fraudWarning }: CardChange): Promise<boolean> {
  if (fraudWarning === null) return false;
  const { type: fraudWarningType, startedAt } = fraudWarning;
  const fraudWarnedAt = startedAt ?? card.fraudWarnedAt ?? work.now;
  const isKnown =
    card.fraudWarningType === fraudWarningType && card.fraudWarnedAt?.getTime() === fraudWarnedAt.getTime();
  if (isKnown || (card.fraudWarnedAt !== null && card.fraudWarnedAt > fraudWarnedAt)) return false;
  await updateCard(work.tx, card.id, { fraudWarningType, fraudWarnedAt, updatedAt: work.now });
  return true;
}

const cancelledStatusOf = ({ cancelledAs }: CardChange): CardStatus =>
  cancelledAs === "lost"
    ? cardStatusCodes.lost
    : cancelledAs === "stolen"
      ? cardStatusCodes.stolen
      : cardStatusCodes.void;

/** The progress of a card's delivery: callbacks arrive in any order, and none reverses it. */
const distances: Readonly<Record<ShippingStatus, number>> = {
  ordered: 0,
  shipped: 1,
  delivered: 2,
  failed: 2,
  returned: 3,
  cancelled: 3,
};

async function applyShipping(work: Work, card: Card, to: ShippingStatus | null): Promise<boolean> {
  const { shippingStatus: from, orderId, userId, cardToken } = card;
  if (from === null || to === null || orderId === null || distances[to] <= distances[from]) return false;
  await updateCard(work.tx, card.id, { shippingStatus: to, updatedAt: work.now });
  const moved = { userId, cardToken, cardOrderId: orderId, oldStatus: from, newStatus: to };
  await publish(work, "physical.card.order.status.changed", userId, moved);
  return true;
}
