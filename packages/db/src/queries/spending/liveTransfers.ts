/**
 * Live transfers, the holds among them: what decisions read of transfers.
 *
 * They are few, however many transfers there are, and they are in one table without partitions. A Safe's newest sequence,
 * and what ended since it was read, are found here for an hour after a transfer's end, or for a longer cooldown.
 */
import type { Address } from "@cardkeep/contract/core/primitives";
import { isFinalState, listFinalStates } from "@cardkeep/contract/core/machine";
import { transferMachine } from "@cardkeep/contract/spending/spending";
import { eq, type Placeholder, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { writeRow } from "../../rows.ts";
import { isNoneOf } from "../../schema/columns.ts";
import { finalTransfersText } from "../../schema/spending/transfers.ts";
import { type cardTransfers, liveTransfers } from "../../schema/tables.ts";

type CardTransfer = typeof cardTransfers.$inferSelect;
type LiveTransfer = typeof liveTransfers.$inferSelect;

/** Whether a live transfer has not ended. */
export const isOpenLiveTransfer = isNoneOf(liveTransfers.status, listFinalStates(transferMachine));

type Copied = Omit<LiveTransfer, "sequence" | "endedAt">;

const copy = (transfer: Omit<typeof cardTransfers.$inferInsert, "sequence">): Copied => ({
  id: transfer.id,
  paymentId: transfer.paymentId,
  ordinal: transfer.ordinal,
  userId: transfer.userId,
  safeId: transfer.safeId,
  direction: transfer.direction,
  amount: transfer.amount,
  isCollection: transfer.isCollection,
  messageHash: transfer.messageHash ?? null,
  status: transfer.status,
  requestId: transfer.requestId,
  createdAt: transfer.createdAt,
});

/** Inserts the live row of a planned transfer; it takes the next sequence. */
export async function insertLiveTransfer(tx: Tx, row: Parameters<typeof copy>[0]): Promise<void> {
  await writeRow(tx, liveTransfers, copy(row));
}

/** Brings a live row to its transfer's status. */
export async function setLiveStatus(
  tx: Tx,
  { id, status, updatedAt }: Pick<CardTransfer, "id" | "status" | "updatedAt">,
): Promise<void> {
  await tx
    .update(liveTransfers)
    // The clock of one that is behind would let the row go too early.
    .set({
      status,
      endedAt: isFinalState(transferMachine, status)
        ? sql`greatest(${updatedAt.toISOString()}::timestamptz, clock_timestamp())`
        : null,
    })
    .where(eq(liveTransfers.id, id));
}

/** Makes a transfer live again whose end was rolled back; it keeps its sequence. */
export async function reopenLiveTransfer(tx: Tx, transfer: CardTransfer): Promise<void> {
  const { status, sequence } = transfer;
  await tx
    .insert(liveTransfers)
    .overridingSystemValue()
    .values({ ...copy(transfer), sequence, endedAt: null })
    .onConflictDoUpdate({ target: liveTransfers.id, set: { status, endedAt: null } });
}

/** A spend that is not known to have run: what it moves is still the Safe's, and spoken for. */
export type Hold = Pick<LiveTransfer, "id" | "amount" | "messageHash" | "sequence">;

/** A hold as SQL answers it, its numbers as text. */
export type HoldText = Pick<Hold, "id" | "messageHash"> & { amount: string; sequence: string };

export const readHold = ({ id, amount, messageHash, sequence }: HoldText): Hold => ({
  id,
  amount: BigInt(amount),
  messageHash,
  sequence: BigInt(sequence),
});

/** Condition: a transfer is a hold of the Safe. Transfers after the sequence `after` count even if they have ended since. */
export const isHold = (safeId: string | Placeholder, after: bigint | Placeholder | null) =>
  sql`safe_id = ${safeId} and direction = 'spend'
    and (${isOpenLiveTransfer} ${after === null ? sql.empty() : sql`or sequence > ${typeof after === "bigint" ? after.toString() : after}`})`;

/** The holds of a Safe, as `isHold` says. */
export async function listHolds(on: Executor, safeId: string, after: bigint | null = null): Promise<Hold[]> {
  const rows = await on.execute<HoldText & Record<string, unknown>>(sql`
    select id, amount::text, message_hash as "messageHash", sequence::text from live_transfers
    where ${isHold(safeId, after)}`);
  return rows.map(readHold);
}

/**
 * SQL of the holds of any Safe, without those that wait for another transfer of their thread.
 *
 * Postgres may plan it while the table is empty, and keep the plan as the table fills. A join with the earlier transfers would
 * then compare each hold with all others. So it looks for them only where there can be any, which is rare.
 */
const movableHolds = `live_transfers t
  where t.direction = 'spend' and t.status not in (${finalTransfersText}) and (t.ordinal = 0 or not exists (
    select from live_transfers earlier
    where earlier.payment_id = t.payment_id and earlier.ordinal < t.ordinal and earlier.status not in (${finalTransfersText})))`;

/**
 * SQL that selects when the oldest hold of any Safe began, of those that wait for no other transfer. It ends at the first row
 * of an index, however many holds there are; `min` would read them all.
 */
export const oldestHold = `select t.created_at as "oldestAt" from ${movableHolds} order by t.created_at limit 1`;

/** When the oldest hold of any Safe began, as `oldestHold` says; null without any. */
export async function findOldestHold(on: Executor): Promise<Date | null> {
  const [row] = await on.execute<{ oldestAt: string }>(sql.raw(oldestHold));
  return row ? new Date(row.oldestAt) : null;
}

/**
 * When the oldest hold began that concerns a Safe: its own, and of other Safes those that only a relay that stands still
 * holds up. Left out are changed accounts, payments that an open discrepancy holds, and spenders other than `spenders`.
 */
export async function findHoldConcerning(
  on: Executor,
  { safeId, spenders }: { safeId: string; spenders: readonly Address[] },
): Promise<Date | null> {
  const known = sql.join(
    spenders.map((each) => sql`${each}`),
    sql`, `,
  );
  const [row] = await on.execute<{ oldestAt: string }>(sql`
    select t.created_at as "oldestAt" from ${sql.raw(movableHolds)} and (t.safe_id = ${safeId} or (
      (select s.spender from safes s where s.id = t.safe_id) in (${known})
      and not exists (select from account_violations v where v.safe_id = t.safe_id and v.status <> 'CLEARED')
      and not exists (select from card_payments p join discrepancies d on d.id = 'transfer:' || p.thread_id
        where p.id = t.payment_id and p.user_id = t.user_id and d.resolved_at is null)))
    order by t.created_at limit 1`);
  return row ? new Date(row.oldestAt) : null;
}

/** SQL that selects as `subject` the returns to Safes that a user has reset, of those that are still to be signed. */
export const selectReturnsOfReset = (userId: string) => sql`
  select id as subject from live_transfers where direction = 'return' and status = 'PLANNED'
    and safe_id in (select id from safes where user_id = ${userId} and status = 'reset')`;

/** Whether a return to a Safe is signed: it may be mined at any moment. */
export async function hasSignedReturn(on: Executor, safeId: string): Promise<boolean> {
  const [row] = await on.execute<{ isSigned: boolean }>(sql`
    select exists (select from live_transfers
      where safe_id = ${safeId} and direction = 'return' and status = 'SIGNED') as "isSigned"`);
  return row?.isSigned === true;
}

/** Sequence of a Safe's newest transfer; 0 before the first. */
export async function findLastSequence(on: Executor, safeId: string): Promise<bigint> {
  const [row] = await on.execute<{ last: string }>(
    sql`select coalesce(max(sequence), 0)::text as last from live_transfers where safe_id = ${safeId}`,
  );
  return BigInt(row?.last ?? 0);
}
