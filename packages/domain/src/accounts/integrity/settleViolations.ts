import { computeTimes, isExpired } from "@cardkeep/chain/fates";
import { CallReverted } from "@cardkeep/chain/errors";
import { buildSkipExpired } from "@cardkeep/chain/delay";
import type { DelayState } from "@cardkeep/chain/accountState";
import { hourMs } from "@cardkeep/contract/core/durations";
import { enqueue, enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import {
  findOldestQueued,
  findViolation,
  hasExecutedViolation,
  listQueuedBefore,
  moveViolation,
  type Violation,
} from "@cardkeep/db/queries/accounts/integrity";
import { findDelayBehind } from "@cardkeep/db/queries/accounts/delays/queue";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import { findSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import { readHead } from "../../chain/guards/readHead.ts";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import type { WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { pickRelayer } from "../../chain/relay/pickRelayer.ts";
import { skipGasMax } from "../../chain/relay/gasLimits.ts";
import { quoteRelay, signRelayTransaction } from "../../chain/relay/signRelayTransaction.ts";
import { type Left, readEntryEnds } from "./readEntryEnds.ts";
import { spaceLooks } from "../../core/spaceLooks.ts";

const lookMsMin = 5_000;
const lookMsMax = 60_000;
/** One that left the queue without a log never ends, and each look reads the whole history. */
const unseenMsMax = hourMs;
const refusedAgainMs = 300_000;
/** Violations that one commit ends. */
const endsMax = 200;

/**
 * Finds out how the violations in one Safe's queue end. Executed, one changes the account for good. Skipped, it changed nothing.
 *
 * An expired head, of any kind, is skipped by us: until then the queue is not empty, and the card would stay paused. Looks are as
 * far apart as a hundredth of the oldest violation's age, and further where the skip is refused.
 */
export async function settleViolations(ctx: WorkerContext, input: { safeId: string }): Promise<void> {
  const safe = await findSafe(ctx.db, input.safeId);
  if (!safe) return;
  const { head, isBehind } = await readHead(ctx);
  // At this block, because the next call may reach another node.
  const state = await ctx.chain.getDelayState(safe.delayAddress, head.number);
  await settleEnded(ctx, safe, { state, head });
  const oldest = await findOldestQueued(ctx.db, safe.id);
  const isEmpty = state.txNonce === state.queueNonce && !isBehind;
  // The cards of a changed account decline with an empty queue, too.
  if (!oldest && (isEmpty || (await hasExecutedViolation(ctx.db, safe.id)))) return;
  // Where an operation of ours is queued, its own job skips what expired before it.
  const own = await findDelayBehind(ctx.db, safe.delayAddress, state.txNonce - 1n);
  const skipped = !own && isHeadExpired(state, head.timestamp) ? await skip(ctx, safe) : null;
  await ctx.commit(({ tx, now, requestId }) => {
    const spacedMs = oldest ? spaceViolation(oldest, state, now) : lookMsMax;
    const delayMs = skipped === null ? spacedMs : { signed: lookMsMin, refused: refusedAgainMs }[skipped];
    return enqueue(tx, "safe.violations", { safeId: safe.id, requestId }, delayMs);
  });
}

/** Hands a job of release 1.1.0, which had one for each violation, over to the one of its Safe. */
export async function handOverViolation(ctx: WorkerContext, input: { violationId: string }): Promise<void> {
  const { requestId } = ctx;
  const violation = await findViolation(ctx.db, input.violationId);
  if (violation?.status !== "QUEUED") return;
  await enqueueIfNone(ctx.db, "safe.violations", { safeId: violation.safeId, requestId }, 0);
}

/** Ends the violations that left the queue, some hundreds a commit: their owner may have queued any number. */
async function settleEnded(ctx: WorkerContext, safe: Safe, seen: Omit<Left, "queueNonces">): Promise<void> {
  const left = await listQueuedBefore(ctx.db, safe.id, seen.state.txNonce);
  const ends = await readEntryEnds(ctx, safe, { queueNonces: left.map(({ queueNonce }) => queueNonce), ...seen });
  for (let first = 0; first < left.length; first += endsMax) {
    await ctx.commit(async (work) => {
      for (const { id, queueNonce, reason } of left.slice(first, first + endsMax)) {
        const end = ends.get(queueNonce);
        if (!end) continue;
        const endedBlock = end.block.blockNumber;
        const to = end.isExecuted ? "EXECUTED" : "CLEARED";
        if (!(await moveViolation(work.tx, id, to, { endedBlock, updatedAt: work.now }))) continue;
        restOn(work, end.block);
        await enqueueCardholderSync(work, safe.userId);
        ctx.log.warn({ safeId: safe.id, status: to, reason }, "a queue entry of no known kind ended");
      }
    });
  }
}

/** How long to wait for the next look at a violation. */
function spaceViolation({ queueNonce, seenAt }: Violation, { txNonce }: DelayState, now: Date): number {
  const hasLeft = queueNonce !== null && queueNonce < txNonce;
  const maxMs = hasLeft ? unseenMsMax : lookMsMax;
  return spaceLooks(now.getTime() - seenAt.getTime(), { minMs: lookMsMin, maxMs, perAge: 100 });
}

const isHeadExpired = (state: DelayState, at: number): boolean =>
  state.head !== null && isExpired(computeTimes(state.head.createdAt, state), at);

/** Signs the skip of all expired entries; refused where they are too many for a block. */
async function skip(ctx: WorkerContext, { id: subjectId, delayAddress }: Safe): Promise<"signed" | "refused"> {
  if (await hasOpenRelayTransaction(ctx.db, subjectId, ["delay.skip"])) return "signed";
  const relayer = await pickRelayer(ctx, subjectId);
  const call = buildSkipExpired(delayAddress);
  const quote = await quoteRelay(ctx, relayer, call, { gasMax: skipGasMax }).catch((error: unknown) => {
    if (error instanceof CallReverted) return null;
    throw error;
  });
  if (!quote) return "refused";
  await ctx.commit(async (work) => {
    const { requestId } = work;
    const isOpen = await hasOpenRelayTransaction(work.tx, subjectId, ["delay.skip"]);
    if (isOpen) return;
    const id = generateId();
    await signRelayTransaction(ctx, work, { id, purpose: "delay.skip", subjectId, requestId, relayer, call, quote });
  });
  return "signed";
}
