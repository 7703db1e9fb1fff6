import { enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { insertViolation, type Violation } from "@cardkeep/db/queries/accounts/integrity";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import type { Context, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";

/**
 * A violation takes an account out of its known state: an entry in its queue, a spend that ran and moved no money, or a
 * transaction before its set-up.
 */
type Cause =
  | { queueNonce: bigint; transferId?: undefined; isBeforeSetUp?: undefined }
  | { transferId: string; queueNonce?: undefined; isBeforeSetUp?: undefined }
  | { isBeforeSetUp: true; queueNonce?: undefined; transferId?: undefined };

/**
 * Records that an account is not as it was set up, and logs it. Its cards decline from this commit on.
 *
 * The job of the Safe finds out how an entry ends: it may expire before it runs. Each other cause counts as executed.
 * The same violation recorded again changes nothing.
 */
export async function recordViolation(
  ctx: Pick<Context, "log">,
  work: Work,
  violation: { safeId: string; reason: string; hash: Hex; block: SeenBlock } & Cause,
): Promise<Violation | null> {
  const { tx, now } = work;
  const { safeId, reason, hash, block, queueNonce, transferId } = violation;
  const recorded = await insertViolation(tx, {
    id: generateId(),
    safeId,
    queueNonce: queueNonce ?? null,
    transferId: transferId ?? null,
    status: queueNonce === undefined ? "EXECUTED" : "QUEUED",
    reason,
    hash,
    blockNumber: block.blockNumber,
    seenAt: now,
    updatedAt: now,
  });
  if (!recorded) return null;
  restOn(work, block);
  const safe = await findSafe(tx, safeId);
  if (safe) await enqueueCardholderSync(work, safe.userId);
  ctx.log.error({ safeId, reason, hash }, "an account is not as it was set up: its cards decline");
  // A job that waits keeps its time: an owner could otherwise have one look for each entry.
  if (recorded.status === "QUEUED")
    await enqueueIfNone(tx, "safe.violations", { safeId, requestId: work.requestId }, 0);
  return recorded;
}
