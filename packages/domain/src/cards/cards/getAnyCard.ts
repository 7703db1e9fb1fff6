import { fail } from "@cardkeep/contract/core/errors";
import { type Card, findCard, findCardByToken } from "@cardkeep/db/queries/cards/cards";
import type { Services } from "../../core/services.ts";

/** The card of an id or a card token. @throws cards.not_found */
export async function getAnyCard({ db }: Pick<Services, "db">, { reference }: { reference: string }): Promise<Card> {
  return (await findCard(db, reference)) ?? (await findCardByToken(db, reference)) ?? fail("cards.not_found");
}
