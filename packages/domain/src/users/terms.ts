/** The documents a user accepts, their current versions, and who accepted what. */
import { fail } from "@cardkeep/contract/errors";
import { acceptableTerms } from "@cardkeep/contract/users";
import { listTermsAcceptances, lockUser, upsertTermsAcceptance } from "@cardkeep/db/queries/users";
import type { Commit, Context, UserContext } from "../context.ts";
import { publish } from "../publish.ts";
import { getUserResource } from "./user.ts";

type AcceptableType = (typeof acceptableTerms)[number];
type TermsType = AcceptableType | "PROVIDER-privacy-policy";

const documents: Record<TermsType, { currentVersion: string; name: string }> = {
  "general-tos": { currentVersion: "TOS_GENERAL_VERSION_1", name: "Terms of service" },
  "card-PROVIDER-tos": { currentVersion: "TOS_CARD_PROVIDER_VERSION_1", name: "Card terms" },
  "cashback-tos": { currentVersion: "TOS_CASHBACK_VERSION_1", name: "Cashback terms" },
  "privacy-policy": { currentVersion: "PRIVACY_POLICY_VERSION_1", name: "Privacy policy" },
  "PROVIDER-privacy-policy": {
    currentVersion: "PROVIDER_PRIVACY_POLICY_VERSION_1",
    name: "Card provider's privacy policy",
  },
};

/** The version of a document that is in force. */
const currentVersionOf = (type: AcceptableType): string => documents[type].currentVersion;

const urlOf = (ctx: Context, type: TermsType): string => `${ctx.rules.termsUrl}/${type}`;

/** Every document in force. */
export async function listTerms(ctx: Context) {
  const types = [...acceptableTerms, "PROVIDER-privacy-policy"] as const;
  return { terms: types.map((type) => ({ type, ...documents[type], url: urlOf(ctx, type) })) };
}

/** Each document the user may accept, and which version of it was accepted. */
export async function terms(ctx: UserContext) {
  const acceptances = await listTermsAcceptances(ctx.db, ctx.actor.userId);
  return {
    terms: acceptableTerms.map((type) => {
      const acceptance = acceptances.find((row) => row.type === type);
      return {
        type,
        currentVersion: currentVersionOf(type),
        accepted: acceptance?.version === currentVersionOf(type),
        acceptedVersion: acceptance?.version ?? null,
        acceptedAt: acceptance?.acceptedAt ?? null,
        url: urlOf(ctx, type),
      };
    }),
  };
}

/** Accepts one document in its current version; again changes nothing. @throws terms.unknown for another version */
export async function acceptTerms(
  ctx: UserContext,
  input: { terms: (typeof acceptableTerms)[number]; version: string },
): Promise<Commit<{ ok: boolean }>> {
  if (input.version !== currentVersionOf(input.terms)) fail("terms.unknown");
  const { userId } = ctx.actor;
  return async (work) => {
    if (!(await lockUser(work.tx, userId))) fail("auth.token_invalid");
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
