/** Tokens with which programs of a user read. */
import { type TokenScope, tokenScopes } from "@cardkeep/contract/core/scopes";
import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, instant, isOneOf, spell } from "../columns.ts";
import { users } from "./users.ts";

/** How a token ended before its time: its user, or its finder. */
export const tokenEnds = ["revoked", "reported"] as const;

export const userTokens = pgTable(
  "user_tokens",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    name: text().notNull(),
    scopes: text().array().$type<TokenScope[]>().notNull(),
    /** SHA-256. The token has 190 random bits, so no salt is needed. */
    hash: text().notNull(),
    /** The sign-in wallet that made it. The end of that wallet's sign-in ends the token. */
    madeBy: address().notNull(),
    createdAt: instant().notNull(),
    /** By the wall clock, as access tokens are; null: never. */
    expiresAt: instant(),
    /** To the minute; null before the first use. */
    usedAt: instant(),
    /** When it ends or ended: its expiry, or the instant of its end before that. */
    endsAt: instant(),
    /** Null: it works until it expires. */
    end: text().$type<(typeof tokenEnds)[number]>(),
  },
  (table) => [
    uniqueIndex("user_tokens_hash").on(table.hash),
    index("user_tokens_user").on(table.userId, table.createdAt),
    index("user_tokens_ends").on(table.endsAt),
    check("user_tokens_scopes", sql`${table.scopes} <@ array[${sql.raw(spell(tokenScopes))}]::text[]`),
    check(
      "user_tokens_end",
      sql`${table.end} is null or (${table.endsAt} is not null and ${isOneOf(table.end, tokenEnds)})`,
    ),
  ],
);
