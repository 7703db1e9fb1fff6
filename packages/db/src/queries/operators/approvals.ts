/** Requests of operators that wait for a second person. */
import { and, count, desc, eq, gt, lte, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import type { ApprovalStatus } from "@cardkeep/contract/operators/approvals";
import type { ActionFacts } from "../../schema/operators/operators.ts";
import { isOneOf } from "../../schema/columns.ts";
import { operatorApprovals } from "../../schema/tables.ts";

const isWaiting = isOneOf(operatorApprovals.status, ["WAITING"]);

export type OperatorApproval = typeof operatorApprovals.$inferSelect;

/** Inserts a request, or answers the one that waits for the same. */
export async function insertApproval(tx: Tx, row: OperatorApproval): Promise<OperatorApproval> {
  const [inserted] = await tx.insert(operatorApprovals).values(row).onConflictDoNothing().returning();
  const waiting = inserted ?? (await findWaitingApproval(tx, row));
  if (!waiting) throw new Error(`The request for ${row.verb} was decided while it was asked again`);
  return waiting;
}

async function findWaitingApproval(
  on: Executor,
  { verb, input }: { verb: string; input: ActionFacts },
): Promise<OperatorApproval | undefined> {
  const isSame = sql`${operatorApprovals.input} = ${JSON.stringify(input)}::jsonb`;
  const [row] = await on
    .select()
    .from(operatorApprovals)
    .where(and(eq(operatorApprovals.verb, verb), isSame, isWaiting));
  return row;
}

export async function findApproval(on: Executor, id: string): Promise<OperatorApproval | null> {
  const [row] = await on.select().from(operatorApprovals).where(eq(operatorApprovals.id, id));
  return row ?? null;
}

/** Requests, newest first; `after` names the last row of the page before. */
export async function listApprovals(
  on: Executor,
  { status, after, limit }: { status: ApprovalStatus | null; after: string | null; limit: number },
): Promise<OperatorApproval[]> {
  const isOlder = sql`(${operatorApprovals.askedAt}, ${operatorApprovals.id}) <
    (select asked_at, id from operator_approvals known where id = ${after})`;
  return on
    .select()
    .from(operatorApprovals)
    .where(
      and(status === null ? undefined : eq(operatorApprovals.status, status), after === null ? undefined : isOlder),
    )
    .orderBy(desc(operatorApprovals.askedAt), desc(operatorApprovals.id))
    .limit(limit);
}

/** How many requests wait at an instant. */
export async function countWaitingApprovals(on: Executor, now: Date): Promise<number> {
  const [row] = await on
    .select({ count: count() })
    .from(operatorApprovals)
    .where(and(isWaiting, gt(operatorApprovals.expiresAt, now)));
  return row?.count ?? 0;
}

/** Ids of the requests that wait and whose time is over. */
export async function listDueApprovals(on: Executor, now: Date): Promise<string[]> {
  const rows = await on
    .select({ id: operatorApprovals.id })
    .from(operatorApprovals)
    .where(and(isWaiting, lte(operatorApprovals.expiresAt, now)));
  return rows.map(({ id }) => id);
}

/** Decides a request that waits, and locks it until the transaction ends; false for a decided one. */
export async function decideApproval(
  tx: Tx,
  id: string,
  decision: { status: ApprovalStatus; decidedById: string; decidedByName: string; decidedAt: Date },
): Promise<boolean> {
  const rows = await tx
    .update(operatorApprovals)
    .set(decision)
    .where(and(eq(operatorApprovals.id, id), isWaiting))
    .returning({ id: operatorApprovals.id });
  return rows.length === 1;
}
