/** Debts of card payments: who owes what, and from which Safes it is collected. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { selectRows } from "../../rows.ts";
import { cardDebts, cardPayments, cardTransfers, ledgerEntries } from "../../schema/tables.ts";
import { isOpenTransfer } from "./transfers.ts";
import type { Safe } from "../accounts/safes.ts";
import { type CardPayment, isPayment, type PaymentKey } from "./payments.ts";

/** Takes a payment's row lock: its debt changes behind it. A Safe's lock comes before it. */
export async function lockPayment(tx: Tx, key: PaymentKey): Promise<CardPayment | null> {
  const [row] = await selectRows(tx, cardPayments, sql`where ${isPayment(key)} for update`);
  return row ?? null;
}

/** Records what a payment owes. Its version stays: the issuer's word about it has not changed. */
export async function setOwed(tx: Tx, payment: CardPayment, owed: bigint): Promise<void> {
  const { id: paymentId, userId, safeId, requestId, createdAt } = payment;
  const debt = { paymentId, userId, safeId, owed, requestId, createdAt };
  await Promise.all([
    tx.update(cardPayments).set({ owed }).where(isPayment(payment)),
    owed > 0n
      ? tx.insert(cardDebts).values(debt).onConflictDoUpdate({ target: cardDebts.paymentId, set: { owed } })
      : tx.delete(cardDebts).where(eq(cardDebts.paymentId, paymentId)),
  ]);
}

/** Gives up a part of what a payment owes. */
export async function addWrittenOff(tx: Tx, payment: PaymentKey, amount: bigint): Promise<void> {
  await tx
    .update(cardPayments)
    .set({ writtenOff: sql`${cardPayments.writtenOff} + ${amount.toString()}::numeric` })
    .where(isPayment(payment));
}

/** What the ledger has as written off of a payment. */
export async function sumWrittenOff(tx: Tx, { id, userId }: PaymentKey): Promise<bigint> {
  const [row] = await tx
    .select({ sum: sql<string>`coalesce(sum(${ledgerEntries.writtenOff}), 0)::text` })
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.paymentId, id), eq(ledgerEntries.userId, userId)));
  return BigInt(row?.sum ?? 0);
}

/** Moves what is set off: on to the payment that was in debt, off the one that was refunded. */
export async function moveSetOff(
  tx: Tx,
  { debt, refunded, amount }: { debt: PaymentKey; refunded: PaymentKey; amount: bigint },
): Promise<void> {
  for (const [key, change] of [
    [debt, amount],
    [refunded, -amount],
  ] as const) {
    await tx
      .update(cardPayments)
      .set({ setOff: sql`${cardPayments.setOff} + ${change.toString()}::numeric` })
      .where(isPayment(key));
  }
}

/** A user's payments in debt in one token, oldest first. */
export async function listDebtsIn(on: Executor, userId: string, token: TokenDebt["tokenSymbol"]): Promise<string[]> {
  const rows = await on.execute<{ id: string }>(sql`
    select d.payment_id as id from card_debts d join safes s on s.id = d.safe_id
    where d.user_id = ${userId} and s.token_symbol = ${token} order by d.created_at, d.payment_id`);
  return rows.map(({ id }) => id);
}

/** A user's payments in debt, oldest first. */
export async function listDebts(on: Executor, userId: string): Promise<CardPayment[]> {
  const debts = await on
    .select({ id: cardDebts.paymentId })
    .from(cardDebts)
    .where(eq(cardDebts.userId, userId))
    .orderBy(asc(cardDebts.createdAt), asc(cardDebts.paymentId));
  if (debts.length === 0) return [];
  const ids = debts.map(({ id }) => id);
  const rows = await on
    .select()
    .from(cardPayments)
    .where(and(inArray(cardPayments.id, ids), eq(cardPayments.userId, userId)));
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
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
    from card_debts p join safes s on s.id = p.safe_id
    where s.token_symbol is not null ${userId === null ? sql.empty() : sql`and p.user_id = ${userId}`}
    group by s.token_symbol order by s.token_symbol`);
  return rows.map((row) => ({ ...row, owed: BigInt(row.owed) }));
}

/** Users who owe so many base units of a token or more, the greatest debt first. */
export async function listDebtorsFrom(
  on: Executor,
  symbol: TokenDebt["tokenSymbol"],
  least: bigint,
  limit: number,
): Promise<string[]> {
  const rows = await on.execute<{ userId: string }>(sql`
    select p.user_id as "userId" from card_debts p join safes s on s.id = p.safe_id
    where s.token_symbol = ${symbol}
    group by p.user_id having sum(p.owed) >= ${String(least)}::numeric order by sum(p.owed) desc limit ${limit}`);
  return rows.map(({ userId }) => userId);
}

/** Users in debt, the newest debt first. */
export async function listNewestDebtors(on: Executor, limit: number): Promise<string[]> {
  const rows = await on.execute<{ userId: string }>(sql`
    select user_id as "userId" from card_debts group by user_id order by max(created_at) desc limit ${limit}`);
  return rows.map(({ userId }) => userId);
}

/** Users in debt who own one of these Safes. */
export async function listDebtors(on: Executor, safeAddresses: readonly Address[]): Promise<string[]> {
  if (safeAddresses.length === 0) return [];
  const rows = await on.execute<{ userId: string }>(sql`
    select distinct s.user_id as "userId" from safes s
    where s.address in (select json_array_elements_text(${JSON.stringify(safeAddresses)}::json))
      and exists (select from card_debts d where d.user_id = s.user_id)`);
  return rows.map(({ userId }) => userId);
}

/** Collections from a Safe: whether one is open, and how many failed since a spend moved money, the last of them when. */
export interface CollectionRecord {
  isUnderWay: boolean;
  failures: number;
  failedAt: Date | null;
}

export async function getCollectionRecord(
  on: Executor,
  { safeId, userId }: { safeId: string; userId: string },
): Promise<CollectionRecord> {
  const [row] = await on.execute<{ isUnderWay: boolean; failures: number; failedAt: Date | string | null }>(sql`
    select exists (select from ${cardTransfers} where user_id = ${userId} and safe_id = ${safeId}
        and is_collection and ${isOpenTransfer}) as "isUnderWay",
      count(*) filter (where status = 'FAILED')::int as failures,
      max(updated_at) filter (where status = 'FAILED') as "failedAt"
    from ${cardTransfers}
    where user_id = ${userId} and safe_id = ${safeId} and is_collection and sequence > coalesce((select max(d.sequence) from card_transfers d
      where d.user_id = ${userId} and d.safe_id = ${safeId} and d.direction = 'spend' and d.status = 'DONE'), 0)`);
  if (!row) throw new Error("An aggregate has no row");
  return { ...row, failedAt: row.failedAt === null ? null : new Date(row.failedAt) };
}
