/** Which pages of the web may call, and what their browsers are told (Fetch Standard, CORS protocol). */
import { isSignInDomain } from "@cardkeep/domain/partners/isSignInDomain";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import type { HeaderSet } from "./headers.ts";

const requestHeaders = "Authorization, Content-Type, Idempotency-Key, X-Request-Id, trpc-accept";
const responseHeaders = [
  "X-Request-Id",
  "X-Error-Code",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Deprecation",
  "Sunset",
  "Link",
].join(", ");
const preflightHeaders: HeaderSet = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
  "Access-Control-Allow-Headers": requestHeaders,
  "Access-Control-Max-Age": "600",
};

/** Answers what browsers ask before they send a request that a page may not make just so. */
export function mountPreflight(app: Elysia, runtime: Runtime): void {
  // Elysia passes on what this answers as it is: nothing, or in the end a response.
  app.onRequest(({ request }) => {
    const origin = request.method === "OPTIONS" ? request.headers.get("origin") : null;
    return origin === null ? undefined : answerPreflight(runtime, origin);
  });
}

async function answerPreflight(runtime: Runtime, origin: string): Promise<Response> {
  const allowed = await allowOrigin(runtime, origin);
  const headers = "Access-Control-Allow-Origin" in allowed ? { ...allowed, ...preflightHeaders } : { ...allowed };
  return new Response(null, { status: 204, headers });
}

/** Production lets in no page that came without TLS: anybody on its way could have written it. */
async function isAllowed({ services, settings }: Runtime, origin: string): Promise<boolean> {
  if (!URL.canParse(origin)) return false;
  const { host, protocol } = new URL(origin);
  return (protocol === "https:" || !settings.production) && isSignInDomain(services, host);
}

/** What a browser needs to let a page of `origin` read an answer: pages of exactly the domains that may sign in. */
export async function allowOrigin(runtime: Runtime, origin: string): Promise<HeaderSet> {
  // Without the database nobody is let in; the answer itself tells why.
  if (!(await isAllowed(runtime, origin).catch(() => false))) return { Vary: "Origin" };
  return {
    Vary: "Origin",
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": responseHeaders,
  };
}
