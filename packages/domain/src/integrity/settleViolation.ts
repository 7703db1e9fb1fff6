import { computeTimes, isExpired } from "@cardkeep/chain/fates";
import { buildSkipExpired } from "@cardkeep/chain/delay";
import type { DelayState } from "@cardkeep/chain/port";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findViolation, moveViolation, type Violation } from "@cardkeep/db/queries/integrity";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/relay/bySubject";
import { findSafe, type Safe } from "@cardkeep/db/queries/safes";
import { followPerson } from "../cardholders/syncCardholder.ts";
import { restOn } from "../chain/reorgGuard.ts";
import type { WorkerContext } from "../context.ts";
import { generateId } from "../generateId.ts";
import { pickRelayer } from "../relay/pickRelayer.ts";
import { quoteRelay, signRelayTransaction } from "../relay/signRelayTransaction.ts";
import { findEntryEnd } from "./findEntryEnd.ts";

const againMs = 5_000;

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
  if (end === null && (await isHeadExpired(ctx, state))) await skip(ctx, safe, violation);
  await ctx.commit(async (work) => {
    const { tx, now, requestId } = work;
    if (end === null) return enqueue(tx, "safe.violation", { violationId: violation.id, requestId }, againMs);
    const endedBlock = end.block.blockNumber;
    const to = end.isExecuted ? "EXECUTED" : "CLEARED";
    if (!(await moveViolation(tx, violation.id, to, { endedBlock, updatedAt: now }))) return;
    await restOn(work, end.block);
    await followPerson(work, safe.userId);
    ctx.log.warn({ safeId: safe.id, status: to, reason: violation.reason }, "a queue entry of no known kind ended");
  });
}

async function isHeadExpired(ctx: WorkerContext, state: DelayState): Promise<boolean> {
  if (state.head === null) return false;
  const { timestamp } = await ctx.chain.getBlock();
  return isExpired(computeTimes(state.head.createdAt, state), timestamp);
}

async function skip(ctx: WorkerContext, safe: Safe, { id: subjectId }: Violation): Promise<void> {
  if (await hasOpenRelayTransaction(ctx.db, subjectId, ["delay.skip"])) return;
  const relayer = await pickRelayer(ctx, safe.id);
  const call = buildSkipExpired(safe.delayAddress);
  const quote = await quoteRelay(ctx, relayer, call);
  await ctx.commit(async (work) => {
    const { requestId } = work;
    const isOpen = await hasOpenRelayTransaction(work.tx, subjectId, ["delay.skip"]);
    if (isOpen) return;
    const id = generateId();
    await signRelayTransaction(ctx, work, { id, purpose: "delay.skip", subjectId, requestId, relayer, call, quote });
  });
}
