/** Names in place of ids: of people, for operators who may act for them, and last digits of cards. */
import { listCardsById } from "@cardkeep/db/queries/cards/cards";
import type { Row } from "@cardkeep/desk/noun";
import type { Value } from "@cardkeep/desk/value";
import { listNames, maySeePeople } from "@cardkeep/domain/users/users/listUsers";
import type { Visit } from "./page/page.ts";

/** The names that are known, by ids of users and cards. */
export type Names = ReadonlyMap<string, string>;

const listValues = ({ cells, fields }: Pick<Row, "cells" | "fields">): Value[] => [
  ...cells,
  ...fields.flatMap(([, values]) => values),
];

/** Cards by their last digits. */
export const nameCards = (cards: readonly { readonly id: string; readonly lastFourDigits: string }[]): Names =>
  new Map(cards.map(({ id, lastFourDigits }) => [id, `… ${lastFourDigits}`]));

/** The people and cards of some rows. */
export async function readNames(visit: Visit, rows: readonly Pick<Row, "cells" | "fields">[]): Promise<Names> {
  const values = rows.flatMap(listValues);
  const idsOf = (noun: string): string[] =>
    values.flatMap((value) => (value.kind === "id" && value.noun === noun && value.id !== null ? [value.id] : []));
  const [people, cards] = await Promise.all([
    readNamesOf(visit, idsOf("users")),
    visit.ctx.lists.read((on) => listCardsById(on, [...new Set(idsOf("cards"))])),
  ]);
  return new Map([...people, ...nameCards(cards)]);
}

/** The people with some ids; empty for operators who read no names. */
export async function readNamesOf(visit: Visit, ids: readonly string[]): Promise<Names> {
  return maySeePeople(visit.ctx.actor) ? listNames(visit.ctx, { ids: [...new Set(ids)] }) : new Map();
}
