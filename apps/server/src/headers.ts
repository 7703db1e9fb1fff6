/** What every answer says besides its body. */
import type { Route } from "@cardkeep/contract/route";
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

/** Deprecation (RFC 9745) and the successor's link (RFC 5829), on success and fault alike. */
export function buildDeprecationHeaders(route: Route): HeaderSet {
  if (!route.deprecated) return {};
  const { successor } = route.deprecated;
  return { Deprecation: "true", ...(successor !== null && { Link: `</api/v1${successor}>; rel="successor-version"` }) };
}

/** Adds headers to an answer that does not have them; what it varies by is a list that grows. */
export function addHeaders(response: Response, headers: HeaderSet): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (name === "Vary") response.headers.append(name, value);
    else if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}
