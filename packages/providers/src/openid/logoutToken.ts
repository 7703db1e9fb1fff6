/** Logout tokens of an OpenID provider (OpenID Connect Back-Channel Logout 1.0, 2.6). */
import { findIllFormedText } from "@cardkeep/contract/core/text";
import { z } from "zod";
import type { LogoutClaims } from "./port.ts";
import type { ReadSigned, TokenSigner } from "./signedToken.ts";

/** A logout token names an instant; an older one was used already or was held back. */
const maxTokenAgeSeconds = 300;

const logoutClaims = z
  .object({
    sub: z.string().min(1).nullable().default(null),
    sid: z.string().min(1).nullable().default(null),
    // An ID token would be accepted here otherwise.
    nonce: z.never("must not be there").optional(),
    jti: z.string().min(1),
    events: z.looseObject({ "http://schemas.openid.net/event/backchannel-logout": z.looseObject({}) }),
  })
  .refine(({ sub, sid }) => sub !== null || sid !== null, "names neither a person nor a session")
  .refine((claims) => findIllFormedText(claims) === null, "has a null character or an unpaired surrogate");

/**
 * Reads a logout token for one client. A repeated token ends nothing new: it names sessions that have ended, and after five
 * minutes it does not count.
 */
export const readLogout = (
  read: ReadSigned,
  { token, signer, clientId }: { token: string; signer: TokenSigner; clientId: string },
): Promise<LogoutClaims> =>
  read(token, signer, { audience: clientId, maxTokenAge: maxTokenAgeSeconds }, (claims) => {
    const { sub, sid } = logoutClaims.parse(claims);
    return { subject: sub, providerSession: sid };
  });
