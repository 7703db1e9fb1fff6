/** Transfers of card money on chain, and what is booked for them. */
import { listFinalStates, listOrigins, listUndoOrigins } from "@cardkeep/contract/core/machine";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { transferMachine, type TransferStatus } from "@cardkeep/contract/spending/spending";
import { and, asc, desc, eq, gt, inArray, ne, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { prepareRow, prepareRows, writeRow } from "../../rows.ts";
import { isNoneOf } from "../../schema/columns.ts";
import { cardTransfers, ledgerEntries, openRelays } from "../../schema/tables.ts";
import type { LedgerAccount } from "../../schema/spending/ledger.ts";
import { insertLiveTransfer, reopenLiveTransfer, setLiveStatus } from "./liveTransfers.ts";

export type CardTransfer = typeof cardTransfers.$inferSelect;

/** Whether a transfer has not ended. */
export const isOpenTransfer = isNoneOf(cardTransfers.status, listFinalStates(transferMachine));

/** The id of a transfer. It holds the payment's id, which leads to the partition of both. */
export const nameTransferRow = (paymentId: string, ordinal: number): string => `${paymentId}:${ordinal}`;

const isOrdinal = (text: string): boolean => /^[0-9]{1,9}$/.test(text);

/** Condition: a row is the transfer with this id. */
function hasId(id: string) {
  const [paymentId = "", ordinal = ""] = id.split(":");
  if (!isOrdinal(ordinal)) return sql`false`;
  return and(eq(cardTransfers.paymentId, paymentId), eq(cardTransfers.ordinal, Number(ordinal)));
}

/** What names a transfer; its user leads to its node where tables are distributed. */
export type TransferKey = Pick<CardTransfer, "id" | "userId">;

const isTransfer = ({ id, userId }: TransferKey) => and(hasId(id), eq(cardTransfers.userId, userId));

export async function findTransfer(on: Executor, id: string): Promise<CardTransfer | null> {
  const [paymentId = "", ordinal = ""] = id.split(":");
  return isOrdinal(ordinal) ? selectTransfer(on, { paymentId, ordinal: Number(ordinal) }) : null;
}

const selectTransfer = prepareRow<"paymentId" | "ordinal", typeof cardTransfers>(
  cardTransfers,
  sql`where ${cardTransfers.paymentId} = ${sql.placeholder("paymentId")}
    and ${cardTransfers.ordinal} = ${sql.placeholder("ordinal")} limit 1`,
);

/** Transfers of some payments of a user in the order of their planning. */
export async function listTransfers(
  on: Executor,
  userId: string,
  paymentIds: readonly string[],
): Promise<CardTransfer[]> {
  const [paymentId, ...others] = paymentIds;
  if (paymentId === undefined) return [];
  if (others.length === 0) return selectTransfers(on, { paymentId, userId });
  return on
    .select()
    .from(cardTransfers)
    .where(and(inArray(cardTransfers.paymentId, [...paymentIds]), eq(cardTransfers.userId, userId)))
    .orderBy(asc(cardTransfers.sequence));
}

/** Nearly always of one payment. */
const selectTransfers = prepareRows<"paymentId" | "userId", typeof cardTransfers>(
  cardTransfers,
  sql`where ${cardTransfers.paymentId} = ${sql.placeholder("paymentId")} and ${cardTransfers.userId} = ${sql.placeholder("userId")}
    order by ${cardTransfers.sequence}`,
);

/** Those of some hashes that no transfer has. */
export async function listUnknownHashes(on: Executor, hashes: readonly Hex[]): Promise<Hex[]> {
  const rows = await on.execute<{ hash: Hex }>(sql`
    select distinct hash from json_array_elements_text(${JSON.stringify(hashes)}::json) as asked(hash)
    where not exists (select from ${cardTransfers} where ${cardTransfers.hash} = asked.hash)`);
  return rows.map(({ hash }) => hash);
}

/**
 * The Safes of some spends on chain that no transfer names. A transaction may hold several spends of a Safe, of which a transfer
 * names one.
 */
export async function listSafesOfUnknown(
  on: Executor,
  spends: readonly { hash: Hex; safeId: string }[],
): Promise<string[]> {
  const rows = await on.execute<{ safeId: string }>(sql`
    select distinct "safeId" from (
      select hash, "safeId", count(*) from json_to_recordset(${JSON.stringify(spends)}::json) as spent(hash text, "safeId" text)
      group by hash, "safeId") found
    where found.count > (select count(*) from card_transfers t
      where t.hash = found.hash and t.safe_id = found."safeId" and t.direction = 'spend')`);
  return rows.map(({ safeId }) => safeId);
}

/** The newest of these are looked at: few spends of a Safe fail. */
const unpaidMax = 100;

/** A Safe's spends that have not run as far as its rows know, newest first. */
export async function listUnpaidSpends(on: Executor, safeId: string): Promise<(CardTransfer & { messageHash: Hex })[]> {
  const rows = await on
    .select()
    .from(cardTransfers)
    .where(
      and(eq(cardTransfers.safeId, safeId), eq(cardTransfers.direction, "spend"), ne(cardTransfers.status, "DONE")),
    )
    .orderBy(desc(cardTransfers.sequence))
    .limit(unpaidMax);
  return rows.flatMap((row) => (row.messageHash ? [{ ...row, messageHash: row.messageHash }] : []));
}

/** Inserts a planned transfer. */
export async function insertTransfer(tx: Tx, row: Omit<typeof cardTransfers.$inferInsert, "sequence">): Promise<void> {
  // One connection runs them in this order: the live row takes the sequence that the other one repeats.
  await Promise.all([
    insertLiveTransfer(tx, row),
    writeRow(tx, cardTransfers, { ...row, sequence: sql`currval('live_transfers_sequence_seq')` }),
  ]);
}

type TransferChange = Partial<Pick<CardTransfer, "hash" | "endedBlock" | "reason" | "updatedAt">>;

/** Moves a transfer on; null when it is in no state any more from which the machine's table lets it go there. */
export async function moveTransfer(
  tx: Tx,
  key: TransferKey,
  to: TransferStatus,
  change: TransferChange,
): Promise<CardTransfer | null> {
  const [row] = await tx
    .update(cardTransfers)
    .set({ ...change, status: to })
    .where(and(isTransfer(key), inArray(cardTransfers.status, listOrigins(transferMachine, to))))
    .returning();
  if (!row) return null;
  await setLiveStatus(tx, row);
  return row;
}

/** Locks a transfer that is still to be signed; null when it is not. */
export async function lockPlannedTransfer(tx: Tx, key: TransferKey): Promise<CardTransfer | null> {
  const [row] = await tx
    .select()
    .from(cardTransfers)
    .where(and(isTransfer(key), eq(cardTransfers.status, "PLANNED")))
    .for("update");
  return row ?? null;
}

/** Books one entry for a transfer, and what it changes at the settlement account; the amounts sum to zero. */
export async function insertEntry(
  tx: Tx,
  entry: Omit<typeof ledgerEntries.$inferInsert, LedgerAccount>,
  amounts: Partial<Record<LedgerAccount, bigint>>,
): Promise<void> {
  const { settlement } = amounts;
  await Promise.all([
    writeRow(tx, ledgerEntries, { ...entry, ...amounts }),
    settlement === undefined
      ? null
      : tx.execute(sql`
          insert into settlement_changes (token, amount)
          select token_symbol, ${settlement.toString()}::numeric from safes
          where id = ${entry.safeId} and token_symbol is not null`),
  ]);
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
export async function moveTransferBack(tx: Tx, key: TransferKey, now: Date): Promise<CardTransfer | null> {
  const [signed] = await tx
    .select({ id: openRelays.relayTransactionId })
    .from(openRelays)
    .where(eq(openRelays.subjectId, key.id))
    .limit(1);
  const rollBackTo = async (to: TransferStatus, isSigned: boolean) => {
    const [row] = await tx
      .update(cardTransfers)
      .set({ status: to, endedBlock: null, reason: null, updatedAt: now, ...(!isSigned && { hash: null }) })
      .where(and(isTransfer(key), inArray(cardTransfers.status, listUndoOrigins(transferMachine, to))))
      .returning();
    return row ?? null;
  };
  const back = (signed && (await rollBackTo("SIGNED", true))) ?? (await rollBackTo("PLANNED", false));
  if (back) await reopenLiveTransfer(tx, back);
  return back;
}
