/** What of an issuer's report a restore books: a thread that waits for operators waits again, and none of its money moves. */
import { type Token, tokens } from "@cardkeep/chain/tokens";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { listDecisions } from "@cardkeep/db/queries/spending/decisions";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import type { Clearing, ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work, WorkerContext } from "../../core/context.ts";
import { baseUnitsToCents, centsToBaseUnits } from "../../core/money.ts";
import {
  clearingSigns,
  findClearingFault,
  sumClearings,
  sumKind,
  sumSigned,
} from "../../spending/payments/clearingSums.ts";
import { chainTargetOf, sumTransfers } from "../../spending/payments/debtAmounts.ts";
import { deriveThreadState } from "../../spending/payments/deriveThreadState.ts";
import { isHoldOver } from "../../spending/payments/holdEnd.ts";
import { buildLostReport } from "../../spending/payments/lostThread.ts";
import { findUnmatchedReason } from "../../spending/payments/recordUnmatched.ts";

type Moved = Pick<CardTransfer, "direction" | "amount" | "status" | "isByHand">;

/**
 * The part of a report that a restore books; the report itself where nothing of it has to wait.
 *
 * Clearings are left out from the first one on that is against the booking of the thread. More comes back than was captured only
 * where the chain has it already: the person's other credits may have no rows yet. The chain is also the proof that operators
 * accepted what is against it: it has the money that moved for that, and no shorter report explains it.
 *
 * @param payment null where its row is lost
 * @param transfers of the payment, with those that are restored
 */
export async function cutReport(
  ctx: WorkerContext,
  work: Work,
  report: ThreadReport,
  {
    payment,
    cardId,
    safe,
    transfers,
  }: { payment: CardPayment | null; cardId: string; safe: CurrencySafe; transfers: readonly Moved[] },
): Promise<ThreadReport> {
  const booked = payment === null ? [] : (await buildLostReport(work.tx, payment)).clearings;
  const bookedIds = new Set(booked.map(({ id }) => id));
  const findReason = (part: ThreadReport) =>
    findUnmatchedReason(ctx, work, part, { payment, cardId, userId: safe.userId });
  const canBook = async (part: ThreadReport): Promise<boolean> =>
    (await findReason(part)) === null && !isCredit(part, booked);
  if (await canBook(report)) return report;
  const token = tokens[safe.tokenSymbol];
  const cut = (clearings: readonly Clearing[]): ThreadReport => ({
    ...report,
    clearings,
    faults: [],
    authorization: keepHold(report, clearings, { transfers, token }),
  });
  const base = cut(booked);
  const known = report.clearings.filter(({ id }) => bookedIds.has(id));
  // What is booked has changed, so nothing can be added to it.
  if ((await findReason({ ...base, clearings: known })) !== null) return base;
  const decisions = payment === null ? [] : await listDecisions(work.tx, payment);
  const isOnChain = (part: ThreadReport): boolean => {
    const isHoldEnded =
      payment !== null && (payment.holdEndedAt !== null || isHoldOver(ctx.policy, work, payment, part));
    const { targetCents } = deriveThreadState(part, payment && { ...payment, isHoldEnded }, decisions);
    const aims = { setOff: 0n, credit: 0n, writtenOff: 0n, ...payment, target: centsToBaseUnits(targetCents, token) };
    return chainTargetOf(aims, transfers) === sumTransfers(transfers);
  };
  const added = report.clearings.filter(({ id }) => !bookedIds.has(id)).toSorted(byTime);
  let accepted: ThreadReport | null = null;
  for (let count = added.length; count > 0; count--) {
    const part = cut([...booked, ...added.slice(0, count)]);
    if (findClearingFault(part) !== null) continue;
    const isProved = isOnChain(part);
    // A fault has no date, so what else of its thread was booked is known by the chain alone.
    if (report.faults.length > 0 ? isProved : await canBook(part)) return isProved ? part : (accepted ?? part);
    if (isProved) accepted ??= part;
  }
  return isOnChain(base) ? base : (accepted ?? base);
}

/** Oldest first. Of those at one instant, what a merchant gives back comes after what it took. */
const byTime = (a: Clearing, b: Clearing): number =>
  a.postedAt.getTime() - b.postedAt.getTime() || Number(clearingSigns[b.kind] - clearingSigns[a.kind]);

/** Whether more comes back than was captured, and than is booked of that. */
function isCredit(report: ThreadReport, booked: readonly Clearing[]): boolean {
  const cents = sumSigned(report);
  return cents < 0n && cents < sumSigned({ clearings: booked, faults: [] });
}

/**
 * The authorization, with the hold that the chain has where its capture waits: the issuer ended it, and operators may accept the
 * capture.
 */
function keepHold(
  { authorization, ...report }: ThreadReport,
  clearings: readonly Clearing[],
  { transfers, token }: { transfers: readonly Moved[]; token: Token },
): ThreadReport["authorization"] {
  if (authorization === null || authorization.status === "pending" || sumKind(clearings, "capture") > 0n)
    return authorization;
  const isWaiting =
    sumClearings(report.clearings).capturedCents > 0n ||
    report.faults.some(({ fault, signedCents }) => fault !== "type" && signedCents < 0n);
  if (!isWaiting) return authorization;
  const held = sumTransfers(transfers.filter(({ isByHand }) => !isByHand));
  if (held <= 0n) return { ...authorization, status: "expired" };
  return { ...authorization, status: "pending", amountCents: baseUnitsToCents(held, token) };
}
