import { countIdentityVersions, insertIdentityVersion } from "@cardkeep/db/queries/users/records";
import type { Applicant } from "@cardkeep/providers/kyc/port";
import type { Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { openPersonKey } from "../../core/records/personKey.ts";
import type { Services } from "../../core/services.ts";

/**
 * Adds a version of a person's verified identity, sealed with the person's key, where the data are other ones than in the
 * last version. The user's row lock must be held.
 */
export async function recordIdentity(
  ctx: Pick<Services, "secrets">,
  work: Work,
  { userId, applicant, isChanged, verifiedAt }: IdentitySource,
): Promise<void> {
  const { tx, now } = work;
  if (!isChanged && (await countIdentityVersions(tx, userId)) > 0) return;
  const key = await openPersonKey(ctx, work, userId);
  const { levelName: level, status: _, ...person } = applicant;
  const sealed = await key.seal(userId, JSON.stringify(person));
  await insertIdentityVersion(tx, { id: generateId(), userId, level, verifiedAt, sealed, recordedAt: now });
}

interface IdentitySource {
  userId: string;
  applicant: Applicant;
  /** Whether the person's data differ from those known here. */
  isChanged: boolean;
  verifiedAt: Date;
}
