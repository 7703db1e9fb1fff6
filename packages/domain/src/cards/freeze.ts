/** The user's own pause of a card. */
import { cardStatusCodes } from "@cardkeep/contract/cards";
import { fail } from "@cardkeep/contract/errors";
import type { Commit, UserContext } from "../context.ts";
import { changeStatus } from "./changeStatus.ts";
import { lockOwnCard } from "./card.ts";

/** Has an active card decline from now on. @throws cards.not_found, cards.wrong_status */
export async function freezeCard(
  ctx: UserContext,
  { cardId }: { cardId: string },
): Promise<Commit<{ status: "Card frozen successfully" }>> {
  return async (work) => {
    const card = await lockOwnCard(work.tx, ctx.actor.userId, cardId);
    const isActive = card.statusCode === cardStatusCodes.active && card.activatedAt !== null;
    if (!isActive || !(await changeStatus(work, card, cardStatusCodes.frozen))) fail("cards.wrong_status");
    return { status: "Card frozen successfully" };
  };
}

/** Has a frozen card spend again. @throws cards.not_found, cards.not_activated, cards.wrong_status */
export async function unfreezeCard(
  ctx: UserContext,
  { cardId }: { cardId: string },
): Promise<Commit<{ status: "Card unfrozen successfully" }>> {
  return async (work) => {
    const card = await lockOwnCard(work.tx, ctx.actor.userId, cardId);
    if (card.activatedAt === null) fail("cards.not_activated");
    if (card.statusCode !== cardStatusCodes.frozen || !(await changeStatus(work, card, cardStatusCodes.active)))
      fail("cards.wrong_status");
    return { status: "Card unfrozen successfully" };
  };
}
