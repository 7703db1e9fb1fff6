/** Tokens of users. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, desc, eq, gt, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isOneOf } from "../../schema/columns.ts";
import { users, userTokens } from "../../schema/tables.ts";

/** Listed tokens of one user: those that work, and the newest of those that ended. */
const listedMax = 100;

export type UserToken = typeof userTokens.$inferSelect;

/** By the clock of the database, which all servers share. Access tokens follow the wall clock too. */
const isUnexpired = (): SQL | undefined => or(isNull(userTokens.expiresAt), gt(userTokens.expiresAt, sql`now()`));

export async function insertToken(tx: Tx, row: typeof userTokens.$inferInsert): Promise<void> {
  await tx.insert(userTokens).values(row);
}

/** How many tokens of a user work. */
export const countTokens = (tx: Tx, userId: string): Promise<number> =>
  tx.$count(userTokens, and(eq(userTokens.userId, userId), isNull(userTokens.end), isUnexpired()));

/** Whether an instant is in the future by the clock of the database. */
export async function isFuture(on: Executor, instant: Date): Promise<boolean> {
  const [row] = await on.execute<{ is: boolean }>(sql`select ${instant.toISOString()}::timestamptz > now() as is`);
  return row?.is === true;
}

export interface ListedToken {
  readonly token: UserToken;
  readonly isExpired: boolean;
}

/** A user's tokens, the newest first. Those that work are chosen before the others. */
export async function listTokens(on: Executor, userId: string): Promise<ListedToken[]> {
  const newestFirst = [desc(userTokens.createdAt), desc(userTokens.id)];
  const chosen = on
    .select({ id: userTokens.id })
    .from(userTokens)
    .where(eq(userTokens.userId, userId))
    .orderBy(desc(and(isNull(userTokens.end), isUnexpired()) ?? sql`true`), ...newestFirst)
    .limit(listedMax);
  return on
    .select({ token: userTokens, isExpired: sql<boolean>`coalesce(${userTokens.expiresAt} <= now(), false)` })
    .from(userTokens)
    .where(and(eq(userTokens.userId, userId), inArray(userTokens.id, chosen)))
    .orderBy(...newestFirst);
}

/** A token that works, by its hash: of an active user, neither revoked nor expired. */
export async function findValidToken(
  on: Executor,
  hash: string,
): Promise<Pick<UserToken, "id" | "userId" | "scopes" | "madeBy" | "usedAt"> | null> {
  const { id, userId, scopes, madeBy, usedAt, end } = userTokens;
  const [row] = await on
    .select({ id, userId, scopes, madeBy, usedAt })
    .from(userTokens)
    .innerJoin(users, eq(users.id, userId))
    .where(
      and(
        eq(userTokens.hash, hash),
        isNull(end),
        isUnexpired(),
        isOneOf(users.status, ["ACTIVE"]),
        isNull(users.erasedAt),
      ),
    )
    .limit(1);
  return row ?? null;
}

/** Records a use; one that another process recorded since `before` stands. */
export async function recordTokenUse(
  on: Executor,
  { id, now, before }: { id: string; now: Date; before: Date },
): Promise<void> {
  await on
    .update(userTokens)
    .set({ usedAt: now })
    .where(
      and(eq(userTokens.id, id), or(isNull(userTokens.usedAt), sql`${userTokens.usedAt} < ${before.toISOString()}`)),
    );
}

/** Ends a user's token; false where the user has no such token. One that has ended stays as it is. */
export async function endToken(
  tx: Tx,
  { id, userId, now }: { id: string; userId: string; now: Date },
): Promise<boolean> {
  const rows = await tx
    .update(userTokens)
    .set({
      endsAt: sql`case when ${userTokens.end} is null then ${now.toISOString()}::timestamptz else ${userTokens.endsAt} end`,
      end: sql`coalesce(${userTokens.end}, 'revoked')`,
    })
    .where(and(eq(userTokens.id, id), eq(userTokens.userId, userId)))
    .returning({ id: userTokens.id });
  return rows.length === 1;
}

/** Ends a token for its finder; null where it is unknown or has ended. */
export async function endReportedToken(
  tx: Tx,
  hash: string,
  now: Date,
): Promise<{ id: string; userId: string } | null> {
  const [row] = await tx
    .update(userTokens)
    .set({ endsAt: now, end: "reported" })
    .where(and(eq(userTokens.hash, hash), isNull(userTokens.end), isUnexpired()))
    .returning({ id: userTokens.id, userId: userTokens.userId });
  return row ?? null;
}

/** Ends the tokens that a sign-in wallet of a user made. */
export async function endTokensMadeBy(
  tx: Tx,
  { userId, madeBy, now }: { userId: string; madeBy: Address; now: Date },
): Promise<void> {
  await tx
    .update(userTokens)
    .set({ endsAt: now, end: "revoked" })
    .where(and(eq(userTokens.userId, userId), eq(userTokens.madeBy, madeBy), isNull(userTokens.end)));
}
