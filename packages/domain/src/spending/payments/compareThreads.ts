/** Finds uses of cards that the issuer has and this service does not. */
import { hourMs } from "@cardkeep/contract/core/durations";
import { enqueue, enqueueIfAbsent } from "@cardkeep/db/queue/enqueue";
import { compareCardholders } from "../../core/cardholders/compareCardholders.ts";
import type { WorkerContext } from "../../core/context.ts";
import { findMissingDisputes } from "./missingDisputes.ts";
import { findMissingThreads, settleMissingThreads } from "./missingThreads.ts";

const everyMs = hourMs;

/**
 * Has each thread settled whose callbacks never came, or whose rows were lost with a database; runs again an hour later.
 *
 * @param since start of the last run: after an outage newer uses hide what the issuer decided meanwhile
 */
export async function compareThreads(ctx: WorkerContext, { since }: { since?: string }): Promise<void> {
  const startedAt = await ctx.clock.now(ctx.db);
  const lastAt = since === undefined ? null : new Date(since);
  const missing = await findMissingThreads(ctx, lastAt);
  const disputes = await findMissingDisputes(ctx, lastAt);
  const writeStatuses = await compareCardholders(ctx);
  await ctx.commit(async (work) => {
    await settleMissingThreads(ctx, work, missing);
    // A job that looks for the payment already knows since when, and one that was given up stays for the operator.
    for (const issuerDisputeId of disputes)
      await enqueueIfAbsent(work.tx, "card.adoptDispute", { issuerDisputeId, requestId: work.requestId });
    await writeStatuses(work);
    const payload = {
      chainId: String(ctx.policy.chainId),
      requestId: work.requestId,
      since: startedAt.toISOString(),
    };
    await enqueue(work.tx, "card.compare", payload, everyMs);
  });
}
