/** What a report of the issuer changes: the payment's state and clearings, its transfers, debts and events. */
import { hourMs } from "@cardkeep/contract/core/durations";
import { tokens } from "@cardkeep/chain/tokens";
import { nameIssuerReason } from "@cardkeep/contract/spending/declineWords";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { listStandings } from "@cardkeep/db/queries/cards/cardholders";
import { findConcernedDispute } from "@cardkeep/db/queries/spending/disputes";
import { listBookedClearings } from "@cardkeep/db/queries/spending/paymentParts";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { recordExpiry } from "@cardkeep/db/queries/spending/paymentExpiry";
import {
  type CardClearing,
  type CardPayment,
  growReversal,
  insertClearing,
  movePayment,
  shrinkReversal,
  updatePayment,
} from "@cardkeep/db/queries/spending/payments";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import { findBlock, findOpenSince } from "../../core/cardholders/findBlock.ts";
import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { deriveThreadState, type ThreadState } from "./deriveThreadState.ts";
import { findExpiry, isHoldOver, matchHold } from "./holdEnd.ts";
import { openCaptureCase } from "./openCaptureCase.ts";
import { planClearings } from "./planClearings.ts";
import { publishPayment } from "./publishPayment.ts";
import { recordDebt } from "./recordDebt.ts";
import { syncDecisions } from "./syncDecisions.ts";
import { toMerchantMinor } from "./buildCardEvent.ts";

/**
 * Writes the changes of a payment, plans its transfers and publishes its events.
 *
 * @param isPlanned false where the caller plans what is missing, once it knows more than the report
 */
export async function applyReport(
  ctx: WorkerContext,
  work: Work,
  safe: CurrencySafe,
  known: CardPayment,
  report: ThreadReport,
  { isPlanned = true }: { isPlanned?: boolean } = {},
): Promise<void> {
  const before = await matchHold(ctx.policy, work, known, report);
  const isHoldEnded = before.holdEndedAt !== null || isHoldOver(ctx.policy, work, before, report);
  const state = deriveThreadState(report, { ...before, isHoldEnded }, await syncDecisions(work, before, report));
  const target = centsToBaseUnits(state.targetCents, tokens[safe.tokenSymbol]);
  const isNew = isChanged(before, { ...state, target }) || (await hasNewClearing(work, before, report));
  const isMatched = before.matchedThreadId !== null;
  // Its release counts towards the person's bound, until the issuer has ended it.
  if (isMatched) await enqueueCardholderSync(work, before.userId);
  const expiredAt = isNew || isMatched ? findExpiry(ctx.policy, work, before, report) : null;
  // Apart from the state: a callback may have dated the expiry since this commit read the payment, and the earlier date counts.
  if (before.expiredAt === null && expiredAt !== null) await recordExpiry(work.tx, before.threadId, expiredAt);
  if (!isNew) return touchPayment(work, before);
  const reason = await nameReason(ctx, work, before, report);
  const after = await writeState(ctx, work, before, state, { target, reason, postedAt: findPostedAt(report) });
  if (after.reversedCents < before.reversedCents) await shrinkReversal(work.tx, buildReversal(after));
  const clearings = await insertNewClearings(work, after, report);
  await openCaptureCase(ctx, work, { before, after }, report);
  if (isPlanned && target !== before.target) {
    await planClearings(ctx, work, safe, after, clearings);
    await recordDebt(work, after);
  }
  if (before.status !== "AUTHORIZED" && after.status === "AUTHORIZED") {
    await publishPayment(ctx, work, "card.transaction.created", after);
  }
  if (before.status !== "DECLINED" && after.status === "DECLINED") {
    await publishPayment(ctx, work, "card.transaction.declined", after);
  }
  const dispute = await findConcernedDispute(work.tx, after.id);
  if (dispute) await enqueue(work.tx, "card.dispute", { disputeId: dispute.id, requestId: dispute.requestId });
  for (const clearing of clearings) {
    await publishPayment(ctx, work, `card.transaction.${eventTypes[clearing.kind]}`, after, clearing);
  }
}

/** The event of each kind of clearing: a refund that is taken back is captured again. */
const eventTypes = {
  capture: "cleared",
  refund: "refunded",
  reversal: "reversed",
  capture_reversal: "reversed",
  refund_reversal: "cleared",
} as const satisfies Readonly<Record<CardClearing["kind"], string>>;

/** The issuer declines every use of an inactive person; the payment keeps the reason for which the person is inactive. */
async function nameReason(
  { policy }: WorkerContext,
  { tx, now }: Work,
  { userId }: CardPayment,
  { authorization }: ThreadReport,
): Promise<string | null> {
  const reason = authorization?.reason ?? null;
  const [standing] =
    reason === "cardholder_inactive" ? await listStandings(tx, [userId], findOpenSince(policy, now)) : [];
  return (standing && findBlock(standing, policy)) ?? (reason && nameIssuerReason(reason));
}

/** Keeps the time of the check, because an authorization without news is checked once a day for a lost callback. */
async function touchPayment({ tx, now }: Work, payment: CardPayment): Promise<void> {
  if (now.getTime() - payment.updatedAt.getTime() > hourMs) await updatePayment(tx, payment, { updatedAt: now });
}

const isChanged = (row: CardPayment, next: ThreadState & { target: bigint }): boolean =>
  row.status !== next.status ||
  row.target !== next.target ||
  row.authorizedCents !== next.authorizedCents ||
  row.reversedCents !== next.reversedCents ||
  row.capturedCents !== next.capturedCents ||
  row.refundedCents !== next.refundedCents ||
  row.excessCents !== next.excessCents;

/** Clearings that come to nothing together, such as a capture and its reversal, are news, too. */
async function hasNewClearing({ tx }: Work, payment: CardPayment, { clearings }: ThreadReport): Promise<boolean> {
  if (clearings.length === 0) return false;
  const known = await listBookedClearings(tx, payment);
  return clearings.some(({ id }) => !known.has(id));
}

const unfunded = nameIssuerReason("insufficient_funds");

/** When the issuer posted the first capture of a thread, or the first clearing of one without a capture; null before. */
function findPostedAt({ clearings }: ThreadReport): Date | null {
  const captures = clearings.filter(({ kind }) => kind === "capture");
  const dates = (captures.length > 0 ? captures : clearings).map(({ postedAt }) => postedAt.getTime());
  return dates.length > 0 ? new Date(Math.min(...dates)) : null;
}

/** Writes the reported state. The issuer is right even where the machine knows no such move. */
async function writeState(
  ctx: WorkerContext,
  { tx, now, requestId }: Work,
  before: CardPayment,
  { status, targetCents: _, ...amounts }: ThreadState,
  { target, reason, postedAt }: { target: bigint; reason: string | null; postedAt: Date | null },
): Promise<CardPayment> {
  const isCleared = status === "CLEARED" || status === "CREDITED";
  const change = {
    ...amounts,
    merchantMinor: toGrownMinor(before, amounts.authorizedCents),
    target,
    // As in events and statements; a report that comes late is of the same capture.
    clearedAt: isCleared || before.clearedAt !== null ? (postedAt ?? before.clearedAt ?? now) : null,
    // Our own reason stays: the issuer's is then that we declined.
    ...(status === "DECLINED" && {
      declineResult: before.declineResult ?? ("Other" as const),
      declineReason: before.declineReason ?? reason,
    }),
    updatedAt: now,
  };
  if (status === "DECLINED" && change.declineReason === unfunded && before.declineReason === null) {
    ctx.log.error(
      { threadId: before.threadId },
      "The card issuer declines, because your balance at it is too low. Send it money.",
    );
    // The forecast then says so too.
    await enqueue(tx, "issuer.balance", { chainId: String(ctx.policy.chainId), requestId });
  }
  if (before.status === status) return updatePayment(tx, before, change);
  const moved = await movePayment(tx, before, status, change);
  if (moved) return moved;
  ctx.log.warn(
    { threadId: before.threadId, from: before.status, to: status },
    "the issuer reports a state that cannot follow the recorded one",
  );
  return updatePayment(tx, before, change);
}

/** The merchant's amount, grown or shrunk with the authorization, at its rate. */
const toGrownMinor = ({ authorizedCents, merchantMinor }: CardPayment, grownCents: bigint): bigint =>
  authorizedCents === 0n ? merchantMinor : (merchantMinor * grownCents) / authorizedCents;

/** Inserts the clearings that were not known yet, and returns them. */
async function insertNewClearings(
  { tx, now }: Work,
  payment: CardPayment,
  report: ThreadReport,
): Promise<CardClearing[]> {
  const shared = { paymentId: payment.id, userId: payment.userId, createdAt: now };
  const inserted: CardClearing[] = [];
  for (const reported of report.clearings) {
    const clearing = await insertClearing(tx, { ...reported, ...shared });
    if (clearing) inserted.push(clearing);
  }
  if (payment.reversedCents > 0n) {
    const grown = await growReversal(tx, { ...shared, ...buildReversal(payment), kind: "reversal", postedAt: now });
    if (grown) inserted.push(grown);
  }
  return inserted;
}

/** What of a payment's reversals is in their row. */
const buildReversal = (payment: CardPayment) => ({
  id: `${payment.threadId}:reversal`,
  paymentId: payment.id,
  userId: payment.userId,
  amountCents: payment.reversedCents,
  merchantMinor: toMerchantMinor(payment.reversedCents, payment),
});
