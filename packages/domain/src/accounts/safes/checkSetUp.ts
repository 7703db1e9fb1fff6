import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { ChainLog } from "@cardkeep/chain/log";
import { findSafe, lockSafe, type Safe, updateSafe } from "@cardkeep/db/queries/accounts/safes";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { requireFollowed } from "../../chain/guards/readHead.ts";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import type { WorkerContext } from "../../core/context.ts";
import { readSetUpHistory, usedReason } from "./setUpHistory.ts";
import { recordViolation } from "../integrity/recordViolation.ts";

/** A node without the history has it after a change of the node, not soon; each look may be many questions. */
const lookLaterMs = 600_000;

/**
 * Reads once whether the set-up of a Safe of the older way was its first transaction. One that was used before is changed from
 * now on: its owner may hold a right to its money that nothing shows.
 *
 * Releases up to 1.1.0 believed the Safe's nonce, which its owner could set back. One of them may still run beside this one.
 */
export async function checkSetUp(ctx: WorkerContext, { safeId }: { safeId: string }): Promise<void> {
  const safe = await findSafe(ctx.db, safeId);
  if (!safe || !isUnread(safe)) return;
  await requireFollowed(ctx);
  const read = await readOrNull(ctx, safe);
  if (!read) return enqueue(ctx.db, "safe.setUpHistory", { safeId, requestId: safe.requestId }, lookLaterMs);
  const { own, other } = read;
  await ctx.commit(async (work) => {
    const locked = await lockSafe(work.tx, safeId);
    if (!locked || !isUnread(locked)) return;
    restOn(work, own);
    await updateSafe(work.tx, safeId, { setUpBlock: own.blockNumber });
    if (!other) return;
    const violation = { safeId, reason: usedReason, hash: other.transactionHash, block: other } as const;
    await recordViolation(ctx, work, { ...violation, isBeforeSetUp: true });
  });
}

const isUnread = ({ setUpBy, status, setUpBlock }: Safe): boolean =>
  setUpBy === "user" && status === "ok" && setUpBlock === null;

/** Null while the node does not show the set-up and all before it. */
async function readOrNull(ctx: WorkerContext, safe: Safe): Promise<{ own: ChainLog; other: ChainLog | null } | null> {
  let fault = "The node lacks the log of the set-up";
  try {
    const { own, other } = await readSetUpHistory(ctx, safe);
    if (own) return { own, other };
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    fault = error.message;
  }
  const advice = "Name a node in RPC_URL that has logs since the Safe was opened.";
  ctx.log.error({ safeId: safe.id, fault }, `the history of an account before its set-up is not read. ${advice}`);
  return null;
}
