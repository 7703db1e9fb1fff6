/** How users end their cards, for good. */
import { type CardStatus, cardStatusCodes } from "@cardkeep/contract/cards";
import type { ErrorCode } from "@cardkeep/contract/errorCatalogue";
import { fail } from "@cardkeep/contract/errors";
import type { Commit, UserContext } from "../context.ts";
import { changeStatus } from "./changeStatus.ts";
import { lockOwnCard } from "./card.ts";

/** @throws cards.not_found, cards.already_lost */
export async function markLost(ctx: UserContext, { cardId }: { cardId: string }) {
  return end(ctx, cardId, cardStatusCodes.lost, "cards.already_lost", "Card marked as lost successfully");
}

/** @throws cards.not_found, cards.already_stolen */
export async function markStolen(ctx: UserContext, { cardId }: { cardId: string }) {
  return end(ctx, cardId, cardStatusCodes.stolen, "cards.already_stolen", "Card marked as stolen successfully");
}

/** Gives up a virtual card. @throws cards.not_found, cards.not_virtual, cards.already_void */
export async function voidCard(ctx: UserContext, { cardId }: { cardId: string }) {
  return end(ctx, cardId, cardStatusCodes.void, "cards.already_void", "Card marked as void successfully");
}

async function end<T extends string>(
  ctx: UserContext,
  cardId: string,
  to: CardStatus,
  already: ErrorCode,
  status: T,
): Promise<Commit<{ status: T }>> {
  return async (work) => {
    const card = await lockOwnCard(work.tx, ctx.actor.userId, cardId);
    if (to === cardStatusCodes.void && !card.virtual) fail("cards.not_virtual");
    if (!(await changeStatus(work, card, to))) fail(already);
    return { status };
  };
}
