import type { Address } from "@cardkeep/contract/primitives";
import { type DelayTransaction, listAllDelays } from "@cardkeep/db/queries/delays";
import type { Services } from "../context.ts";
import { describeOperation, type OperationEffect } from "./effect.ts";

/** An operation as the operator's list tells it. */
export type OperationSummary = Pick<
  DelayTransaction,
  "id" | "status" | "userId" | "queueNonce" | "readyAt" | "expiresAt" | "reason" | "createdAt"
> & { safeAddress: Address; effect: OperationEffect };

/** Everybody's operations, newest first. */
export async function listOperations(
  { db }: Pick<Services, "db">,
  input: { isOpenOnly: boolean; safeAddress?: Address | undefined; limit: number },
): Promise<OperationSummary[]> {
  const rows = await listAllDelays(db, { ...input, safeAddress: input.safeAddress ?? null });
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
