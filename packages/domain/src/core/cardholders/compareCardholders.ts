/** Compares with the issuer who and what is inactive there, each hour; a difference is set again. */
import {
  forgetRefusedDetails,
  listCardholdersByIssuerId,
  listInactiveCards,
  listInactiveCardholders,
  lockCardholder,
  updateCardholder,
} from "@cardkeep/db/queries/cards/cardholders";
import { lockCard, updateCard } from "@cardkeep/db/queries/cards/cards";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { isSynced, type Synced } from "./issuerCall.ts";
import type { WorkerContext, WriteStep } from "../context.ts";
import { enqueueCardholderMirror } from "./mirrorCardholders.ts";
import { enqueueCardholderSync } from "./syncCardholder.ts";

/**
 * Answers what to write where the issuer has another status of a person or a card than the one synced last: that the status
 * there is not known, and the job that sets the right one. A row whose call is under way, or that changed since it was read, is
 * left to the job of that change. A card that the issuer itself paused stays paused.
 *
 * @throws ProviderUnavailable
 */
export async function compareCardholders(ctx: WorkerContext): Promise<WriteStep> {
  const inactive = await ctx.issuer.listInactive();
  const [people, cards] = [new Set(inactive.cardholderIds), new Set(inactive.cardTokens)];
  const [known, listed, compared] = await Promise.all([
    listInactiveCardholders(ctx.db),
    listCardholdersByIssuerId(ctx.db, inactive.cardholderIds),
    listInactiveCards(ctx.db),
  ]);
  const cardholders = new Map([...known, ...listed].map((row) => [row.userId, row]));
  const differentPeople = [...cardholders.values()].filter((row) => isDifferent(row, people.has(row.issuerId)));
  const differentCards = compared.filter((row) => isDifferent(row, cards.has(row.cardToken)));
  return async (work) => {
    const { tx, requestId, now } = work;
    for (const cardId of differentCards.map(({ id }) => id).toSorted()) {
      if (!isLeftAlone(await lockCard(tx, cardId))) continue;
      await updateCard(tx, cardId, { issuerCallEndsAt: now, updatedAt: now });
      await enqueue(tx, "card.sync", { cardId, requestId });
    }
    for (const userId of differentPeople.map((row) => row.userId).toSorted()) {
      if (!isLeftAlone(await lockCardholder(tx, userId))) continue;
      await updateCardholder(tx, userId, { issuerCallEndsAt: now });
      await enqueueCardholderSync(work, userId);
    }
    const [persons, ofCards] = [differentPeople.length, differentCards.length];
    if (persons + ofCards > 0)
      ctx.log.warn({ people: persons, cards: ofCards }, "the issuer had other statuses than the ones synced last");
    await forgetRefusedDetails(tx);
    // A job that was lost, or a setting that was changed, is made good with it.
    await enqueueCardholderMirror(work, ctx.policy.chainId);
  };
}

/** Whether the issuer has another status than the one synced last. */
const isDifferent = (row: Synced, isInactive: boolean): boolean =>
  isSynced(row) && row.issuerSyncedStatus !== "canceled" && (row.issuerSyncedStatus === "inactive") !== isInactive;

/** Whether no call is due that sets the row's status anyway. */
const isLeftAlone = (row: Synced | null): boolean => row !== null && isSynced(row);
