/**
 * Disputes of payments, and what supports them.
 *
 * - dispute: one of a payment at most. - evidence: one text and some files; their content is sealed, and deleted once the issuer
 *   has it.
 */
import { disputeMachine, type DisputeStatus } from "@cardkeep/contract/spending/disputes";
import { type DisputeReason, disputeReasons } from "@cardkeep/contract/core/disputeReasons";
import { type EvidenceField, type EvidenceSlot, evidenceSlots } from "@cardkeep/contract/spending/disputeEvidence";
import { isFinalState, listStates } from "@cardkeep/contract/core/machine";
import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { cents, instant, isOneOf, issuer, requestId } from "../columns.ts";
import { users } from "../users/users.ts";

/** Its end is still to come. */
export const openDisputeStatuses: readonly DisputeStatus[] = ["requested", "created", "submitted"];

/** Evidence may still be added. */
export const draftDisputeStatuses: readonly DisputeStatus[] = ["requested", "created"];

/** Whether a dispute was withdrawn or refused: what the issuer still does with it moves no money here. */
export const hasEndedHere = ({ status }: { status: DisputeStatus }): boolean => isFinalState(disputeMachine, status);

/** A trigger guards the moves of `status`: see `guards.ts`. */
export const cardDisputes = pgTable(
  "card_disputes",
  {
    id: text().primaryKey(),
    paymentId: text().notNull().unique("card_disputes_payment_id"),
    userId: text().notNull(),
    reason: text().$type<DisputeReason>().notNull(),
    status: text().$type<DisputeStatus>().notNull(),
    /** The issuer's id of it. */
    issuerDisputeId: text(),
    issuer: issuer(),
    /** The capture that it disputes; null until there is one. */
    claimId: text(),
    /** Cents that it disputes, in the card's currency; null until the issuer has it. */
    amountCents: cents(),
    /** Cents that the issuer has returned for it and not taken back. */
    reinstatedCents: cents()
      .notNull()
      .default(sql`0`),
    /** The card network's reason for a loss, or the issuer's for a refusal. */
    lossReason: text(),
    /** The last instant for its submission; null until there is a capture. */
    submitBy: instant(),
    submittedAt: instant(),
    closedAt: instant(),
    /** End of the next business day after a report of fraud, where the law returns the money by then; null elsewhere. */
    creditDueAt: instant(),
    /** When the service or an operator decided about it. */
    creditDecidedAt: instant(),
    /** Cents that were returned for it and not withdrawn, also if the network decides otherwise. */
    creditCents: cents()
      .notNull()
      .default(sql`0`),
    /** When a worker looks at it next; null: only an event of the issuer leads to it. */
    nextAt: instant(),
    /** Raised by every change, so that an older answer of the issuer does not overwrite it. */
    version: integer().notNull().default(0),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    unique("card_disputes_issuer_dispute_id").on(table.issuerDisputeId, table.issuer),
    index("card_disputes_next")
      .on(table.nextAt)
      .where(sql`${table.nextAt} is not null`),
    index("card_disputes_open").on(table.id).where(isOneOf(table.status, openDisputeStatuses)),
    index("card_disputes_status").on(table.status, table.id),
    // Books of the firm follow changes by their time.
    index("card_disputes_changed").on(table.updatedAt),
    index("card_disputes_user").on(table.userId, table.id),
    check("card_disputes_reason", isOneOf(table.reason, Object.keys(disputeReasons))),
    check("card_disputes_status", isOneOf(table.status, listStates(disputeMachine))),
    check("card_disputes_amounts", sql`${table.amountCents} > 0 and ${table.reinstatedCents} >= 0`),
    check(
      "card_disputes_credit",
      sql`${table.creditCents} >= 0 and (${table.creditCents} = 0 or (${table.creditDueAt} is not null and ${table.creditDecidedAt} is not null))`,
    ),
  ],
);

/** Evidence may be given before its dispute, so that it goes to the issuer with it. */
export const disputeEvidence = pgTable(
  "dispute_evidence",
  {
    paymentId: text().notNull(),
    slot: text().$type<EvidenceSlot>().notNull(),
    userId: text()
      .notNull()
      .references(() => users.id),
    /** JSON of a text's fields, or a file's bytes in base64, sealed for the user; null once the issuer has it. */
    sealed: text(),
    /** Names of a text's fields. */
    fields: jsonb().$type<EvidenceField[]>().notNull(),
    mediaType: text(),
    /** Of a file. */
    size: integer(),
    /** The issuer's id of a file. */
    issuerFileId: text(),
    createdAt: instant().notNull(),
    handedAt: instant(),
  },
  (table) => [
    primaryKey({ columns: [table.paymentId, table.slot] }),
    index("dispute_evidence_user").on(table.userId),
    index("dispute_evidence_created").on(table.createdAt),
    // What is sealed is few: the issuer has all other evidence.
    index("dispute_evidence_sealed")
      .on(table.paymentId, table.slot)
      .where(sql`${table.sealed} is not null`),
    check("dispute_evidence_slot", isOneOf(table.slot, evidenceSlots)),
    check("dispute_evidence_sealed", sql`(${table.sealed} is null) = (${table.handedAt} is not null)`),
  ],
);
