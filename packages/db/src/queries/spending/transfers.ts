/** Transfers of card money on chain, the holds that they are until then, and what is booked for them. */
import { listFinalStates, listOrigins, listUndoOrigins } from "@cardkeep/contract/machine";
import { transferMachine, type TransferStatus } from "@cardkeep/contract/spending";
import { and, asc, eq, exists, gt, inArray, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { insertRow } from "../../rows.ts";
import { isNoneOf } from "../../schema/columns.ts";
import { finalTransfersText } from "../../schema/spending/transfers.ts";
import { cardTransfers, ledgerEntries, relayTransactions } from "../../schema/tables.ts";
import { type LedgerAccount, ledgerAccounts } from "../../schema/spending/ledger.ts";
import { isOpenRelay } from "../../schema/relayers.ts";

export type CardTransfer = typeof cardTransfers.$inferSelect;

/** Whether a transfer has not ended. */
export const isOpenTransfer = isNoneOf(cardTransfers.status, listFinalStates(transferMachine));

export async function findTransfer(on: Executor, id: string): Promise<CardTransfer | null> {
  const [row] = await on.select().from(cardTransfers).where(eq(cardTransfers.id, id)).limit(1);
  return row ?? null;
}

/** Transfers of some payments in the order of their planning. */
export async function listTransfers(on: Executor, paymentIds: readonly string[]): Promise<CardTransfer[]> {
  if (paymentIds.length === 0) return [];
  return on
    .select()
    .from(cardTransfers)
    .where(inArray(cardTransfers.paymentId, [...paymentIds]))
    .orderBy(asc(cardTransfers.sequence));
}

export async function insertTransfer(tx: Tx, row: typeof cardTransfers.$inferInsert): Promise<CardTransfer> {
  return insertRow(tx, cardTransfers, row);
}

type TransferChange = Omit<Partial<typeof cardTransfers.$inferInsert>, "id" | "status">;

/** Moves a transfer on; null when it is in no state any more from which the machine's table lets it go there. */
export async function moveTransfer(
  tx: Tx,
  id: string,
  to: TransferStatus,
  change: TransferChange,
): Promise<CardTransfer | null> {
  const [row] = await tx
    .update(cardTransfers)
    .set({ ...change, status: to })
    .where(and(eq(cardTransfers.id, id), inArray(cardTransfers.status, listOrigins(transferMachine, to))))
    .returning();
  return row ?? null;
}

/** Locks a transfer that is still to be signed; null when it is not. */
export async function lockPlannedTransfer(tx: Tx, id: string): Promise<CardTransfer | null> {
  const [row] = await tx
    .select()
    .from(cardTransfers)
    .where(and(eq(cardTransfers.id, id), eq(cardTransfers.status, "PLANNED")))
    .for("update");
  return row ?? null;
}

/** A spend that is not known to have run: what it moves is still the Safe's, and spoken for. */
export type Hold = Pick<CardTransfer, "id" | "amount" | "messageHash" | "sequence">;

/** A hold as SQL answers it, its numbers as text. */
export type HoldText = Pick<Hold, "id" | "messageHash"> & { amount: string; sequence: string };

export const readHold = ({ id, amount, messageHash, sequence }: HoldText): Hold => ({
  id,
  amount: BigInt(amount),
  messageHash,
  sequence: BigInt(sequence),
});

/** Condition: a transfer is a hold of the Safe. Transfers after the sequence `after` count even if they have ended since. */
export const isHold = (safeId: string, after: bigint | null) =>
  sql`safe_id = ${safeId} and direction = 'spend'
    and (${isOpenTransfer} ${after === null ? sql.empty() : sql`or sequence > ${after.toString()}`})`;

/** The holds of a Safe, as `isHold` says. */
export async function listHolds(on: Executor, safeId: string, after: bigint | null = null): Promise<Hold[]> {
  const rows = await on.execute<HoldText & Record<string, unknown>>(sql`
    select id, amount::text, message_hash as "messageHash", sequence::text from card_transfers
    where ${isHold(safeId, after)}`);
  return rows.map(readHold);
}

/** SQL that selects when the oldest hold of any Safe began, without those that wait for another transfer of their thread. */
export const oldestHold = `select min(t.created_at) from card_transfers t
  where t.direction = 'spend' and t.status not in (${finalTransfersText}) and not exists (select from card_transfers earlier
    where earlier.payment_id = t.payment_id and earlier.ordinal < t.ordinal and earlier.status not in (${finalTransfersText}))`;

/** When the oldest hold of any Safe began, as `oldestHold` says; null without any. */
export async function findOldestHold(on: Executor): Promise<Date | null> {
  const [row] = await on.execute<{ min: string | null }>(sql.raw(oldestHold));
  return row?.min == null ? null : new Date(row.min);
}

/** Sequence of a Safe's newest transfer; 0 before the first. */
export async function findLastSequence(on: Executor, safeId: string): Promise<bigint> {
  const [row] = await on.execute<{ last: string }>(
    sql`select coalesce(max(sequence), 0)::text as last from card_transfers where safe_id = ${safeId}`,
  );
  return BigInt(row?.last ?? 0);
}

/** Books one move of a transfer; the amounts sum to zero. */
export async function insertEntries(
  tx: Tx,
  journal: { id: string; transferId: string; safeId: string; createdAt: Date },
  amounts: Partial<Record<LedgerAccount, bigint>>,
): Promise<void> {
  const { id, ...shared } = journal;
  const rows = ledgerAccounts.flatMap((account) => {
    const amount = amounts[account];
    return amount === undefined ? [] : [{ journal: id, account, amount, ...shared }];
  });
  await tx.insert(ledgerEntries).values(rows);
}

/** Transfers whose end rests on a block after one. */
export async function listTransfersAfter(tx: Tx, after: bigint): Promise<CardTransfer[]> {
  return tx
    .select()
    .from(cardTransfers)
    .where(gt(cardTransfers.endedBlock, after))
    .orderBy(asc(cardTransfers.sequence));
}

/** Moves a transfer back after a reorganisation: to SIGNED, whose transaction is sent again, or to PLANNED. */
export async function moveTransferBack(tx: Tx, id: string, now: Date): Promise<CardTransfer | null> {
  const signed = tx
    .select({ one: sql`1` })
    .from(relayTransactions)
    .where(and(eq(relayTransactions.subjectId, id), isOpenRelay));
  const rollBackTo = async (to: TransferStatus, isSigned: boolean) => {
    const [row] = await tx
      .update(cardTransfers)
      .set({ status: to, endedBlock: null, reason: null, updatedAt: now, ...(!isSigned && { hash: null }) })
      .where(
        and(
          eq(cardTransfers.id, id),
          inArray(cardTransfers.status, listUndoOrigins(transferMachine, to)),
          isSigned ? exists(signed) : undefined,
        ),
      )
      .returning();
    return row ?? null;
  };
  return (await rollBackTo("SIGNED", true)) ?? rollBackTo("PLANNED", false);
}
