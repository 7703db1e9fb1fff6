/** The documents about the API: the reference page, and the same for programs. */
import { buildCollection } from "@cardkeep/contract/collection";
import { events } from "@cardkeep/contract/events";
import { examples } from "@cardkeep/contract/examples";
import { nouns } from "@cardkeep/contract/nouns";
import { buildOpenApi } from "@cardkeep/contract/openapi";
import { routes } from "@cardkeep/contract/routes";
import { buildPageHeaders } from "@cardkeep/html/policy";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { renderLlms } from "./docs/llms.ts";
import { renderReference } from "./docs/page.ts";
import { script } from "./docs/script.ts";
import { style } from "./docs/style.ts";

/** Mounts `/docs`, `/openapi.json`, `/collection.json` and `/llms.txt`, all built once. */
export function mountDocs(app: Elysia, runtime: Runtime): void {
  const serverUrl = runtime.settings.publicUrl;
  mountText(app, "/openapi.json", {
    text: JSON.stringify(buildOpenApi(routes, { serverUrl, nouns, examples, events })),
    headers: { "Content-Type": "application/json" },
  });
  mountText(app, "/collection.json", {
    text: JSON.stringify(buildCollection(routes, { serverUrl, nouns, examples })),
    headers: { "Content-Type": "application/json" },
  });
  mountText(app, "/llms.txt", {
    text: renderLlms(serverUrl),
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
  mountText(app, "/docs", {
    text: renderReference(serverUrl),
    headers: { ...buildPageHeaders({ style, script }), "Cache-Control": "no-cache" },
  });
}

/** Mounts a document under its path, packed for those who can unpack it. */
function mountText(
  app: Elysia,
  path: string,
  { text, headers: own }: { text: string; headers: Record<string, string> },
): void {
  const plain = Buffer.from(text);
  const packed = Bun.gzipSync(plain);
  const headers = { ...own, Vary: "Accept-Encoding" };
  app.get(path, ({ request }) =>
    /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")
      ? new Response(packed, { headers: { ...headers, "Content-Encoding": "gzip" } })
      : new Response(plain, { headers }),
  );
}
