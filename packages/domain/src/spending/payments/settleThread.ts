/** Brings a payment to what the issuer reports of its thread now. */
import { tokens } from "@cardkeep/chain/tokens";
import { resolveDiscrepancy } from "@cardkeep/db/queries/sync/reconciliations";
import { findSafe, hasCurrency, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import {
  type CardPayment,
  insertThread,
  findPayment,
  findPaymentByThread,
  findThreadPayment,
  insertPayment,
  type PaymentKey,
} from "@cardkeep/db/queries/spending/payments";
import { holdUser, lockUser } from "@cardkeep/db/queries/users/users";
import { findSpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { UnmatchedReason } from "@cardkeep/db/schema/spending/unmatchedThreads";
import { type ThreadReport, ThreadUnreadable } from "@cardkeep/providers/issuer/spending";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import { refreshControlsAfterPayment } from "../../cards/issuerControls/refreshIssuerControls.ts";
import { generateId } from "../../core/generateId.ts";
import { applyReport } from "./applyReport.ts";
import { sumSigned } from "./clearingSums.ts";
import { baseUnitsToCents } from "../../core/money.ts";
import { endIfReleased, findEnded, findWaitingHold, keepUnbookedHold } from "./keepUnbookedHold.ts";
import { buildLostReport, keepLostHold } from "./lostThread.ts";
import { endUnmatched, findUnmatchedReason, recordUnmatched, recordUnreadable } from "./recordUnmatched.ts";
import { recordStandIn } from "./recordStandIn.ts";
import { buildPaymentRow, withoutPayee } from "./buildPaymentRow.ts";
import { countIssuerDecline } from "./countIssuerDecline.ts";

/**
 * Asks the issuer for the whole thread and writes what has changed. The callback is only the reason to ask, so it may
 * arrive late, twice, or never.
 *
 * Where another commit changed the payment after the question, the answer is dropped and the issuer is asked again.
 */
export async function settleThread(ctx: WorkerContext, { threadId }: { threadId: string }): Promise<void> {
  await requireTransfers(ctx, () => threadId);
  const key = await findThreadPayment(ctx.db, threadId);
  const known = key && (await findPayment(ctx.db, key));
  const answer = await readReport(ctx, { threadId, userId: key?.userId ?? null });
  if (answer === "unreadable") return keepUnbookedHold(ctx, known);
  const isHeld = known?.status === "AUTHORIZED";
  if (!answer && isHeld && known.holdEndedAt === null) return keepLostHold(ctx, known);
  const report = answer ?? (isHeld ? await buildLostReport(ctx.db, known) : null);
  if (!report) return;
  if (key && !known) return recordOutsideCommit(ctx, report, { reason: "archived", userId: key.userId, known });
  const owner = known ?? (await findSpendingCard(ctx.db, report.issuerCardId));
  const safe = owner && (await findSafe(ctx.db, owner.safeId));
  if (!owner || !safe || !hasCurrency(safe)) return ctx.log.warn({ threadId }, "a thread names an unknown card");
  const { userId, cardId } = owner;
  const isForeign = report.currency !== tokens[safe.tokenSymbol].fiat;
  if (isForeign) return recordOutsideCommit(ctx, report, { reason: "currency", userId, known });
  const card = known && (await findSpendingCard(ctx.db, report.issuerCardId));
  if (known && card?.cardId !== known.cardId)
    return recordOutsideCommit(ctx, report, { reason: "card", userId, known });
  const opened = await ctx.commit(async (work): Promise<PaymentKey | null> => {
    // A person's credits, and holds that end beside a capture, are added up over all Safes.
    if (isHeld || sumSigned(report) < 0n) await lockUser(work.tx, userId);
    await lockSafe(work.tx, safe.id);
    const fresh = await findPaymentByThread(work.tx, threadId);
    if (fresh?.version !== known?.version) {
      await enqueue(work.tx, "card.settle", { threadId, requestId: work.requestId });
      return null;
    }
    const reason = await findUnmatchedReason(ctx, work, report, { payment: fresh, cardId, userId });
    if (reason) {
      const ended = fresh && findEnded(report, fresh);
      const kept = fresh && (await endIfReleased(ctx, work, safe, fresh, ended));
      // What is held counts as booked: it has left the Safe.
      const bookedCents = kept ? baseUnitsToCents(kept.target, tokens[safe.tokenSymbol]) : 0n;
      const isMoved = kept?.target !== fresh?.target;
      const hold = kept && findWaitingHold(report, kept, safe.tokenSymbol);
      await recordUnmatched(ctx, work, report, { reason, userId, bookedCents, hold, isMoved });
      return null;
    }
    await endUnmatched(work, { threadId, userId });
    const payment = fresh ?? (await openPayment(work, report, owner));
    // A decline of ours takes no lock of the Safe, and has opened the thread meanwhile.
    if (!payment) {
      await enqueue(work.tx, "card.settle", { threadId, requestId: work.requestId });
      return null;
    }
    // First the stand-in: a debt that the report makes is then seen as its shortfall.
    await recordStandIn(ctx, work, payment, report);
    await applyReport(ctx, work, safe, payment, report);
    await refreshControlsAfterPayment(work, payment.cardId);
    const done = { action: "Booked it", subjectId: payment.id, resolvedAt: work.now };
    await resolveDiscrepancy(work.tx, { kind: "thread", name: threadId, ...done });
    return fresh ? null : { id: payment.id, userId: payment.userId };
  });
  if (opened) await countIssuerDecline(ctx, opened);
}

/**
 * Inserts the payment of a thread that the issuer decided without us, or that a restored database lost; null where another
 * commit has opened the thread. A payment of an erased person has no payee.
 */
export async function openPayment(
  work: Work,
  report: ThreadReport,
  { userId, safeId, cardId }: { userId: string; safeId: string; cardId: string },
): Promise<CardPayment | null> {
  const amounts = { authorizedCents: 0n, merchantMinor: report.merchantMinor, target: 0n };
  const shown = (await holdUser(work.tx, userId)) ? report : withoutPayee(report);
  const payment = buildPaymentRow(work, { id: generateId(), userId, safeId, cardId }, shown, amounts);
  const isNew = await insertThread(work.tx, payment);
  if (!isNew) return null;
  await insertPayment(work.tx, payment);
  return payment;
}

/** The issuer's data; null where it has none. Data that cannot be read are recorded: asking again changes nothing. */
async function readReport(
  ctx: WorkerContext,
  { threadId, userId }: { threadId: string; userId: string | null },
): Promise<ThreadReport | "unreadable" | null> {
  try {
    const report = await ctx.issuer.findThread(threadId);
    if (!report) ctx.log.warn({ threadId }, "the issuer does not know a thread that it reported");
    return report;
  } catch (error) {
    if (!(error instanceof ThreadUnreadable)) throw error;
    ctx.log.error({ threadId, err: error }, "a thread of the card issuer cannot be read");
    const card = userId || error.issuerCardId === null ? null : await findSpendingCard(ctx.db, error.issuerCardId);
    await ctx.commit((work) => recordUnreadable(work, { threadId, userId: userId ?? card?.userId ?? null }));
    return "unreadable";
  }
}

/** Records a thread that cannot be booked. A plain decline is none. */
async function recordOutsideCommit(
  ctx: WorkerContext,
  report: ThreadReport,
  { known, ...unmatched }: { reason: UnmatchedReason; userId: string; known: CardPayment | null },
): Promise<void> {
  const { clearings, faults, authorization } = report;
  const isDecline = clearings.length + faults.length === 0 && authorization?.isApproved !== true;
  if (!isDecline) await ctx.commit((work) => recordUnmatched(ctx, work, report, { ...unmatched, bookedCents: 0n }));
  await keepUnbookedHold(ctx, known);
}
