/** The delayed operation of the API. */
import { buildModuleCall } from "@cardkeep/chain/delay";
import type { delayedTransaction } from "@cardkeep/contract/accounts/delays";
import { listDelays, type ListedDelay } from "@cardkeep/db/queries/accounts/delays/lists";
import type { z } from "zod";
import type { UserContext } from "../../core/context.ts";

export type DelayedTransaction = z.output<typeof delayedTransaction>;
export type TransactionDataFormat = "hex" | "json";

type Call = NonNullable<ListedDelay["call"]>;

/** The record of an operation of a row, whose inner call is known. */
export const buildDelayedTransaction = (
  row: Omit<ListedDelay, "safeAddress" | "call"> & { to: Call["to"]; value: bigint },
  safeAddress: DelayedTransaction["safeAddress"],
  format: TransactionDataFormat,
): DelayedTransaction => {
  const { to, value } = row;
  return buildListed({ ...row, safeAddress, call: { to, value: value.toString() } }, format);
};

/** The record of an operation of a list. */
const buildListed = (row: ListedDelay, format: TransactionDataFormat): DelayedTransaction => ({
  id: row.id,
  safeAddress: row.safeAddress,
  transactionData: formatCall(row, format),
  enqueueTaskId: row.enqueueTaskId,
  dispatchTaskId: row.dispatchTaskId,
  readyAt: row.readyAt,
  operationType: row.operation,
  userId: row.userId,
  status: row.status,
  createdAt: row.createdAt,
});

/**
 * The inner call as `format` has it. Hex is its data; a call without data is the whole `execTransactionFromModule`, as
 * nothing else would say what a native transfer moves.
 */
function formatCall({ data, operation, call }: ListedDelay, format: TransactionDataFormat): string {
  if (call === null) return data;
  if (format === "json") return JSON.stringify({ to: call.to, value: call.value, data });
  return data === "0x" ? buildModuleCall({ to: call.to, value: BigInt(call.value), data }, operation) : data;
}

const executedMax = 100;

/** The user's delayed operations in execution order: every open one and the last 100 executed. */
export async function listOwnDelays(ctx: UserContext): Promise<DelayedTransaction[]> {
  const format = ctx.policy.transactionDataFormat;
  const rows = await listDelays(ctx.reads, { userId: ctx.actor.userId, executedMax, withCall: format === "json" });
  return rows.map((row) => buildListed(row, format));
}
