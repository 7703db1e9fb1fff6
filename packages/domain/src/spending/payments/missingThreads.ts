/** Uses of cards that the issuer has and without a payment: a callback was lost, or the row was. */
import { hourMs } from "@cardkeep/contract/core/durations";
import { enqueueAll } from "@cardkeep/db/queue/enqueue";
import { insertDiscrepancies } from "@cardkeep/db/queries/sync/reconciliations";
import { type IssuerThread, type KnownThreads, readKnownThreads } from "@cardkeep/db/queries/spending/knownThreads";
import { findNewestUse } from "@cardkeep/db/queries/spending/payments";
import type { Work, WorkerContext } from "../../core/context.ts";

/** Callbacks come late, and clocks differ. */
const overlapMs = 2 * hourMs;

/**
 * Threads at the issuer without their rows. It looks back to the newest use that is known here, or to `since` if that is
 * earlier: a use after a restore hides those before it.
 */
export async function findMissingThreads(ctx: WorkerContext, since: Date | null): Promise<string[]> {
  const newest = await findNewestUse(ctx.db);
  const starts = [newest, since].flatMap((at) => at?.getTime() ?? []);
  const kept = starts.length === 0 ? [] : await ctx.issuer.listThreads(new Date(Math.min(...starts) - overlapMs));
  const known = await readKnownThreads(ctx.db, kept);
  return [...new Set(kept.filter((thread) => isMissing(thread, known)).map(({ threadId }) => threadId))].toSorted();
}

/** Whether a thread has no payment here, lacks a clearing, or is held at the issuer and declined here. */
function isMissing({ threadId, clearingId, isHeld }: IssuerThread, known: KnownThreads): boolean {
  const paymentId = known.payments.get(threadId);
  if (paymentId === undefined) return true;
  const lacksClearing = clearingId !== null && known.clearings.get(paymentId)?.has(clearingId) !== true;
  return lacksClearing || (isHeld && known.declined.has(paymentId));
}

/** Adds the job of each thread without its rows, as its callback would. */
export async function settleMissingThreads(
  ctx: Pick<WorkerContext, "log">,
  { tx, now }: Work,
  missing: readonly string[],
): Promise<void> {
  for (const threadId of missing) ctx.log.warn({ threadId }, "the issuer has a thread that is unknown here");
  await insertDiscrepancies(
    tx,
    missing.map((name) => ({ kind: "thread", name, text: `The issuer has use ${name} of a card` })),
    now,
  );
  await enqueueAll(
    tx,
    "card.settle",
    missing.map((threadId) => ({ payload: { threadId, requestId: `compare-${threadId}` } })),
  );
}
