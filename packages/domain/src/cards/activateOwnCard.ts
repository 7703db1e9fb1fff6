import { fail } from "@cardkeep/contract/errors";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findActiveSafe } from "@cardkeep/db/queries/safes";
import type { Commit, UserContext } from "../context.ts";
import { publish } from "../publish.ts";
import { buildCard } from "./card.ts";
import { activateCard } from "./change.ts";
import { lockOwnCard } from "./get.ts";

/**
 * Activates a physical card that arrived, and has its user told by mail.
 *
 * @throws cards.not_found, cards.already_activated, cards.blocked, cards.safe_missing
 */
export async function activateOwnCard(
  ctx: UserContext,
  { cardId }: { cardId: string },
): Promise<Commit<{ status: "Card activated successfully" }>> {
  const { userId } = ctx.actor;
  return async (work) => {
    const card = await lockOwnCard(work.tx, userId, cardId);
    if (card.activatedAt !== null) fail("cards.already_activated");
    if (card.statusCode !== "1000") fail("cards.blocked");
    if ((await findActiveSafe(work.tx, userId))?.id !== card.safeId) fail("cards.safe_missing");
    const activated = await activateCard(work, card);
    await publish(work, "physical.card.activated", userId, buildCard(activated));
    await enqueue(work.tx, "card.mail", { cardId, requestId: work.requestId });
    return { status: "Card activated successfully" };
  };
}
