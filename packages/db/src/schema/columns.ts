/** Column types that carry our meaning: base-unit amounts, addresses, hex and instants. */
import type { Address, Hex } from "@cardkeep/contract/primitives";
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
/** Money in hundredths of a currency's unit; the column's name tells which. */
export const cents = () => bigint({ mode: "bigint" });
/** The request that a row goes back to; rows older than the column do not know it. */
export const requestId = () => text().notNull().default("unknown");

// Checks and partial indexes take no parameters, so the values are spelled out.
const spell = (values: readonly string[]): SQL => sql.raw(values.map((value) => `'${value}'`).join(", "));

/** `column in (...)`, for checks and partial indexes. */
export const isOneOf = (column: AnyPgColumn, values: readonly string[]): SQL => sql`${column} in (${spell(values)})`;
/** `column not in (...)`, for checks and partial indexes. */
export const isNoneOf = (column: AnyPgColumn, values: readonly string[]): SQL =>
  sql`${column} not in (${spell(values)})`;
