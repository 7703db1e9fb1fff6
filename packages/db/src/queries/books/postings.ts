/** Postings of the firm's books: written once each, and read by the day. */
import { asc, eq, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isAmong, inParts } from "../../many.ts";
import { bookAccounts, bookCursors, bookLines, bookPostings } from "../../schema/tables.ts";

export type BookAccount = typeof bookAccounts.$inferSelect;
export type BookCursor = typeof bookCursors.$inferSelect;
type BookPosting = typeof bookPostings.$inferSelect;

export interface NewLine {
  readonly account: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly reference: string | null;
}

export interface NewPosting {
  readonly type: string;
  readonly externalId: string;
  readonly cause: string;
  /** `2026-11-30`. */
  readonly effectiveOn: string;
  /** The posting that it takes back. */
  readonly reverses?: string;
  readonly lines: readonly NewLine[];
}

/** The lock of `book_period_open`: no day is sealed while a commit holds it. */
const holdDaysOpen = sql`select pg_advisory_xact_lock_shared(hashtextextended('cardkeep:books', 0))`;

/** The first day that is not sealed, in SQL; before all days where none is. */
const firstOpenDay = sql`coalesce((select max(day) + 1 from book_days), '0001-01-01'::date)`;

/** Makes the accounts that are missing. */
export async function insertBookAccounts(tx: Tx, rows: readonly BookAccount[]): Promise<void> {
  for (const part of inParts(rows)) await tx.insert(bookAccounts).values(part).onConflictDoNothing();
}

/**
 * Books postings, each in its own day, or in the first open one where that is sealed. One whose event is booked already is left
 * out. Answers how many were new.
 */
export async function insertPostings(tx: Tx, postings: readonly NewPosting[], now: Date): Promise<number> {
  if (postings.length === 0) return 0;
  await tx.execute(holdDaysOpen);
  const given = postings.map(({ lines, ...posting }) => ({
    ...posting,
    lines: lines.map((line, ordinal) => ({ ...line, amount: String(line.amount), ordinal })),
  }));
  const [row] = await tx.execute<{ count: number }>(sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(given)}::json)
        as g(type text, "externalId" text, cause text, "effectiveOn" date, reverses bigint, lines json)),
    posted as (
      insert into book_postings (type, external_id, cause, effective_on, period, booked_at, reverses)
      select type, "externalId", cause, "effectiveOn", greatest("effectiveOn", ${firstOpenDay}),
        ${now.toISOString()}::timestamptz, reverses
      from given on conflict (type, external_id) do nothing returning id, type, external_id, period),
    booked as (
      insert into book_lines (posting_id, ordinal, account, currency, amount, reference, period)
      select p.id, l.ordinal, l.account, l.currency, l.amount, l.reference, p.period
      from posted p join given g on g.type = p.type and g."externalId" = p.external_id,
        json_to_recordset(g.lines) as l(ordinal int, account text, currency text, amount numeric, reference text))
    select count(*)::int as count from posted`);
  return row?.count ?? 0;
}

/** A posting with its lines in their order. */
export type PostingWithLines = BookPosting & { readonly lines: readonly NewLine[] };

/** Postings of a day behind one, in the order of their ids. */
export async function listPostings(
  on: Executor,
  { day, after, limit }: { day: string; after: bigint; limit: number },
): Promise<PostingWithLines[]> {
  const postings = await on
    .select()
    .from(bookPostings)
    .where(sql`${bookPostings.period} = ${day} and ${bookPostings.id} > ${after}`)
    .orderBy(asc(bookPostings.id))
    .limit(limit);
  return withLines(on, postings);
}

/** Postings of some causes, in the order of their ids. */
export const listPostingsOf = async (on: Executor, causes: readonly string[]): Promise<PostingWithLines[]> =>
  causes.length === 0
    ? []
    : withLines(
        on,
        await on.select().from(bookPostings).where(isAmong(bookPostings.cause, causes)).orderBy(asc(bookPostings.id)),
      );

/**
 * Payments and orders of the institution of a user that some transactions or clearings belong to, and the payments of some threads:
 * once a month was archived, its threads alone say which payments it had.
 */
export async function listCausesOf(
  on: Executor,
  {
    userId,
    hashes,
    clearingIds,
    threadIds,
  }: { userId: string } & Readonly<Record<"hashes" | "clearingIds" | "threadIds", readonly string[]>>,
): Promise<string[]> {
  const among = (words: readonly string[]) => sql`(select json_array_elements_text(${JSON.stringify(words)}::json))`;
  const rows = await on.execute<{ id: string }>(sql`
    select payment_id as id from card_transfers where user_id = ${userId} and hash in ${among(hashes)}
    union select payment_id from card_clearings where user_id = ${userId} and id in ${among(clearingIds)}
    union select payment_id from card_threads where user_id = ${userId} and thread_id in ${among(threadIds)}
    union select id from iban_orders where user_id = ${userId} and mint_hash in ${among(hashes)}`);
  return rows.map(({ id }) => id);
}

async function withLines(on: Executor, postings: readonly BookPosting[]): Promise<PostingWithLines[]> {
  if (postings.length === 0) return [];
  const ids = JSON.stringify(postings.map(({ id }) => String(id)));
  const lines = await on
    .select()
    .from(bookLines)
    .where(sql`${bookLines.postingId} in (select json_array_elements_text(${ids}::json)::bigint)`)
    .orderBy(asc(bookLines.postingId), asc(bookLines.ordinal));
  const byPosting = Map.groupBy(lines, ({ postingId }) => postingId);
  return postings.map((posting) => ({
    ...posting,
    lines: (byPosting.get(posting.id) ?? []).map(({ account, currency, amount, reference }) => ({
      account,
      currency,
      amount,
      reference,
    })),
  }));
}

/** How far a source was read; null before its first reading. */
export async function findBookCursor(on: Executor, source: string): Promise<BookCursor | null> {
  const [row] = await on.select().from(bookCursors).where(eq(bookCursors.source, source));
  return row ?? null;
}

/** How far a source was read, with its row locked: it gets no further, and no day is sealed, until the commit. */
export async function lockBookCursor(tx: Tx, source: string): Promise<BookCursor | null> {
  // In this order as where entries are inserted.
  await tx.execute(holdDaysOpen);
  const [row] = await tx.select().from(bookCursors).where(eq(bookCursors.source, source)).for("update");
  return row ?? null;
}

/** Records that a source was read, which is read once. Answers whether this reading is the first. */
export async function beginBookCursor(tx: Tx, row: Omit<BookCursor, "after">): Promise<boolean> {
  const begun = await tx.insert(bookCursors).values(row).onConflictDoNothing().returning();
  return begun.length > 0;
}

/** Records how far a source was read. Of two readings at once the one that got further counts. */
export async function setBookCursor(tx: Tx, row: Omit<BookCursor, "after">): Promise<void> {
  await tx
    .insert(bookCursors)
    .values(row)
    .onConflictDoUpdate({
      target: bookCursors.source,
      set: {
        reachedAt: sql`greatest(${bookCursors.reachedAt}, excluded.reached_at)`,
        block: sql`greatest(${bookCursors.block}, excluded.block)`,
        updatedAt: sql`excluded.updated_at`,
      },
    });
}

/** Records where the turn of a source is; null: at its beginning. */
export async function setBookPlace(tx: Tx, row: Pick<BookCursor, "source" | "after" | "updatedAt">): Promise<void> {
  const { after, updatedAt } = row;
  await tx
    .insert(bookCursors)
    .values(row)
    .onConflictDoUpdate({ target: bookCursors.source, set: { after, updatedAt } });
}

export interface NewWitnessEntry {
  readonly witness: string;
  readonly reference: string;
  readonly ordinal: number;
  readonly account: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly kind: string;
  readonly party: string | null;
  readonly effectiveOn: string;
  readonly at: Date;
}

/** Records what a witness has, each once; in its own day, or in the first open one. */
export async function insertWitnessEntries(tx: Tx, rows: readonly NewWitnessEntry[], now: Date): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(holdDaysOpen);
  const given = rows.map((row) => ({ ...row, amount: String(row.amount) }));
  await tx.execute(sql`
    insert into book_witness_entries
      (witness, reference, ordinal, account, currency, amount, kind, party, effective_on, period, at, created_at)
    select witness, reference, ordinal, account, currency, amount, kind, party, "effectiveOn",
      greatest("effectiveOn", ${firstOpenDay}), at, ${now.toISOString()}::timestamptz
    from json_to_recordset(${JSON.stringify(given)}::json)
      as g(witness text, reference text, ordinal int, account text, currency text, amount numeric, kind text, party text,
        "effectiveOn" date, at timestamptz)
    on conflict do nothing`);
}
