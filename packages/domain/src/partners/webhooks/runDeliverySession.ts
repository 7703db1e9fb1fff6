/**
 * One session with an endpoint: deliveries are sent side by side, and their results are written in batches.
 *
 * - attempt: one delivery sent once. - unanswered: the endpoint sent no status. After several unanswered attempts in a row
 *   the endpoint is paused.
 */
import { type DueDelivery, listDueDeliveries, recordAttempts } from "@cardkeep/db/queries/partners/deliveries/due";
import { findPartner } from "@cardkeep/db/queries/partners/partners";
import pTimeout from "p-timeout";
import type { WorkerContext } from "../../core/context.ts";
import { buildAttemptResult } from "./buildAttemptResult.ts";
import { buildDeliveryRequest } from "./buildDeliveryRequest.ts";
import { reportAttempts } from "./reportAttempts.ts";
import { createSession, mustEnd, readTerms, type Session, type SessionInput, updateEndpoint } from "./session.ts";

const parallelMax = 16;
const loadedMax = 200;
/** Due deliveries are read again after this time: a user may have unsubscribed, and more may be due. */
const freshMs = 250;

/** Sends until nothing is due, the endpoint has to be paused or disabled, or the session's time is over. */
export async function runDeliverySession(
  ctx: WorkerContext,
  input: SessionInput,
): Promise<{ isDisabled: boolean; isReplaced: boolean; pauseMs: number }> {
  const session = createSession(ctx, input);
  while (!mustEnd(session)) {
    if (session.sending.size === parallelMax) {
      await Promise.race(session.sending);
      continue;
    }
    const delivery = await takeNext(session);
    if (delivery) startAttempt(session, delivery);
    else if (session.sending.size === 0) break;
    else await pTimeout(Promise.race(session.sending), { milliseconds: freshMs, fallback: () => undefined });
  }
  await Promise.all(session.sending);
  await session.writing;
  if (session.failure) throw session.failure.error;
  const { isDisabled, isReplaced, pauseMs } = session;
  return { isDisabled, isReplaced: isReplaced || !(await isPresent(session)), pauseMs };
}

/** The next delivery to send; null when none is known to be due. */
async function takeNext(session: Session): Promise<DueDelivery | null> {
  const isStale = performance.now() - session.readMs > freshMs;
  if (isStale || (session.waiting.length === 0 && session.isMoreDue)) await readDue(session);
  return session.waiting.shift() ?? null;
}

async function readDue(session: Session): Promise<void> {
  const { db, clock } = session.ctx;
  const except = [...session.unwritten];
  const now = await clock.now(db);
  session.waiting = await listDueDeliveries(db, { partnerId: session.partner.id, now, limit: loadedMax, except });
  session.isMoreDue = session.waiting.length === loadedMax;
  // After the deliveries: what was published behind a change goes by the change.
  if (!(await isPresent(session))) [session.isReplaced, session.waiting] = [true, []];
  session.readMs = performance.now();
}

/** Whether the partner still has the address, payload and keys by which this session sends. */
async function isPresent({ ctx, partner, terms }: Session): Promise<boolean> {
  const present = await findPartner(ctx.db, partner.id);
  return present !== null && (await readTerms(ctx, present)) === terms;
}

function startAttempt(session: Session, delivery: DueDelivery): void {
  session.unwritten.add(delivery.id);
  const sent = send(session, delivery)
    .catch((error: unknown) => {
      session.failure ??= { error };
    })
    .finally(() => session.sending.delete(sent));
  session.sending.add(sent);
}

async function send(session: Session, delivery: DueDelivery): Promise<void> {
  const { ctx, endpoint, partner, secrets } = session;
  const request = buildDeliveryRequest(ctx.webhookKeys, delivery, { payload: partner.payload, secrets });
  const answer = await endpoint.post({ ...request, signal: ctx.stopping });
  if (answer.isAborted) return;
  const at = new Date(session.startedAt.getTime() + performance.now() - session.startedMs);
  session.results.push(buildAttemptResult(delivery, answer, at));
  updateEndpoint(session, answer);
  session.writing ??= writeResults(session);
}

/** Writes the results; those that arrive during a write are written next, all of them at once. */
async function writeResults(session: Session): Promise<void> {
  const { ctx, partner } = session;
  try {
    while (session.results.length > 0) {
      const results = session.results.splice(0);
      const endpoint = { id: partner.id, webhookUrl: partner.webhookUrl, isFailing: session.isFailing };
      const reported = await ctx.commit(async (work) => {
        await recordAttempts(work.tx, partner.id, results);
        return reportAttempts(work, ctx.log, endpoint, { results, pauseMs: session.pauseMs });
      });
      for (const { id } of results) session.unwritten.delete(id);
      session.isFailing = reported.isFailing;
      session.isDisabled ||= reported.isDisabled;
    }
  } catch (error) {
    // Deliveries whose result is not written are sent again, under the same ids.
    session.failure ??= { error };
  } finally {
    session.writing = null;
  }
}
