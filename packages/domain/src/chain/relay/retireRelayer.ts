import type { Address } from "@cardkeep/contract/core/primitives";
import { retireLane } from "@cardkeep/db/queries/chain/relay/laneStates";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../../core/context.ts";

const againMs = 2_000;

/** Retires a draining lane once none of its transactions is open; looks again every 2 s until then. */
export async function retireRelayer(ctx: WorkerContext, input: { relayer: string }): Promise<void> {
  const relayer = input.relayer as Address;
  await ctx.commit(async ({ tx, requestId }) => {
    if (!(await retireLane(tx, relayer))) await enqueue(tx, "relayer.retire", { relayer, requestId }, againMs);
  });
}
