/** Headers of every answer. */
import { pathOfRoute } from "@cardkeep/contract/openapi/documents";
import { apiPrefix, deprecatedSince, type Route } from "@cardkeep/contract/core/route";
import type { Settings } from "@cardkeep/runtime/settings";

export type HeaderSet = Readonly<Record<string, string>>;

const hstsSeconds = 365 * 24 * 3600;

/** An answer must not be cached, framed, or read as another content type (OWASP REST Security). */
export const buildSecurityHeaders = ({ publicUrl }: Settings): HeaderSet => ({
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  ...(publicUrl.startsWith("https:") && { "Strict-Transport-Security": `max-age=${hstsSeconds}` }),
});

/**
 * Headers of a deprecated route: date of deprecation (RFC 9745), earliest removal (RFC 8594), and links to successor
 * (RFC 5829) and description. They are on success and error alike. The successor's path parameters are those of the request.
 */
export function buildDeprecationHeaders(
  name: string,
  { deprecated }: Route,
  params: Readonly<Record<string, string>>,
): HeaderSet {
  if (!deprecated) return {};
  const { successor, sunsetAt } = deprecated;
  const links = [
    `<${apiPrefix}${fillPath(successor, params)}>; rel="successor-version"`,
    `<${pathOfRoute(name)}>; rel="deprecation"; type="text/html"`,
  ];
  return {
    Deprecation: `@${Date.parse(deprecatedSince) / 1000}`,
    Link: links.join(", "),
    ...(sunsetAt !== undefined && { Sunset: new Date(sunsetAt).toUTCString() }),
  };
}

const fillPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

/** Adds missing headers to an answer; `Vary` is a list that grows. */
export function addHeaders(response: Response, headers: HeaderSet): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (name === "Vary") response.headers.append(name, value);
    else if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}
