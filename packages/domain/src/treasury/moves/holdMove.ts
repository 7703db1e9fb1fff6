/** What keeps a move from going on: a stop, and a destination that was taken off the list. */
import type { Tx } from "@cardkeep/db/client";
import { holdStopSwitch, isStopped } from "@cardkeep/db/queries/operators/stops";
import { findUsableDestination } from "@cardkeep/db/queries/treasury/destinations";
import { changeMove, type TreasuryMove } from "@cardkeep/db/queries/treasury/moves";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../../core/context.ts";

/** How soon a move that waits is looked at again. */
const againMs = 15_000;

/** It takes from a spender what it may return. A stop holds up none, because its reason may be a stolen spender's key. */
export const isRevocation = ({ kind, amount }: Pick<TreasuryMove, "kind" | "amount">): boolean =>
  kind === "approve" && amount === 0n;

/** A move that is not signed waits for the end of a stop. */
export async function waitWhileStopped(ctx: WorkerContext, move: TreasuryMove): Promise<boolean> {
  if (isRevocation(move) || !(await isStopped(ctx.db, "treasury"))) return false;
  const { id: moveId, requestId } = move;
  await ctx.commit(({ tx }) => enqueue(tx, "treasury.move", { moveId, requestId }, againMs));
  return true;
}

/** Whether the destination is still on the list. */
export const isAllowed = async (ctx: WorkerContext, { destination }: TreasuryMove): Promise<boolean> =>
  (await findUsableDestination(ctx.db, destination, await ctx.clock.now(ctx.db))) !== null;

/** Ends a move that moved nothing, unless another job has taken it further since `move` was read: then it may have moved something. */
export async function failMove(ctx: WorkerContext, move: TreasuryMove, failure: string): Promise<void> {
  const { id, kind, status: from } = move;
  const failed = await ctx.commit(({ tx, now }) =>
    changeMove(tx, id, { status: "FAILED", failure, updatedAt: now }, from),
  );
  if (failed) ctx.log.error({ moveId: id, kind, failure }, "a move of the treasury failed");
}

/** Whether the treasury is stopped, in a commit after which a stop holds. */
export async function isHeld(tx: Tx): Promise<boolean> {
  const [, stopped] = await Promise.all([holdStopSwitch(tx, "treasury"), isStopped(tx, "treasury")]);
  return stopped;
}
