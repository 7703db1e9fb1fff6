/** A user's changes of a card's status: frozen, lost, stolen and void. */
import { type CardStatus, cardStatusCodes } from "@cardkeep/contract/cards/cards";
import type { ErrorCode } from "@cardkeep/contract/core/errorCatalogue";
import { fail } from "@cardkeep/contract/core/errors";
import type { Commit, UserContext } from "../../core/context.ts";
import { lockOwnCard } from "./card.ts";
import { changeStatus } from "./changeStatus.ts";

/** These requests call the issuer after their commit: see `syncInRequest.ts`. */
const inRequest = { isSyncedByRequest: true } as const;

/** Freezes an active card, which declines from then on. @throws cards.not_found, cards.wrong_status */
export async function freezeCard(
  ctx: UserContext,
  { cardId }: { cardId: string },
): Promise<Commit<{ status: "Card frozen successfully" }>> {
  return async (work) => {
    const card = await lockOwnCard(work.tx, ctx.actor.userId, cardId);
    const isActive = card.statusCode === cardStatusCodes.active && card.activatedAt !== null;
    if (!isActive || !(await changeStatus(work, card, cardStatusCodes.frozen, inRequest))) fail("cards.wrong_status");
    return { status: "Card frozen successfully" };
  };
}

/** Makes a frozen card active again. @throws cards.not_found, cards.not_activated, cards.wrong_status */
export async function unfreezeCard(
  ctx: UserContext,
  { cardId }: { cardId: string },
): Promise<Commit<{ status: "Card unfrozen successfully" }>> {
  return async (work) => {
    const card = await lockOwnCard(work.tx, ctx.actor.userId, cardId);
    if (card.activatedAt === null) fail("cards.not_activated");
    if (
      card.statusCode !== cardStatusCodes.frozen ||
      !(await changeStatus(work, card, cardStatusCodes.active, inRequest))
    )
      fail("cards.wrong_status");
    return { status: "Card unfrozen successfully" };
  };
}

/** Ends a card as lost. @throws cards.not_found, cards.already_lost */
export async function markLost(ctx: UserContext, { cardId }: { cardId: string }) {
  return end(ctx, cardId, cardStatusCodes.lost, "cards.already_lost", "Card marked as lost successfully");
}

/** Ends a card as stolen. @throws cards.not_found, cards.already_stolen */
export async function markStolen(ctx: UserContext, { cardId }: { cardId: string }) {
  return end(ctx, cardId, cardStatusCodes.stolen, "cards.already_stolen", "Card marked as stolen successfully");
}

/** Ends a virtual card as void. @throws cards.not_found, cards.not_virtual, cards.already_void */
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
    if (!(await changeStatus(work, card, to, inRequest))) fail(already);
    return { status };
  };
}
