import { type CardkeepErrorOptions, fail } from "@cardkeep/contract/core/errors";
import type { Tx } from "@cardkeep/db/client";
import {
  consumeCode,
  deleteCode,
  findCodeTime,
  hasLiveCode,
  insertCode,
  listCodeTimes,
  lockCodes,
  renameCode,
  takeCodeTry,
  withdrawCode,
} from "@cardkeep/db/queries/core/codes";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { randomInt, timingSafeEqual } from "node:crypto";
import type { Context, RequestKey } from "../context.ts";
import { generateId } from "../generateId.ts";
import { requireQuota, waitMsOf } from "../limits/requireQuota.ts";
import { codeDigits, type CodeParties, type CodePolicy, hashCode } from "./policy.ts";

/** A code leaves within seconds. A request that has not ended by now has stopped, and may begin again. */
const underWayMs = 30_000;

/** A code that is about to be sent. */
export interface ReservedCode {
  readonly id: string;
  readonly code: string;
  /** Seconds after which the policy's sends allow the next one; 0: at once. */
  readonly againSeconds: number;
}

/**
 * Makes a new code, which voids the subject's earlier one, and counts it as sent. `giveBackCode` undoes that where it is not sent.
 *
 * It is committed before it is answered: a code that goes out is always one we know. A request with an idempotency key gives
 * the code its name, so the same request beside it sends no second code, which would void the first.
 *
 * @throws request.rate_limited beyond the policy's sends, idempotency.in_flight
 */
export async function reserveCode(ctx: Context, policy: CodePolicy, parties: CodeParties): Promise<ReservedCode> {
  const code = randomInt(10 ** codeDigits)
    .toString()
    .padStart(codeDigits, "0");
  const route = { purpose: policy.purpose, ...parties };
  const sendsMax = ctx.policy.codeSends[policy.purpose];
  const spans = sendsMax.map(({ withinMs }) => withinMs);
  const quotas = sendsMax.map(({ count, withinMs }) => ({
    name: `${policy.purpose}-codes`,
    count,
    withinSeconds: withinMs / 1000,
  }));
  const [codeHash = ""] = hashCode(ctx, policy, parties, code);
  const id = ctx.requestKey ?? generateId();
  const againMs = await ctx.prepare(async ({ tx }) => {
    await lockCodes(tx, route);
    // Read behind the lock: the newest code is the one that was made last.
    const now = await ctx.clock.now(tx);
    await requireAlone(tx, ctx.requestKey, now);
    const sends = await listCodeTimes(tx, route, new Date(now.getTime() - Math.max(...spans)));
    for (const quota of quotas) requireQuota(quota, sends, now);
    await insertCode(tx, {
      id,
      ...route,
      codeHash,
      triesLeft: policy.triesMax,
      expiresAt: new Date(now.getTime() + policy.lifetimeMs),
      // The newest counts: the clock of the server that sent the one before may be ahead.
      createdAt: new Date(Math.max(now.getTime(), (sends[0]?.getTime() ?? 0) + 1)),
    });
    return Math.max(0, ...quotas.map((quota) => waitMsOf(quota, [now, ...sends], now)));
  });
  return { id, code, againSeconds: Math.ceil(againMs / 1000) };
}

/** Gives the name of a stopped attempt's code free. @throws idempotency.in_flight while that attempt may be under way */
async function requireAlone(tx: Tx, requestKey: RequestKey | null, now: Date): Promise<void> {
  if (requestKey === null) return;
  const begunAt = await findCodeTime(tx, requestKey);
  if (begunAt === null) return;
  if (now.getTime() - begunAt.getTime() < underWayMs) fail("idempotency.in_flight");
  await renameCode(tx, requestKey, generateId());
}

/**
 * After a code was not sent: an earlier one counts again, and the same request may send another. A code counts as sent
 * where its receiver was refused, because asking which ones exist costs as much as a code. In an outage it does not.
 *
 * One that may have left stays as it is.
 *
 * @returns for the error: when the same request may succeed, unless that is when an error of its kind says
 */
export async function giveBackCode(
  ctx: Context,
  { id, againSeconds }: ReservedCode,
  cause: unknown,
): Promise<Pick<CardkeepErrorOptions, "retryAfterSeconds">> {
  const isOutage = cause instanceof ProviderUnavailable;
  const isUnsent = !isOutage || cause.isWithoutEffect;
  await ctx.prepare(async ({ tx }) => {
    if (isOutage && isUnsent) return deleteCode(tx, id);
    if (isUnsent) await withdrawCode(tx, id);
    if (id === ctx.requestKey) await renameCode(tx, id, generateId());
  });
  return (isOutage && isUnsent) || againSeconds === 0 ? {} : { retryAfterSeconds: againSeconds };
}

/** Whether a code is out that may still be entered: a page then asks for it, however it was opened. */
export const isCodeAwaited = async (
  { db, clock }: Pick<Context, "db" | "clock">,
  { purpose }: CodePolicy,
  parties: CodeParties,
): Promise<boolean> => hasLiveCode(db, { purpose, ...parties }, await clock.now(db));

/** Uses a code up in the commit that it permits; true for exactly one caller. */
export type UseCode = (tx: Tx, now: Date) => Promise<boolean>;

/**
 * Checks a code against the newest one of its subject, spending one of its tries.
 *
 * Answers how to use the code up, or null when it does not fit.
 */
export async function checkCode(
  ctx: Context,
  policy: CodePolicy,
  parties: CodeParties,
  code: string,
): Promise<UseCode | null> {
  if (code.length !== codeDigits) return null;
  const stored = await takeCodeTry(ctx.db, policy.purpose, parties.subject, await ctx.clock.now(ctx.db));
  if (!stored) return null;
  const expected = Buffer.from(stored.codeHash, "hex");
  const isRight = hashCode(ctx, policy, parties, code).some((hash) =>
    timingSafeEqual(expected, Buffer.from(hash, "hex")),
  );
  return isRight ? (tx, now) => consumeCode(tx, stored.id, now) : null;
}
