/** Turns a result or an error into an HTTP response. */
import type { ErrorCode } from "@cardkeep/contract/core/errorCatalogue";
import type { CardkeepError } from "@cardkeep/contract/core/errors";
import { pathOfError } from "@cardkeep/contract/openapi/documents";
import { buildErrorBody, errorTextOf } from "@cardkeep/contract/core/routeErrors";
import { isServerFailure, type Route } from "@cardkeep/contract/core/route";
import type { HeaderSet } from "./headers.ts";

/** The text of an error on one route: the route's own text for a server failure, otherwise the error's. */
export const describeError = (fault: CardkeepError, route: Route | null): string =>
  isServerFailure(fault.code) ? errorTextOf(fault.code, route) : fault.message;

/** The response to an error, with its code, its place on the reference page, and `Retry-After` where waiting helps. */
export function replyError(fault: CardkeepError, route: Route | null, headers: HeaderSet = {}): Response {
  return Response.json(buildErrorBody(fault.code, route, describeError(fault, route), fault.details), {
    status: fault.status,
    headers: {
      ...headers,
      ...errorHeaders(fault.code, headers),
      ...buildChallenge(fault.status),
      ...waitHeaders(fault),
    },
  });
}

/** The code of an error, and a link to its place on the reference page beside the links that the route has anyway. */
export function errorHeaders(code: ErrorCode, { Link: links }: HeaderSet = {}): HeaderSet {
  const help = `<${pathOfError(code)}>; rel="help"; type="text/html"`;
  return { "X-Error-Code": code, Link: links === undefined ? help : `${links}, ${help}` };
}

/** The response to a success: JSON, or bare text where the route says so. */
export function replyOutput(output: unknown, route: Route, headers: HeaderSet, request: Request): Response {
  const status = route.status ?? 200;
  if (route.plainText)
    return new Response(String(output), {
      status,
      headers: { ...headers, "Content-Type": "text/plain; charset=utf-8" },
    });
  return route.method === "GET" && route.scope !== undefined
    ? replyTagged(output, headers, request)
    : Response.json(output, { status, headers });
}

/** An answer that programs ask for again and again: with its tag, or 304 to the one that has it (RFC 9110, 13.1.2). */
function replyTagged(output: unknown, headers: HeaderSet, request: Request): Response {
  const body = JSON.stringify(output);
  const tagged = { ...headers, ETag: tagOf(body) };
  if (hasTag(request, tagged.ETag)) return new Response(null, { status: 304, headers: tagged });
  return new Response(body, { headers: { ...tagged, "Content-Type": "application/json;charset=utf-8" } });
}

export const tagOf = (text: string): string => `"${Bun.hash(text).toString(36)}"`;

const toStrong = (tag: string): string => tag.trim().replace(/^W\//, "");

/** Whether the request has the answer with this tag. Weak tags compare as strong ones do. */
export const hasTag = (request: Request, tag: string): boolean =>
  (request.headers.get("if-none-match") ?? "").split(",").map(toStrong).includes(toStrong(tag));

/** The challenge of a 401 (RFC 9110, 11.6.1; RFC 6750, 3). */
export const buildChallenge = (status: number): HeaderSet =>
  status === 401 ? { "WWW-Authenticate": 'Bearer realm="cardkeep"' } : {};

/**
 * Headers about waiting and the exhausted quota: `Retry-After` (RFC 9110), the `RateLimit` headers of
 * draft-ietf-httpapi-ratelimit-headers-10, and those of its earlier versions that most clients read.
 */
export function waitHeaders({ retryAfterSeconds, quota }: CardkeepError): Record<string, string> {
  if (retryAfterSeconds === undefined) return {};
  const wait = String(retryAfterSeconds);
  if (!quota) return { "Retry-After": wait };
  return {
    "Retry-After": wait,
    RateLimit: `"${quota.name}";r=0;t=${wait}`,
    "RateLimit-Policy": `"${quota.name}";q=${quota.count};w=${quota.withinSeconds}`,
    "RateLimit-Limit": String(quota.count),
    "RateLimit-Remaining": "0",
    "RateLimit-Reset": wait,
  };
}
