/** The page of the secure card elements, for an iframe of any app. */
import { bundleScript } from "@cardkeep/html/bundleScript";
import { elementsScript } from "../browserScripts.ts";
import { loopbackSources } from "../core/framePages.ts";
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
  p { margin: 0; }
  main:has(h1) { max-width: 34rem; margin: 3rem auto; padding: 0 1.25rem; }
  html:has(h1) { color-scheme: light dark; } body:has(h1) { color: light-dark(#16181d, #e6e8ee); background: light-dark(#fff, #111318); }
  h1 { font-size: 1.6rem; } h1 ~ p { margin-bottom: 1rem; } a { color: light-dark(#1f4fd8, #8fb0ff); }`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page; apps on this machine may frame it. A person who opens it alone reads what it is for; `start` is the console. */
export async function renderElements(start: string): Promise<Response> {
  const script = await bundleScript(elementsScript);
  const body = markup`<main><p role="status">Waiting for the app.</p></main>
    <template>
      <h1>Secure card elements</h1>
      <p>Apps put this page into a frame. It then shows the number or the PIN of a card, and the app never learns either.</p>
      <p>Here no app frames it, so it has no card to show.</p>
      <p><a href="${start}">Sandbox console</a></p>
    </template>`;
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
        `frame-ancestors ${loopbackSources.join(" ")}`,
      ].join("; "),
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    },
  });
}
