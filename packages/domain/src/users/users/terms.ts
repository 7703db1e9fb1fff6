/** The documents a user accepts, their current versions, and who accepted what. */
import { fail } from "@cardkeep/contract/core/errors";
import { acceptableTerms, type TermsType, termsTypes } from "@cardkeep/contract/users/users";
import type { Executor } from "@cardkeep/db/client";
import { insertTermsAcceptance, listNewestTerms, listTermsAcceptances } from "@cardkeep/db/queries/users/terms";
import { lockUser } from "@cardkeep/db/queries/users/users";
import type { Commit, Context, UserContext } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { getUserResource } from "./user.ts";

/** The name of each document, and its version until an operator publishes another one. */
const documents: Record<TermsType, { version: string; name: string }> = {
  "general-tos": { version: "TOS_GENERAL_VERSION_1", name: "Terms of service" },
  "card-PROVIDER-tos": { version: "TOS_CARD_PROVIDER_VERSION_1", name: "Card terms" },
  "cashback-tos": { version: "TOS_CASHBACK_VERSION_1", name: "Cashback terms" },
  "privacy-policy": { version: "PRIVACY_POLICY_VERSION_1", name: "Privacy policy" },
  "PROVIDER-privacy-policy": { version: "PROVIDER_PRIVACY_POLICY_VERSION_1", name: "Card provider's privacy policy" },
};

/** The version of each document that is in force. */
export async function readCurrentVersions(on: Executor): Promise<(type: TermsType) => string> {
  const published = new Map((await listNewestTerms(on)).map(({ type, version }) => [type, version]));
  return (type) => published.get(type) ?? documents[type].version;
}

const urlOf = (ctx: Context, type: TermsType): string => `${ctx.policy.termsUrl}/${type}`;

/** Every document in force. */
export async function listTerms(ctx: Context) {
  const versionOf = await readCurrentVersions(ctx.db);
  return {
    terms: termsTypes.map((type) => ({
      type,
      currentVersion: versionOf(type),
      name: documents[type].name,
      url: urlOf(ctx, type),
    })),
  };
}

/** Each document the user may accept, and which version of it was accepted last. */
export async function terms(ctx: UserContext) {
  const versionOf = await readCurrentVersions(ctx.db);
  const acceptances = await listTermsAcceptances(ctx.db, ctx.actor.userId);
  return {
    terms: acceptableTerms.map((type) => {
      const ofType = acceptances.filter((row) => row.type === type);
      const currentVersion = versionOf(type);
      return {
        type,
        currentVersion,
        accepted: ofType.some(({ version }) => version === currentVersion),
        acceptedVersion: ofType[0]?.version ?? null,
        acceptedAt: ofType[0]?.acceptedAt ?? null,
        url: urlOf(ctx, type),
      };
    }),
  };
}

/** How many of the documents in force a user has accepted, of all, and when the last one. */
export async function countAccepted(
  on: Executor,
  userId: string,
): Promise<{ accepted: number; all: number; lastAt: Date | null }> {
  const versionOf = await readCurrentVersions(on);
  const acceptances = await listTermsAcceptances(on, userId);
  const current = acceptances.filter(({ type, version }) =>
    acceptableTerms.some((each) => each === type && versionOf(each) === version),
  );
  return { accepted: current.length, all: acceptableTerms.length, lastAt: current[0]?.acceptedAt ?? null };
}

/** Accepts one document in its current version; again changes nothing. @throws terms.unknown for another version */
export async function acceptTerms(
  ctx: UserContext,
  { terms: type, version }: { terms: (typeof acceptableTerms)[number]; version: string },
): Promise<Commit<{ ok: boolean }>> {
  if (version !== (await readCurrentVersions(ctx.db))(type)) fail("terms.unknown");
  const { userId } = ctx.actor;
  return async (work) => {
    if (!(await lockUser(work.tx, userId))) fail("auth.token_invalid");
    const isNew = await insertTermsAcceptance(work.tx, { userId, type, version, acceptedAt: work.now });
    if (isNew)
      await publish(work, "user.tos.accepted", userId, await getUserResource(work.tx, userId, ctx.policy.chainId));
    return { ok: true };
  };
}
