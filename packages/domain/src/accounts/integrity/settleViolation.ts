import { computeTimes, isExpired } from "@cardkeep/chain/fates";
import { CallReverted } from "@cardkeep/chain/errors";
import { buildSkipExpired } from "@cardkeep/chain/delay";
import type { DelayState } from "@cardkeep/chain/port";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findViolation, listViolations, moveViolation, type Violation } from "@cardkeep/db/queries/accounts/integrity";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import { findSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { followPerson } from "../../core/cardholders/syncCardholder.ts";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import type { WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { pickRelayer } from "../../chain/relay/pickRelayer.ts";
import { skipGasMax } from "../../chain/relay/gasLimits.ts";
import { quoteRelay, signRelayTransaction } from "../../chain/relay/signRelayTransaction.ts";
import { findEntryEnd } from "./findEntryEnd.ts";

const againMs = 5_000;
const refusedAgainMs = 300_000;

/**
 * Finds out how a violating entry ends. Executed, it changes the account for good. Skipped, it changed nothing.
 *
 * An expired head is skipped by us: until then the queue is not empty, and the card would stay paused.
 */
export async function settleViolation(ctx: WorkerContext, input: { violationId: string }): Promise<void> {
  const violation = await findViolation(ctx.db, input.violationId);
  const safe = violation && (await findSafe(ctx.db, violation.safeId));
  if (!safe || violation.status !== "QUEUED" || violation.queueNonce === null) return;
  const state = await ctx.chain.getDelayState(safe.delayAddress);
  const end = await findEntryEnd(ctx, safe, { queueNonce: violation.queueNonce, state });
  const isRefused =
    end === null && (await isHeadExpired(ctx, state)) && (await isOldest(ctx, violation))
      ? !(await skip(ctx, safe, violation))
      : false;
  await ctx.commit(async (work) => {
    const { tx, now, requestId } = work;
    if (end === null)
      return enqueue(
        tx,
        "safe.violation",
        { violationId: violation.id, requestId },
        isRefused ? refusedAgainMs : againMs,
      );
    const endedBlock = end.block.blockNumber;
    const to = end.isExecuted ? "EXECUTED" : "CLEARED";
    if (!(await moveViolation(tx, violation.id, to, { endedBlock, updatedAt: now }))) return;
    restOn(work, end.block);
    await followPerson(work, safe.userId);
    ctx.log.warn({ safeId: safe.id, status: to, reason: violation.reason }, "a queue entry of no known kind ended");
  });
}

async function isHeadExpired(ctx: WorkerContext, state: DelayState): Promise<boolean> {
  if (state.head === null) return false;
  const { timestamp } = await ctx.chain.getBlock();
  return isExpired(computeTimes(state.head.createdAt, state), timestamp);
}

/** One transaction skips all expired entries, so only the oldest violation of a queue pays for one. */
async function isOldest({ db }: WorkerContext, { id, safeId }: Violation): Promise<boolean> {
  const queued = (await listViolations(db, safeId)).filter(({ status }) => status === "QUEUED");
  const [oldest] = queued.toSorted((a, b) => Number((a.queueNonce ?? 0n) - (b.queueNonce ?? 0n)));
  return oldest?.id === id;
}

/** Signs the skip of all expired entries; false where they are too many for a block. */
async function skip(ctx: WorkerContext, safe: Safe, { id: subjectId }: Violation): Promise<boolean> {
  if (await hasOpenRelayTransaction(ctx.db, subjectId, ["delay.skip"])) return true;
  const relayer = await pickRelayer(ctx, safe.id);
  const call = buildSkipExpired(safe.delayAddress);
  const quote = await quoteRelay(ctx, relayer, call, { gasMax: skipGasMax }).catch((error: unknown) => {
    if (error instanceof CallReverted) return null;
    throw error;
  });
  if (!quote) return false;
  await ctx.commit(async (work) => {
    const { requestId } = work;
    const isOpen = await hasOpenRelayTransaction(work.tx, subjectId, ["delay.skip"]);
    if (isOpen) return;
    const id = generateId();
    await signRelayTransaction(ctx, work, { id, purpose: "delay.skip", subjectId, requestId, relayer, call, quote });
  });
  return true;
}
