/** What every answer says besides its body. */
import { apiPrefix, deprecatedSince, type Route } from "@cardkeep/contract/route";
import type { Settings } from "@cardkeep/runtime/settings";

export type HeaderSet = Readonly<Record<string, string>>;

const hstsSeconds = 365 * 24 * 3600;

/** Nobody keeps an answer, frames it, or takes it for anything but what it says it is (OWASP REST Security). */
export const buildSecurityHeaders = ({ publicUrl }: Settings): HeaderSet => ({
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  ...(publicUrl.startsWith("https:") && { "Strict-Transport-Security": `max-age=${hstsSeconds}` }),
});

/**
 * Since when a route is deprecated (RFC 9745), from when it may be gone (RFC 8594), and links to its successor (RFC 5829)
 * and to its description; on success and fault alike.
 */
export function buildDeprecationHeaders(name: string, { deprecated }: Route): HeaderSet {
  if (!deprecated) return {};
  const { successor, sunsetAt } = deprecated;
  const links = [
    ...(successor === null ? [] : [`<${apiPrefix}${successor}>; rel="successor-version"`]),
    `</docs#${name}>; rel="deprecation"; type="text/html"`,
  ];
  return {
    Deprecation: `@${Date.parse(deprecatedSince) / 1000}`,
    Link: links.join(", "),
    ...(sunsetAt !== undefined && { Sunset: new Date(sunsetAt).toUTCString() }),
  };
}

/** Adds headers to an answer that does not have them; what it varies by is a list that grows. */
export function addHeaders(response: Response, headers: HeaderSet): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (name === "Vary") response.headers.append(name, value);
    else if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}
