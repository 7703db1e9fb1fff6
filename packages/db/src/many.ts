/** Lists whose length others decide. The driver sends a statement only with fewer than 65,534 parameters. */
import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";

const itemsPerStatement = 1_000;

/** Parts of a list, in its order, each small enough for one statement with up to 65 parameters of each item. */
export function* inParts<T>(list: readonly T[]): Generator<T[]> {
  for (let from = 0; from < list.length; from += itemsPerStatement) yield list.slice(from, from + itemsPerStatement);
}

/** SQL that is true where a column has one of some texts, however many: they are one parameter. */
export const isAmong = (column: AnyPgColumn, texts: readonly string[]): SQL =>
  sql`${column} = any(array(select json_array_elements_text(${JSON.stringify(texts)}::json)))`;
