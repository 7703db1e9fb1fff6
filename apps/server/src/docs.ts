/** The documents about the API: the OpenAPI description and the reference page. */
import { events } from "@cardkeep/contract/events";
import { examples } from "@cardkeep/contract/examples";
import { nouns } from "@cardkeep/contract/nouns";
import { buildOpenApi } from "@cardkeep/contract/openapi";
import { routes } from "@cardkeep/contract/routes";
import { buildPageHeaders } from "@cardkeep/html/policy";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { renderReference } from "./docs/page.ts";
import { script } from "./docs/script.ts";
import { style } from "./docs/style.ts";

/** Mounts `/openapi.json` and `/docs`, both built once. */
export function mountDocs(app: Elysia, runtime: Runtime): void {
  const serverUrl = runtime.settings.publicUrl;
  const document = JSON.stringify(buildOpenApi(routes, { serverUrl, nouns, examples, events }));
  app.get("/openapi.json", () => new Response(document, { headers: { "Content-Type": "application/json" } }));

  const page = Buffer.from(renderReference(serverUrl));
  const packed = Bun.gzipSync(page);
  const headers = {
    ...buildPageHeaders({ style, script }),
    "Cache-Control": "no-cache",
    Vary: "Accept-Encoding",
  };
  app.get("/docs", ({ request }) =>
    /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")
      ? new Response(packed, { headers: { ...headers, "Content-Encoding": "gzip" } })
      : new Response(page, { headers }),
  );
}
