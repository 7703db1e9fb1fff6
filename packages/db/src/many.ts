/** Lists whose length others decide. The driver sends a statement only with fewer than 65,534 parameters. */
import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";

const rowsPerInsert = 1_000;

/** Parts of some rows, in their order, each small enough for one insert of up to 65 columns. */
export function* splitRows<T>(rows: readonly T[]): Generator<T[]> {
  for (let from = 0; from < rows.length; from += rowsPerInsert) yield rows.slice(from, from + rowsPerInsert);
}

/** SQL that is true where a column has one of some texts, however many: they are one parameter. */
export const isAmong = (column: AnyPgColumn, texts: readonly string[]): SQL =>
  sql`${column} = any(array(select json_array_elements_text(${JSON.stringify(texts)}::json)))`;
