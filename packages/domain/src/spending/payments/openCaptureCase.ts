import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import { openCase } from "../../core/openCase.ts";
import type { Context, Work } from "../../core/context.ts";
import { least } from "../../core/money.ts";
import { formatCents } from "./formatMoney.ts";
import { computeCaptureMax } from "./captureLimit.ts";

const endedStatuses: readonly CardPayment["status"][] = ["DECLINED", "REVERSED", "EXPIRED"];

/** Opens a case for captures beyond the policy, so that the operator can dispute them. Their money is collected all the same. */
export async function openCaptureCase(
  { policy }: Pick<Context, "policy">,
  work: Work,
  { before, after }: { before: CardPayment; after: CardPayment },
  { authorization }: Pick<ThreadReport, "authorization">,
): Promise<void> {
  // Less was approved where the issuer did not take an answer of ours.
  const authorizedCents = least(before.authorizedCents, after.authorizedCents);
  if (after.capturedCents <= before.capturedCents && authorizedCents === before.authorizedCents) return;
  // A payment that was opened by this report has no earlier state.
  const isNew = before.status === "REQUESTED";
  const known = isNew
    ? ({ ...after, status: authorization?.isApproved === false ? "DECLINED" : "AUTHORIZED" } as const)
    : { ...before, authorizedCents };
  const most = computeCaptureMax(known, { hasAuthorization: authorization !== null }, policy.overCapture);
  const { excessCents } = after;
  // What was authorized is no excess, also where it expired in part after a capture.
  if (after.capturedCents <= most || excessCents === 0n) return;
  const isLate = endedStatuses.includes(known.status) || before.expiredAt !== null || before.holdEndedAt !== null;
  const [captured, approved] = [after.capturedCents, after.capturedCents - excessCents].map((cents) =>
    formatCents(cents, after.billingCurrency),
  );
  const what = isLate
    ? `The merchant captured ${captured} of an authorization that had ended.`
    : authorization === null
      ? `The merchant captured ${captured} without an authorization.`
      : `The merchant captured ${captured}; ${approved} was approved.`;
  await openCase(work, {
    kind: isLate ? "late_capture" : "over_capture",
    paymentId: after.id,
    userId: after.userId,
    amountCents: excessCents,
    currency: after.billingCurrency,
    note: `${what} The amount is collected from the user. Ask the user, and dispute the capture if the merchant was not entitled to it.`,
  });
}
