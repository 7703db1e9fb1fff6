/**
 * The programme's own money, and where it may go.
 *
 * - move: one movement that an operator asked for, or the renewal of the spender's approval. Its id is the name of the order
 *   at the institution, and of the transfer on chain. - destination: an IBAN or address of the allow-list.
 * - item: money that left the settlement account unannounced. - cover: how long the issuer's balance lasts.
 */
import {
  type TreasuryDestinationKind,
  treasuryDestinationKinds,
  type TreasuryMoveKind,
  treasuryMoveKinds,
  type TreasuryMoveStatus,
} from "@cardkeep/contract/treasury/treasuryMoves";
import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, unique, uniqueIndex } from "drizzle-orm/pg-core";
import { amount, cents, counter, hex, instant, isOneOf, requestId } from "../columns.ts";
import type { SettlementToken } from "../chain/settlementFunds.ts";

/** A trigger guards the moves of `status`: see `guards.ts`. */
export const treasuryMoves = pgTable(
  "treasury_moves",
  {
    id: text().primaryKey(),
    kind: text().$type<TreasuryMoveKind>().notNull(),
    status: text().$type<TreasuryMoveStatus>().notNull(),
    token: text().$type<SettlementToken>().notNull(),
    /** Base units of the token; of a renewal the new approval. */
    amount: amount().notNull(),
    /** The address that it leaves; null for money that comes from a bank. */
    source: text(),
    /** The address or IBAN that it goes to. */
    destination: text().notNull(),
    /** The redeem whose money it is that has to arrive at the issuer. */
    causeId: text(),
    /** The supporting document at the institution, from 15,000 on. */
    documentId: text(),
    /** What the treasury signed for the institution, with the signature; an institution takes it for some minutes. */
    message: text(),
    signature: hex(),
    signedAt: instant(),
    /** The mined transaction. */
    hash: hex(),
    /** Block that its end rests on. */
    endedBlock: counter(),
    /** The institution's order, or the issuer's top-up. */
    externalId: text(),
    /** Why it failed. */
    failure: text(),
    /** Names of the operators; the second is null where the settings ask for one person. */
    askedBy: text().notNull(),
    approvedBy: text(),
    /** The operator's reason. */
    note: text().notNull(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
    /** When it arrived or failed. */
    endedAt: instant(),
  },
  (table) => [
    index("treasury_moves_open")
      .on(table.kind, table.token)
      .where(sql`${table.status} not in ('DONE', 'FAILED')`),
    uniqueIndex("treasury_moves_cause")
      .on(table.causeId)
      .where(sql`${table.causeId} is not null`),
    uniqueIndex("treasury_moves_external")
      .on(table.kind, table.externalId)
      .where(sql`${table.externalId} is not null`),
    index("treasury_moves_age").on(table.createdAt),
    index("treasury_moves_block").on(table.endedBlock),
    check("treasury_moves_kind", isOneOf(table.kind, treasuryMoveKinds)),
    check("treasury_moves_amount", sql`${table.amount} >= 0`),
    check("treasury_moves_ended", sql`(${table.status} in ('DONE', 'FAILED')) = (${table.endedAt} is not null)`),
  ],
);

/** The allow-list. A row counts from `usableAt` until it is removed. */
export const treasuryDestinations = pgTable(
  "treasury_destinations",
  {
    id: text().primaryKey(),
    kind: text().$type<TreasuryDestinationKind>().notNull(),
    value: text().notNull(),
    /** The operator's words for it, and the account holder of an IBAN. */
    label: text().notNull(),
    addedBy: text().notNull(),
    addedAt: instant().notNull(),
    usableAt: instant().notNull(),
    removedBy: text(),
    removedAt: instant(),
  },
  (table) => [
    uniqueIndex("treasury_destinations_value")
      .on(table.value)
      .where(sql`${table.removedAt} is null`),
    check("treasury_destinations_kind", isOneOf(table.kind, treasuryDestinationKinds)),
  ],
);

/** Money that left the settlement account unannounced: one row a movement, open until it came back or two persons explain it. */
export const treasuryItems = pgTable(
  "treasury_items",
  {
    id: text().primaryKey(),
    token: text().$type<SettlementToken>().notNull(),
    amount: amount().notNull(),
    foundAt: instant().notNull(),
    /** Returned: the money is there again. Explained: the ledger's side was lowered by it. */
    outcome: text().$type<"returned" | "explained">(),
    closedAt: instant(),
    closedBy: text(),
    reason: text(),
  },
  (table) => [
    index("treasury_items_open")
      .on(table.token)
      .where(sql`${table.closedAt} is null`),
    check("treasury_items_amount", sql`${table.amount} > 0`),
    check("treasury_items_closed", sql`(${table.outcome} is null) = (${table.closedAt} is null)`),
  ],
);

/** Top-ups of the operator's balance at the issuer, as the issuer lists them. */
export const issuerTopUps = pgTable(
  "issuer_top_ups",
  {
    /** The issuer's id of the balance transaction. */
    id: text().primaryKey(),
    amountCents: cents().notNull(),
    currency: text().notNull(),
    arrivedAt: instant().notNull(),
    /** The move that announced it; null for an unannounced one. */
    moveId: text(),
    createdAt: instant().notNull(),
  },
  (table) => [unique("issuer_top_ups_move").on(table.moveId), index("issuer_top_ups_age").on(table.arrivedAt)],
);

/** The operator's balance at the issuer and its forecast, one row a currency. */
export const issuerCover = pgTable("issuer_cover", {
  currency: text().primaryKey(),
  balanceCents: cents().notNull(),
  /** Sent to the issuer and not there yet. */
  inTransitCents: cents().notNull(),
  /** Until the balance is used up by the week's pattern; null: longer than the forecast looks. */
  hours: integer(),
  /** Hours that a transfer that is sent now takes, over weekends and bank holidays. */
  transferHours: integer().notNull(),
  /** Since when the balance ends before a transfer would arrive. */
  shortSince: instant(),
  readAt: instant().notNull(),
});
