import { listDelays } from "@cardkeep/db/queries/delays/lists";
import type { UserContext } from "../context.ts";
import { buildListed, type DelayedTransaction } from "./resource.ts";

const executedMax = 100;

/** The user's delayed operations in execution order: every open one and the last 100 executed. */
export async function listOwnDelays(ctx: UserContext): Promise<DelayedTransaction[]> {
  const format = ctx.rules.transactionDataFormat;
  const rows = await listDelays(ctx.reads, { userId: ctx.actor.userId, executedMax, withCall: format === "json" });
  return rows.map((row) => buildListed(row, format));
}
