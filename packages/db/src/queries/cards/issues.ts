/** Cards that the issuer makes, its cardholders and its callbacks. */
import { and, desc, eq, gt, gte, isNull, lt, lte, notLike, or } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isOneOf } from "../../schema/columns.ts";
import { cardholders, cardIssues } from "../../schema/tables.ts";

export type CardIssue = typeof cardIssues.$inferSelect;

/** Inserts a card to be; false when its user has one under way, or its order has one or had its card. */
export async function insertCardIssue(tx: Tx, row: typeof cardIssues.$inferInsert): Promise<boolean> {
  const inserted = await tx.insert(cardIssues).values(row).onConflictDoNothing().returning({ id: cardIssues.id });
  return inserted.length === 1;
}

export async function findCardIssue(on: Executor, id: string): Promise<CardIssue | null> {
  const [row] = await on.select().from(cardIssues).where(eq(cardIssues.id, id)).limit(1);
  return row ?? null;
}

interface RequestOfUser {
  userId: string;
  requestKey: string;
}

const isOfRequest = ({ userId, requestKey }: RequestOfUser) =>
  and(eq(cardIssues.userId, userId), eq(cardIssues.requestKey, requestKey));

/** The issue that a request began since an instant; null where it began none. */
export async function findIssueOfRequest(on: Executor, request: RequestOfUser, since: Date): Promise<string | null> {
  const [row] = await on
    .select({ id: cardIssues.id })
    .from(cardIssues)
    .where(and(isOfRequest(request), gte(cardIssues.createdAt, since)));
  return row?.id ?? null;
}

/** Lets a request begin another issue than the one that it began before an instant. */
export async function forgetRequest(tx: Tx, request: RequestOfUser, before: Date): Promise<void> {
  await tx
    .update(cardIssues)
    .set({ requestKey: null })
    .where(and(isOfRequest(request), lt(cardIssues.createdAt, before)));
}

const reissuePrefix = "reissue:";

/** The request key of the card that an operator has made in place of another one. */
export const buildReissueKey = (cardId: string): string => `${reissuePrefix}${cardId}`;

/** When a user had cards made since an instant, refused ones too, newest first; those of operators do not count. */
export async function listIssueTimes(on: Executor, userId: string, since: Date): Promise<Date[]> {
  const isOfUser = or(isNull(cardIssues.requestKey), notLike(cardIssues.requestKey, `${reissuePrefix}%`));
  const rows = await on
    .select({ createdAt: cardIssues.createdAt })
    .from(cardIssues)
    .where(and(eq(cardIssues.userId, userId), gt(cardIssues.createdAt, since), isOfUser))
    .orderBy(desc(cardIssues.createdAt));
  return rows.map(({ createdAt }) => createdAt);
}

/** The user whose cardholder at the issuer this is. */
export async function findUserByCardholder(on: Executor, issuerId: string): Promise<string | null> {
  const [row] = await on
    .select({ userId: cardholders.userId })
    .from(cardholders)
    .where(eq(cardholders.issuerId, issuerId));
  return row?.userId ?? null;
}

/** The card to be of a user; there is one at most. */
export async function findOpenCardIssue(on: Executor, userId: string): Promise<CardIssue | null> {
  const [row] = await on
    .select()
    .from(cardIssues)
    .where(and(eq(cardIssues.userId, userId), isOneOf(cardIssues.status, ["open"])))
    .limit(1);
  return row ?? null;
}

export async function lockCardIssue(tx: Tx, id: string): Promise<CardIssue | null> {
  const [row] = await tx.select().from(cardIssues).where(eq(cardIssues.id, id)).for("update");
  return row ?? null;
}

export async function updateCardIssue(
  tx: Tx,
  id: string,
  change: Partial<typeof cardIssues.$inferInsert>,
): Promise<void> {
  await tx.update(cardIssues).set(change).where(eq(cardIssues.id, id));
}

/** The issuer's id of a user; null when the issuer does not know them yet. */
export async function findCardholderId(on: Executor, userId: string): Promise<string | null> {
  const [row] = await on.select().from(cardholders).where(eq(cardholders.userId, userId)).limit(1);
  return row?.issuerId ?? null;
}

/** Keeps the issuer's id of a user; the first one stays. */
export async function insertCardholder(tx: Tx, row: typeof cardholders.$inferInsert): Promise<void> {
  await tx.insert(cardholders).values(row).onConflictDoNothing();
}

/** Keeps what the issuer reports of a person; false for a report that is older than the kept one. */
export async function reportCardholder(
  tx: Tx,
  userId: string,
  report: Pick<typeof cardholders.$inferSelect, "status" | "disabledReason" | "pastDue"> & { reportedAt: Date },
): Promise<boolean> {
  const isNewer = or(isNull(cardholders.reportedAt), lte(cardholders.reportedAt, report.reportedAt));
  const written = await tx
    .update(cardholders)
    .set(report)
    .where(and(eq(cardholders.userId, userId), isNewer))
    .returning({ userId: cardholders.userId });
  return written.length === 1;
}

/** What the issuer reported of a person last; null for a person without a cardholder. */
export async function findCardholder(on: Executor, userId: string): Promise<typeof cardholders.$inferSelect | null> {
  const [row] = await on.select().from(cardholders).where(eq(cardholders.userId, userId)).limit(1);
  return row ?? null;
}
