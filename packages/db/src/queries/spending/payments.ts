/** Payments by card, and what the issuer said of them. */
import { listOrigins } from "@cardkeep/contract/core/machine";
import { paymentMachine, type PaymentStatus } from "@cardkeep/contract/spending/spending";
import { and, asc, desc, eq, gt, getTableColumns, gte, inArray, lt, ne, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { insertIfNew, prepareRow, writeRow } from "../../rows.ts";
import { cardClearings, cardPayments, cards, cardThreads } from "../../schema/tables.ts";

export type CardPayment = typeof cardPayments.$inferSelect;
export type CardClearing = typeof cardClearings.$inferSelect;

/** What names a payment: the id leads to its partition, the user to its node where tables are distributed. */
export type PaymentKey = Pick<CardPayment, "id" | "userId">;

/** Condition: a row is this payment. */
export const isPayment = ({ id, userId }: PaymentKey): SQL =>
  sql`${cardPayments.id} = ${id} and ${cardPayments.userId} = ${userId}`;

export const findPayment = (on: Executor, { id, userId }: PaymentKey): Promise<CardPayment | null> =>
  selectPayment(on, { id, userId });

const selectPayment = prepareRow<"id" | "userId", typeof cardPayments>(
  cardPayments,
  sql`where ${cardPayments.id} = ${sql.placeholder("id")} and ${cardPayments.userId} = ${sql.placeholder("userId")}`,
);

/** The payment that a thread belongs to, whether or not its row was archived; null while nothing is known of the thread. */
export async function findThreadPayment(on: Executor, threadId: string): Promise<PaymentKey | null> {
  const row = await selectThread(on, { threadId });
  return row && { id: row.paymentId, userId: row.userId };
}

const selectThread = prepareRow<"threadId", typeof cardThreads>(
  cardThreads,
  sql`where ${cardThreads.threadId} = ${sql.placeholder("threadId")}`,
);

/** The payment of a thread; null while nothing is known of it, and after it was archived. */
export async function findPaymentByThread(on: Executor, threadId: string): Promise<CardPayment | null> {
  const key = await findThreadPayment(on, threadId);
  return key && findPayment(on, key);
}

/** Inserts the thread of a payment; false when the thread has one. */
export async function insertThread(
  tx: Tx,
  { threadId, id, userId }: PaymentKey & { threadId: string },
): Promise<boolean> {
  const inserted = await insertIfNew(tx, cardThreads, { threadId, paymentId: id, userId });
  return inserted !== null;
}

/** Inserts a payment whose thread this commit has inserted. */
export const insertPayment = (tx: Tx, row: CardPayment): Promise<void> => writeRow(tx, cardPayments, row);

type PaymentChange = Omit<
  Partial<typeof cardPayments.$inferInsert>,
  "id" | "threadId" | "userId" | "status" | "version" | "owed"
>;

const bump = sql`${cardPayments.version} + 1`;

/** Moves a payment on; null when it is in no state any more from which the machine's table lets it go there. */
export async function movePayment(
  tx: Tx,
  key: PaymentKey,
  to: PaymentStatus,
  change: PaymentChange,
): Promise<CardPayment | null> {
  const [row] = await tx
    .update(cardPayments)
    .set({ ...change, status: to, version: bump })
    .where(and(isPayment(key), inArray(cardPayments.status, listOrigins(paymentMachine, to))))
    .returning();
  return row ?? null;
}

/** Changes a payment that stays where it is. */
export async function updatePayment(tx: Tx, key: PaymentKey, change: PaymentChange): Promise<CardPayment> {
  const [row] = await tx
    .update(cardPayments)
    .set({ ...change, version: bump })
    .where(isPayment(key))
    .returning();
  if (!row) throw new Error(`Payment ${key.id} has no row`);
  return row;
}

/** Inserts what the issuer said; null when it was known. */
export async function insertClearing(tx: Tx, row: typeof cardClearings.$inferInsert): Promise<CardClearing | null> {
  const [inserted] = await tx.insert(cardClearings).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}

/** Lowers what a thread's reversals come to, after a late capture of what had expired. Its line stays, with what is left of it. */
export async function shrinkReversal(
  tx: Tx,
  {
    id,
    paymentId,
    userId,
    ...amounts
  }: Pick<CardClearing, "id" | "paymentId" | "userId" | "amountCents" | "merchantMinor">,
): Promise<void> {
  const isRow = and(eq(cardClearings.paymentId, paymentId), eq(cardClearings.id, id), eq(cardClearings.userId, userId));
  await tx
    .update(cardClearings)
    .set(amounts)
    .where(and(isRow, gt(cardClearings.amountCents, amounts.amountCents)));
}

/** What a thread's reversals come to; null when that is no more than before. */
export async function growReversal(tx: Tx, row: typeof cardClearings.$inferInsert): Promise<CardClearing | null> {
  const [grown] = await tx
    .insert(cardClearings)
    .values(row)
    .onConflictDoUpdate({
      target: [cardClearings.paymentId, cardClearings.id, cardClearings.userId],
      set: { amountCents: row.amountCents, merchantMinor: row.merchantMinor },
      setWhere: lt(cardClearings.amountCents, row.amountCents),
    })
    .returning();
  return grown ?? null;
}

export async function findClearing(
  on: Executor,
  { id, paymentId, userId }: Pick<CardClearing, "id" | "paymentId" | "userId">,
): Promise<CardClearing | null> {
  const [row] = await on
    .select()
    .from(cardClearings)
    .where(and(eq(cardClearings.paymentId, paymentId), eq(cardClearings.id, id), eq(cardClearings.userId, userId)))
    .limit(1);
  return row ?? null;
}

/** The issuer's transactions of a thread of one kind, oldest first. */
export async function listClearings(
  on: Executor,
  { id: paymentId, userId }: PaymentKey,
  kind: CardClearing["kind"],
): Promise<CardClearing[]> {
  return on
    .select()
    .from(cardClearings)
    .where(and(eq(cardClearings.paymentId, paymentId), eq(cardClearings.userId, userId), eq(cardClearings.kind, kind)))
    .orderBy(asc(cardClearings.createdAt), asc(cardClearings.id));
}

/** Whether another payment of a card has a capture of this amount and reference of the network, posted since an instant. */
export async function hasCapture(
  on: Executor,
  wanted: { cardId: string; amountCents: bigint; networkReference: string; since: Date; otherThan: string | null },
): Promise<boolean> {
  const { cardId, amountCents, networkReference, since, otherThan } = wanted;
  const rows = await on
    .select({ id: cardClearings.id })
    .from(cardClearings)
    .innerJoin(
      cardPayments,
      and(eq(cardPayments.id, cardClearings.paymentId), eq(cardPayments.userId, cardClearings.userId)),
    )
    .where(
      and(
        eq(cardClearings.networkReference, networkReference),
        eq(cardClearings.kind, "capture"),
        eq(cardClearings.amountCents, amountCents),
        gte(cardClearings.postedAt, since),
        eq(cardPayments.cardId, cardId),
        otherThan === null ? undefined : ne(cardPayments.id, otherThan),
      ),
    )
    .limit(1);
  return rows.length > 0;
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

/** Payments of a user that are looked at for a lost transfer. */
const threadsMax = 1_000;

/** The threads of a user's newest payments. */
export async function listNewestThreads(on: Executor, userId: string): Promise<string[]> {
  const rows = await on
    .select({ threadId: cardPayments.threadId })
    .from(cardPayments)
    .where(eq(cardPayments.userId, userId))
    .orderBy(desc(cardPayments.createdAt))
    .limit(threadsMax);
  return rows.map(({ threadId }) => threadId);
}

/** Payments of a user by id, each with its card's token. */
export async function listPayments(
  on: Executor,
  userId: string,
  ids: readonly string[],
): Promise<(CardPayment & { cardToken: string })[]> {
  if (ids.length === 0) return [];
  return on
    .select({ ...getTableColumns(cardPayments), cardToken: cards.cardToken })
    .from(cardPayments)
    .innerJoin(cards, eq(cards.id, cardPayments.cardId))
    .where(and(inArray(cardPayments.id, [...ids]), eq(cardPayments.userId, userId)));
}
