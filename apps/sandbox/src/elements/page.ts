/** The page of the secure card elements, for an iframe of any app. */
import { bundleScript } from "@cardkeep/html/bundleScript";
import { elementsScript } from "../browserScripts.ts";
import { renderDocument } from "@cardkeep/html/document";
import { markup } from "@cardkeep/html/markup";
import { createHash } from "node:crypto";

const style = `
  body { margin: 0; font: 16px/1.4 system-ui, sans-serif; color: #16181d; background: transparent; }
  main { padding: .5rem; }
  dl { display: grid; gap: .5rem; margin: 0; }
  dl div { display: flex; gap: .25rem 1rem; align-items: baseline; }
  dt { flex: 0 0 4.5rem; color: #5a6070; } dd { flex: 1; margin: 0; font-variant-numeric: tabular-nums; letter-spacing: .03em; }
  form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
  label { display: grid; gap: .25rem; color: #5a6070; }
  input { font: inherit; width: 6rem; padding: .4rem; border: 1px solid #9aa1b0; border-radius: .4rem; }
  button { font: inherit; padding: .45rem .9rem; border: 0; border-radius: .4rem; color: #fff; background: #1f4fd8; cursor: pointer; }
  dl button { padding: .1rem .6rem; font-size: .85rem; color: #1f4fd8; background: #e8edfb; }
  p { margin: 0; }`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page; apps on this machine may frame it. */
export async function renderElements(): Promise<Response> {
  const script = await bundleScript(elementsScript);
  const body = markup`<main><p role="status">Waiting for the app.</p></main>`;
  return new Response(renderDocument({ title: "Card", style, script, body }), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": [
        "default-src 'none'",
        `style-src ${hashOf(style)}`,
        `script-src ${hashOf(script)}`,
        "img-src data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors http://localhost:* http://127.0.0.1:* https://localhost:*",
      ].join("; "),
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    },
  });
}
