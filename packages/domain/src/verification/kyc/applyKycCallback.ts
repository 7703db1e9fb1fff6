import { findKycApplication } from "@cardkeep/db/queries/verification/kyc";
import { findUser } from "@cardkeep/db/queries/users/users";
import type { Applicant, KycCallback } from "@cardkeep/providers/kyc/port";
import { z } from "zod";
import { type CallbackOutcome, isAhead } from "../../core/callbackOutcome.ts";
import type { CommitContext } from "../../core/context.ts";
import { applyVerdict } from "./applyVerdict.ts";
import { readVerdict, statusOfApproval } from "./verdict.ts";

/**
 * Sets a user's KYC status from an authentic callback of the provider.
 *
 * A repeated callback counts once, and an older one than the last changes nothing. One whose applicant belongs to another
 * user is refused: for the first callback of an applicant, for every approval, and for a callback that names no status, the
 * provider's record is asked. With an approval the person's data is read from the record, never from the callback. A
 * callback dated more than five minutes ahead is refused, because no later one could change the status any more.
 *
 * @throws ProviderUnavailable, ProviderRefused; the callback may come again
 */
export async function applyKycCallback(ctx: CommitContext, callback: KycCallback): Promise<CallbackOutcome> {
  if (callback.sandboxMode && !ctx.policy.testCallbacks) return "refused";
  const arrivedAt = await ctx.clock.now(ctx.db);
  if (isAhead(new Date(callback.createdAtMs), arrivedAt)) return "refused";
  const { id, body, applicantId, externalUserId: userId, status } = callback;
  // Before the record: a callback that is applied meanwhile is newer.
  const known = await findKycApplication(ctx.db, userId);
  const user = await findUser(ctx.db, userId);
  const isAsking = status === null || status === "approved" || known?.applicantId !== applicantId;
  const applicant = isAsking && user ? await ctx.kyc.findApplicant(userId) : null;
  if (!user || (applicant ?? known)?.applicantId !== applicantId || !isBorn(applicant, arrivedAt)) return "refused";
  const eventAtMs = BigInt(callback.createdAtMs);
  const verdict =
    status === null
      ? readVerdict(applicant, { before: user.kycStatus, known, policy: ctx.policy }, arrivedAt)
      : { eventAtMs, status: status === "approved" ? statusOfApproval(applicant, ctx.policy, arrivedAt) : status };
  return ctx.commit((work) =>
    applyVerdict(ctx, work, { userId, applicantId, applicant, verdict, callback: { id, body } }),
  );
}

/** A record with a birth date that is none, or that has not come yet, is no person's. */
export function isBorn(applicant: Applicant | null, now: Date): boolean {
  const birthDate = applicant?.birthDate ?? null;
  return birthDate === null || (z.iso.date().safeParse(birthDate).success && new Date(birthDate) < now);
}
