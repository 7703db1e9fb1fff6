/**
 * Cookies of the operator's pages. What they stand for is in the database.
 *
 * They are Lax: browsers do not send a Strict cookie when the OpenID provider redirects to us. A page of another site can
 * therefore open our pages by a link, but cannot send a form: see `isSameOrigin`.
 */
import { isLoopback } from "@cardkeep/contract/core/loopback";

const signInSeconds = 600;
/** As long as the rows of sessions are kept. */
const knownSeconds = 30 * 86_400;
/** 32 bytes in base64url. */
const secretPattern = /^[\w-]{43}$/;

export interface Cookies {
  /** The secret of the browser's session; null without one. */
  findSession(request: Request): string | null;
  beginSession(secret: string, lifetimeMs: number): string;
  endSession(): string;
  /** The secret that binds a sign-in to the browser that began it; null without one. */
  findSignIn(request: Request): string | null;
  beginSignIn(secret: string): string;
  endSignIn(): string;
  /** The secret of the last session of this browser, which may have ended; null without one. */
  findKnown(request: Request): string | null;
  keepKnown(secret: string): string;
}

/**
 * The cookies of a server at `publicUrl`. Over https their names begin with `__Host-`, so that no other host of the domain can
 * set them (RFC 6265bis, 4.1.3.2).
 */
export function createCookies(publicUrl: string): Cookies {
  const { protocol, hostname } = new URL(publicUrl);
  const isSecure = protocol === "https:" || !isLoopback(hostname);
  const name = (base: string): string => (isSecure ? `__Host-${base}` : base);
  const attributes = `; Path=${isSecure ? "/" : "/operator"}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  const write = (base: string, value: string, seconds: number): string =>
    `${name(base)}=${value}; Max-Age=${seconds}${attributes}`;
  const read = (request: Request, base: string): string | null => {
    const cookies = (request.headers.get("cookie") ?? "").split("; ").map((cookie) => cookie.split("="));
    const value = cookies.find(([given]) => given === name(base))?.[1] ?? "";
    return secretPattern.test(value) ? value : null;
  };
  const [session, signIn, known] = ["cardkeep_operator", "cardkeep_sign_in", "cardkeep_known_browser"];
  return {
    findSession: (request) => read(request, session),
    beginSession: (secret, lifetimeMs) => write(session, secret, Math.floor(lifetimeMs / 1000)),
    endSession: () => write(session, "", 0),
    findSignIn: (request) => read(request, signIn),
    beginSignIn: (secret) => write(signIn, secret, signInSeconds),
    endSignIn: () => write(signIn, "", 0),
    findKnown: (request) => read(request, known),
    keepKnown: (secret) => write(known, secret, knownSeconds),
  };
}

/**
 * Whether one of our pages sent a form. Browsers send the page's origin with every POST, and a page cannot change it. A
 * request without it is refused, so no token in the form is needed.
 */
export function isSameOrigin(request: Request, publicUrl: string): boolean {
  const given = request.headers.get("origin") ?? "";
  if (!URL.canParse(given)) return false;
  const [origin, ours] = [new URL(given), new URL(publicUrl)];
  // At another host name a proxy may have ended TLS, so the scheme is unknown.
  return origin.host === ours.host ? origin.origin === ours.origin : origin.host === request.headers.get("host");
}

/** Whether a page of another origin led to this request (Fetch Metadata). A client that is no browser does not say. */
export const isOfOtherSite = ({ headers }: Request): boolean =>
  ["cross-site", "same-site"].includes(headers.get("sec-fetch-site") ?? "");
