/** Safes and their published balances. */
import { listStates } from "@cardkeep/contract/core/machine";
import { safeMachine, type SafeStatus } from "@cardkeep/contract/accounts/safes";
import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, amount, hex, instant, isNoneOf, isOneOf, requestId, counter } from "../columns.ts";
import { users } from "../users/users.ts";

/** Final states. The user may have another Safe then. */
export const goneStatuses: readonly SafeStatus[] = ["failed", "reset"];

/** States in which a worker sends the deployment or the set-up. */
export const deployingStatuses: readonly SafeStatus[] = ["processing", "settingUp"];

/** Statuses in which no key is bound yet to spend for the Safe, or never will be. */
export const spenderlessStatuses: readonly SafeStatus[] = ["failed", "created"];

/** Condition: a release that believed the Safe's nonce took it into service. */
export const isSetUpUnread = (table: Record<"setUpBy" | "status" | "setUpBlock", AnyPgColumn>): SQL =>
  sql`${table.setUpBy} = 'user' and ${isOneOf(table.status, ["ok"])} and ${table.setUpBlock} is null`;

export const safes = pgTable(
  "safes",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    saltNonce: amount().notNull(),
    address: address().notNull(),
    delayAddress: address().notNull(),
    rolesAddress: address().notNull(),
    bouncerAddress: address().notNull(),
    /** The wallet enabled on the Delay module at set-up. */
    firstOwner: address().notNull(),
    /** The Safe's owner until the set-up, who signs it: the operator, or the user in the older way. */
    setUpBy: text().$type<"operator" | "user">().notNull(),
    /** That owner's address; the Safe's address follows from it and the salt. */
    creator: address().notNull(),
    /** The member of the spending role. After the set-up no call can change it: only the Bouncer owns the Roles module. */
    spender: address().notNull(),
    /** In the older way the currency is chosen after the creation, and the limit with it. */
    tokenSymbol: text().$type<"EURe" | "GBPe" | "USDCe">(),
    dailyLimit: amount(),
    cooldownSeconds: integer().notNull(),
    expirationSeconds: integer().notNull(),
    /** The set-up that the user signed: its hash, and the calldata that sends it. */
    setUpHash: hex(),
    setUpData: hex(),
    status: text().$type<SafeStatus>().notNull(),
    attempts: integer().notNull().default(0),
    reason: text(),
    /** A block up to the one in which this service deployed it, also after its relay transaction was archived; null where another account did. */
    deployedBlock: counter(),
    /** In the older way: the block of the set-up, once the logs were read that show whether it was the Safe's first transaction. */
    setUpBlock: counter(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("safes_address").on(table.address),
    index("safes_delay").on(table.delayAddress),
    index("safes_search").on(sql`lower(${table.address}) text_pattern_ops`),
    index("safes_request").on(table.requestId),
    index("safes_under_way").on(table.id).where(isOneOf(table.status, deployingStatuses)),
    index("safes_set_up_unread").on(table.id).where(isSetUpUnread(table)),
    index("safes_set_up_block")
      .on(table.setUpBlock)
      .where(sql`${table.setUpBlock} is not null`),
    index("safes_spender").on(table.spender).where(isNoneOf(table.status, spenderlessStatuses)),
    index("safes_user").on(table.userId, table.createdAt),
    uniqueIndex("safes_one_live").on(table.userId).where(isNoneOf(table.status, goneStatuses)),
    check("safes_status", isOneOf(table.status, listStates(safeMachine))),
    check("safes_currency", sql`(${table.tokenSymbol} is null) = (${table.dailyLimit} is null)`),
    check("safes_in_service", sql`${table.status} <> 'ok' or ${table.tokenSymbol} is not null`),
    check(
      "safes_setting_up",
      sql`${table.status} <> 'settingUp' or (${table.tokenSymbol} is not null and ${table.setUpHash} is not null and ${table.setUpData} is not null)`,
    ),
  ],
);

/** The balance of each Safe that was published last, so that each change is published once. */
export const publishedBalances = pgTable("published_balances", {
  safeId: text()
    .primaryKey()
    .references(() => safes.id),
  total: amount().notNull(),
  pending: amount().notNull(),
  publishedAt: instant().notNull(),
});
