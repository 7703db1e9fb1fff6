/** Threads that cannot be booked: each waits as an open case, and moves no money. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { type CardCaseKind, waitingCaptureKinds } from "@cardkeep/contract/spending/cardCases";
import {
  deleteUnmatchedThread,
  findUnmatchedThread,
  type UnmatchedThread,
  upsertUnmatchedThread,
} from "@cardkeep/db/queries/spending/refunds";
import { endCaseOf } from "@cardkeep/db/queries/spending/cases";
import { listBookedClearings } from "@cardkeep/db/queries/spending/paymentParts";
import { type CardPayment, findPaymentByThread, hasCapture } from "@cardkeep/db/queries/spending/payments";
import type { UnmatchedReason } from "@cardkeep/db/schema/spending/unmatchedThreads";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import { type NewCase, openCase } from "../../core/openCase.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import type { WaitingHold } from "./keepUnbookedHold.ts";
import { formatCents } from "./formatMoney.ts";
import { isCreditAboveBound } from "./creditBound.ts";
import { findClearingFault, findRepeatedCapture, sumClearings, sumSigned } from "./clearingSums.ts";

/** What is wrong with a thread of each reason, for the operator. */
export const unmatchedTexts: Readonly<Record<UnmatchedReason, string>> = {
  currency: "another currency than the account's",
  card: "another card than it was decided on",
  archived: "its payment is in an archive: read that back with `bun run cardkeep database restore`",
  type: "a type of transaction that is not known",
  sign: "its signs contradict its types, or what is booked of it changed or is missing",
  duplicate: "a second capture of the same amount and reference, or of a hold that another capture paid",
  credit:
    "more comes back than was captured, with the person's other such credits of 30 days above CREDIT_ALONE_CENTS_MAX; accept it if the merchant owes it",
  unreadable: "the issuer's answer cannot be read, or it has none",
};

type Booked = Awaited<ReturnType<typeof listBookedClearings>>;

/** A capture of one amount and reference counts as the same for so long. */
const repeatedMs = 10 * dayMs;

/** Why a report is not booked, behind the Safe's lock; null where nothing is against it. */
export async function findUnmatchedReason(
  { policy }: Pick<WorkerContext, "policy">,
  { tx, now }: Pick<Work, "tx" | "now">,
  report: ThreadReport,
  { payment, cardId, userId }: { payment: CardPayment | null; cardId: string; userId: string },
): Promise<UnmatchedReason | null> {
  const fault = findClearingFault(report);
  if (fault) return fault;
  const known: Booked = payment ? await listBookedClearings(tx, payment) : new Map();
  if (hasChanged(report, known)) return "sign";
  if (report.clearings.every(({ id }) => known.has(id))) return null;
  const kept = await findUnmatchedThread(tx, report.threadId);
  if (kept?.acceptedAt && kept.amountMinor === sumSigned(report)) return null;
  if (await isCreditAboveBound({ policy }, { tx, now }, report, { payment, kept, userId })) return "credit";
  if (payment && hasNewCapture(report, known) && (await isPaidBeside(tx, payment, report))) return "duplicate";
  if (findRepeatedCapture(report, known)) return "duplicate";
  for (const { id, kind, amountCents, networkReference, postedAt } of report.clearings) {
    if (kind !== "capture" || networkReference === null || known.has(id)) continue;
    const since = new Date(postedAt.getTime() - repeatedMs);
    const same = { cardId, amountCents, networkReference, since, otherThan: payment?.id ?? null };
    if (await hasCapture(tx, same)) return "duplicate";
  }
  return null;
}

/** A refund of what is booked repeats no capture. */
const hasNewCapture = ({ clearings }: ThreadReport, known: Booked): boolean =>
  clearings.some(({ id, kind }) => kind === "capture" && !known.has(id));

/**
 * The issuer neither changes nor removes a clearing: one that differs from its row, or is missing, would move the difference
 * without a line of its own.
 */
function hasChanged({ clearings }: ThreadReport, known: Booked): boolean {
  const reported = new Map(clearings.map((clearing) => [clearing.id, clearing]));
  return [...known.values()].some(({ id, kind, amountCents }) => {
    // A reversal is a row of ours alone.
    if (kind === "reversal") return false;
    const now = reported.get(id);
    return now === undefined || now.kind !== kind || now.amountCents !== amountCents;
  });
}

/**
 * Whether the capture of a hold is the one that was paid beside it, or a part of it. Neither of the two gave it back. A greater one is
 * captured in addition, all of it, and collected as after an expiry.
 */
async function isPaidBeside(
  tx: Work["tx"],
  { matchedThreadId }: Pick<CardPayment, "matchedThreadId">,
  report: ThreadReport,
): Promise<boolean> {
  const beside = matchedThreadId && (await findPaymentByThread(tx, matchedThreadId));
  if (!beside || beside.refundedCents > 0n || sumSigned(report) <= 0n) return false;
  return sumClearings(report.clearings).capturedCents <= beside.capturedCents;
}

/**
 * Records a thread that the issuer reports and that cannot be booked, in the caller's commit; no money moves for it. Captures
 * that repeat or contradict others count towards the person's bound while their case is open. A case that was closed is open
 * again where the thread comes to something else, and as long as operators have to release its hold.
 *
 * @param hold the hold that stays because captures wait beside it
 * @param isMoved whether this commit changes what is booked of it
 */
export async function recordUnmatched(
  ctx: Pick<WorkerContext, "log">,
  work: Work,
  report: ThreadReport,
  {
    reason,
    userId,
    bookedCents,
    hold = null,
    isMoved = false,
  }: {
    reason: UnmatchedReason;
    userId: string;
    bookedCents: bigint;
    hold?: WaitingHold | null;
    isMoved?: boolean;
  },
): Promise<void> {
  const { threadId, currency, clearings, faults, authorization } = report;
  ctx.log.error({ threadId, currency, reason }, "a thread of the card issuer cannot be booked");
  // What contradicts its booking with no clearing at all comes to nothing: all that is booked is missing.
  const isCleared = clearings.length + faults.length > 0 || reason === "sign";
  const amountMinor = isCleared ? sumSigned(report) : (authorization?.amountCents ?? 0n);
  const isOther = await writeUnmatched(work, { threadId, reason, currency, amountMinor });
  const unbookedCents = amountMinor - bookedCents;
  const kind = caseKindOf(reason, unbookedCents);
  const others = unmatchedKinds.filter((each) => each !== kind);
  await closeCasesOf(work, threadId, { kinds: others, closeReason: "The thread waits for another reason" });
  const isChanged = isOther || isMoved || hold?.isEnded === true;
  await openUnbooked(work, { threadId, kind, reason, userId, currency, unbookedCents, hold, isChanged });
  await enqueueCardholderSync(work, userId);
}

/** Writes what is known of a thread. Answers whether it is something else than was known before. */
async function writeUnmatched(
  { tx, now }: Work,
  row: Pick<UnmatchedThread, "threadId" | "reason" | "currency" | "amountMinor">,
): Promise<boolean> {
  const before = await findUnmatchedThread(tx, row.threadId);
  const isWritten = await upsertUnmatchedThread(tx, { ...row, seenAt: now });
  if (!isWritten) return false;
  return before?.reason !== row.reason || before.amountMinor !== row.amountMinor;
}

/** No currency, because the answer names none that can be read. */
const noCurrency = "XXX";

/** The same for a thread that cannot be read. Without a person there is no case, and the row stays until it is booked. */
export async function recordUnreadable(
  work: Work,
  { threadId, userId }: { threadId: string; userId: string | null },
): Promise<void> {
  const row = { threadId, reason: "unreadable", currency: noCurrency } as const;
  const isChanged = await writeUnmatched(work, { ...row, amountMinor: 0n });
  if (userId !== null) await openUnbooked(work, { ...row, kind: "unbooked", userId, unbookedCents: 0n, isChanged });
}

/** Captures that wait for a reason which a merchant can cause count towards the person's bound; money for the person does not. */
function caseKindOf(reason: UnmatchedReason, unbookedCents: bigint): CardCaseKind {
  if (reason === "duplicate" && unbookedCents >= 0n) return "double_capture";
  return reason === "sign" && unbookedCents > 0n ? "contradictory_capture" : "unbooked";
}

async function openUnbooked(
  work: Work,
  {
    reason,
    unbookedCents,
    hold = null,
    ...opened
  }: Pick<NewCase, "kind" | "userId" | "currency" | "isChanged"> & {
    threadId: string;
    reason: UnmatchedReason;
    unbookedCents: bigint;
    hold?: WaitingHold | null;
  },
): Promise<void> {
  const cause = `Nothing was booked and no money moved: ${unmatchedTexts[reason]}. Settle it with the card issuer.`;
  const note = hold === null ? cause : `${cause} ${describeHold(hold, opened)}`;
  const amountCents = unbookedCents < 0n ? -unbookedCents : unbookedCents;
  await openCase(work, { ...opened, amountCents, note });
}

/** What the amount of a case does not show: it is the difference between what the thread comes to and what is held. */
function describeHold(
  { waitingCents, heldCents }: WaitingHold,
  { threadId, currency }: { threadId: string; currency: string },
): string {
  const [captured, held] = [waitingCents, heldCents].map((cents) => formatCents(cents, currency));
  return (
    `The merchant captured ${captured} that waits, and ${held} is held for it. Closing this case leaves the hold: ` +
    `only \`cardkeep holds release ${threadId}\` returns it to the person, and is at your cost where the issuer paid the merchant.`
  );
}

/** Ends the wait of a thread that is booked now, and closes its cases. */
export async function endUnmatched(
  work: Work,
  { threadId, userId }: { threadId: string; userId: string },
): Promise<void> {
  const wasUnmatched = await deleteUnmatchedThread(work.tx, threadId);
  if (!wasUnmatched) return;
  const closeReason = "The issuer's report could be booked";
  await closeCasesOf(work, threadId, { kinds: unmatchedKinds, closeReason });
  await enqueueCardholderSync(work, userId);
}

/** The kinds of case in which a thread waits: one at a time, unless it cannot be read. */
const unmatchedKinds: readonly CardCaseKind[] = ["unbooked", ...waitingCaptureKinds];

async function closeCasesOf(
  { tx, now }: Work,
  threadId: string,
  { kinds, closeReason }: { kinds: readonly CardCaseKind[]; closeReason: string },
): Promise<void> {
  for (const kind of kinds) await endCaseOf(tx, { kind, subjectId: threadId }, { at: now, why: closeReason });
}
