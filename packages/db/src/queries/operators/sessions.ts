/** Sessions of operators, and sign-ins under way. */
import { and, desc, eq, gt, isNull, lt, lte, or, type SQL } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { operatorSessions, operatorSignIns, type sessionEndings } from "../../schema/operators/operatorSessions.ts";

export type OperatorSession = typeof operatorSessions.$inferSelect;
export type SessionEnding = (typeof sessionEndings)[number];
export type OperatorSignIn = typeof operatorSignIns.$inferSelect;

export async function insertSession(tx: Tx, row: typeof operatorSessions.$inferInsert): Promise<void> {
  await tx.insert(operatorSessions).values(row);
}

const isOpen = (now: Date): SQL | undefined => and(isNull(operatorSessions.endedAt), gt(operatorSessions.endsAt, now));

/** The session of a secret; null if it is unknown or has ended. */
export async function findOpenSession(on: Executor, secretHash: string, now: Date): Promise<OperatorSession | null> {
  const [row] = await on
    .select()
    .from(operatorSessions)
    .where(and(eq(operatorSessions.secretHash, secretHash), isOpen(now)))
    .limit(1);
  return row ?? null;
}

/** The id of the session of a secret, also of one that has ended; null if there is none. */
export async function findSessionId(on: Executor, secretHash: string): Promise<string | null> {
  const [row] = await on
    .select({ id: operatorSessions.id })
    .from(operatorSessions)
    .where(eq(operatorSessions.secretHash, secretHash))
    .limit(1);
  return row?.id ?? null;
}

/** Sessions that have not ended, newest first. */
export async function listOpenSessions(on: Executor, now: Date, limit: number): Promise<OperatorSession[]> {
  return on
    .select()
    .from(operatorSessions)
    .where(isOpen(now))
    .orderBy(desc(operatorSessions.startedAt), desc(operatorSessions.id))
    .limit(limit);
}

/** The open sessions of a person, newest first. */
export async function listOpenSessionsOf(
  on: Executor,
  { issuer, subject }: { issuer: string; subject: string },
  now: Date,
): Promise<OperatorSession[]> {
  return on
    .select()
    .from(operatorSessions)
    .where(and(eq(operatorSessions.issuer, issuer), eq(operatorSessions.subject, subject), isOpen(now)))
    .orderBy(desc(operatorSessions.startedAt), desc(operatorSessions.id));
}

/** Records that a session was used, unless another request did so since `before`. */
export async function touchSession(
  on: Executor,
  { id, now, before }: { id: string; now: Date; before: Date },
): Promise<void> {
  await on
    .update(operatorSessions)
    .set({ seenAt: now })
    .where(and(eq(operatorSessions.id, id), lt(operatorSessions.seenAt, before)));
}

/** Takes a refresh that is due, for one caller of many: the next one is due at `next`. False where another caller has it. */
export async function takeRefresh(
  on: Executor,
  { id, now, next }: { id: string; now: Date; next: Date },
): Promise<boolean> {
  const taken = await on
    .update(operatorSessions)
    .set({ refreshAt: next })
    .where(and(eq(operatorSessions.id, id), lte(operatorSessions.refreshAt, now), isOpen(now)))
    .returning({ id: operatorSessions.id });
  return taken.length === 1;
}

/** Makes the refresh of a person's open sessions due now, but for those that the provider gave no way to refresh. */
export async function makeRefreshesDue(
  on: Executor,
  { issuer, subject, now }: { issuer: string; subject: string; now: Date },
): Promise<void> {
  const isLater = gt(operatorSessions.refreshAt, now);
  await on
    .update(operatorSessions)
    .set({ refreshAt: now })
    .where(and(isChosen({ issuer, subject }), isLater, isOpen(now)));
}

type Renewal = Pick<OperatorSession, "name" | "mail" | "groups" | "sealedRefreshToken" | "refreshAt">;

/** Writes what the provider said last of a session's person; null if the session has ended. */
export async function renewSession(on: Executor, id: string, renewal: Renewal): Promise<OperatorSession | null> {
  const [row] = await on
    .update(operatorSessions)
    .set(renewal)
    .where(and(eq(operatorSessions.id, id), isNull(operatorSessions.endedAt)))
    .returning();
  return row ?? null;
}

/**
 * Which sessions end: one, those of a person, or those of a session at the provider, with those of the person `unnamedOf` that
 * name no session at the provider.
 */
export type SessionChoice =
  | { readonly id: string }
  | { readonly secretHash: string }
  | { readonly issuer: string; readonly subject: string }
  | { readonly issuer: string; readonly providerSession: string; readonly unnamedOf: string | null };

function isChosen(choice: SessionChoice): SQL | undefined {
  if ("id" in choice) return eq(operatorSessions.id, choice.id);
  if ("secretHash" in choice) return eq(operatorSessions.secretHash, choice.secretHash);
  const isOfIssuer = eq(operatorSessions.issuer, choice.issuer);
  if ("subject" in choice) return and(isOfIssuer, eq(operatorSessions.subject, choice.subject));
  const { providerSession, unnamedOf } = choice;
  const isNamed = eq(operatorSessions.providerSession, providerSession);
  if (unnamedOf === null) return and(isOfIssuer, isNamed);
  const isUnnamed = and(eq(operatorSessions.subject, unnamedOf), isNull(operatorSessions.providerSession));
  return and(isOfIssuer, or(isNamed, isUnnamed));
}

/** Ends open sessions and forgets their tokens; answers those that ended now. */
export async function endOpenSessions(
  on: Executor,
  { choice, ending, now }: { choice: SessionChoice; ending: SessionEnding; now: Date },
): Promise<OperatorSession[]> {
  return on
    .update(operatorSessions)
    .set({ endedAt: now, ending, sealedRefreshToken: null, refreshAt: null })
    .where(and(isChosen(choice), isOpen(now)))
    .returning();
}

export async function insertSignIn(on: Executor, row: typeof operatorSignIns.$inferInsert): Promise<void> {
  await on.insert(operatorSignIns).values(row);
}

/** Takes a sign-in out, so that it serves once, in the browser that began it; null for any other. */
export async function consumeSignIn(
  on: Executor,
  { stateHash, browserHash, now }: { stateHash: string; browserHash: string; now: Date },
): Promise<OperatorSignIn | null> {
  const [row] = await on
    .delete(operatorSignIns)
    .where(
      and(
        eq(operatorSignIns.stateHash, stateHash),
        eq(operatorSignIns.browserHash, browserHash),
        gt(operatorSignIns.expiresAt, now),
      ),
    )
    .returning();
  return row ?? null;
}
