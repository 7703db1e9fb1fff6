/** Debts of card payments: who owes what, and from which Safes it is collected. */
import type { Address } from "@cardkeep/contract/primitives";
import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { selectRows } from "../../rows.ts";
import { cardPayments, cardTransfers } from "../../schema/tables.ts";
import { isOpenTransfer } from "./transfers.ts";
import type { Safe } from "../safes.ts";
import type { CardPayment } from "./payments.ts";

/** Takes a payment's row lock: its debt changes behind it. A Safe's lock comes before it. */
export async function lockPayment(tx: Tx, id: string): Promise<CardPayment | null> {
  const [row] = await selectRows(tx, cardPayments, sql`where ${cardPayments.id} = ${id} for update`);
  return row ?? null;
}

/** Records what a payment owes. Its version stays: the issuer's word about it has not changed. */
export async function setOwed(tx: Tx, id: string, owed: bigint): Promise<void> {
  await tx.update(cardPayments).set({ owed }).where(eq(cardPayments.id, id));
}

/** Moves what is set off: on to the payment that was in debt, off the one that was refunded. */
export async function moveSetOff(
  tx: Tx,
  { debtId, refundedId, amount }: { debtId: string; refundedId: string; amount: bigint },
): Promise<void> {
  for (const [id, change] of [
    [debtId, amount],
    [refundedId, -amount],
  ] as const) {
    await tx
      .update(cardPayments)
      .set({ setOff: sql`${cardPayments.setOff} + ${change.toString()}::numeric` })
      .where(eq(cardPayments.id, id));
  }
}

/** A user's payments in debt in one token, oldest first. */
export async function listDebtsIn(on: Executor, userId: string, token: TokenDebt["tokenSymbol"]): Promise<string[]> {
  const rows = await on.execute<{ id: string }>(sql`
    select p.id from card_payments p join safes s on s.id = p.safe_id
    where p.user_id = ${userId} and p.owed > 0 and s.token_symbol = ${token} order by p.created_at, p.id`);
  return rows.map(({ id }) => id);
}

/** A user's payments in debt, oldest first. */
export async function listDebts(on: Executor, userId: string): Promise<CardPayment[]> {
  return on
    .select()
    .from(cardPayments)
    .where(and(eq(cardPayments.userId, userId), gt(cardPayments.owed, 0n)))
    .orderBy(asc(cardPayments.createdAt), asc(cardPayments.id));
}

/** What is owed in one token. */
export interface TokenDebt {
  tokenSymbol: NonNullable<Safe["tokenSymbol"]>;
  /** Base units. */
  owed: bigint;
  payments: number;
  users: number;
}

/** What one user owes, or everyone together, token by token. */
export async function sumDebts(on: Executor, userId: string | null): Promise<TokenDebt[]> {
  const rows = await on.execute<Omit<TokenDebt, "owed"> & { owed: string }>(sql`
    select s.token_symbol as "tokenSymbol", sum(p.owed)::text as owed, count(*)::int as payments,
      count(distinct p.user_id)::int as users
    from card_payments p join safes s on s.id = p.safe_id
    where p.owed > 0 and s.token_symbol is not null ${userId === null ? sql.empty() : sql`and p.user_id = ${userId}`}
    group by s.token_symbol order by s.token_symbol`);
  return rows.map((row) => ({ ...row, owed: BigInt(row.owed) }));
}

/** Users in debt, the newest debt first. */
export async function listNewestDebtors(on: Executor, limit: number): Promise<string[]> {
  const rows = await on.execute<{ userId: string }>(sql`
    select user_id as "userId" from card_payments where owed > 0 group by user_id order by max(created_at) desc limit ${limit}`);
  return rows.map(({ userId }) => userId);
}

/** Whether anyone is in debt. */
export async function hasDebts(on: Executor): Promise<boolean> {
  const [row] = await on.execute<{ exists: boolean }>(sql`select exists (select from card_payments where owed > 0)`);
  return row?.exists ?? false;
}

/** Users in debt who own one of these Safes. */
export async function listDebtors(on: Executor, safeAddresses: readonly Address[]): Promise<string[]> {
  if (safeAddresses.length === 0) return [];
  const rows = await on.execute<{ userId: string }>(sql`
    select distinct s.user_id as "userId" from safes s
    where s.address in (select json_array_elements_text(${JSON.stringify(safeAddresses)}::json))
      and exists (select from card_payments p where p.user_id = s.user_id and p.owed > 0)`);
  return rows.map(({ userId }) => userId);
}

/** Collections from a Safe: whether one is open, and how many failed since a spend moved money, the last of them when. */
export interface CollectionRecord {
  isUnderWay: boolean;
  failures: number;
  failedAt: Date | null;
}

export async function getCollectionRecord(on: Executor, safeId: string): Promise<CollectionRecord> {
  const [row] = await on.execute<{ isUnderWay: boolean; failures: number; failedAt: Date | string | null }>(sql`
    select exists (select from ${cardTransfers} where safe_id = ${safeId} and is_collection and ${isOpenTransfer}) as "isUnderWay",
      count(*) filter (where status = 'FAILED')::int as failures,
      max(updated_at) filter (where status = 'FAILED') as "failedAt"
    from ${cardTransfers}
    where safe_id = ${safeId} and is_collection and sequence > coalesce((select max(d.sequence) from card_transfers d
      where d.safe_id = ${safeId} and d.direction = 'spend' and d.status = 'DONE'), 0)`);
  if (!row) throw new Error("An aggregate has no row");
  return { ...row, failedAt: row.failedAt === null ? null : new Date(row.failedAt) };
}
