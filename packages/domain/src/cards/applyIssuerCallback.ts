import { type CardStatus, cardStatusCodes, type ShippingStatus } from "@cardkeep/contract/cards";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type Card, findCardByToken, lockCard, updateCard } from "@cardkeep/db/queries/cards/cards";
import { insertIssuerCallback } from "@cardkeep/db/queries/cards/issues";
import { findDispute, findIssuedDispute } from "@cardkeep/db/queries/spending/disputes";
import type { CardChange, IssuerCallback } from "@cardkeep/providers/issuer/port";
import type { CommitContext, Context, Work } from "../context.ts";
import { publish } from "../publish.ts";
import type { CallbackOutcome } from "../callbackOutcome.ts";
import { isEnded } from "./card.ts";
import { changeStatus } from "./changeStatus.ts";

/**
 * Applies an authentic callback of the issuer, once.
 *
 * Whether a card spends is decided here; of the issuer's own decisions only the one that ends a card counts.
 */
export async function applyIssuerCallback(ctx: CommitContext, callback: IssuerCallback): Promise<CallbackOutcome> {
  if (!isForUs(ctx, callback)) return "refused";
  switch (callback.kind) {
    case "card": {
      const known = await findCardByToken(ctx.db, callback.cardToken);
      if (!known) return "ignored";
      return ctx.commit(async (work) => {
        const card = await lockCard(work.tx, known.id);
        if (!card || !(await isNew(work, callback))) return "duplicate";
        return applyCardNotice(work, card, callback);
      });
    }
    case "thread": {
      const { threadId } = callback;
      return ctx.commit(async (work) => {
        if (!(await isNew(work, callback))) return "duplicate";
        await enqueue(work.tx, "card.settle", { threadId, requestId: work.requestId });
        return "applied";
      });
    }
    case "dispute": {
      const { issuerDisputeId, reference } = callback;
      return ctx.commit(async (work) => {
        if (!(await isNew(work, callback))) return "duplicate";
        const { tx, requestId } = work;
        const known = await findIssuedDispute(tx, issuerDisputeId);
        // The issuer may report a dispute before its answer to our request for it is recorded here.
        const disputeId = known?.id ?? (reference === null ? null : (await findDispute(tx, reference))?.id);
        if (disputeId) await enqueue(tx, "card.dispute", { disputeId, requestId });
        else await enqueue(tx, "card.adoptDispute", { issuerDisputeId, requestId });
        return "applied";
      });
    }
    default:
      return "ignored";
  }
}

/** Whether a callback counts here: not one of the issuer's test environment in production. */
export const isForUs = ({ rules }: Context, { testMode }: IssuerCallback): boolean => rules.testCallbacks || !testMode;

const isNew = ({ tx, now }: Work, { id, type }: IssuerCallback): Promise<boolean> =>
  insertIssuerCallback(tx, { id, type, receivedAt: now });

async function applyCardNotice(work: Work, card: Card, notice: CardChange): Promise<CallbackOutcome> {
  const isShipped = await applyShipping(work, card, notice.shippingStatus);
  const isCancelled = notice.status === "canceled" && !isEnded(card.statusCode);
  if (isCancelled) await changeStatus(work, card, cancelledStatusOf(notice), { syncedStatus: "canceled" });
  return isShipped || isCancelled ? "applied" : "ignored";
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
