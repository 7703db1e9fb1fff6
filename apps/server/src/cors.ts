import { isSignInDomain } from "@cardkeep/domain/auth/domains";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia, PreContext } from "elysia";

const methods = "GET, POST, PUT, PATCH, DELETE";
const requestHeaders = "Authorization, Content-Type, Idempotency-Key, X-Request-Id";
const responseHeaders =
  "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Deprecation, Link";
const preflightSecondsMax = "600";

/** Lets browsers call from exactly the domains that may sign in (Fetch Standard, CORS protocol). */
export function mountCors(app: Elysia, runtime: Runtime): void {
  const isAllowed = async (origin: string): Promise<boolean> =>
    URL.canParse(origin) && isSignInDomain(runtime.services, new URL(origin).host);

  const answer = async (origin: string, request: Request, set: PreContext["set"]) => {
    set.headers["Vary"] = "Origin";
    // Without the database nobody is let in; the answer itself tells why.
    if (!(await isAllowed(origin).catch(() => false))) return;
    set.headers["Access-Control-Allow-Origin"] = origin;
    set.headers["Access-Control-Expose-Headers"] = responseHeaders;
    if (request.method !== "OPTIONS") return;
    set.headers["Access-Control-Allow-Methods"] = methods;
    set.headers["Access-Control-Allow-Headers"] = requestHeaders;
    set.headers["Access-Control-Max-Age"] = preflightSecondsMax;
    set.status = 204;
    return "";
  };
  // Elysia reads this function: what it does not name is not made ready for it. Only browsers name an origin.
  app.onRequest(({ request, set }) => {
    const origin = request.headers.get("origin");
    return origin === null ? undefined : answer(origin, request, set);
  });
}
