/** A user's own cards, by id. */
import { fail } from "@cardkeep/contract/errors";
import type { Executor, Tx } from "@cardkeep/db/client";
import { type Card, findCard, lockCard } from "@cardkeep/db/queries/cards/cards";

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
