/** Column types that carry our meaning: base-unit amounts, addresses, hex and instants. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, bigint, customType, text, timestamp } from "drizzle-orm/pg-core";

/** Token amount in base units as `numeric(78,0)`, which holds every `uint256`. */
export const amount = customType<{ data: bigint; driverData: string }>({
  dataType: () => "numeric(78,0)",
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => value.toString(),
});

/** EIP-55 checksummed address. */
export const address = () => text().$type<Address>();
/** Bytes as lower-case 0x-prefixed hex. */
export const hex = () => text().$type<Hex>();
/** Instant written by the clock, never by a default. */
export const instant = () => timestamp({ withTimezone: true, mode: "date" });
/** Block number, queue nonce or account nonce: a 64-bit counter. */
export const counter = () => bigint({ mode: "bigint" });
/** Money in hundredths of a currency's unit. The column's name contains the currency. */
export const cents = () => bigint({ mode: "bigint" });
/**
 * The partner that gave a row's id. With it the id is unique, and a further partner may give the same one. Keys begin with the
 * id, so that a lookup by the id alone reads the key.
 */
export const issuer = () => text().$type<"stripe">().notNull().default("stripe");
export const provider = () => text().$type<"sumsub">().notNull().default("sumsub");
export const institution = () => text().$type<"monerium">().notNull().default("monerium");
/** The request that caused a row. */
export const requestId = () => text().notNull();

/** The words that a column may hold. While its table is being declared, drizzle does not know them. */
type Word<C extends AnyPgColumn> = unknown extends C["_"]["data"] ? string : C["_"]["data"] & string;

/**
 * Words as SQL literals with commas between. Checks and partial indexes take no parameters, and the planner uses such an
 * index only if it sees the words themselves: a plan that Postgres keeps for all values of a parameter cannot use it.
 *
 * @throws Error if a word has other characters than those of a column's words
 */
export const spell = (words: readonly string[]): string => {
  for (const word of words) if (!/^[\w .-]*$/.test(word)) throw new Error(`${word} is no word of a column`);
  return words.map((word) => `'${word}'`).join(", ");
};

/** `column in (...)`, for checks, partial indexes and the queries that use them. */
export const isOneOf = <C extends AnyPgColumn>(column: C, words: readonly Word<C>[]): SQL =>
  sql`${column} in (${sql.raw(spell(words))})`;
/** `column not in (...)`, for checks, partial indexes and the queries that use them. */
export const isNoneOf = <C extends AnyPgColumn>(column: C, words: readonly Word<C>[]): SQL =>
  sql`${column} not in (${sql.raw(spell(words))})`;
