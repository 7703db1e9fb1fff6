import { fail } from "@cardkeep/contract/core/errors";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { Iban } from "@cardkeep/db/queries/users/ibans";
import { lockUser } from "@cardkeep/db/queries/users/users";
import type { Commit, CommitContext, Context, UserContext } from "../../core/context.ts";
import { isSignInDomain } from "../../partners/partners/getPartner.ts";
import { beginConsent } from "./beginConsent.ts";
import { profileIdOf } from "./iban.ts";
import { requestIban } from "./requestIban.ts";

/**
 * Asks for the user's IBAN; it comes by itself.
 *
 * @throws ibans.invalid_callback_url, ibans.profile_exists with the address of the consent page, and as `requestIban`
 */
export async function createProfile(
  ctx: UserContext,
  { signature, callbackUrl }: { signature: Hex; callbackUrl?: string | undefined },
): Promise<Commit<{ data: { success: boolean } }>> {
  await requireCallbackUrl(ctx, callbackUrl);
  return requestIban(
    ctx,
    { signature, callbackUrl },
    {
      buildAnswer: () => ({ data: { success: true } }),
      exists: (redirectUrl) => fail("ibans.profile_exists", { details: { redirectUrl } }),
    },
  );
}

const buildAnswer = (row: Iban) => ({
  data: {
    success: true,
    status: 200,
    description: row.iban === null ? "The IBAN was asked for and comes within minutes" : "The IBAN is there",
    emoneyProfileId: profileIdOf(row),
    ...(row.iban !== null && { iban: row.iban }),
    ...(row.bic !== null && { bic: row.bic }),
  },
});

/**
 * Asks for the user's IBAN and answers its progress; a known signature need not be sent again.
 *
 * @throws ibans.integration_exists with the address of the consent page, and as `requestIban`
 */
export const integrateIban = (ctx: UserContext, { signature }: { signature?: Hex | undefined }) =>
  requestIban(
    ctx,
    { signature, callbackUrl: undefined },
    {
      buildAnswer,
      exists: (redirectUrl) => fail("ibans.integration_exists", { details: { responseData: { redirectUrl } } }),
    },
  );

/** Where the person agrees that their profile is used; each answer is another consent. @throws ibans.invalid_callback_url */
export async function redirectUrl(
  ctx: UserContext & CommitContext,
  { callbackUrl }: { callbackUrl?: string | undefined },
): Promise<{ data: { redirectUrl: string } }> {
  await requireCallbackUrl(ctx, callbackUrl);
  return ctx.commit(async (work) => {
    const user = (await lockUser(work.tx, ctx.actor.userId)) ?? fail("auth.token_invalid");
    return { data: { redirectUrl: await beginConsent(ctx, work, user, callbackUrl) } };
  });
}

/**
 * Scheme, a plain host with a port at most, and a path: parsers that disagree about anything else are not asked.
 *
 * No user information, no backslash, nothing encoded in the authority, no blank and no control character anywhere.
 */
const plainUrl = /^(https?):\/\/([a-z0-9.-]+(?::\d{1,5})?)(?:[/?#][^\\\s\p{Cc}]*)?$/iu;

/**
 * Requires an address of an app that may sign users in; plain HTTP on localhost only.
 *
 * @throws ibans.invalid_callback_url
 */
async function requireCallbackUrl(ctx: Context, url: string | undefined): Promise<void> {
  if (url === undefined) return;
  const [, scheme, authority = ""] = plainUrl.exec(url) ?? [];
  const parsed = scheme !== undefined && URL.canParse(url) ? new URL(url) : null;
  const isPlain = parsed !== null && parsed.username === "" && parsed.password === "";
  // The host that a browser would go to, and the one that is written there, are the same one.
  const isTheSame =
    isPlain && authority.toLowerCase().replace(/:(443|80)$/, "") === parsed.host.replace(/:(443|80)$/, "");
  const isSafe = parsed?.protocol === "https:" || parsed?.hostname === "localhost";
  if (!isTheSame || !isSafe || !(await isSignInDomain(ctx, parsed.host))) fail("ibans.invalid_callback_url");
}
