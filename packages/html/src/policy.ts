import { createHash } from "node:crypto";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * The headers of a page without outside resources. Only its own style and script run, by their hashes (CSP level 3); a
 * page without a script runs none. `self` names further permissions at its own origin, such as `connect-src`, `script-src` or
 * `form-action`. `formTargets` are the sources of `form-action` for a form that redirects to another origin, `connectTargets`
 * those of `connect-src` for a script that asks another origin.
 */
export const buildPageHeaders = ({
  style,
  script,
  self = [],
  formTargets = self.includes("form-action") ? ["'self'"] : ["'none'"],
  connectTargets = self.includes("connect-src") ? ["'self'"] : ["'none'"],
}: {
  style: string;
  script?: string;
  self?: readonly string[];
  formTargets?: readonly string[];
  connectTargets?: readonly string[];
}): Readonly<Record<string, string>> => ({
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}${self.includes("script-src") ? " 'self'" : ""}`]),
    "img-src data:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `connect-src ${connectTargets.join(" ")}`,
    `form-action ${formTargets.join(" ")}`,
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
});
