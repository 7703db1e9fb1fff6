import type { UserContext } from "../context.ts";
import { getCard } from "./get.ts";

/** What one of the user's cards may do now. @throws cards.not_found */
export async function getCardStatus(ctx: UserContext, { cardId }: { cardId: string }) {
  const { statusCode, activatedAt } = await getCard(ctx.db, ctx.actor.userId, cardId);
  return {
    ...(activatedAt !== null && { activatedAt }),
    statusCode: Number(statusCode),
    isFrozen: statusCode === "1005",
    isStolen: statusCode === "1043",
    isLost: statusCode === "1041",
    isBlocked: statusCode === "1062",
    isVoid: statusCode === "1009",
  };
}
