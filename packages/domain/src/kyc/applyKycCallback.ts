import {
  findKycApplication,
  findKycApplicationByApplicant,
  insertKycCallback,
  upsertKycApplication,
} from "@cardkeep/db/queries/kyc";
import { lockUser, updateUser } from "@cardkeep/db/queries/users";
import type { Applicant, KycCallback } from "@cardkeep/providers/kyc/port";
import { z } from "zod";
import { type CallbackOutcome, isAhead } from "../callbackOutcome.ts";
import { followPerson } from "../cardholders/syncCardholder.ts";
import type { CommitContext } from "../context.ts";
import { publish } from "../publish.ts";
import { readyOrders } from "../orders/readyOrders.ts";
import { getUserResource } from "../users/user.ts";

/**
 * Sets a user's KYC status from an authentic callback of the provider.
 *
 * A repeated callback counts once, and an older one than the last changes nothing. One whose applicant belongs to another
 * user is refused: for the first callback of a user, and for every approval, the provider itself is asked. With an approval
 * the person's data is read from the provider, never from the callback. A callback dated more than five minutes ahead is
 * refused, because no later one could change the status any more.
 *
 * @throws ProviderUnavailable, ProviderRefused; the callback may come again
 */
export async function applyKycCallback(ctx: CommitContext, callback: KycCallback): Promise<CallbackOutcome> {
  if (callback.sandboxMode && !ctx.rules.testCallbacks) return "refused";
  const arrivedAt = await ctx.clock.now(ctx.db);
  if (isAhead(new Date(callback.createdAtMs), arrivedAt)) return "refused";
  const isApproval = callback.status === "approved";
  const known = await findKycApplication(ctx.db, callback.externalUserId);
  const applicant = isApproval || !known ? await ctx.kyc.findApplicant(callback.externalUserId) : null;
  if ((applicant ?? known)?.applicantId !== callback.applicantId) return "refused";
  if (applicant?.birthDate != null && !isPast(applicant.birthDate, arrivedAt)) return "refused";

  return ctx.commit(async (work) => {
    const { tx, now } = work;
    const user = await lockUser(tx, callback.externalUserId);
    if (!user) return "refused";
    // It would restore erased data.
    if (user.erasedAt !== null) return "ignored";
    const application = await findKycApplication(tx, user.id);
    const owner = await findKycApplicationByApplicant(tx, callback.applicantId);
    if ((application && application.applicantId !== callback.applicantId) || (owner && owner.userId !== user.id))
      return "refused";
    if (!(await insertKycCallback(tx, { id: callback.id, userId: user.id, body: callback.body, receivedAt: now })))
      return "duplicate";
    const { status } = callback;
    // It says nothing about the status, so it is not what an earlier one that does may be late for.
    if (status === null) return "ignored";
    const eventAtMs = BigInt(callback.createdAtMs);
    if (application && application.lastEventAtMs > eventAtMs) return "stale";
    await upsertKycApplication(tx, {
      userId: user.id,
      applicantId: callback.applicantId,
      lastEventAtMs: eventAtMs,
      updatedAt: now,
    });
    await updateUser(tx, user.id, { kycStatus: status, ...(isApproval && applicant && personOf(applicant)) });
    await readyOrders(work, user.id);
    if (status !== user.kycStatus) {
      await followPerson(work, user.id);
      await publish(work, "kyc.status.changed", user.id, await getUserResource(tx, user.id, ctx.rules.chainId));
    }
    return "applied";
  });
}

const isPast = (birthDate: string, now: Date): boolean =>
  z.iso.date().safeParse(birthDate).success && new Date(birthDate) < now;

const personOf = (applicant: Applicant) => ({
  firstName: applicant.firstName,
  lastName: applicant.lastName,
  birthDate: applicant.birthDate,
  address1: applicant.address1,
  address2: applicant.address2,
  city: applicant.city,
  postalCode: applicant.postalCode,
  state: applicant.state,
  country: applicant.country,
  nationalityCountry: applicant.nationality,
});
