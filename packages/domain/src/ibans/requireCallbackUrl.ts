import { fail } from "@cardkeep/contract/errors";
import { isSignInDomain } from "../partners/isSignInDomain.ts";
import type { Context } from "../context.ts";

/**
 * Scheme, a plain host with a port at most, and a path: parsers that disagree about anything else are not asked.
 *
 * No user information, no backslash, nothing encoded in the authority, no blank and no control character anywhere.
 */
const plainUrl = /^(https?):\/\/([a-z0-9.-]+(?::\d{1,5})?)(?:[/?#][^\\\s\p{Cc}]*)?$/iu;

/**
 * Lets an address through that belongs to an app which may sign people in; plain HTTP on localhost only.
 *
 * @throws ibans.invalid_callback_url
 */
export async function requireCallbackUrl(ctx: Context, url: string | undefined): Promise<void> {
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
