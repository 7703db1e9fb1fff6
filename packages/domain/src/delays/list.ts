import { listDelays } from "@cardkeep/db/queries/delays";
import type { UserContext } from "../context.ts";
import { buildDelayedTransaction, type DelayedTransaction } from "./resource.ts";

const executedMax = 100;

/** The user's delayed operations in execution order: every open one and the last 100 executed. */
export async function list(ctx: UserContext): Promise<DelayedTransaction[]> {
  const rows = await listDelays(ctx.reads, ctx.actor.userId, executedMax);
  return rows.map((row) => buildDelayedTransaction(row, row.safeAddress, ctx.rules.transactionDataFormat));
}
