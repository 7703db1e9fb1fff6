/** Documents about the API: the reference page, and files for programs. */
import { events } from "@cardkeep/contract/events";
import { eventExamples, examples } from "@cardkeep/contract/examples";
import { machines } from "@cardkeep/contract/machines";
import { nouns } from "@cardkeep/contract/nouns";
import { buildOpenApi } from "@cardkeep/contract/openapi";
import { routes } from "@cardkeep/contract/routes";
import { bundleScript } from "@cardkeep/html/bundleScript";
import { drawMachines } from "@cardkeep/html/pictures/drawMachines";
import { buildPageHeaders } from "@cardkeep/html/policy";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { docsScript } from "./browserScripts.ts";
import { renderLlms } from "./docs/llms.ts";
import { renderReference } from "./docs/page.ts";
import { style } from "./docs/style.ts";

interface Document {
  text: string;
  headers: Readonly<Record<string, string>>;
}

/** Mounts `/docs`, `/openapi.json` and `/llms.txt`. */
export function mountDocs(app: Elysia, runtime: Runtime): void {
  const serverUrl = runtime.settings.publicUrl;
  mountDocument(app, "/openapi.json", () => ({
    text: JSON.stringify(buildOpenApi(routes, { serverUrl, nouns, examples, events, eventExamples })),
    headers: { "Content-Type": "application/json" },
  }));
  mountDocument(app, "/llms.txt", () => ({
    text: renderLlms(serverUrl),
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  }));
  mountDocument(app, "/docs", async () => {
    const [script, drawings] = await Promise.all([bundleScript(docsScript), drawMachines(machines)]);
    return {
      text: renderReference({ serverUrl, script, drawings }),
      headers: { ...buildPageHeaders({ style, script }), "Cache-Control": "no-cache" },
    };
  });
}

/** Mounts a document under its path, compressed for clients that accept gzip. The first request renders it; later ones reuse it. */
function mountDocument(app: Elysia, path: string, render: () => Document | Promise<Document>): void {
  const prepare = async () => {
    const { text, headers } = await render();
    const plain = Buffer.from(text);
    return { plain, packed: Bun.gzipSync(plain), headers: { ...headers, Vary: "Accept-Encoding" } };
  };
  let prepared: ReturnType<typeof prepare> | null = null;
  app.get(path, async ({ request }) => {
    prepared ??= prepare();
    const { plain, packed, headers } = await prepared.catch((error: unknown) => {
      // The next request renders it again.
      prepared = null;
      throw error;
    });
    return /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")
      ? new Response(packed, { headers: { ...headers, "Content-Encoding": "gzip" } })
      : new Response(plain, { headers });
  });
}
