/**
 * One call at a time sets the status of a card at the issuer.
 *
 * A call that was sent may reach the issuer after its caller gave up. So it is announced in the card's row before it is
 * sent, and no other call for the card begins before it was answered or its time is over. After a call without an answer
 * the status at the issuer is unknown, and is set again.
 */
import { cardStatusCodes } from "@cardkeep/contract/cards";
import { dequeue } from "@cardkeep/db/queue/dequeue";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type Card, lockCard, updateCard } from "@cardkeep/db/queries/cards/cards";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import type { CommitContext } from "../context.ts";

/** A call without an answer may still reach the issuer this long after its deadline. */
const lateMs = 1_500;

/** Whether the issuer is known to have a card's status. */
export const isSynced = ({ issuerStatus, issuerSyncedStatus, issuerCallEndsAt }: Card): boolean =>
  issuerStatus === issuerSyncedStatus && issuerCallEndsAt === null;

/** How long another call of a card may still reach the issuer; 0 where none can. */
const busyMsOf = ({ issuerCallEndsAt }: Card, now: Date): number =>
  issuerCallEndsAt === null ? 0 : Math.max(0, issuerCallEndsAt.getTime() - now.getTime());

/** A card whose call was announced, or why there is none: it is synced already, or another call is under way. */
export type AnnouncedCall =
  | { kind: "begun"; card: Card; endsAt: Date }
  | { kind: "synced" }
  | { kind: "busy"; busyMs: number };

/** Announces a call that takes `callMs` at most. */
export async function announceCall(ctx: CommitContext, cardId: string, callMs: number): Promise<AnnouncedCall> {
  return ctx.commit(async ({ tx, now }) => {
    const card = await lockCard(tx, cardId);
    if (!card || isSynced(card)) return { kind: "synced" };
    const busyMs = busyMsOf(card, now);
    if (busyMs > 0) return { kind: "busy", busyMs };
    const endsAt = new Date(now.getTime() + callMs + lateMs);
    await updateCard(tx, cardId, { issuerCallEndsAt: endsAt });
    return { kind: "begun", card, endsAt };
  });
}

/**
 * Sends an announced call, records how it ended, and returns the card. Where the card's status changed meanwhile, a job
 * sends the next call.
 * @throws ProviderUnavailable, ProviderRefused
 */
export async function sendCall(
  ctx: CommitContext,
  { card, endsAt }: Extract<AnnouncedCall, { kind: "begun" }>,
  timeoutMs?: number,
): Promise<Card | null> {
  const { cardToken, issuerStatus } = card;
  try {
    await ctx.issuer.setCardStatus(cardToken, issuerStatus, reasonOf(card), timeoutMs);
  } catch (error) {
    const isLost = error instanceof ProviderUnavailable;
    await ctx.commit(async ({ tx, now }) => {
      const fresh = await lockCard(tx, card.id);
      if (fresh?.issuerCallEndsAt?.getTime() !== endsAt.getTime()) return;
      // A refused call changed nothing. A lost one may still arrive.
      const issuerCallEndsAt = isLost ? new Date(now.getTime() + lateMs) : null;
      await updateCard(tx, card.id, { issuerCallEndsAt });
    });
    throw error;
  }
  return ctx.commit(async ({ tx, now, requestId }) => {
    const fresh = await lockCard(tx, card.id);
    if (!fresh) return null;
    const isOnlyCall = fresh.issuerCallEndsAt?.getTime() === endsAt.getTime();
    // The answer came so late that another call began. Which of them reached the issuer last is unknown.
    const issuerCallEndsAt = isOnlyCall ? null : now;
    const ended = { ...fresh, issuerSyncedStatus: issuerStatus, issuerCallEndsAt, updatedAt: now };
    await updateCard(tx, card.id, { issuerSyncedStatus: issuerStatus, issuerCallEndsAt, updatedAt: now });
    // The job of the change has nothing left to do. With the row locked, it cannot be that of a later change.
    await (isSynced(ended)
      ? dequeue(tx, "card.sync", card.id)
      : enqueue(tx, "card.sync", { cardId: card.id, requestId }));
    return ended;
  });
}

const reasonOf = ({ statusCode }: Card): "lost" | "stolen" | null =>
  statusCode === cardStatusCodes.lost ? "lost" : statusCode === cardStatusCodes.stolen ? "stolen" : null;
