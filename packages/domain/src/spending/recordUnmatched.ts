import { upsertUnmatchedThread } from "@cardkeep/db/queries/refunds";
import type { UnmatchedReason } from "@cardkeep/db/schema/spending/unmatchedThreads";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { WorkerContext } from "../context.ts";

/** Records a thread that the issuer reports and that cannot be booked; no money moves for it. A plain decline is none. */
export async function recordUnmatched(
  ctx: WorkerContext,
  report: ThreadReport,
  reason: UnmatchedReason,
): Promise<void> {
  const { threadId, currency, clearings, authorization } = report;
  if (clearings.length === 0 && authorization?.isApproved !== true) return;
  ctx.log.error({ threadId, currency, reason }, "a thread of the card issuer cannot be booked");
  const cleared = clearings.reduce(
    (sum, { kind, amountCents }) => sum + (kind === "capture" ? amountCents : -amountCents),
    0n,
  );
  const amountMinor = clearings.length === 0 ? (authorization?.amountCents ?? 0n) : cleared;
  await ctx.commit(({ tx, now }) =>
    upsertUnmatchedThread(tx, { threadId, reason, currency, amountMinor, seenAt: now }),
  );
}
