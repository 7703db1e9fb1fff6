import { findKycApplication } from "@cardkeep/db/queries/kyc";
import { insertDiscrepancies } from "@cardkeep/db/queries/reconciliations";
import { listUnverified } from "@cardkeep/db/queries/users";
import type { WorkerContext } from "../context.ts";
import { applyKycCallback } from "../kyc/applyKycCallback.ts";

/** People who signed up longer ago and never applied are not asked for. */
const daysMax = 30;
const usersMax = 1_000;

/** Asks the identity provider for the status of every person who is not verified, and applies it as its callback would. */
export async function reconcileVerdicts(ctx: WorkerContext): Promise<void> {
  const now = await ctx.clock.now(ctx.db);
  const since = new Date(now.getTime() - daysMax * 86_400_000);
  for (const { id, kycStatus } of await listUnverified(ctx.db, { since, limit: usersMax })) {
    const review = await ctx.kyc.findReview(id);
    if (!review || review.status === null || review.status === kycStatus) continue;
    const { applicantId, status } = review;
    const application = await findKycApplication(ctx.db, id);
    const outcome = await applyKycCallback(ctx, {
      id: `asked:${applicantId}:${status}:${application?.lastEventAtMs ?? 0}`,
      type: "applicantAsked",
      applicantId,
      externalUserId: id,
      // The provider does not say when the status began, so a callback that comes later always counts.
      createdAtMs: Number(application?.lastEventAtMs ?? 0),
      sandboxMode: false,
      status,
      body: { applicantId, status },
    });
    if (outcome !== "applied") continue;
    ctx.log.warn({ userId: id, status }, "the identity provider has a verdict that was not known here");
    const text = `The identity provider has the status ${status} for user ${id}`;
    await ctx.commit(({ tx, now: foundAt }) =>
      insertDiscrepancies(
        tx,
        [{ kind: "verdict", name: `${id}:${status}`, text, action: "Applied it", subjectId: id }],
        foundAt,
      ),
    );
  }
}
