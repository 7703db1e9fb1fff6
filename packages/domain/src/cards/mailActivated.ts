import { findCard } from "@cardkeep/db/queries/cards/cards";
import { findUser } from "@cardkeep/db/queries/users";
import type { WorkerContext } from "../context.ts";

/** Mails a user that their card was activated, so that they notice an activation by a stranger. */
export async function mailActivated(ctx: WorkerContext, { cardId }: { cardId: string }): Promise<void> {
  const card = await findCard(ctx.db, cardId);
  const user = card && (await findUser(ctx.db, card.userId));
  if (!user) return;
  await ctx.mailer.send({
    to: user.email,
    subject: "Your card is active",
    text: `Your card ending in ${card.lastFourDigits} was activated and can be used now.\n\nIf this was not you, report it as stolen at once.\n`,
  });
}
