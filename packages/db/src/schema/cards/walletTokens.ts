/** Cards in digital wallets: each wallet has a token of its own at the card network, which pays in place of the card's number. */
import { walletTokenStatuses, type WalletTokenStatus } from "@cardkeep/contract/cards/walletTokens";
import { check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { cards } from "./cards.ts";
import { instant, isOneOf, issuer, requestId } from "../columns.ts";
import { users } from "../users/users.ts";

export const walletTokens = pgTable(
  "wallet_tokens",
  {
    /** The issuer's id of it. */
    id: text().notNull(),
    issuer: issuer(),
    userId: text()
      .notNull()
      .references(() => users.id),
    cardId: text()
      .notNull()
      .references(() => cards.id),
    status: text().$type<WalletTokenStatus>().notNull(),
    /** In the issuer's word: `apple_pay`, `google_pay`, `samsung_pay`; null for a merchant that keeps the card on file. */
    wallet: text(),
    network: text().notNull(),
    deviceType: text(),
    deviceName: text(),
    /** Last four digits of the token's own number. */
    lastFourDigits: text(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.issuer] }),
    index("wallet_tokens_card").on(table.cardId),
    index("wallet_tokens_user").on(table.userId, table.createdAt),
    check("wallet_tokens_status", isOneOf(table.status, walletTokenStatuses)),
  ],
);
