/** A delayed operation as the API tells it. */
import type { delayedTransaction } from "@cardkeep/contract/delays";
import type { ListedDelay } from "@cardkeep/db/queries/delays";
import type { z } from "zod";

export type DelayedTransaction = z.output<typeof delayedTransaction>;
export type TransactionDataFormat = "hex" | "json";

type Call = NonNullable<ListedDelay["call"]>;

/** The record of an operation; `transactionData` is the inner call's data, or the whole inner call as JSON. */
export function buildDelayedTransaction(
  row: Omit<ListedDelay, "safeAddress" | "call"> & { to: Call["to"]; value: bigint },
  safeAddress: DelayedTransaction["safeAddress"],
  format: TransactionDataFormat,
): DelayedTransaction {
  return tellDelay(row, safeAddress, format === "json" ? { to: row.to, value: row.value.toString() } : null);
}

/** The same with the inner call given, or none where its data is enough. */
export function tellDelay(
  row: Omit<ListedDelay, "safeAddress" | "call">,
  safeAddress: DelayedTransaction["safeAddress"],
  call: Call | null,
): DelayedTransaction {
  return {
    id: row.id,
    safeAddress,
    transactionData: call === null ? row.data : JSON.stringify({ to: call.to, value: call.value, data: row.data }),
    enqueueTaskId: row.enqueueTaskId,
    dispatchTaskId: row.dispatchTaskId,
    readyAt: row.readyAt,
    operationType: row.operation,
    userId: row.userId,
    status: row.status,
    createdAt: row.createdAt,
  };
}
