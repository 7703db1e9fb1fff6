/**
 * One run with an endpoint: deliveries are sent side by side, and their results are written in batches.
 *
 * - attempt: one delivery sent once. - unanswered: the endpoint sent no status. After several unanswered attempts in a row
 *   the endpoint is paused.
 */
import { type DueDelivery, listDueDeliveries } from "@cardkeep/db/queries/partners/deliveries/due";
import { findPartner } from "@cardkeep/db/queries/partners/partners";
import pTimeout from "p-timeout";
import type { WorkerContext } from "../../core/context.ts";
import { buildAttemptResult } from "./buildAttemptResult.ts";
import { buildDeliveryRequest } from "./buildDeliveryRequest.ts";
import { reportAttempts } from "./reportAttempts.ts";
import {
  createDeliveryRun,
  mustEnd,
  readTerms,
  type DeliveryRun,
  type DeliveryRunInput,
  updateEndpoint,
} from "./deliveryRun.ts";

const parallelMax = 16;
const loadedMax = 200;
/** Due deliveries are read again after this time: a user may have unsubscribed, and more may be due. */
const freshMs = 250;

/** Sends until nothing is due, the endpoint has to be paused or disabled, or the run's time is over. */
export async function runDeliveries(
  ctx: WorkerContext,
  input: DeliveryRunInput,
): Promise<{ isDisabled: boolean; isReplaced: boolean; pauseMs: number }> {
  const run = createDeliveryRun(ctx, input);
  while (!mustEnd(run)) {
    if (run.sending.size === parallelMax) {
      await Promise.race(run.sending);
      continue;
    }
    const delivery = await takeNext(run);
    if (delivery) startAttempt(run, delivery);
    else if (run.sending.size === 0) break;
    else await pTimeout(Promise.race(run.sending), { milliseconds: freshMs, fallback: () => undefined });
  }
  await Promise.all(run.sending);
  await run.writing;
  if (run.failure) throw run.failure.error;
  const { isDisabled, isReplaced, pauseMs } = run;
  return { isDisabled, isReplaced: isReplaced || !(await isPresent(run)), pauseMs };
}

/** The next delivery to send; null when none is known to be due. */
async function takeNext(run: DeliveryRun): Promise<DueDelivery | null> {
  const isStale = performance.now() - run.readMs > freshMs;
  if (isStale || (run.waiting.length === 0 && run.isMoreDue)) await readDue(run);
  return run.waiting.shift() ?? null;
}

async function readDue(run: DeliveryRun): Promise<void> {
  const { db, clock } = run.ctx;
  const except = [...run.unwritten];
  const now = await clock.now(db);
  run.waiting = await listDueDeliveries(db, { partnerId: run.partner.id, now, limit: loadedMax, except });
  run.isMoreDue = run.waiting.length === loadedMax;
  // After the deliveries: what was published behind a change goes by the change.
  if (!(await isPresent(run))) [run.isReplaced, run.waiting] = [true, []];
  run.readMs = performance.now();
}

/** Whether the partner still has the address, payload and keys by which this run sends. */
async function isPresent({ ctx, partner, terms }: DeliveryRun): Promise<boolean> {
  const present = await findPartner(ctx.db, partner.id);
  return present !== null && (await readTerms(ctx, present)) === terms;
}

function startAttempt(run: DeliveryRun, delivery: DueDelivery): void {
  run.unwritten.add(delivery.id);
  const sent = send(run, delivery)
    .catch((error: unknown) => {
      run.failure ??= { error };
    })
    .finally(() => run.sending.delete(sent));
  run.sending.add(sent);
}

async function send(run: DeliveryRun, delivery: DueDelivery): Promise<void> {
  const { ctx, endpoint, partner, secrets } = run;
  const request = buildDeliveryRequest(ctx.webhookKeys, delivery, { payload: partner.payload, secrets });
  const answer = await endpoint.post({ ...request, signal: ctx.stopping });
  if (answer.isAborted) return;
  const at = new Date(run.startedAt.getTime() + performance.now() - run.startedMs);
  run.results.push(buildAttemptResult(delivery, answer, at));
  updateEndpoint(run, answer);
  run.writing ??= writeResults(run);
}

/** Writes the results; those that arrive during a write are written next, all of them at once. */
async function writeResults(run: DeliveryRun): Promise<void> {
  const { ctx, partner } = run;
  try {
    while (run.results.length > 0) {
      const results = run.results.splice(0);
      const endpoint = { id: partner.id, webhookUrl: partner.webhookUrl, isFailing: run.isFailing };
      const reported = await ctx.commit((work) =>
        reportAttempts(work, ctx.log, endpoint, { results, pauseMs: run.pauseMs }),
      );
      for (const { id } of results) run.unwritten.delete(id);
      run.isFailing = reported.isFailing;
      run.isDisabled ||= reported.isDisabled;
    }
  } catch (error) {
    // Deliveries whose result is not written are sent again, under the same ids.
    run.failure ??= { error };
  } finally {
    run.writing = null;
  }
}
