/**
 * The money of a payment that its person did not authorize: returned at once, or by an operator's decision.
 *
 * All credits and advances of a person that the network has not paid for stay below a bound, also where reports come at the same time: the
 * person's row is locked while they are added up. So a person who reports own payments costs the operator that bound at most.
 */
import { fail } from "@cardkeep/contract/core/errors";
import type { Tx } from "@cardkeep/db/client";
import { type CurrencySafe, findSafe, hasCurrency, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { closeCaseOf, findClosing, findOpenCaseOf } from "@cardkeep/db/queries/spending/cases";
import { lockPayment } from "@cardkeep/db/queries/spending/debts";
import { type CardDispute, lockDispute, updateDispute } from "@cardkeep/db/queries/spending/disputes";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { requireApproval, requireSame } from "../../operators/approvals/requireApproval.ts";
import { openCase } from "../../core/openCase.ts";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import type { Context, OperatorContext, Work, WorkerContext } from "../../core/context.ts";
import { formatInstant } from "../../core/wording.ts";
import { formatCents } from "../payments/formatMoney.ts";
import { applyCredit } from "./applyCredit.ts";
import { getDisputeDetails } from "./listAllDisputes.ts";
import { readOutstanding, sumPaid } from "./outstandingCredits.ts";
import { publishDispute } from "./publishDispute.ts";
import { listGrounds } from "./unauthorizedPayment.ts";

interface Locked {
  safe: CurrencySafe;
  dispute: CardDispute;
  payment: CardPayment;
  /** What the payment moved, in cents. */
  paidCents: bigint;
}

/** The rows of a reported payment behind their locks: the person's first, then the Safe's. */
async function lockReported(tx: Tx, known: CardDispute, { safeId }: Pick<CardPayment, "safeId">): Promise<Locked> {
  await lockUser(tx, known.userId);
  const safe = await lockSafe(tx, safeId);
  const dispute = await lockDispute(tx, known.id);
  const payment = await lockPayment(tx, { id: known.paymentId, userId: known.userId });
  if (!safe || !hasCurrency(safe) || !dispute || !payment)
    throw new Error(`Dispute ${known.id} has no Safe or payment`);
  return { safe, dispute, payment, paidCents: sumPaid(safe, payment) };
}

/** Whether an operator decides about a report, or withdrew what was returned. */
const isOperators = ({ creditDecidedAt, creditCents }: CardDispute): boolean =>
  creditDecidedAt !== null && creditCents === 0n;

/**
 * Returns the money of a report that waits for it, or opens a case with its last instant. Answers the dispute as it is then.
 *
 * A merchant may capture more than was held at the report, so it is decided again where the payment has moved more since.
 */
export async function decideCredit(ctx: WorkerContext, known: CardDispute, payment: CardPayment): Promise<CardDispute> {
  if (known.creditDueAt === null) return known;
  return ctx.commit(async (work) => {
    const locked = await lockReported(work.tx, known, payment);
    const { dispute, paidCents } = locked;
    if (dispute.creditDueAt === null || dispute.status === "withdrawn") return dispute;
    if (isOperators(dispute)) return askAboutMore(work, locked, dispute.creditDueAt);
    if (paidCents < dispute.creditCents) return lowerCredit(ctx, work, locked);
    if (paidCents === dispute.creditCents) return dispute;
    const { outstandingCents, hasLost } = await readOutstanding(work.tx, dispute);
    const isAboveBound = outstandingCents + paidCents > ctx.policy.unauthorizedCreditCentsMax;
    const grounds = listGrounds(locked.payment, { hasLost, isAboveBound });
    if (grounds.length === 0) return setReturned(ctx, work, locked, paidCents);
    await openUnauthorizedCase(work, locked, grounds, dispute.creditDueAt);
    return updateDispute(work.tx, dispute.id, { creditDecidedAt: dispute.creditDecidedAt ?? work.now });
  });
}

/** Statuses in which the network has decided that no money goes back. */
const lostStatuses: readonly CardDispute["status"][] = ["lost", "taken_back"];

/**
 * Asks operators again about a report that they decide, or refused, where the merchant has captured more than the case shows. What they
 * withdrew, or the network decided, stays as it is.
 */
async function askAboutMore(work: Work, locked: Locked, dueAt: Date): Promise<CardDispute> {
  const { dispute, payment } = locked;
  if (lostStatuses.includes(dispute.status) || !(await isAsked(work.tx, dispute))) return dispute;
  const { hasLost } = await readOutstanding(work.tx, dispute);
  const grounds = listGrounds(payment, { hasLost, isAboveBound: false });
  await openUnauthorizedCase(work, locked, ["The merchant captured more since you were asked.", ...grounds], dueAt);
  return dispute;
}

/** Whether operators have the case of a report, or refused it. One that they answered by money ended at the latest with that. */
async function isAsked(tx: Tx, { id, creditDecidedAt }: CardDispute): Promise<boolean> {
  const key = { kind: "unauthorized_payment", subjectId: id } as const;
  if (await findOpenCaseOf(tx, key)) return true;
  const answeredAt = await findClosing(tx, key);
  return answeredAt !== null && creditDecidedAt !== null && answeredAt > creditDecidedAt;
}

/**
 * Lowers a credit to what its payment still moves: the rest came back by itself. What the merchant captures later is decided
 * anew, because other credits may have taken the bound up meanwhile.
 */
async function lowerCredit(
  ctx: Pick<Context, "policy">,
  work: Work,
  { safe, dispute, payment, paidCents: creditCents }: Locked,
): Promise<CardDispute> {
  const creditDecidedAt = creditCents === 0n ? null : work.now;
  const lowered = await updateDispute(work.tx, dispute.id, { creditCents, creditDecidedAt, updatedAt: work.now });
  await applyCredit(ctx, work, safe, lowered, payment);
  return lowered;
}

/** Opens the case of a report, or opens it again: what operators answered was about the credit that stood then. */
async function openUnauthorizedCase(
  work: Work,
  { dispute: { id: disputeId, userId, creditCents, creditDecidedAt }, payment, paidCents }: Locked,
  grounds: readonly string[],
  dueAt: Date,
) {
  const { id: paymentId, billingCurrency: currency } = payment;
  const answeredAt = await findClosing(work.tx, { kind: "unauthorized_payment", subjectId: disputeId });
  // Money that operators return answers the case at the same instant; a refusal does so later.
  const isChanged = creditDecidedAt === null || (answeredAt !== null && answeredAt <= creditDecidedAt);
  const note =
    `${grounds.join(" ")} Decide by ${formatInstant(dueAt)}: return the money by \`cardkeep disputes credit\`, or refuse it to the ` +
    "person and report the grounds to the authority.";
  return openCase(work, {
    kind: "unauthorized_payment",
    userId,
    paymentId,
    disputeId,
    amountCents: paidCents - creditCents,
    currency,
    note,
    isChanged,
    dueAt,
  });
}

async function setReturned(
  ctx: Pick<Context, "policy">,
  work: Work,
  { safe, dispute, payment }: Locked,
  creditCents: bigint,
): Promise<CardDispute> {
  const { now } = work;
  const after = await updateDispute(work.tx, dispute.id, { creditCents, creditDecidedAt: now, updatedAt: now });
  const changed = await applyCredit(ctx, work, safe, after, payment);
  const isChanged = dispute.creditCents !== creditCents;
  await publishDispute(work, after, changed, isChanged ? "card.creditMail" : "card.disputeMail");
  return after;
}

const describeMissing = ({ dispute, payment, paidCents }: Omit<Locked, "safe">): string =>
  formatCents(paidCents - dispute.creditCents, payment.billingCurrency);

/**
 * Returns the money of a reported payment, or the rest of it, although there are grounds against it, or once more after it was
 * withdrawn. A second person approves the amount that is missing at the request, and no other one.
 *
 * @throws disputes.not_found, disputes.no_credit, operators.reason_required, operators.approval_needed, approvals.changed
 */
export async function grantCredit(ctx: OperatorContext, { reference }: { reference: string }): Promise<CardDispute> {
  const closeReason = ctx.reason ?? fail("operators.reason_required");
  const { dispute: known, payment } = await getDisputeDetails(ctx, { reference });
  if (!payment) return fail("disputes.no_credit");
  const subject = { kind: "payment", id: payment.id } as const;
  const safe = await findSafe(ctx.db, payment.safeId);
  if (!safe || !hasCurrency(safe)) return fail("disputes.no_credit");
  const input = {
    reference: known.id,
    amount: describeMissing({ dispute: known, payment, paidCents: sumPaid(safe, payment) }),
  };
  await requireApproval(ctx, "disputes.credit", { input, subject });
  await requireTransfers(ctx, () => payment.threadId);
  return ctx.act("disputes.credit", async (work) => {
    const locked = await lockReported(work.tx, known, payment);
    const { dispute, paidCents } = locked;
    if (dispute.creditDueAt === null || paidCents <= dispute.creditCents) return fail("disputes.no_credit");
    requireSame(ctx, { amount: describeMissing(locked) });
    const output = await setReturned(ctx, work, locked, paidCents);
    const closed = { closedAt: work.now, closedBy: ctx.actor.name, closeReason };
    await closeCaseOf(work.tx, { kind: "unauthorized_payment", subjectId: dispute.id }, closed);
    const before = { disputeId: dispute.id, creditCents: String(dispute.creditCents) };
    return { output, subject, before, after: { ...before, creditCents: String(paidCents) } };
  });
}

/**
 * Withdraws the money that was returned for a report: it is collected again, and what the Safe lacks becomes a debt and a case.
 *
 * @throws disputes.not_found, disputes.no_credit, operators.reason_required
 */
export async function revokeCredit(ctx: OperatorContext, { reference }: { reference: string }): Promise<CardDispute> {
  if (ctx.reason === null) fail("operators.reason_required");
  const { dispute: known, payment } = await getDisputeDetails(ctx, { reference });
  if (!payment) return fail("disputes.no_credit");
  await requireTransfers(ctx, () => payment.threadId);
  return ctx.act("disputes.revoke", async (work) => {
    const locked = await lockReported(work.tx, known, payment);
    const before = { disputeId: known.id, creditCents: String(locked.dispute.creditCents) };
    if (locked.dispute.creditCents === 0n) fail("disputes.no_credit");
    const output = await setReturned(ctx, work, locked, 0n);
    const subject = { kind: "payment", id: payment.id } as const;
    return { output, subject, before, after: { ...before, creditCents: "0" } };
  });
}
