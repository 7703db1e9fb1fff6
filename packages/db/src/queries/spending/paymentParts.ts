/** Everything that belongs to one payment. */
import { and, asc, eq, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { cardClearings, cardDisputes, cardPayments, ledgerEntries } from "../../schema/tables.ts";
import type { CardDispute } from "./disputes.ts";
import type { CardClearing, CardPayment, PaymentKey } from "./payments.ts";

export type LedgerEntry = typeof ledgerEntries.$inferSelect;

/** The payment of an id, of any user; null for an unknown id, and after it was archived. */
export async function findAnyPayment(on: Executor, id: string): Promise<CardPayment | null> {
  const [row] = await on.select().from(cardPayments).where(eq(cardPayments.id, id)).limit(1);
  return row ?? null;
}

/** Captures, refunds and reversals of a payment, oldest first. */
export async function listAllClearings(on: Executor, { id, userId }: PaymentKey): Promise<CardClearing[]> {
  return on
    .select()
    .from(cardClearings)
    .where(and(eq(cardClearings.paymentId, id), eq(cardClearings.userId, userId)))
    .orderBy(asc(cardClearings.createdAt), asc(cardClearings.id));
}

type BookedClearing = Pick<CardClearing, "id" | "kind" | "amountCents">;

/** What is booked of a payment, by its id. */
export async function listBookedClearings(
  on: Executor,
  { id, userId }: PaymentKey,
): Promise<ReadonlyMap<string, BookedClearing>> {
  const rows = await on
    .select({ id: cardClearings.id, kind: cardClearings.kind, amountCents: cardClearings.amountCents })
    .from(cardClearings)
    .where(and(eq(cardClearings.paymentId, id), eq(cardClearings.userId, userId)));
  return new Map(rows.map((row) => [row.id, row]));
}

/** What the ledger has of a payment, oldest first. */
export async function listLedgerEntries(on: Executor, { id, userId }: PaymentKey): Promise<LedgerEntry[]> {
  return on
    .select()
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.paymentId, id), eq(ledgerEntries.userId, userId)))
    .orderBy(asc(ledgerEntries.createdAt), asc(ledgerEntries.ordinal), asc(ledgerEntries.id));
}

/** What a day's bookings of a Safe moved to the settlement account, and back. */
export interface DayMoney {
  /** The day in UTC, as `2026-01-31`. */
  day: string;
  spent: bigint;
  returned: bigint;
}

/** Entries that a chart of days reads at most. */
const chartEntriesMax = 5_000;

/**
 * The days since an instant on which card money of a Safe moved, oldest first. It reads the newest `chartEntriesMax` entries:
 * where there are more, the chart begins with the first day that they cover as a whole.
 */
export async function listDailyMoney(
  on: Executor,
  { safeId, userId, since }: { safeId: string; userId: string; since: Date },
): Promise<DayMoney[]> {
  const rows = await on.execute<{ day: string; spent: string; returned: string }>(sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day,
      sum(greatest(settlement, 0))::text as spent, sum(greatest(-settlement, 0))::text as returned
    from (select created_at, settlement, row_number() over (order by created_at desc) as place from ledger_entries
      where safe_id = ${safeId} and user_id = ${userId} and created_at >= ${since.toISOString()}::timestamptz and settlement <> 0
      order by created_at desc limit ${chartEntriesMax}) newest
    group by 1 having max(place) < ${chartEntriesMax} order by 1`);
  return rows.map(({ day, spent, returned }) => ({ day, spent: BigInt(spent), returned: BigInt(returned) }));
}

/** The dispute of a payment; there is one at most. */
export async function findPaymentDispute(on: Executor, paymentId: string): Promise<CardDispute | null> {
  const [row] = await on.select().from(cardDisputes).where(eq(cardDisputes.paymentId, paymentId)).limit(1);
  return row ?? null;
}
