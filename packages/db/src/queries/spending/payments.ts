/** Payments by card, and what the issuer said of them. */
import { listOrigins } from "@cardkeep/contract/machine";
import { paymentMachine, type PaymentStatus } from "@cardkeep/contract/spending";
import { and, asc, desc, eq, getTableColumns, inArray, lt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { insertIfNew } from "../../rows.ts";
import { finalDelaysText } from "../../schema/delays.ts";
import { cardClearings, cardPayments, cards } from "../../schema/tables.ts";

export type CardPayment = typeof cardPayments.$inferSelect;
export type CardClearing = typeof cardClearings.$inferSelect;

export async function findPayment(on: Executor, id: string): Promise<CardPayment | null> {
  const [row] = await on.select().from(cardPayments).where(eq(cardPayments.id, id)).limit(1);
  return row ?? null;
}

/** The payment of a thread; null while nothing is known of it. */
export async function findPaymentByThread(on: Executor, threadId: string): Promise<CardPayment | null> {
  const [row] = await on.select().from(cardPayments).where(eq(cardPayments.threadId, threadId)).limit(1);
  return row ?? null;
}

/** Inserts a payment; null when its thread has one. */
export async function insertPayment(tx: Tx, row: typeof cardPayments.$inferInsert): Promise<CardPayment | null> {
  return insertIfNew(tx, cardPayments, row);
}

type PaymentChange = Omit<Partial<typeof cardPayments.$inferInsert>, "id" | "threadId" | "status" | "version">;

const bump = sql`${cardPayments.version} + 1`;

/** Moves a payment on; null when it is in no state any more from which the machine's table lets it go there. */
export async function movePayment(
  tx: Tx,
  id: string,
  to: PaymentStatus,
  change: PaymentChange,
): Promise<CardPayment | null> {
  const [row] = await tx
    .update(cardPayments)
    .set({ ...change, status: to, version: bump })
    .where(and(eq(cardPayments.id, id), inArray(cardPayments.status, listOrigins(paymentMachine, to))))
    .returning();
  return row ?? null;
}

/** Changes a payment that stays where it is. */
export async function updatePayment(tx: Tx, id: string, change: PaymentChange): Promise<CardPayment> {
  const [row] = await tx
    .update(cardPayments)
    .set({ ...change, version: bump })
    .where(eq(cardPayments.id, id))
    .returning();
  if (!row) throw new Error(`Payment ${id} has no row`);
  return row;
}

/** Inserts what the issuer said; null when it was known. */
export async function insertClearing(tx: Tx, row: typeof cardClearings.$inferInsert): Promise<CardClearing | null> {
  const [inserted] = await tx.insert(cardClearings).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}

/** What a thread's reversals come to; null when that is no more than before. */
export async function growReversal(tx: Tx, row: typeof cardClearings.$inferInsert): Promise<CardClearing | null> {
  const [grown] = await tx
    .insert(cardClearings)
    .values(row)
    .onConflictDoUpdate({
      target: cardClearings.id,
      set: { amountCents: row.amountCents, merchantMinor: row.merchantMinor },
      setWhere: lt(cardClearings.amountCents, row.amountCents),
    })
    .returning();
  return grown ?? null;
}

export async function findClearing(on: Executor, id: string): Promise<CardClearing | null> {
  const [row] = await on.select().from(cardClearings).where(eq(cardClearings.id, id)).limit(1);
  return row ?? null;
}

/** The issuer's transactions of a thread of one kind, oldest first. */
export async function listClearings(
  on: Executor,
  paymentId: string,
  kind: CardClearing["kind"],
): Promise<CardClearing[]> {
  return on
    .select()
    .from(cardClearings)
    .where(and(eq(cardClearings.paymentId, paymentId), eq(cardClearings.kind, kind)))
    .orderBy(asc(cardClearings.createdAt), asc(cardClearings.id));
}

/** A card with its user and Safe; no row where the issuer's card is unknown. */
export interface SpendingCard {
  cardId: string;
  cardToken: string;
  statusCode: string;
  isActivated: boolean;
  userId: string;
  isUserActive: boolean;
  isKycApproved: boolean;
  safeId: string;
  /** Whether an accepted operation of the Safe is still open. */
  isPaused: boolean;
  /** Whether a violation of the account stands. */
  isChanged: boolean;
  /** Whether any payment of the user is in debt. */
  owes: boolean;
}

const selectSpendingCard = sql`
  select c.id as "cardId", c.card_token as "cardToken", c.status_code as "statusCode",
    c.activated_at is not null as "isActivated", c.user_id as "userId", u.status = 'ACTIVE' as "isUserActive",
    u.kyc_status = 'approved' as "isKycApproved",
    c.safe_id as "safeId", exists (select from delay_transactions d
      where d.safe_id = c.safe_id and d.status not in (${sql.raw(finalDelaysText)})) as "isPaused",
    exists (select from account_violations v where v.safe_id = c.safe_id and v.status <> 'CLEARED') as "isChanged",
    exists (select from card_payments p where p.user_id = c.user_id and p.owed > 0) as "owes"
  from cards c join users u on u.id = c.user_id`;

/** The card that the issuer knows by this id, which is its token. */
export async function findSpendingCard(on: Executor, issuerCardId: string): Promise<SpendingCard | null> {
  const [row] = await on.execute<SpendingCard & Record<string, unknown>>(
    sql`${selectSpendingCard} where c.card_token = ${issuerCardId}`,
  );
  return row ?? null;
}

/** From when on the issuer may hold unknown authorizations: the newest payment's instant, else the oldest card's. */
export async function findNewestUse(on: Executor): Promise<Date | null> {
  const [payment] = await on
    .select({ at: cardPayments.createdAt })
    .from(cardPayments)
    .orderBy(desc(cardPayments.id))
    .limit(1);
  if (payment) return payment.at;
  const [card] = await on.select({ at: cards.createdAt }).from(cards).orderBy(asc(cards.id)).limit(1);
  return card?.at ?? null;
}

/** Those of these threads that have no payment here, or lack one of these clearings, once each. */
export async function listMissingThreads(
  on: Executor,
  kept: readonly { threadId: string; clearingId: string | null }[],
): Promise<string[]> {
  const rows = await on.execute<{ threadId: string }>(sql`
    select distinct kept."threadId"
    from json_to_recordset(${JSON.stringify(kept)}::json) as kept("threadId" text, "clearingId" text)
    where not exists (select from card_payments p where p.thread_id = kept."threadId")
      or (kept."clearingId" is not null and not exists (select from card_clearings c where c.id = kept."clearingId"))
    order by 1`);
  return rows.map(({ threadId }) => threadId);
}

/** Payments by id, each with its card's token. */
export async function listPayments(
  on: Executor,
  ids: readonly string[],
): Promise<(CardPayment & { cardToken: string })[]> {
  if (ids.length === 0) return [];
  return on
    .select({ ...getTableColumns(cardPayments), cardToken: cards.cardToken })
    .from(cardPayments)
    .innerJoin(cards, eq(cards.id, cardPayments.cardId))
    .where(inArray(cardPayments.id, [...ids]));
}
