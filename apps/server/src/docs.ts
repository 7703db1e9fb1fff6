/** The documents about the API: the OpenAPI description and the reference page. */
import { events } from "@cardkeep/contract/events";
import { examples } from "@cardkeep/contract/examples";
import { nouns } from "@cardkeep/contract/nouns";
import { buildOpenApi } from "@cardkeep/contract/openapi";
import { routes } from "@cardkeep/contract/routes";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { createHash } from "node:crypto";
import { renderReference } from "./docs/page.ts";
import { script } from "./docs/script.ts";
import { style } from "./docs/style.ts";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Nothing but the page's own style and script, byte for byte (CSP level 3). */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Mounts `/openapi.json` and `/docs`, both built once. */
export function mountDocs(app: Elysia, runtime: Runtime): void {
  const serverUrl = runtime.settings.publicUrl;
  const document = JSON.stringify(buildOpenApi(routes, { serverUrl, nouns, examples, events }));
  app.get("/openapi.json", () => new Response(document, { headers: { "Content-Type": "application/json" } }));

  const page = Buffer.from(renderReference(serverUrl));
  const packed = Bun.gzipSync(page);
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": contentSecurityPolicy,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    Vary: "Accept-Encoding",
  };
  app.get("/docs", ({ request }) =>
    /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")
      ? new Response(packed, { headers: { ...headers, "Content-Encoding": "gzip" } })
      : new Response(page, { headers }),
  );
}
