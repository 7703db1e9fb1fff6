/** Writes what the issuer reports of a dispute, and what follows: the credit to the Safe, the event, the case. */
import { tokens } from "@cardkeep/chain/tokens";
import type { DisputeStatus } from "@cardkeep/contract/spending/disputes";
import { type CurrencySafe, findSafe, hasCurrency, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { type CardDispute, lockDispute, moveDispute, updateDispute } from "@cardkeep/db/queries/spending/disputes";
import { type CardPayment, findPayment } from "@cardkeep/db/queries/spending/payments";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { hasEndedHere } from "@cardkeep/db/schema/spending/disputes";
import type { DisputeReport } from "@cardkeep/providers/issuer/disputes";
import type { Work, WorkerContext } from "../../core/context.ts";
import { applyCredit } from "./applyCredit.ts";
import { deriveDisputeStatus } from "./deriveDispute.ts";
import { openDisputeCase } from "./openDisputeCase.ts";
import { publishDispute } from "./publishDispute.ts";
import { findNextLook } from "./nextLook.ts";

const lostStatuses: readonly DisputeStatus[] = ["lost", "taken_back"];
const submittedStatuses: readonly DisputeStatus[] = ["submitted", "won", "lost", "taken_back"];

/**
 * Brings a dispute to what the issuer reports of it now. Where another commit changed it after the question, the answer is
 * dropped and the issuer is asked again.
 */
export async function settleDispute(ctx: WorkerContext, known: CardDispute, report: DisputeReport): Promise<void> {
  const payment = await findPayment(ctx.db, { id: known.paymentId, userId: known.userId });
  const safe = payment && (await findSafe(ctx.db, payment.safeId));
  if (!payment || !safe || !hasCurrency(safe) || report.currency !== tokens[safe.tokenSymbol].fiat) {
    const { id: disputeId, paymentId } = known;
    ctx.log.error({ disputeId, paymentId, currency: report.currency }, "a dispute cannot be booked");
    // Its month is archived, and an operator looks at what the issuer still does.
    await ctx.commit(({ tx, now }) => updateDispute(tx, disputeId, { nextAt: null, updatedAt: now }));
    return;
  }
  await ctx.commit(async (work) => {
    await lockUser(work.tx, known.userId);
    await lockSafe(work.tx, safe.id);
    const fresh = await lockDispute(work.tx, known.id);
    if (!fresh) return;
    if (hasEndedHere(fresh)) return watchEnded(work, fresh, payment, report);
    if (fresh.version !== known.version)
      return enqueue(work.tx, "card.dispute", { disputeId: known.id, requestId: work.requestId });
    await applyReport(ctx, work, safe, fresh, payment, report);
  });
}

/** Opens a case where the issuer goes on with a dispute that ended here, and asks for it again until it is decided there. */
async function watchEnded(
  work: Work,
  dispute: CardDispute,
  payment: CardPayment,
  report: DisputeReport,
): Promise<void> {
  await openDisputeCase(work, payment, report, dispute.id);
  const status = deriveDisputeStatus(report) ?? dispute.status;
  if (!submittedStatuses.includes(status)) return;
  await updateDispute(work.tx, dispute.id, { nextAt: findNextLook({ ...dispute, status }, work.now) });
}

async function applyReport(
  ctx: WorkerContext,
  work: Work,
  safe: CurrencySafe,
  before: CardDispute,
  { id, userId }: CardPayment,
  report: DisputeReport,
): Promise<void> {
  const { tx, now } = work;
  const status = deriveDisputeStatus(report) ?? before.status;
  const { amountCents, reinstatedCents, lossReason } = report;
  const nextAt = findNextLook({ ...before, status }, now);
  const isNew =
    status !== before.status ||
    amountCents !== before.amountCents ||
    reinstatedCents !== before.reinstatedCents ||
    lossReason !== before.lossReason;
  if (!isNew) {
    await updateDispute(tx, before.id, { nextAt });
    return;
  }
  const change = {
    amountCents,
    reinstatedCents,
    lossReason,
    nextAt,
    updatedAt: now,
    submittedAt: before.submittedAt ?? (submittedStatuses.includes(status) ? now : null),
    closedAt: status === "created" || status === "submitted" ? null : (before.closedAt ?? now),
    // The network found for the merchant: an operator may return the money again.
    ...(lostStatuses.includes(status) &&
      !lostStatuses.includes(before.status) && { creditCents: 0n, creditDecidedAt: before.creditDecidedAt ?? now }),
  };
  const moved = status === before.status ? null : await moveDispute(tx, before.id, status, change);
  if (status !== before.status && !moved)
    ctx.log.warn(
      { disputeId: before.id, from: before.status, to: status },
      "the issuer reports a state of a dispute that cannot follow the recorded one",
    );
  const after = moved ?? (await updateDispute(tx, before.id, change));
  const payment = await applyCredit(ctx, work, safe, after, { id, userId }, before);
  await publishDispute(work, after, payment);
}
