/** Reconciliations and the discrepancies that they found. */
import { and, desc, eq, gte, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { inParts } from "../../many.ts";
import { prepareStatement } from "../../prepareStatement.ts";
import { prepareRow } from "../../rows.ts";
import { type DiscrepancyKind, discrepancyKinds } from "../../schema/sync/reconciliations.ts";
import { discrepancies, reconciliations } from "../../schema/tables.ts";
import { lackingRows } from "./lackingRows.ts";

export type Reconciliation = typeof reconciliations.$inferSelect;
export type Discrepancy = typeof discrepancies.$inferSelect;

/** The one that began last. */
export const findNewestReconciliation = (on: Executor): Promise<Reconciliation | null> => selectNewest(on, {});

const selectNewest = prepareRow(reconciliations, sql`order by ${reconciliations.sequence} desc limit 1`);

/** One that is under way; null where all have ended. */
export const findOpenReconciliation = (on: Executor): Promise<Reconciliation | null> => selectOpen(on, {});

const selectOpen = prepareRow(
  reconciliations,
  sql`where ${reconciliations.endedAt} is null order by ${reconciliations.sequence} limit 1`,
);

/** Whether rows of a step may be missing, as `lackingRows` says; null stands for every step. */
export async function lacksRows(on: Executor, step: string | null): Promise<boolean> {
  const [row] = await on.execute<{ lacks: boolean }>(selectLacking({ step }));
  return row?.lacks === true;
}

const selectLacking = prepareStatement<"step">(sql`
  with asked as (select ${sql.placeholder("step")}::text as step)
  select ${sql.raw(lackingRows("(select step from asked)"))} as lacks`);

export async function findReconciliation(on: Executor, id: string): Promise<Reconciliation | null> {
  const [row] = await on.select().from(reconciliations).where(eq(reconciliations.id, id)).limit(1);
  return row ?? null;
}

/** When the one before began, of those that have ended; null for none. */
export async function findPreviousStart(on: Executor, id: string): Promise<Date | null> {
  const { startedAt, endedAt, sequence } = reconciliations;
  const [row] = await on
    .select({ startedAt })
    .from(reconciliations)
    .where(and(isNotNull(endedAt), sql`${sequence} < (select sequence from reconciliations where id = ${id})`))
    .orderBy(desc(sequence))
    .limit(1);
  return row?.startedAt ?? null;
}

/** Whether one began since an instant that has rows restored. */
export async function hasRestoredSince(on: Executor, since: Date): Promise<boolean> {
  const { id, reason, startedAt } = reconciliations;
  const isRestoring = and(inArray(reason, ["restored", "operator"]), gte(startedAt, since));
  return (await on.select({ id }).from(reconciliations).where(isRestoring).limit(1)).length > 0;
}

/** Takes the lock behind which one begins: several workers notice the same. */
export async function lockReconciliations(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('cardkeep:reconciliations', 0))`);
}

export async function insertReconciliation(
  tx: Tx,
  row: Omit<typeof reconciliations.$inferInsert, "sequence">,
): Promise<void> {
  await tx.insert(reconciliations).values(row);
}

/** Records that a step succeeded, so that a retry leaves it out. */
export async function addReconciledStep(on: Executor, id: string, step: string): Promise<void> {
  await on
    .update(reconciliations)
    .set({ steps: sql`array_append(${reconciliations.steps}, ${step})` })
    .where(and(eq(reconciliations.id, id), sql`not ${step} = any(${reconciliations.steps})`));
}

/** Records up to which user the orders were compared, so that a retry goes on there. */
export async function keepOrdersAfter(on: Executor, id: string, ordersAfter: string): Promise<void> {
  await on.update(reconciliations).set({ ordersAfter }).where(eq(reconciliations.id, id));
}

export async function endReconciliation(on: Executor, id: string, endedAt: Date): Promise<void> {
  await on
    .update(reconciliations)
    .set({ endedAt })
    .where(and(eq(reconciliations.id, id), isNull(reconciliations.endedAt)));
}

/** A discrepancy to be recorded; `name` identifies it among those of its kind. */
export interface FoundDiscrepancy {
  kind: DiscrepancyKind;
  name: string;
  text: string;
  action?: string;
  subjectId?: string;
  details?: Record<string, string>;
}

const idOf = (kind: DiscrepancyKind, name: string): string => `${kind}:${name}`;

/** Records discrepancies, each once; one with an action is resolved at once. Returns the ids of the new ones. */
export async function insertDiscrepancies(
  on: Executor,
  found: readonly FoundDiscrepancy[],
  foundAt: Date,
): Promise<string[]> {
  const rows = found.map(({ name, ...rest }) => ({
    ...rest,
    id: idOf(rest.kind, name),
    foundAt,
    resolvedAt: rest.action === undefined ? null : foundAt,
  }));
  const inserted: { id: string }[] = [];
  for (const part of inParts(rows))
    inserted.push(
      ...(await on.insert(discrepancies).values(part).onConflictDoNothing().returning({ id: discrepancies.id })),
    );
  return inserted.map(({ id }) => id);
}

/**
 * Records a discrepancy that may come again: one of its name that was resolved opens again. It stays resolved where an operator
 * settled it, with the same details.
 *
 * @param done how the service itself resolves it
 */
export async function recordAgain(
  on: Executor,
  { name, ...rest }: FoundDiscrepancy,
  { done, foundAt }: { done: string; foundAt: Date },
): Promise<void> {
  const { action, details, id, resolvedAt } = discrepancies;
  const known = sql`coalesce(${details}, '{}')`;
  await on
    .insert(discrepancies)
    .values({ ...rest, id: idOf(rest.kind, name), foundAt })
    .onConflictDoUpdate({
      target: id,
      set: { text: rest.text, action: null, resolvedAt: null, foundAt, details: sql`${known} || excluded.details` },
      setWhere: sql`${resolvedAt} is not null and (${action} = ${done} or not ${known} @> excluded.details)`,
    });
}

/** Records what was done about an open discrepancy; nothing where there is none. */
export async function resolveDiscrepancy(
  on: Executor,
  {
    kind,
    name,
    ...done
  }: { kind: DiscrepancyKind; name: string; action: string; subjectId?: string; resolvedAt: Date },
): Promise<boolean> {
  const rows = await on
    .update(discrepancies)
    .set(done)
    .where(and(eq(discrepancies.id, idOf(kind, name)), isNull(discrepancies.resolvedAt)))
    .returning({ id: discrepancies.id });
  return rows.length === 1;
}

/** The same by its id, for the operator; null where it is unknown or resolved. */
export async function closeDiscrepancy(
  on: Executor,
  id: string,
  done: { action: string; resolvedAt: Date },
): Promise<Discrepancy | null> {
  const [row] = await on
    .update(discrepancies)
    .set(done)
    .where(and(eq(discrepancies.id, id), isNull(discrepancies.resolvedAt)))
    .returning();
  return row ?? null;
}

/** Whether a row was restored from what chain or partner knew. */
export async function isRestored(on: Executor, kind: DiscrepancyKind, subjectId: string): Promise<boolean> {
  const rows = await on
    .select({ id: discrepancies.id })
    .from(discrepancies)
    .where(and(eq(discrepancies.subjectId, subjectId), eq(discrepancies.kind, kind)))
    .limit(1);
  return rows.length === 1;
}

/** Discrepancies, open ones first and then the newest. */
export async function listDiscrepancies(on: Executor, limit: number): Promise<Discrepancy[]> {
  return on
    .select()
    .from(discrepancies)
    .orderBy(sql`${discrepancies.resolvedAt} is not null`, desc(discrepancies.foundAt), discrepancies.id)
    .limit(limit);
}

/** The names of the open discrepancies of one kind. */
export async function listOpenNames(on: Executor, kind: DiscrepancyKind): Promise<string[]> {
  const rows = await on.execute<{ id: string }>(selectOpenIds({ kind }));
  return rows.map(({ id }) => id.slice(kind.length + 1));
}

const selectOpenIds = prepareStatement<"kind">(sql`
  select id from ${discrepancies}
  where ${discrepancies.kind} = ${sql.placeholder("kind")} and ${discrepancies.resolvedAt} is null`);

/** How many discrepancies of each kind are open. */
export async function countOpenDiscrepancies(on: Executor): Promise<{ kind: DiscrepancyKind; count: number }[]> {
  return on
    .select({ kind: discrepancies.kind, count: sql<number>`count(*)::int` })
    .from(discrepancies)
    .where(and(isNull(discrepancies.resolvedAt), inArray(discrepancies.kind, [...discrepancyKinds])))
    .groupBy(discrepancies.kind)
    .orderBy(discrepancies.kind);
}
