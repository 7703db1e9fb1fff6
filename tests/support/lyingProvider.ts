/** An OpenID provider whose answers a test chooses. */
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";

/** What it answers to the next requests. */
export interface Lie {
  readonly nonce?: string;
  /** In place of honest claims; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly signature?: "own" | "foreign" | "none" | "symmetric" | "missing";
  readonly refreshToken?: string;
  /** The whole answer of its token endpoint. */
  readonly token?: { readonly status: number; readonly body: object | string };
}

export interface LyingProvider {
  readonly issuer: string;
  tell(lie: Lie): void;
  /** A token of a type, with these claims beside its issuer and its client. */
  sign(typ: string, claims: Readonly<Record<string, unknown>>): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts it for one client. Without a lie it answers honestly for a person in the group `crew`. Its own name for itself is
 * its address and `end`.
 */
export async function startLyingProvider(clientId: string, end: "" | "/" = ""): Promise<LyingProvider> {
  const [own, foreign] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "own", alg: "ES256", use: "sig" };
  let lie: Lie = {};
  const sign = async (issuer: string): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const honest = {
      iss: issuer,
      aud: clientId,
      sub: "una",
      iat: now,
      exp: now + 600,
      nonce: lie.nonce,
      groups: ["crew"],
    };
    const claims = { ...honest, ...lie.claims };
    if (lie.signature === "none") return new UnsecuredJWT(claims).encode();
    if (lie.signature === "symmetric")
      return new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode(clientId.padEnd(32)));
    const { privateKey } = lie.signature === "foreign" ? foreign : own;
    return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "own" }).sign(privateKey);
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, origin } = new URL(request.url);
      if (pathname === "/.well-known/openid-configuration")
        return Response.json({
          issuer: `${origin}${end}`,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          jwks_uri: `${origin}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["ES256"],
        });
      if (pathname === "/keys") return Response.json({ keys: [jwk] });
      if (lie.token) {
        const { status, body } = lie.token;
        return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status });
      }
      return Response.json({
        access_token: "a",
        token_type: "Bearer",
        expires_in: 600,
        ...(lie.signature !== "missing" && { id_token: await sign(`${origin}${end}`) }),
        ...(lie.refreshToken !== undefined && { refresh_token: lie.refreshToken }),
      });
    },
  });
  const address = `http://127.0.0.1:${server.port}`;
  return {
    issuer: address,
    sign: (typ, claims) =>
      new SignJWT({ iss: `${address}${end}`, aud: clientId, ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "own", typ })
        .setIssuedAt()
        .setExpirationTime("2m")
        .sign(own.privateKey),
    tell: (next) => {
      lie = next;
    },
    stop: () => server.stop(true),
  };
}
