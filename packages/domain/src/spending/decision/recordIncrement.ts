import { insertDecisionIfNew } from "@cardkeep/db/queries/spending/decisions";
import { updatePayment } from "@cardkeep/db/queries/spending/payments";
import type { Thread } from "@cardkeep/db/queries/spending/thread";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { Context, Work } from "../../core/context.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { insertPlanned, planTransferOf } from "../payments/planTransfer.ts";
import { settleAfterAnswer } from "../payments/syncDecisions.ts";
import type { Verdict } from "./verdict.ts";
import { buildDecision, buildDecisionRow, toMerchantShare } from "./decision.ts";
import type { Answer } from "./openThread.ts";
import type { Facts } from "./readFacts.ts";
import { recordHits } from "./recordHits.ts";

/**
 * Writes the decision about an increment; an approval needs the Safe's lock. A decline leaves the authorization as it was.
 * The answer is `again` where the same request was decided meanwhile.
 */
export async function recordIncrement(
  ctx: Context,
  work: Work,
  request: AuthorizationRequest,
  { facts, growth, verdict }: { facts: Facts; growth: Thread; verdict: Verdict },
): Promise<Answer> {
  const { tx, now } = work;
  const { payment, transfers } = growth;
  const row = buildDecisionRow(now, payment, request, verdict);
  if (!(await insertDecisionIfNew(tx, row))) return "again";
  await recordHits(work, verdict, payment);
  if (verdict.decline === null) {
    const { approvedCents } = verdict;
    const raised = await updatePayment(tx, payment, {
      authorizedCents: payment.authorizedCents + approvedCents,
      merchantMinor: payment.merchantMinor + toMerchantShare(request, approvedCents),
      target: payment.target + centsToBaseUnits(approvedCents, facts.token),
      updatedAt: now,
    });
    await insertPlanned(work, planTransferOf(ctx, work, facts.safe, raised, transfers));
    await settleAfterAnswer(work, payment, row);
  }
  return buildDecision(verdict);
}
