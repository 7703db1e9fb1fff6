/** Cardholders' own rules on their cards: each version of each document, which none replaces. */
import type { StoredControls } from "@cardkeep/contract/cards/cardControls";
import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { cards } from "./cards.ts";
import { instant, requestId } from "../columns.ts";
import { users } from "../users/users.ts";

export const cardControls = pgTable(
  "card_controls",
  {
    cardId: text()
      .notNull()
      .references(() => cards.id),
    /** 1, 2, 3 and so on; the highest is in force. */
    version: integer().notNull(),
    /** The card's user, who set it. */
    userId: text()
      .notNull()
      .references(() => users.id),
    controls: jsonb().$type<StoredControls>().notNull(),
    requestId: requestId(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.cardId, table.version] }),
    // Copies of a person's data read a user's versions.
    index("card_controls_user").on(table.userId),
    check("card_controls_version", sql`${table.version} >= 1`),
  ],
);
