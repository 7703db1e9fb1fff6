import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../../client.ts";
import { prepareStatement } from "../../prepareStatement.ts";
import { buildJobInsert, enqueueQuietly } from "../../queue/enqueue.ts";
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
  /** The spend of an approval, and its entry; it takes the next sequence, and a job moves it. */
  transfer: { row: CardTransfer; entry: LedgerEntry } | null;
  event: Omit<typeof events.$inferInsert, "isPending">;
}

/**
 * Writes the rows of a decision and the job of its spend in one statement, as `insertPayment`, `insertDecision`, `insertTransfer`, `insertEntry` and
 * `insertEvent` write them, and `enqueueQuietly` adds the job. True where the event is pending.
 *
 * The function `write_decision` is in the migrations. It spares Postgres and this process the round of each statement, and it
 * is no statement with several writes, because Citus has none for distributed tables.
 */
export async function writeDecision(tx: Tx, { payment, decision, transfer, event }: DecisionRows): Promise<boolean> {
  const rows = {
    payment: encodeRow(cardPayments, payment),
    decision: encodeRow(cardDecisions, decision),
    event: encodeRow(events, { ...event, isPending: false }),
  };
  if (!transfer) {
    const [written] = await tx.execute<{ isPending: boolean }>(writeDecline({ ...rows, transfer: null, entry: null }));
    return written?.isPending === true;
  }
  const { id: subject, requestId } = transfer.row;
  const spend = { transfer: encodeRow(cardTransfers, transfer.row), entry: encodeRow(ledgerEntries, transfer.entry) };
  const [written] = await tx.execute<{ isPending: boolean; isQueued: boolean }>(
    writeApproval({ ...rows, ...spend, subject, requestId }),
  );
  if (!written?.isQueued) await enqueueQuietly(tx, "card.transfer", { subjects: [subject], requestId });
  return written?.isPending === true;
}

type Rows = "payment" | "decision" | "transfer" | "entry" | "event";
const json = (name: Rows) => sql`${sql.placeholder(name)}::json`;
const call: SQL = sql`write_decision(${json("payment")}, ${json("decision")}, ${json("transfer")}, ${json("entry")}, ${json("event")}) as "isPending"`;

const writeDecline = prepareStatement<Rows>(sql`select ${call}`);
const writeApproval = prepareStatement<Rows | "subject" | "requestId">(sql`
  with queued as (${buildJobInsert("card.transfer")} returning true) select ${call}, exists (select from queued) as "isQueued"`);
