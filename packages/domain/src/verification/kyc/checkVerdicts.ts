/**
 * The rotation: the identity provider is asked about each person again, so that a lost callback changes nothing for long.
 *
 * - check: one question about one person. A worker makes the next one due before it asks, so that a person whose answer
 *   fails comes again later, and holds up no other.
 */
import { dayMs } from "@cardkeep/contract/core/durations";
import type { Quota } from "@cardkeep/contract/core/errors";
import {
  deleteAnsweredKycCheck,
  deleteKycCheck,
  findKycApplication,
  hasKycAnswer,
  setKycCheck,
  takeDueKycChecks,
} from "@cardkeep/db/queries/verification/kyc";
import { insertDiscrepancies } from "@cardkeep/db/queries/sync/reconciliations";
import { findUser, lockUser, type User } from "@cardkeep/db/queries/users/users";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import type { CommitContext } from "../../core/context.ts";
import { isAnswer } from "../../core/createRowCalls.ts";
import { tryTake } from "../../core/limits/rateLimits.ts";
import { applyVerdict } from "./applyVerdict.ts";
import { isBorn } from "./applyKycCallback.ts";
import { nextCheckAt } from "../../core/nextCheckAt.ts";
import { readVerdict } from "./verdict.ts";

/** A person whose answer failed comes again after this time. */
const retryMs = 600_000;
/** People that are asked about at once. */
const batchSize = 5;
/** After so many people in a row without an answer the provider counts as away. */
const silentMax = 5;
/** After so many in a row that it refuses or does not answer, too: it may have another key by now. */
const refusedMax = 50;
const unanswered = "The identity provider answers nothing about people";
/**
 * Reads of all workers together. The provider refuses more than 300 in five seconds. Where the end of one window meets the next
 * there may be twice as many, and requests need some. Source: docs.sumsub.com/reference/rate-limits.
 */
const reads: Quota = { name: "kycReads", count: 100, withinSeconds: 5 };
/** The least time of a batch, so that the reads of a window do not come all at once. */
const batchMs = 125;
/** How often a read that has to wait asks again. */
const waitMs = 250;
/** The chore ends after so long, and goes on at its next time: one that never ends would be overdue. */
const choreMs = 30_000;
/** A person who is unknown to the provider is asked about no more after this time. */
const strangerMs = 30 * dayMs;

interface CheckContext extends CommitContext {
  readonly stopping: AbortSignal;
}

/** The chore: asks about the people whose check is due, until no check is due, the provider does not answer, or time is up. */
export async function checkVerdicts(ctx: CheckContext): Promise<void> {
  const endsAtMs = performance.now() + choreMs;
  while (!ctx.stopping.aborted && performance.now() < endsAtMs) {
    if (!(await checkBatch(ctx)).includes("answered")) return;
  }
}

/**
 * Asks about all people whose check is due, however long it takes.
 *
 * @param since an instant behind which the provider has to answer about one person at least
 * @throws ProviderUnavailable where it does not answer
 * @throws Error where the worker stops
 */
export async function checkAllVerdicts(ctx: CheckContext, since: Date): Promise<void> {
  for (let [silent, refused] = [0, 0]; ;) {
    if (ctx.stopping.aborted) throw new Error("The worker stops; the job is run again");
    const outcomes = await checkBatch(ctx);
    if (outcomes.length === 0) break;
    silent = outcomes.every((outcome) => outcome === "silent") ? silent + outcomes.length : 0;
    refused = outcomes.includes("answered") ? 0 : refused + outcomes.length;
    if (silent >= silentMax || refused >= refusedMax) throw new ProviderUnavailable(unanswered);
  }
  if (!(await hasKycAnswer(ctx.db, since))) throw new ProviderUnavailable(unanswered);
}

type Outcome = "answered" | "refused" | "silent";

/** Asks about the people whose check is longest overdue; no outcome where no check is due. */
async function checkBatch(ctx: CheckContext): Promise<Outcome[]> {
  const now = await ctx.clock.now(ctx.db);
  const nextAt = new Date(now.getTime() + retryMs);
  const taken = await takeDueKycChecks(ctx.db, { now, nextAt, limit: batchSize });
  const startedAtMs = performance.now();
  const outcomes = await Promise.all(taken.map((userId) => checkOne(ctx, userId)));
  const restMs = batchMs - (performance.now() - startedAtMs);
  if (restMs > 0 && outcomes.includes("answered")) await Bun.sleep(restMs);
  return outcomes;
}

/** Waits until the rotation may ask the provider so often; false where the worker stops. */
async function awaitReads(ctx: CheckContext, count: number): Promise<boolean> {
  for (let left = count; left > 0; left--) {
    while (!(await tryTake(ctx.rateLimits, reads, "rotation"))) {
      if (ctx.stopping.aborted) return false;
      await Bun.sleep(waitMs);
    }
  }
  return true;
}

/** Asks about one person. */
async function checkOne(ctx: CheckContext, userId: string): Promise<Outcome> {
  try {
    await checkVerdict(ctx, userId);
    return "answered";
  } catch (error) {
    if (!(error instanceof ProviderUnavailable) && !(error instanceof ProviderRefused)) throw error;
    ctx.log.warn({ err: error, userId }, "the identity provider answered nothing about a person");
    return isAnswer(error) ? "refused" : "silent";
  }
}

/**
 * Asks the provider about one person, and applies what its record says as a callback would.
 *
 * @throws ProviderUnavailable, ProviderRefused
 */
async function checkVerdict(ctx: CheckContext, userId: string): Promise<void> {
  // Before the record: a callback that is applied meanwhile is newer.
  const known = await findKycApplication(ctx.db, userId);
  const user = await findUser(ctx.db, userId);
  const isAsked = user !== null && user.erasedAt === null;
  // An absence is read twice.
  if (isAsked && !(await awaitReads(ctx, known ? 1 : 2))) return;
  const asked = isAsked ? await ctx.kyc.findApplicant(userId) : null;
  await ctx.commit(async (work) => {
    const { tx, now } = work;
    const locked = await lockUser(tx, userId);
    // A callback may have come while the provider was asked.
    const isUnknown = asked === null && (await findKycApplication(tx, userId)) === null;
    if (!user || !locked || locked.erasedAt !== null) return deleteKycCheck(tx, userId);
    // One who was handed to the provider since its last answer may be on the way through its pages.
    if (isStranger(locked, isUnknown, now) && (await deleteAnsweredKycCheck(tx, userId))) return;
    await setKycCheck(tx, { userId, dueAt: nextCheckAt(ctx.policy, now), answeredAt: now });
    const applicantId = (asked ?? known)?.applicantId;
    const verdict = isBorn(asked, now)
      ? readVerdict(asked, { before: user.kycStatus, known, policy: ctx.policy }, now)
      : null;
    if (applicantId === undefined || verdict === null) return;
    const source = { userId, applicantId, applicant: asked, verdict, callback: null };
    const outcome = await applyVerdict(ctx, work, source);
    const { status } = verdict;
    if (outcome !== "applied" || status === user.kycStatus) return;
    ctx.log.warn({ userId, status }, "the identity provider has a verdict that was not known here");
    const text = `The identity provider has the status ${status} for user ${userId}`;
    const found = {
      kind: "verdict",
      name: `${userId}:${status}`,
      text,
      action: "Applied it",
      subjectId: userId,
    } as const;
    await insertDiscrepancies(tx, [found], now);
  });
}

const isStranger = ({ createdAt, kycStatus }: User, isUnknown: boolean, now: Date): boolean =>
  isUnknown && kycStatus === "notStarted" && now.getTime() - createdAt.getTime() > strangerMs;
