import { sql } from "drizzle-orm";
import type { Tx } from "../../client.ts";
import { encodeRow } from "../../rows.ts";
import { cardDecisions, cardPayments, cardTransfers, events, ledgerEntries } from "../../schema/tables.ts";
import type { CardDecision } from "./decisions.ts";
import type { LedgerEntry } from "./paymentParts.ts";
import type { CardPayment } from "./payments.ts";
import type { CardTransfer } from "./transfers.ts";

/** The rows of a decision about the first request of a thread. */
export interface DecisionRows {
  /** In the state of the decision. */
  payment: CardPayment;
  decision: CardDecision;
  /** The spend of an approval, and its entry; it takes the next sequence. */
  transfer: { row: CardTransfer; entry: LedgerEntry } | null;
  event: Omit<typeof events.$inferInsert, "isPending">;
}

/**
 * Writes the rows of a decision in one statement, as `insertPayment`, `insertDecision`, `insertTransfer`, `insertEntry` and
 * `insertEvent` write them. True where the event is pending.
 *
 * The function `write_decision` is in the migrations. It spares Postgres and this process the round of each statement, and it
 * is no statement with several writes, because Citus has none for distributed tables.
 */
export async function writeDecision(tx: Tx, { payment, decision, transfer, event }: DecisionRows): Promise<boolean> {
  const [written] = await tx.execute<{ isPending: boolean }>(sql`
    select write_decision(${encodeRow(cardPayments, payment)}::json, ${encodeRow(cardDecisions, decision)}::json,
      ${transfer && encodeRow(cardTransfers, transfer.row)}::json, ${transfer && encodeRow(ledgerEntries, transfer.entry)}::json,
      ${encodeRow(events, { ...event, isPending: false })}::json) as "isPending"`);
  return written?.isPending === true;
}
