import { createHash } from "node:crypto";

/** The value of an `integrity` attribute (Subresource Integrity). */
export const integrityOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;

const hashOf = (text: string): string => `'${integrityOf(text)}'`;

/**
 * The headers of a page without outside resources. Only its own style and script run, by their hashes (CSP level 3); a
 * page without a script runs none. `self` names further permissions at its own origin, such as `connect-src`, `script-src` or
 * `form-action`. `formTargets` are the sources of `form-action` for a form that redirects to another origin, `connectTargets`
 * those of `connect-src` for a script that asks another origin. `frameTargets` are those of `frame-src`, `frameAncestors`
 * those of `frame-ancestors`: no page frames this one unless they name it. `loadedScripts` are the texts of scripts in files,
 * whose elements name their `integrity`, `imageTargets` the origins of pictures.
 */
export const buildPageHeaders = ({
  style,
  script,
  self = [],
  formTargets = self.includes("form-action") ? ["'self'"] : ["'none'"],
  connectTargets = self.includes("connect-src") ? ["'self'"] : ["'none'"],
  frameTargets = [],
  frameAncestors = ["'none'"],
  loadedScripts = [],
  imageTargets = [],
}: {
  style: string;
  script?: string;
  self?: readonly string[];
  formTargets?: readonly string[];
  connectTargets?: readonly string[];
  frameTargets?: readonly string[];
  frameAncestors?: readonly string[];
  loadedScripts?: readonly string[];
  imageTargets?: readonly string[];
}): Readonly<Record<string, string>> => ({
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined
      ? []
      : [
          `script-src ${[script, ...loadedScripts].map(hashOf).join(" ")}${self.includes("script-src") ? " 'self'" : ""}`,
        ]),
    ...(frameTargets.length === 0 ? [] : [`frame-src ${frameTargets.join(" ")}`]),
    ["img-src", "data:", ...imageTargets].join(" "),
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.join(" ")}`,
    `connect-src ${connectTargets.join(" ")}`,
    `form-action ${formTargets.join(" ")}`,
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
});
