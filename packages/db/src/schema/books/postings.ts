/**
 * Books of the firm: double entry of everything that moves the programme's money, and their daily close.
 *
 * - book account: one kind of money in one currency, such as the tokens at the settlement account. - posting: what one event
 *   books, once. - line: what a posting books on one account. - period: the day of the books that a posting is in. - witness
 *   entry: what chain, issuer or institution has recorded of one of these accounts. - item: a difference between books and a
 *   witness. - close: a day that is over, for good.
 *
 * Triggers refuse a posting that does not sum to zero, every change of what was booked, and everything new in a sealed day.
 */
import { type SQL, sql, type SQLWrapper } from "drizzle-orm";
import {
  type AnyPgColumn,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
} from "drizzle-orm/pg-core";
import { amount, counter, instant, requestId, spell } from "../columns.ts";

/** Kinds of accounts on which something stays open for one payment, dispute or order. */
const openKinds = ["customer-debts", "provisional-credits", "payable"] as const;

/** Whether an account is of these kinds, for the index of their lines and for what reads it. */
export const isOpenKind = (account: SQLWrapper): SQL =>
  sql`split_part(${account}, ':', 1) in (${sql.raw(spell(openKinds))})`;

/** A calendar day in the operator's time zone. */
const day = () => date({ mode: "string" });

/** Rows and no types: a new kind of account needs no migration. */
export const bookAccounts = pgTable("book_accounts", {
  /** Kind and currency: `settlement:EUR`. */
  id: text().primaryKey(),
  kind: text().notNull(),
  currency: text().notNull(),
  /** Whose money it is: `customers`, `operator`. */
  owner: text().notNull(),
  createdAt: instant().notNull(),
});

export const bookPostings = pgTable(
  "book_postings",
  {
    /** Order of booking, with gaps. */
    id: counter().primaryKey().generatedAlwaysAsIdentity(),
    type: text().notNull(),
    /** Id of the event's object. With the type it is unique, so that nothing is booked twice. */
    externalId: text().notNull(),
    /** The payment, order or dispute that it belongs to. */
    cause: text().notNull(),
    /** By the date of chain, issuer or institution. */
    effectiveOn: day().notNull(),
    /** The same day, or the first open one where that was sealed. */
    period: day().notNull(),
    bookedAt: instant().notNull(),
    /** The posting that it takes back. */
    reverses: counter().references((): AnyPgColumn => bookPostings.id),
  },
  (table) => [
    unique("book_postings_external").on(table.type, table.externalId),
    index("book_postings_period").on(table.period, table.id),
    index("book_postings_cause").on(table.cause),
    check("book_postings_late", sql`${table.period} >= ${table.effectiveOn}`),
  ],
);

export const bookLines = pgTable(
  "book_lines",
  {
    postingId: counter()
      .notNull()
      .references(() => bookPostings.id),
    /** 0, 1, 2 and so on. */
    ordinal: integer().notNull(),
    account: text()
      .notNull()
      .references(() => bookAccounts.id),
    currency: text().notNull(),
    /** Base units of the currency's token; above zero is debit. */
    amount: amount().notNull(),
    /** Under which the account's witness knows it: a transaction, an id of issuer or institution. */
    reference: text(),
    /** The posting's. */
    period: day().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.postingId, table.ordinal] }),
    index("book_lines_period").on(table.period, table.account),
    // What a witness has is looked for among the lines.
    index("book_lines_reference")
      .on(table.reference)
      .where(sql`${table.reference} is not null`),
    // Debts, credits and what is payable are few among all lines.
    index("book_lines_open").on(table.account, table.postingId).where(isOpenKind(table.account)),
    check("book_lines_amount", sql`${table.amount} <> 0`),
  ],
);

/** What a witness has recorded of an account. Rows stay as they are, like postings. */
export const bookWitnessEntries = pgTable(
  "book_witness_entries",
  {
    /** `chain`, `issuer`, `institution`. */
    witness: text().notNull(),
    /** The witness's id of it. */
    reference: text().notNull(),
    /** Place within the reference, such as that of a log in its transaction. */
    ordinal: integer().notNull(),
    account: text()
      .notNull()
      .references(() => bookAccounts.id),
    currency: text().notNull(),
    amount: amount().notNull(),
    /** In the witness's own word: `transfer`, `topup`, `stripe_fee`. */
    kind: text().notNull(),
    /** The other side, where the witness names one. */
    party: text(),
    effectiveOn: day().notNull(),
    period: day().notNull(),
    at: instant().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.witness, table.reference, table.ordinal] }),
    index("book_witness_entries_period").on(table.period, table.witness),
    index("book_witness_entries_created").on(table.createdAt),
    check("book_witness_entries_late", sql`${table.period} >= ${table.effectiveOn}`),
  ],
);

/** Differences between books and a witness, while they last and as they ended. */
export const bookItems = pgTable(
  "book_items",
  {
    /** Witness, account and reference. */
    id: text().primaryKey(),
    witness: text().notNull(),
    account: text()
      .notNull()
      .references(() => bookAccounts.id),
    currency: text().notNull(),
    reference: text().notNull(),
    /** Base units that the witness has beyond the books; zero once it is resolved. */
    amount: amount().notNull(),
    /** What it may be, as a sentence for operators. */
    cause: text().notNull(),
    /** Whose task it is. */
    owner: text().notNull(),
    /** The first close that had it. */
    firstDay: day().notNull(),
    /** The close that had it no more; null while it is open. */
    resolvedDay: day(),
  },
  (table) => [
    index("book_items_open")
      .on(table.id)
      .where(sql`${table.resolvedDay} is null`),
    index("book_items_days").on(table.firstDay),
    check("book_items_resolved", sql`(${table.resolvedDay} is null) = (${table.amount} <> 0)`),
  ],
);

/** Sealed days. Nothing enters one from the commit of its row on; a worker that was killed goes on where the row says. */
export const bookDays = pgTable("book_days", {
  day: day().primaryKey(),
  sealedAt: instant().notNull(),
  /** The last posting that was hashed. */
  after: counter()
    .notNull()
    .default(sql`0`),
  /** Postings and lines that were hashed so far. */
  postings: counter()
    .notNull()
    .default(sql`0`),
  lines: counter()
    .notNull()
    .default(sql`0`),
  /** Roots of the complete subtrees of these postings, largest first, in hex. */
  roots: jsonb()
    .$type<string[]>()
    .notNull()
    .default(sql`'[]'::jsonb`),
  requestId: requestId(),
  closedAt: instant(),
});

export const bookCloses = pgTable("book_closes", {
  day: day()
    .primaryKey()
    .references(() => bookDays.day),
  /** Merkle root of the day's postings. */
  root: text().notNull(),
  /** SHA-256 of the document, which names the digest of the close before. */
  digest: text().notNull(),
  /** JSON as it was made. */
  document: text().notNull(),
  closedAt: instant().notNull(),
});

/** How far each source of postings has been read. */
export const bookCursors = pgTable("book_cursors", {
  source: text().primaryKey(),
  /** Everything before this instant, or this block, was read. */
  reachedAt: instant(),
  block: counter(),
  /** Of a source that lists pages: the last object of the page before. */
  after: text(),
  updatedAt: instant().notNull(),
});
