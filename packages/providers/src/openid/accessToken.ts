/** Access tokens of programs (RFC 9068), as a client gets them with its credentials (RFC 6749, 4.4). */
import { z } from "zod";
import { buildIdentity, findGroups } from "./claims.ts";
import type { ProgramGrant } from "./port.ts";
import type { ReadSigned, TokenSigner } from "./signedToken.ts";

const accessClaims = z.looseObject({ sub: z.string().min(1), client_id: z.string().min(1), exp: z.number() });

/**
 * Reads an access token. Its type in the header keeps out ID tokens, which the same keys sign. `issuer` is the setting, by
 * which identities are stored.
 */
export const readAccess = (
  read: ReadSigned,
  {
    token,
    signer,
    audience,
    issuer,
    groupsClaim,
  }: { token: string; signer: TokenSigner; audience: string; issuer: string; groupsClaim: string },
): Promise<ProgramGrant> =>
  read(token, signer, { audience, typ: "at+jwt", requiredClaims: ["iat", "exp"] }, (claims) => {
    const named = accessClaims.parse(claims);
    const identity = buildIdentity(issuer, { name: named.client_id, ...named }, findGroups(named, groupsClaim) ?? []);
    return { identity, expiresInSeconds: Math.max(0, named.exp - Math.floor(Date.now() / 1000)) };
  });
