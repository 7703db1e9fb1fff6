import { createHash } from "node:crypto";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * The headers of a page without outside resources. Only its own style and script run, by their hashes (CSP level 3); a
 * page without a script runs none. `self` names further permissions at its own origin, such as `connect-src` or
 * `form-action`. `formTargets` are the sources of `form-action` for a form that redirects to another origin.
 */
export const buildPageHeaders = ({
  style,
  script,
  self = [],
  formTargets = self.includes("form-action") ? ["'self'"] : ["'none'"],
}: {
  style: string;
  script?: string;
  self?: readonly string[];
  formTargets?: readonly string[];
}): Readonly<Record<string, string>> => ({
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    "img-src data:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `connect-src ${self.includes("connect-src") ? "'self'" : "'none'"}`,
    `form-action ${formTargets.join(" ")}`,
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
});
