import {
  beginKycChecks,
  findKycApplication,
  findKycApplicationByApplicant,
  insertKycCallback,
  upsertKycApplication,
} from "@cardkeep/db/queries/verification/kyc";
import { lockUser, updateUser } from "@cardkeep/db/queries/users/users";
import type { Applicant } from "@cardkeep/providers/kyc/port";
import type { CallbackOutcome } from "../../core/callbackOutcome.ts";
import { spreadBlock } from "../../users/users/spreadBlock.ts";
import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import type { CommitContext, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { readyOrders } from "../../cards/orders/readyOrders.ts";
import { nextCheckAt } from "../../core/nextCheckAt.ts";
import { publish } from "../../core/publish.ts";
import { getUserResource } from "../../users/users/user.ts";
import { recordIdentity } from "./recordIdentity.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Sets a user's KYC status, in the commit of the callback or check that it comes from.
 *
 * An applicant that belongs to another user is refused. A user has a new applicant once the provider's record names it. Where
 * the user's rotation had ended, it begins again.
 *
 * @param verdict null where the callback says nothing about the status
 */
export async function applyVerdict(
  ctx: Pick<CommitContext, "policy" | "secrets">,
  work: Work,
  { userId, applicantId, applicant, verdict, callback }: VerdictSource,
): Promise<CallbackOutcome> {
  const { tx, now } = work;
  const user = await lockUser(tx, userId);
  if (!user) return "refused";
  // It would restore erased data.
  if (user.erasedAt !== null) return "ignored";
  const application = await findKycApplication(tx, userId);
  const owner = await findKycApplicationByApplicant(tx, applicantId);
  const isNew = application !== null && application.applicantId !== applicantId;
  if ((isNew && applicant?.applicantId !== applicantId) || (owner && owner.userId !== userId)) return "refused";
  if (callback && !(await insertKycCallback(tx, { ...callback, userId, receivedAt: now }))) return "duplicate";
  await beginKycChecks(tx, { userId, dueAt: nextCheckAt(ctx.policy, now) });
  // This callback says nothing about the status, so an earlier callback with a status still counts.
  if (verdict === null) return "ignored";
  const { status, eventAtMs } = verdict;
  if (application && application.lastEventAtMs > eventAtMs) return "stale";
  await upsertKycApplication(tx, { userId, applicantId, lastEventAtMs: eventAtMs, updatedAt: now });
  const person = status === "approved" && applicant ? personOf(applicant) : {};
  const isChanged = Object.entries(person).some(([name, value]) => user[name as keyof typeof person] !== value);
  const isNews = isChanged || status !== user.kycStatus || application?.applicantId !== applicantId;
  // Each person is asked about every day: most answers change nothing, and have no row.
  if (!callback && isNews)
    await insertKycCallback(tx, {
      id: `asked:${generateId()}`,
      userId,
      body: { applicantId, status },
      receivedAt: now,
    });
  await updateUser(tx, userId, { kycStatus: status, ...person });
  await readyOrders(work, userId);
  if (isChanged) await enqueueCardholderSync(work, userId);
  if (status === "approved" && applicant) {
    const verifiedAt = eventAtMs === 0n ? now : new Date(Number(eventAtMs));
    await recordIdentity(ctx, work, { userId, applicant, isChanged, verifiedAt });
  }
  if (status !== user.kycStatus) {
    await spreadBlock(work, userId);
    await publish(work, "kyc.status.changed", userId, await getUserResource(tx, userId, ctx.policy.chainId));
  }
  return "applied";
}

/** Where a verdict comes from. */
interface VerdictSource {
  userId: string;
  applicantId: string;
  /** The provider's record, where it was read. */
  applicant: Applicant | null;
  verdict: Verdict | null;
  /** The row that recognizes it when it comes again; null for an answer to a question of ours, which comes once. */
  callback: { id: string; body: unknown } | null;
}

const personOf = (applicant: Applicant) => ({
  firstName: applicant.firstName,
  lastName: applicant.lastName,
  latinFirstName: applicant.latinFirstName,
  latinLastName: applicant.latinLastName,
  birthDate: applicant.birthDate,
  address1: applicant.address1,
  address2: applicant.address2,
  city: applicant.city,
  postalCode: applicant.postalCode,
  state: applicant.state,
  country: applicant.country,
  nationalityCountry: applicant.nationality,
});
