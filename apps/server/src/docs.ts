/** The documents about the API: the reference page, and the same for programs. */
import { buildCollection } from "@cardkeep/contract/collection";
import { events } from "@cardkeep/contract/events";
import { eventExamples, examples } from "@cardkeep/contract/examples";
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

/** Mounts `/docs`, `/openapi.json`, `/collection.json` and `/llms.txt`. */
export function mountDocs(app: Elysia, runtime: Runtime): void {
  const serverUrl = runtime.settings.publicUrl;
  mountText(app, "/openapi.json", {
    render: () => JSON.stringify(buildOpenApi(routes, { serverUrl, nouns, examples, events, eventExamples })),
    headers: { "Content-Type": "application/json" },
  });
  mountText(app, "/collection.json", {
    render: () => JSON.stringify(buildCollection(routes, { serverUrl, nouns, examples })),
    headers: { "Content-Type": "application/json" },
  });
  mountText(app, "/llms.txt", {
    render: () => renderLlms(serverUrl),
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
  mountText(app, "/docs", {
    render: () => renderReference(serverUrl),
    headers: { ...buildPageHeaders({ style, script }), "Cache-Control": "no-cache" },
  });
}

/** Mounts a document under its path, packed for those who can unpack it; it is rendered once, for who asks first. */
function mountText(
  app: Elysia,
  path: string,
  { render, headers: own }: { render: () => string; headers: Record<string, string> },
): void {
  let document: { plain: Buffer<ArrayBuffer>; packed: Uint8Array<ArrayBuffer> } | null = null;
  const prepare = () => {
    const plain = Buffer.from(render());
    return { plain, packed: Bun.gzipSync(plain) };
  };
  const headers = { ...own, Vary: "Accept-Encoding" };
  app.get(path, ({ request }) => {
    const { plain, packed } = (document ??= prepare());
    return /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")
      ? new Response(packed, { headers: { ...headers, "Content-Encoding": "gzip" } })
      : new Response(plain, { headers });
  });
}
