/** The documents a user accepts, their current versions, and who accepted what. */
import { acceptableTerms } from "@cardkeep/contract/users";
import { listTermsAcceptances } from "@cardkeep/db/queries/users";
import type { Context, UserContext } from "../context.ts";

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
export const currentVersionOf = (type: AcceptableType): string => documents[type].currentVersion;

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
