import { listDelays } from "@cardkeep/db/queries/delays";
import type { UserContext } from "../context.ts";
import { type DelayedTransaction, tellDelay } from "./resource.ts";

const executedMax = 100;

/** The user's delayed operations in execution order: every open one and the last 100 executed. */
export async function list(ctx: UserContext): Promise<DelayedTransaction[]> {
  const withCall = ctx.rules.transactionDataFormat === "json";
  const rows = await listDelays(ctx.reads, { userId: ctx.actor.userId, executedMax, withCall });
  return rows.map((row) => tellDelay(row, row.safeAddress, row.call));
}
