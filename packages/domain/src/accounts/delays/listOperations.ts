import type { Address } from "@cardkeep/contract/core/primitives";
import { type DelayFilter, type DelayOfSafe, listAllDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import type { Services } from "../../core/services.ts";
import { describeOperation, type OperationEffect } from "./describeOperation.ts";
import { describePlace, findFirstQueued, type QueuedOperation } from "./queuedOperation.ts";

/** An operation in the operator's list. */
export type OperationSummary = Pick<
  DelayTransaction,
  "id" | "status" | "userId" | "queueNonce" | "readyAt" | "expiresAt" | "reason" | "createdAt"
> & { safeAddress: Address; effect: OperationEffect };

const everything: DelayFilter = { isOpenOnly: false, status: null, userId: null, safeAddress: null, after: null };

/** Operations of all users that pass the filter, newest first. */
export async function listOperations(
  { db }: Pick<Services, "db">,
  { limit, ...filter }: Partial<DelayFilter> & { limit: number },
): Promise<OperationSummary[]> {
  return (await listAllDelays(db, { ...everything, ...filter, limit })).map(summariseDelay);
}

/** The same operations with their place in the queues of their Safes. A head is known if it is one of them. */
export async function listQueuedOperations(
  { db }: Pick<Services, "db">,
  { limit, ...filter }: Partial<DelayFilter> & { limit: number },
): Promise<(OperationSummary & QueuedOperation)[]> {
  const rows = await listAllDelays(db, { ...everything, ...filter, limit });
  const heads = new Set([...Map.groupBy(rows, ({ safeId }) => safeId).values()].map(findFirstQueued));
  return rows.map((row) => ({ ...summariseDelay(row), ...describePlace(row, row, heads.has(row.id)) }));
}

const summariseDelay = (row: DelayOfSafe): OperationSummary => ({
  id: row.id,
  status: row.status,
  userId: row.userId,
  safeAddress: row.safeAddress,
  effect: describeOperation(row, row.tokenSymbol),
  queueNonce: row.queueNonce,
  readyAt: row.readyAt,
  expiresAt: row.expiresAt,
  reason: row.reason,
  createdAt: row.createdAt,
});
