/**
 * The issuer's part of a request that changes a card's status: it follows the commit, within a short time.
 *
 * The job of the commit does the same later. It finds nothing left to do where the request succeeded.
 */
import { type Card, findCard } from "@cardkeep/db/queries/cards/cards";
import type { CommitContext } from "../../core/context.ts";
import { cardCall } from "./cardCall.ts";
import { announceCall, sendCall } from "../../core/cardholders/issuerCall.ts";
import { describePending, type Pending } from "./describePending.ts";

/** A request waits this long for the issuer. */
const requestMsMax = 1_500;
const askEveryMs = 25;

/** Syncs a card's status with the issuer before the answer. The result says what is pending where the issuer does not answer. */
export async function syncInRequest(ctx: CommitContext, { cardId }: { cardId: string }): Promise<Pending> {
  const synced = await sync(ctx, cardId).catch((error: unknown) => {
    ctx.log.warn({ err: error, cardId }, "the issuer did not take a card's status in the request; a job repeats it");
    return null;
  });
  const card = synced ?? (await findCard(ctx.db, cardId));
  return card ? describePending(card) : {};
}

/** The same beside the answer, which does not wait: the card declines here from the commit on. */
export async function syncBesideAnswer(ctx: CommitContext, { cardId }: { cardId: string }): Promise<Pending> {
  void syncInRequest(ctx, { cardId }).catch((error: unknown) =>
    ctx.log.warn({ err: error, cardId }, "a card could not be read after its status changed"),
  );
  return {};
}

/** The card as its call left it; null where there was no call in time. */
async function sync(ctx: CommitContext, cardId: string): Promise<Card | null> {
  const startedAtMs = performance.now();
  const subject = cardCall(ctx, cardId);
  for (;;) {
    const leftMs = Math.round(requestMsMax - (performance.now() - startedAtMs));
    if (leftMs <= askEveryMs) return null;
    const call = await announceCall(ctx, subject, leftMs);
    if (call.kind === "begun") return sendCall(ctx, subject, call, leftMs);
    if (call.kind === "synced") return null;
    await Bun.sleep(askEveryMs);
  }
}
