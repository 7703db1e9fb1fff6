/** A delayed operation as the API tells it. */
import type { delayedTransaction } from "@cardkeep/contract/delays";
import type { ListedDelay } from "@cardkeep/db/queries/delays";
import type { z } from "zod";

export type DelayedTransaction = z.output<typeof delayedTransaction>;
export type TransactionDataFormat = "hex" | "json";

/** The record of an operation; `transactionData` is the inner call's data, or the whole inner call as JSON. */
export function buildDelayedTransaction(
  row: Omit<ListedDelay, "safeAddress" | "value"> & { value: bigint | string },
  safeAddress: DelayedTransaction["safeAddress"],
  format: TransactionDataFormat,
): DelayedTransaction {
  const json = () => JSON.stringify({ to: row.to, value: row.value.toString(), data: row.data });
  return {
    id: row.id,
    safeAddress,
    transactionData: format === "json" ? json() : row.data,
    enqueueTaskId: row.enqueueTaskId,
    dispatchTaskId: row.dispatchTaskId,
    readyAt: row.readyAt,
    operationType: row.operation,
    userId: row.userId,
    status: row.status,
    createdAt: row.createdAt,
  };
}
