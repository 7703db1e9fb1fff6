/** How much merchants may return to a person beyond what they captured before operators decide. */
import { dayMs } from "@cardkeep/contract/core/durations";
import {
  type CreditAlone,
  isThreadRefused,
  listAcceptedCents,
  listCreditsAlone,
} from "@cardkeep/db/queries/spending/creditsAlone";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { UnmatchedThread } from "@cardkeep/db/queries/spending/refunds";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work, WorkerContext } from "../../core/context.ts";
import { atLeastZero } from "../../core/money.ts";
import { sumSigned } from "./clearingSums.ts";

/** A merchant can take a credit back for weeks, and the person has the money at once. */
const spanMs = 30 * dayMs;

/**
 * Whether a report returns so much that operators decide, behind the Safe's lock: with the person's other credits of the span, in
 * cents of all currencies. What operators accepted of those does not count. What waits for them, or was refused, does so also after
 * the span and where a part is taken back. A refusal outlives the thread's row: another answer may replace or end that.
 */
export async function isCreditAboveBound(
  { policy }: Pick<WorkerContext, "policy">,
  { tx, now }: Pick<Work, "tx" | "now">,
  report: ThreadReport,
  { payment, kept, userId }: { payment: CardPayment | null; kept: UnmatchedThread | null; userId: string },
): Promise<boolean> {
  const cents = -sumSigned(report);
  const bookedCents = payment ? payment.refundedCents - payment.capturedCents : 0n;
  // What takes a part of it back returns nothing.
  if (cents <= 0n || cents <= bookedCents) return false;
  if (cents > policy.creditAloneCentsMax || kept?.reason === "credit") return true;
  if (await isThreadRefused(tx, report.threadId)) return true;
  const since = new Date(now.getTime() - spanMs);
  const others = await listCreditsAlone(tx, { userId, since, otherThan: payment?.id ?? null });
  if (others.length === 0) return false;
  const accepted = await listAcceptedCents(
    tx,
    others.map(({ threadId }) => threadId),
  );
  const counted = others.map((other) => countOf(other, accepted));
  return counted.reduce((sum, each) => sum + each, cents) > policy.creditAloneCentsMax;
}

/** What a credit grew to beyond what operators accepted of it counts. */
function countOf({ threadId, cents }: CreditAlone, accepted: ReadonlyMap<string, bigint | null>): bigint {
  const acceptedCents = accepted.get(threadId);
  return acceptedCents === null ? 0n : atLeastZero(cents - atLeastZero(acceptedCents ?? 0n));
}
