/** Documents about the API: pages for people, and files for programs. */
import { events } from "@cardkeep/contract/partners/events";
import { nouns } from "@cardkeep/contract/nouns";
import { buildOpenApi } from "@cardkeep/contract/openapi/openapi";
import { routes } from "@cardkeep/contract/routes";
import { bundleScript } from "@cardkeep/html/bundleScript";
import { buildPageHeaders } from "@cardkeep/html/policy";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { docsRunScript, docsScript, docsSearchScript } from "./browserScripts.ts";
import { createDocsContext } from "./docs/docsContext.ts";
import { renderPage } from "./docs/frame.ts";
import { renderLlms } from "./docs/llms.ts";
import { pages } from "./docs/pages.ts";
import { buildSearchIndex } from "./docs/searchIndex.ts";
import { style } from "./docs/style.ts";

// A page asks whether its copy is still the server's, so that an upgrade shows at once.
const jsonHeaders = { "Content-Type": "application/json", "Cache-Control": "no-cache" };
const scriptHeaders = { "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache" };

interface Document {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Mounts the pages under `/docs`, their search and scripts, `/openapi.json` and `/llms.txt`. */
export function mountDocs(app: Elysia, runtime: Runtime): void {
  const context = createDocsContext(runtime.settings);
  const { serverUrl, sandboxUrl, examples, eventExamples } = context;
  const connectTargets = ["'self'", ...(sandboxUrl === null ? [] : [sandboxUrl])];
  mountDocument(app, "/openapi.json", () => ({
    text: JSON.stringify(buildOpenApi(routes, { serverUrl, nouns, examples, events, eventExamples })),
    headers: { "Content-Type": "application/json" },
  }));
  mountDocument(app, "/llms.txt", () => ({
    text: renderLlms(serverUrl),
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  }));
  mountDocument(app, "/docs/search.json", () => ({ text: buildSearchIndex(), headers: jsonHeaders }));
  for (const [path, entry] of Object.entries({ "/docs/search.js": docsSearchScript, "/docs/run.js": docsRunScript }))
    mountDocument(app, path, async () => ({ text: await bundleScript(entry), headers: scriptHeaders }));
  for (const page of pages) {
    mountDocument(app, page.path, async () => {
      const script = await bundleScript(docsScript);
      const headers = buildPageHeaders({ style, script, self: ["script-src"], connectTargets });
      return { text: await renderPage(page, script, context), headers: { ...headers, "Cache-Control": "no-cache" } };
    });
  }
}

/**
 * Mounts a document under its path. The first request renders it; later ones reuse it. It is kept compressed, as nearly every
 * client accepts it.
 */
function mountDocument(app: Elysia, path: string, render: () => Document | Promise<Document>): void {
  const prepare = async () => {
    const { text, headers } = await render();
    return { packed: Bun.gzipSync(Buffer.from(text)), headers: { ...headers, Vary: "Accept-Encoding" } };
  };
  let prepared: ReturnType<typeof prepare> | null = null;
  app.get(path, async ({ request }) => {
    prepared ??= prepare();
    const { packed, headers } = await prepared.catch((error: unknown) => {
      // The next request renders it again.
      prepared = null;
      throw error;
    });
    return /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")
      ? new Response(packed, { headers: { ...headers, "Content-Encoding": "gzip" } })
      : new Response(Bun.gunzipSync(packed), { headers });
  });
}
