import type { Address } from "@cardkeep/contract/primitives";
import { type DelayFilter, listAllDelays } from "@cardkeep/db/queries/delays/lists";
import type { DelayTransaction } from "@cardkeep/db/queries/delays/delays";
import type { Services } from "../services.ts";
import { describeOperation, type OperationEffect } from "./describeOperation.ts";

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
  const rows = await listAllDelays(db, { ...everything, ...filter, limit });
  return rows.map((row) => ({
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
  }));
}
