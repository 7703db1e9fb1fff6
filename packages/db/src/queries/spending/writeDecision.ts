import { sql } from "drizzle-orm";
import type { Tx } from "../../client.ts";
import { prepareStatement } from "../../prepareStatement.ts";
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
 * Writes the rows of a decision in one statement, as `insertPayment`, `insertDecisionIfNew`, `insertTransfer`, `insertEntry` and
 * `insertEvent` write them. True where the event is pending.
 *
 * The function `write_decision` is in the migrations. It spares Postgres and this process the round of each statement, and it
 * is no statement with several writes, because Citus has none for distributed tables.
 */
export async function writeDecision(tx: Tx, { payment, decision, transfer, event }: DecisionRows): Promise<boolean> {
  const rows = {
    payment: encodeRow(cardPayments, payment),
    decision: encodeRow(cardDecisions, decision),
    transfer: transfer && encodeRow(cardTransfers, transfer.row),
    entry: transfer && encodeRow(ledgerEntries, transfer.entry),
    event: encodeRow(events, { ...event, isPending: false }),
  };
  const [written] = await tx.execute<{ isPending: boolean }>(writeRows(rows));
  return written?.isPending === true;
}

const json = (name: string) => sql`${sql.placeholder(name)}::json`;

const writeRows = prepareStatement<"payment" | "decision" | "transfer" | "entry" | "event">(sql`
  select write_decision(${json("payment")}, ${json("decision")}, ${json("transfer")}, ${json("entry")}, ${json("event")}) as "isPending"`);
