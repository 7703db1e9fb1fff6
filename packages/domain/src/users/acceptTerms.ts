import { fail } from "@cardkeep/contract/errors";
import type { acceptableTerms } from "@cardkeep/contract/users";
import { lockUser, upsertTermsAcceptance } from "@cardkeep/db/queries/users";
import type { Commit, UserContext } from "../context.ts";
import { publish } from "../publish.ts";
import { currentVersionOf } from "./terms.ts";
import { getUserResource } from "./user.ts";

/** Accepts one document in its current version; again changes nothing. @throws terms.unknown for another version */
export async function acceptTerms(
  ctx: UserContext,
  input: { terms: (typeof acceptableTerms)[number]; version: string },
): Promise<Commit<{ ok: boolean }>> {
  if (input.version !== currentVersionOf(input.terms)) fail("terms.unknown");
  const { userId } = ctx.actor;
  return async (work) => {
    if (!(await lockUser(work.tx, userId))) fail("auth.unauthorized");
    const isNew = await upsertTermsAcceptance(work.tx, {
      userId,
      type: input.terms,
      version: input.version,
      acceptedAt: work.now,
    });
    if (isNew)
      await publish(work, "user.tos.accepted", userId, await getUserResource(work.tx, userId, ctx.rules.chainId));
    return { ok: true };
  };
}
