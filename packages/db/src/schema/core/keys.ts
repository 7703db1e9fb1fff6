/** Which keys of the settings the running processes hold. No key is stored, and nothing that reveals one. */
import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "../columns.ts";

/** What processes recorded of each key, by the database's clock. */
export const settingKeys = pgTable(
  "setting_keys",
  {
    setting: text().notNull(),
    keyId: text().notNull(),
    firstSeenAt: instant().notNull(),
    /** The last time that a process held it. */
    heldAt: instant().notNull(),
    /** The last time that a process made or accepted anything with it; null before. */
    usedAt: instant(),
    /** The last time that a process held other keys of the setting and not this one; null before. */
    lackedAt: instant(),
  },
  (table) => [primaryKey({ columns: [table.setting, table.keyId] })],
);
