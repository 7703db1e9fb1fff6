import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import { fail } from "@cardkeep/contract/core/errors";
import { findCard } from "@cardkeep/db/queries/cards/cards";
import { findActiveSafe } from "@cardkeep/db/queries/accounts/safes";
import { findUser } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Commit, UserContext, WorkerContext } from "../../core/context.ts";
import { composeMail, languageOf } from "../../core/messages/composeMessage.ts";
import { leaveOutRefused } from "../../core/messages/leaveOutRefused.ts";
import { publish } from "../../core/publish.ts";
import { buildCard, lockOwnCard } from "./card.ts";
import { activateCard } from "./changeStatus.ts";

/**
 * Activates a physical card that arrived, and mails its user.
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
    if (card.statusCode !== cardStatusCodes.active) fail("cards.blocked");
    if ((await findActiveSafe(work.tx, userId))?.id !== card.safeId) fail("cards.safe_missing");
    const activated = await activateCard(work, card);
    await publish(work, "physical.card.activated", userId, buildCard(activated));
    await enqueue(work.tx, "card.mail", { cardId, requestId: work.requestId });
    return { status: "Card activated successfully" };
  };
}

/** Mails a user that their card was activated, so that they notice an activation by a stranger. */
export async function mailActivated(ctx: WorkerContext, { cardId }: { cardId: string }): Promise<void> {
  const card = await findCard(ctx.db, cardId);
  const user = card && (await findUser(ctx.db, card.userId));
  if (!user || user.erasedAt !== null) return;
  const values = { digits: card.lastFourDigits };
  const mail = composeMail(ctx, languageOf(ctx, user), "cardActive", { values });
  await leaveOutRefused(ctx, { userId: user.id }, ctx.mailer.send({ to: user.email, ...mail }));
}
