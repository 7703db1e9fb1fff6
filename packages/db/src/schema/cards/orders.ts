/** Card orders, the transactions that pay them, and what is returned of their money. */
import { currencies, type Currency } from "@cardkeep/contract/core/currencies";
import { listFinalStates, listStates } from "@cardkeep/contract/core/machine";
import {
  orderMachine,
  type OrderStatus,
  type PersonalizationSource,
  personalizationSources,
} from "@cardkeep/contract/cards/orders";
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, unique, uniqueIndex } from "drizzle-orm/pg-core";
import { address, amount, cents, counter, hex, instant, isNoneOf, isOneOf, requestId } from "../columns.ts";
import { users } from "../users/users.ts";

/** States that follow a payment, or a free order's confirmation. */
const paidStatuses: readonly OrderStatus[] = ["TRANSACTIONCOMPLETE", "CONFIRMATIONREQUIRED", "READY", "CARDCREATED"];
const freeStatuses: readonly OrderStatus[] = ["READY", "CARDCREATED"];

/** A trigger guards the moves of `status`: see `guards.ts`. */
export const orders = pgTable(
  "orders",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    status: text().$type<OrderStatus>().notNull(),
    personalizationSource: text().$type<PersonalizationSource>().notNull(),
    virtual: boolean().notNull(),
    embossedName: text(),
    address1: text(),
    address2: text(),
    city: text(),
    postalCode: text(),
    state: text(),
    country: text(),
    /** The coupon that was attached last. */
    couponCode: text(),
    /** Price and discount by the list in EUR. The discount takes the same share of what is paid. */
    totalEurCents: cents().notNull(),
    /** Discount of the best of its coupons. */
    discountEurCents: cents().notNull(),
    /** What is paid: the price by the list in the order's currency, before the discount. */
    currency: text().$type<Currency>().notNull(),
    totalCents: cents().notNull(),
    /** The transaction that is to pay it. */
    transactionHash: hex(),
    /** Block of the final transfer that paid it, and when that was seen. */
    paymentBlock: counter(),
    paidAt: instant(),
    /** What the transaction brought from the payer, in base units of the currency's token, and the payer. */
    paidAmount: amount(),
    paidBy: address(),
    /** When its user asked for the confirmation of a transaction that was not final, and when it was given. */
    askedAt: instant(),
    confirmedAt: instant(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("orders_one_open")
      .on(table.userId)
      .where(isNoneOf(table.status, listFinalStates(orderMachine))),
    index("orders_user").on(table.userId, table.createdAt),
    index("orders_status").on(table.status, table.id),
    index("orders_payment_block").on(table.paymentBlock),
    // Books of the firm follow payments by their time.
    index("orders_paid").on(table.paidAt),
    // They follow payments that orders lost too, which are few.
    index("orders_unpaid")
      .on(table.updatedAt)
      .where(sql`${table.paidAt} is null and ${table.transactionHash} is not null`),
    // What a transaction paid, or was kept for.
    index("orders_payment_hash")
      .on(table.transactionHash)
      .where(sql`${table.paidAt} is not null`),
    index("orders_request").on(table.requestId),
    check("orders_status", isOneOf(table.status, listStates(orderMachine))),
    check("orders_source", isOneOf(table.personalizationSource, personalizationSources)),
    check("orders_discount", sql`${table.discountEurCents} between 0 and ${table.totalEurCents}`),
    check("orders_currency", isOneOf(table.currency, currencies)),
    check(
      "orders_total",
      sql`${table.totalCents} >= 0 and (${table.currency} <> 'EUR' or ${table.totalCents} = ${table.totalEurCents})`,
    ),
    check(
      "orders_payment",
      sql`num_nulls(${table.paymentBlock}, ${table.paidAt}, ${table.paidAmount}, ${table.paidBy}) in (0, 4) and (${table.paidAt} is null or ${table.transactionHash} is not null)`,
    ),
    check(
      "orders_paid",
      sql`not (${isOneOf(table.status, paidStatuses)}) or ${table.paidAt} is not null or (${isOneOf(table.status, freeStatuses)} and ${table.discountEurCents} = ${table.totalEurCents})`,
    ),
  ],
);

/** Which order a transaction is for: reserved while it is only attached, for good once it was seen to pay. */
export const paymentHashes = pgTable(
  "payment_hashes",
  {
    hash: hex().primaryKey(),
    orderId: text()
      .notNull()
      .unique("payment_hashes_order_id")
      .references(() => orders.id),
    claimedAt: instant().notNull(),
    provenAt: instant(),
  },
  (table) => [
    index("payment_hashes_claims")
      .on(table.claimedAt)
      .where(sql`${table.provenAt} is null`),
  ],
);

/**
 * What operators return of an order's payment: one transfer from the treasury to the payer each.
 *
 * Its tag on chain is named by order and ordinal, so a row that a restored database lost is found again and not paid twice.
 */
export const orderReturns = pgTable(
  "order_returns",
  {
    id: text().primaryKey(),
    orderId: text()
      .notNull()
      .references(() => orders.id),
    userId: text()
      .notNull()
      .references(() => users.id),
    ordinal: integer().notNull(),
    recipient: address().notNull(),
    /** Base units of the token of the order's currency. */
    amount: amount().notNull(),
    /** When its transaction was signed; null before, and again once that ended without effect. */
    signedAt: instant(),
    /** The mined transaction that paid it. */
    hash: hex(),
    paidAt: instant(),
    requestId: requestId(),
    createdAt: instant().notNull(),
  },
  (table) => [
    unique("order_returns_ordinal").on(table.orderId, table.ordinal),
    index("order_returns_user").on(table.userId),
    index("order_returns_paid").on(table.paidAt),
    index("order_returns_planned")
      .on(table.id)
      .where(sql`${table.signedAt} is null and ${table.paidAt} is null`),
    check("order_returns_amount", sql`${table.amount} > 0`),
    check("order_returns_paid", sql`(${table.hash} is null) = (${table.paidAt} is null)`),
  ],
);
