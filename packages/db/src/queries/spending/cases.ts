/** Cases: what an operator has to settle by hand. */
import { type CardCaseKind, type CardCaseStatus, closedByService } from "@cardkeep/contract/spending/cardCases";
import { and, asc, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isOneOf } from "../../schema/columns.ts";
import { cardCases } from "../../schema/tables.ts";

export type CardCase = typeof cardCases.$inferSelect;

type CaseKey = Pick<CardCase, "kind" | "subjectId">;

/** There is one case at most. */
const isOf = ({ kind, subjectId }: CaseKey): SQL | undefined =>
  and(eq(cardCases.kind, kind), eq(cardCases.subjectId, subjectId));
const isOpen: SQL = sql`${cardCases.status} = 'OPEN'`;

/**
 * Inserts a case. One that is known takes a greater amount with its note, and is open again then, as is a closed one about
 * a person or a refund, one of an order or a waiting return that the program closed, and one of which something else `isChanged`; otherwise null.
 * It keeps who closed it last. Opened again, it has the new words and last instant.
 */
export async function upsertCase(tx: Tx, row: CardCase, isChanged: boolean): Promise<CardCase | null> {
  const { amountCents, currency, note, words } = row;
  const isReopened = isOneOf(cardCases.status, ["CLOSED"]);
  const [written] = await tx
    .insert(cardCases)
    .values(row)
    .onConflictDoUpdate({
      target: [cardCases.kind, cardCases.subjectId],
      set: {
        amountCents,
        currency,
        note,
        words,
        status: "OPEN",
        dueAt: sql`case when ${isReopened} then excluded.due_at else ${cardCases.dueAt} end`,
      },
      setWhere: sql`${isChanged} or ${lt(cardCases.amountCents, amountCents)}
        or (${isReopened}
          and (${cardCases.subjectId} = ${cardCases.userId} or ${isOneOf(cardCases.kind, ["refund_request"])}
            or (${isOneOf(cardCases.kind, ["order_return", "return_waiting"])} and ${eq(cardCases.closedBy, closedByService)})))`,
    })
    .returning();
  return written ?? null;
}

export async function findCase(on: Executor, id: string): Promise<CardCase | null> {
  const [row] = await on.select().from(cardCases).where(eq(cardCases.id, id)).limit(1);
  return row ?? null;
}

/** The open case of a kind and subject. */
export async function findOpenCaseOf(on: Executor, key: CaseKey): Promise<CardCase | null> {
  const [row] = await on
    .select()
    .from(cardCases)
    .where(and(isOf(key), isOpen))
    .limit(1);
  return row ?? null;
}

/** When the case of a kind and subject was closed; null where it is open, or there is none. */
export async function findClosing(on: Executor, key: CaseKey): Promise<Date | null> {
  const [row] = await on
    .select({ closedAt: cardCases.closedAt })
    .from(cardCases)
    .where(and(isOf(key), isOneOf(cardCases.status, ["CLOSED"])))
    .limit(1);
  return row?.closedAt ?? null;
}

/** Writes what happened to an open case. */
export async function setCaseNote(tx: Tx, id: string, note: string): Promise<void> {
  await tx
    .update(cardCases)
    .set({ note })
    .where(and(eq(cardCases.id, id), isOpen));
}

/** Closes the case of a kind and subject, where one is open. */
export async function closeCaseOf(
  tx: Tx,
  key: CaseKey,
  closed: { closedAt: Date; closedBy: string; closeReason: string },
): Promise<void> {
  await tx
    .update(cardCases)
    .set({ ...closed, status: "CLOSED" })
    .where(and(isOf(key), isOpen));
}

/** Closes the case of a kind and subject, where one is open, without an operator. */
export const endCaseOf = (tx: Tx, key: CaseKey, { at, why }: { at: Date; why: string }): Promise<void> =>
  closeCaseOf(tx, key, { closedAt: at, closedBy: closedByService, closeReason: why });

/** Closes an open case; null where none is open. */
export async function closeCase(
  tx: Tx,
  id: string,
  closed: { closedAt: Date; closedBy: string; closeReason: string },
): Promise<CardCase | null> {
  const [row] = await tx
    .update(cardCases)
    .set({ ...closed, status: "CLOSED" })
    .where(and(eq(cardCases.id, id), isOpen))
    .returning();
  return row ?? null;
}

/** Conditions on cases; null leaves one out. */
export interface CaseFilter {
  status: CardCaseStatus | null;
  kind: CardCaseKind | null;
  userId: string | null;
  paymentId: string | null;
  /** Id of the last case of the page before. */
  after: string | null;
}

/** Cases, newest first. */
export async function listCases(
  on: Executor,
  { status, kind, userId, paymentId, after, limit }: CaseFilter & { limit: number },
): Promise<CardCase[]> {
  return on
    .select()
    .from(cardCases)
    .where(
      and(
        status === null ? undefined : status === "OPEN" ? isOpen : isOneOf(cardCases.status, [status]),
        kind === null ? undefined : isOneOf(cardCases.kind, [kind]),
        userId === null ? undefined : eq(cardCases.userId, userId),
        paymentId === null ? undefined : eq(cardCases.paymentId, paymentId),
        after === null ? undefined : lt(cardCases.id, after),
      ),
    )
    .orderBy(desc(cardCases.id))
    .limit(limit);
}

/** The open cases of one kind. */
export interface OpenCases {
  kind: CardCaseKind;
  count: number;
  oldestAt: Date;
  /** The first last instant to settle one of them; null where none has one. */
  dueAt: Date | null;
}

/** How many cases are open, and since when the oldest is, by kind; no row for a kind without one. */
export async function countOpenCases(on: Executor): Promise<OpenCases[]> {
  const { kind, createdAt, closedAt, dueAt } = cardCases;
  // One that is open again has the instant at which it was closed.
  const [oldest, due] = [sql<string>`min(greatest(${createdAt}, ${closedAt}))`, sql<string | null>`min(${dueAt})`];
  const rows = await on
    .select({ kind, count: sql<number>`count(*)::int`, oldestAt: oldest, dueAt: due })
    .from(cardCases)
    .where(isOpen)
    .groupBy(kind)
    .orderBy(asc(kind));
  return rows.map((row) => ({
    ...row,
    oldestAt: new Date(row.oldestAt),
    dueAt: row.dueAt === null ? null : new Date(row.dueAt),
  }));
}
