/**
 * How many requests one user, wallet or network may make.
 *
 * - quota: so many requests within a span of time. - subject: whose they are.
 * - grant: a part of a quota that this process may hand out without asking the database again.
 */
import { secondMs } from "@cardkeep/contract/core/durations";
import { CardkeepError, fail, type Quota } from "@cardkeep/contract/core/errors";
import type { Db } from "@cardkeep/db/client";
import { drawGrant } from "@cardkeep/db/queries/core/limits";
import { LRUCache } from "lru-cache";
import type { Clock, Log } from "../ports.ts";

export interface RateLimits {
  /**
   * Takes one request from a subject's quota; it takes time only where nothing is left of the grant at hand.
   *
   * @throws request.rate_limited
   */
  take(quota: Quota, subject: string): void | Promise<void>;
  /** Gives back one that was taken for what is known to have had no effect; this process hands it out again. */
  giveBack(quota: Quota, subject: string): void;
}

interface Grant {
  left: number;
  /** By this process's own clock. */
  readonly endsAtMs: number;
  /** Null while more may be granted; else the time until which the database is not asked. */
  readonly usedUpUntilMs: number | null;
}

/** The sandbox may move the clock out of the window, so a quota that is used up is asked about again now and then. */
const askAgainMs = 1_000;
/** How long a process grants requests by itself while the database is away, so that no request fails on a limit. */
const aloneMs = 1_000;
/** The number of subjects whose grants are kept; a subject whose grant was evicted draws a new one. */
const grantsMax = 50_000;

/** The grants of one process, drawn from quotas that all processes share. */
export function createRateLimits({ db, clock, log }: { db: Db; clock: Clock; log: Log }): RateLimits {
  const grants = new LRUCache<string, Grant>({ max: grantsMax });
  const drawing = new Map<string, Promise<Grant>>();
  let isAlone = false;

  /** Logs once until the database answers again, because every subject asks for its own grant. */
  const grantAlone = ({ name, count }: Quota, error: unknown): Grant => {
    if (!isAlone)
      log.warn({ err: error, quota: name }, "The database grants no requests. This process grants them alone");
    isAlone = true;
    return { left: count, endsAtMs: Date.now() + aloneMs, usedUpUntilMs: null };
  };

  const draw = async (key: string, { count, withinSeconds }: Quota): Promise<Grant> => {
    const now = await clock.now(db);
    const { count: left, endsAt } = await drawGrant(db, { key, count, withinMs: withinSeconds * 1000, now });
    isAlone = false;
    const endsAtMs = Date.now() + endsAt.getTime() - now.getTime();
    return { left, endsAtMs, usedUpUntilMs: left > 0 ? null : Math.min(endsAtMs, Date.now() + askAgainMs) };
  };
  const drawOnce = (key: string, quota: Quota): Promise<Grant> => {
    const begun =
      drawing.get(key) ??
      draw(key, quota)
        .catch((error: unknown) => grantAlone(quota, error))
        .then((grant) => {
          grants.set(key, grant);
          return grant;
        })
        .finally(() => drawing.delete(key));
    drawing.set(key, begun);
    return begun;
  };
  const takeSoon = async (key: string, quota: Quota): Promise<void> => {
    for (;;) {
      const grant = await drawOnce(key, quota);
      if (grant.usedUpUntilMs !== null) refuse(quota, grant);
      // Those who waited for it share it; the last of them may find nothing left.
      if (grant.left-- > 0) return;
    }
  };
  const keyOf = ({ name }: Quota, subject: string): string => `${name}:${subject}`;
  return {
    giveBack: (quota, subject) => {
      const grant = grants.get(keyOf(quota, subject));
      // One that is used up may be below zero.
      if (grant !== undefined) grant.left = Math.max(0, grant.left) + 1;
    },
    take: (quota, subject) => {
      const key = keyOf(quota, subject);
      const grant = grants.get(key);
      const nowMs = Date.now();
      if (grant !== undefined && nowMs < grant.endsAtMs) {
        if (grant.left-- > 0) return;
        if (grant.usedUpUntilMs !== null && nowMs < grant.usedUpUntilMs) refuse(quota, grant);
      }
      return takeSoon(key, quota);
    },
  };
}

/** Takes one request from a subject's quota; false where nothing is left of it. */
export const tryTake = async (rateLimits: RateLimits, quota: Quota, subject: string): Promise<boolean> =>
  (await takeOrWait(rateLimits, quota, subject)) === 0;

/** The same; answers in how many ms there is one again, or 0 where it was taken. */
export async function takeOrWait(rateLimits: RateLimits, quota: Quota, subject: string): Promise<number> {
  try {
    await rateLimits.take(quota, subject);
    return 0;
  } catch (error) {
    if (error instanceof CardkeepError && error.code === "request.rate_limited")
      return (error.retryAfterSeconds ?? 1) * secondMs;
    throw error;
  }
}

function refuse(quota: Quota, { endsAtMs }: Grant): never {
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAtMs - Date.now()) / 1000));
  return fail("request.rate_limited", { quota, retryAfterSeconds });
}
