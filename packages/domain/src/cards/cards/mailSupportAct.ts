import { cardStatusCodes, type CardStatus } from "@cardkeep/contract/cards/cards";
import { findCard } from "@cardkeep/db/queries/cards/cards";
import { findUser } from "@cardkeep/db/queries/users/users";
import type { WorkerContext } from "../../core/context.ts";
import { composeMail, languageOf } from "../../core/messages/composeMessage.ts";
import { mailNews } from "../../core/messages/mailNews.ts";

const words: Readonly<Partial<Record<CardStatus, string>>> = {
  [cardStatusCodes.active]: "active",
  [cardStatusCodes.frozen]: "frozen",
  [cardStatusCodes.lost]: "lost",
  [cardStatusCodes.stolen]: "stolen",
};

/** Mails a holder what support made of the card, so that the holder notices an act without a request. */
export async function mailSupportAct(ctx: WorkerContext, { cardId }: { cardId: string }): Promise<void> {
  const card = await findCard(ctx.db, cardId);
  const user = card && (await findUser(ctx.db, card.userId));
  if (!user || user.erasedAt !== null) return;
  const values = { digits: card.lastFourDigits, state: words[card.statusCode] ?? "ended" };
  const mail = composeMail(ctx, languageOf(ctx, user), "cardSupport", { values });
  const payload = { cardId, requestId: ctx.requestId };
  await mailNews(ctx, user, { about: "card", mail, task: "card.supportMail", payload });
}
