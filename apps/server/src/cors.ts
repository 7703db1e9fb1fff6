/** Pages that may call the API, and the answers for their browsers (Fetch Standard, CORS protocol). */
import { isSignInDomain } from "@cardkeep/domain/partners/partners/getPartner";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import pTimeout from "p-timeout";
import { requestIdOf } from "./caller.ts";
import type { HeaderSet } from "./headers.ts";

const requestHeaders = "Authorization, Content-Type, Idempotency-Key, X-Request-Id, trpc-accept";
const responseHeaders = [
  "X-Request-Id",
  "X-Error-Code",
  "WWW-Authenticate",
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

/** Answers the preflight requests of browsers. */
export function mountPreflight(app: Elysia, runtime: Runtime): void {
  // Elysia sends the returned value unchanged: undefined, or in the end a response.
  app.onRequest(({ request }) => {
    const origin = request.method === "OPTIONS" ? request.headers.get("origin") : null;
    return origin === null ? undefined : answerPreflight(runtime, origin, requestIdOf(request));
  });
}

async function answerPreflight(runtime: Runtime, origin: string, requestId: string): Promise<Response> {
  const allowed = await allowOrigin(runtime, origin);
  const added = "Access-Control-Allow-Origin" in allowed ? preflightHeaders : {};
  return new Response(null, { status: 204, headers: { ...allowed, ...added, "X-Request-Id": requestId } });
}

/** The answer itself waits for this, so a database that hangs takes a part of its time. */
const lookUpMsMax = 1_000;
/** Domains of the last answers of the database: without it, their pages can still read why a request failed. */
const knownDomains = new Set<string>();

/** Null where it cannot be known. Production rejects origins without TLS: on the network an attacker could have changed such a page. */
async function isAllowed({ services, settings }: Runtime, origin: string): Promise<boolean | null> {
  if (!URL.canParse(origin)) return false;
  const { host, protocol } = new URL(origin);
  if (protocol !== "https:" && settings.production) return false;
  const found = await pTimeout(isSignInDomain(services, host), { milliseconds: lookUpMsMax }).catch(() => null);
  if (found === null) return knownDomains.has(host) || null;
  if (found) knownDomains.add(host);
  else knownDomains.delete(host);
  return found;
}

/** Headers that let a page of `origin` read an answer. Only pages of sign-in domains get them. */
export async function allowOrigin(runtime: Runtime, origin: string): Promise<HeaderSet> {
  const allowed = await isAllowed(runtime, origin);
  if (allowed === false) logRefusal(runtime, origin);
  if (!allowed) return { Vary: "Origin" };
  return {
    Vary: "Origin",
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": responseHeaders,
  };
}

/** The browser shows the page's author a fault without a reason; the operator reads it here. */
const loggedEveryMs = 60_000;
/** Anybody may send any origin, so the log names few of them a minute. */
const loggedMax = 20;
const originLengthMax = 100;
const logged = new Map<string, number>();

function logRefusal({ log, settings }: Runtime, given: string): void {
  const origin = given.slice(0, originLengthMax);
  // Our own pages need no permission.
  if (origin === new URL(settings.publicUrl).origin) return;
  const nowMs = performance.now();
  for (const [known, untilMs] of logged) if (untilMs <= nowMs) logged.delete(known);
  if (logged.has(origin) || logged.size >= loggedMax) return;
  logged.set(origin, nowMs + loggedEveryMs);
  log.info(
    { origin },
    "pages of this origin may not read answers: no partner has this domain, nor has SIGN_IN_DOMAINS",
  );
}
