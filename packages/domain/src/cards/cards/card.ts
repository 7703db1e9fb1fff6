/** The card resource of answers and events, and what follows from a card's status. */
import {
  type cardResource,
  type CardStatus,
  cardStatusCodes,
  cardStatusNames,
  endedCardStatuses,
  type IssuerStatus,
} from "@cardkeep/contract/cards/cards";
import { fail } from "@cardkeep/contract/core/errors";
import type { Executor, Tx } from "@cardkeep/db/client";
import { type Card, findCard, lockCard } from "@cardkeep/db/queries/cards/cards";
import type { z } from "zod";

type Resource = z.output<typeof cardResource>;

/** The card as answers and events carry it. */
export const buildCard = (row: Card): Resource & { userId: string } => ({
  id: row.id,
  cardToken: row.cardToken,
  userId: row.userId,
  lastFourDigits: row.lastFourDigits,
  activatedAt: row.activatedAt,
  virtual: row.virtual,
  statusCode: Number(row.statusCode),
  statusName: cardStatusNames[row.statusCode],
});

export const isEnded = (status: CardStatus): boolean => endedCardStatuses.includes(status);

type Standing = Pick<Card, "statusCode" | "activatedAt">;

/** The status that the issuer should have: a card that has not arrived, or is stopped, cannot spend. */
export function issuerStatusOf({ statusCode, activatedAt }: Standing): IssuerStatus {
  if (isEnded(statusCode)) return "canceled";
  return statusCode === cardStatusCodes.active && activatedAt !== null ? "active" : "inactive";
}

const words: Readonly<Record<CardStatus, string>> = {
  [cardStatusCodes.active]: "active",
  [cardStatusCodes.frozen]: "frozen",
  [cardStatusCodes.void]: "void",
  [cardStatusCodes.lost]: "lost",
  [cardStatusCodes.stolen]: "stolen",
  [cardStatusCodes.expired]: "expired",
  [cardStatusCodes.restricted]: "restricted",
};

/** A card's status as events call it. */
export const wordOf = ({ statusCode, activatedAt }: Standing): string =>
  statusCode === cardStatusCodes.active && activatedAt === null ? "inactive" : words[statusCode];

/** A user's own card; another user's card is not found either. @throws cards.not_found */
export async function getCard(on: Executor, userId: string, cardId: string): Promise<Card> {
  const row = await findCard(on, cardId);
  return row?.userId === userId ? row : fail("cards.not_found");
}

/** The same behind the card's row lock, under which every change of a card is made. @throws cards.not_found */
export async function lockOwnCard(tx: Tx, userId: string, cardId: string): Promise<Card> {
  const { id } = await getCard(tx, userId, cardId);
  return (await lockCard(tx, id)) ?? fail("cards.not_found");
}
