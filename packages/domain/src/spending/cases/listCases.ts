/** Cases as the operator sees and closes them. */
import { type CardCaseKind, type CardCaseStatus, waitingCaptureKinds } from "@cardkeep/contract/spending/cardCases";
import { fail } from "@cardkeep/contract/core/errors";
import {
  type CardCase,
  closeCase as closeRow,
  findCase,
  listCases as listRows,
} from "@cardkeep/db/queries/spending/cases";
import {
  acceptUnmatchedThread,
  findUnmatchedThread,
  type UnmatchedThread,
} from "@cardkeep/db/queries/spending/refunds";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { requireApproval, requireSame } from "../../operators/approvals/requireApproval.ts";
import { acceptableReasons } from "@cardkeep/db/schema/spending/unmatchedThreads";
import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import type { OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { readDoubleWarning } from "../payments/doubles.ts";
import { formatMinor } from "../payments/formatMoney.ts";
import { listAsks, refundAdvice } from "../payments/refundRequest.ts";
import { erasureAdvice } from "../../users/users/requestErasure.ts";
import { maySeePeople, resolveUser } from "../../users/users/listUsers.ts";

/** What cases are chosen by; an absent condition is none. */
export interface CaseChoice {
  status?: CardCaseStatus | null | undefined;
  kind?: CardCaseKind | null | undefined;
  /** Id, e-mail address, sign-in wallet or Safe. */
  user?: string | null | undefined;
  payment?: string | null | undefined;
  after?: string | null | undefined;
  limit: number;
}

/** Cases that pass the choice, newest first. @throws users.not_found */
export async function listCases(
  { db }: Pick<Services, "db">,
  { status, kind, user, payment, after, limit }: CaseChoice,
): Promise<CardCase[]> {
  const owner = user ? await resolveUser(db, user) : null;
  const rows = await listRows(db, {
    status: status ?? null,
    kind: kind ?? null,
    userId: owner?.id ?? null,
    paymentId: payment ?? null,
    after: after ?? null,
    limit,
  });
  // The case itself shows them, to those who may read of people.
  return rows.map((row) => ({ ...row, words: null }));
}

/** Whether a case is about a person: then no money is at stake. */
export const isOfPerson = ({ subjectId, userId }: Pick<CardCase, "subjectId" | "userId">): boolean =>
  subjectId === userId;

/** The case of an id. @throws cases.not_found */
async function getCase({ db }: Pick<Services, "db">, { id }: { id: string }): Promise<CardCase> {
  return (await findCase(db, id)) ?? fail("cases.not_found");
}

/** A case with who asked for it and why, where support did. */
export interface CaseDetails extends CardCase {
  asked: { by: string; at: Date; reason: string | null } | null;
  /** What is to be known before an open request is paid; empty for nothing. */
  warning: string;
}

const isOpenRefund = ({ kind, status }: CardCase): boolean => kind === "refund_request" && status === "OPEN";

/** What happened, without what was to be done about it. */
const withoutAdvice = ({ note }: CardCase): string =>
  [refundAdvice, erasureAdvice].reduce((text, advice) => text.replace(advice, ""), note).trim();

/**
 * The case of an id, with who asked for it. A closed one says no more what to do, and the person's words are for those who may read
 * of people.
 *
 * @throws cases.not_found
 */
export async function getCaseDetails(
  { db, actor }: Pick<OperatorContext, "db" | "actor">,
  { id }: { id: string },
): Promise<CaseDetails> {
  const row = await getCase({ db }, { id });
  const [ask] = await listAsks(db, row);
  return {
    ...row,
    note: row.status === "CLOSED" ? withoutAdvice(row) : row.note,
    words: maySeePeople(actor) ? row.words : null,
    warning: isOpenRefund(row) ? await readDoubleWarning({ db }, row.subjectId) : "",
    asked: ask ? { by: ask.operatorName, at: ask.at, reason: ask.reason } : null,
  };
}

/** What a thread comes to; below zero for money that the person gets. */
const describeAmount = ({ amountMinor, currency }: UnmatchedThread): string => formatMinor(amountMinor, currency);

/**
 * Has a thread booked all the same that waits as a case: a second capture, or a credit above the limit. The worker books it if
 * the issuer still reports the same amount, which is also the one that a second person approved.
 *
 * @throws operators.reason_required, operators.approval_needed, approvals.changed, cases.not_found, cases.closed,
 *   cases.not_acceptable
 */
export async function acceptCase(ctx: OperatorContext, input: { id: string }): Promise<CardCase> {
  const closeReason = ctx.reason ?? fail("operators.reason_required");
  const { id, threadId, status } = await getCase(ctx, input);
  if (status === "CLOSED") fail("cases.closed");
  const known = threadId === null ? null : await findUnmatchedThread(ctx.db, threadId);
  if (threadId === null || known === null || !acceptableReasons.includes(known.reason))
    return fail("cases.not_acceptable");
  const subject = { kind: "case", id } as const;
  await requireApproval(ctx, "cases.accept", { input: { id, amount: describeAmount(known) }, subject });
  return ctx.act("cases.accept", async ({ tx, now, requestId }) => {
    const closed = { closedAt: now, closedBy: ctx.actor.name, closeReason };
    const output = (await closeRow(tx, id, closed)) ?? fail("cases.closed");
    const wanted = { threadId, reasons: acceptableReasons, acceptedAt: now };
    const accepted = (await acceptUnmatchedThread(tx, wanted)) ?? fail("cases.not_acceptable");
    requireSame(ctx, { amount: describeAmount(accepted) });
    await enqueueCardholderSync({ tx, requestId }, output.userId);
    await enqueue(tx, "card.settle", { threadId, requestId });
    const creditCents = String(-accepted.amountMinor);
    const after = { status: output.status, booked: true, creditCents };
    return { output, subject, before: { status: "OPEN" }, after };
  });
}

/**
 * Closes a case: the operator says how it was settled.
 *
 * @throws operators.reason_required, cases.not_found, cases.closed
 */
export async function closeCase(ctx: OperatorContext, input: { id: string }): Promise<CardCase> {
  const closeReason = ctx.reason ?? fail("operators.reason_required");
  const { id } = await getCase(ctx, input);
  return ctx.act("cases.close", async ({ tx, now, requestId }) => {
    const closed = { closedAt: now, closedBy: ctx.actor.name, closeReason };
    const output = (await closeRow(tx, id, closed)) ?? fail("cases.closed");
    const unmatched = output.threadId === null ? null : await findUnmatchedThread(tx, output.threadId);
    // It counts no more towards the person's bound.
    if (waitingCaptureKinds.includes(output.kind)) await enqueueCardholderSync({ tx, requestId }, output.userId);
    return {
      output,
      subject: { kind: "case", id },
      // A closed credit stays refused, and only that.
      before: { status: "OPEN", ...(unmatched && { unbooked: unmatched.reason }) },
      after: { status: output.status },
    };
  });
}
