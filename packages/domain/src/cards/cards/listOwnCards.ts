import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import { listCards } from "@cardkeep/db/queries/cards/cards";
import type { UserContext } from "../../core/context.ts";
import { buildCard, getCard } from "./card.ts";
import { describePending } from "./describePending.ts";

/** The user's cards, newest first; a status code that no card has finds none. */
export async function listOwnCards(
  ctx: UserContext,
  input: { exclude_voided?: boolean | "true" | "false" | undefined; status_code?: string | undefined },
) {
  const withoutVoid = String(input.exclude_voided) === "true";
  return (await ctx.lists.read((on) => listCards(on, ctx.actor.userId)))
    .filter(({ statusCode }) => !(withoutVoid && statusCode === cardStatusCodes.void))
    .filter(({ statusCode }) => input.status_code === undefined || statusCode === input.status_code)
    .map(buildCard);
}

/** The status of one of the user's cards. @throws cards.not_found */
export async function getCardStatus(ctx: UserContext, { cardId }: { cardId: string }) {
  const card = await getCard(ctx.db, ctx.actor.userId, cardId);
  const { statusCode, activatedAt, issuerStatus } = card;
  const pending = describePending(card);
  return {
    ...(activatedAt !== null && { activatedAt }),
    statusCode: Number(statusCode),
    isFrozen: statusCode === cardStatusCodes.frozen,
    isStolen: statusCode === cardStatusCodes.stolen,
    isLost: statusCode === cardStatusCodes.lost,
    isBlocked: statusCode === cardStatusCodes.restricted,
    isVoid: statusCode === cardStatusCodes.void,
    ...pending,
    ...(pending.pending && { pendingStatus: issuerStatus }),
  };
}
