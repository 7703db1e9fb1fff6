import { type DisputeReason, disputeReasons } from "@cardkeep/contract/disputes";
import { check, index, pgTable, text } from "drizzle-orm/pg-core";
import { instant, isOneOf, requestId } from "../columns.ts";

const disputeStatuses = ["requested", "created", "submitted", "refused"] as const;
type DisputeStatus = (typeof disputeStatuses)[number];

/** A worker takes it to the issuer. */
export const openDisputeStatuses: readonly DisputeStatus[] = ["requested", "created"];

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
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    index("card_disputes_open").on(table.id).where(isOneOf(table.status, openDisputeStatuses)),
    check("card_disputes_reason", isOneOf(table.reason, Object.keys(disputeReasons))),
    check("card_disputes_status", isOneOf(table.status, disputeStatuses)),
  ],
);
