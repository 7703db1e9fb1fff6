/** Pages with one column and no script: the start page of the server, and the page of an unknown address. */
import { renderDocument } from "./document.ts";
import { dataLook, look } from "./look.ts";
import { type Html, markup } from "./markup.ts";
import { overviewLook } from "./overview.ts";
import { buildPageHeaders } from "./policy.ts";

const style = `${look}${dataLook}${overviewLook}
main { max-width: 52rem; margin: 0 auto; padding: clamp(2rem, 7vw, 4.5rem) 1.25rem 4rem; }
.brand { margin-bottom: 1.75rem; font-size: 1.15rem; font-weight: 600; letter-spacing: -.01em; }
.brand a { color: inherit; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.15rem; }
.lead + .lead { margin-top: .75rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .86rem; color: var(--muted); }
.brand a, footer a { display: inline-block; min-height: 24px; }
`;

/** A whole page around `body`. */
export const renderPlainPage = (title: string, body: Html): string => renderDocument({ title, style, body });

/** The headers of such a page; it is never cached, since it shows what runs now. */
export const plainPageHeaders: Readonly<Record<string, string>> = {
  ...buildPageHeaders({ style }),
  "Cache-Control": "no-store",
};

/** A link with a sentence on what is there. */
export interface PageLink {
  readonly href: string;
  readonly title: string;
  readonly text: string;
}

/** Links as a list of panels. */
export const renderLinks = (links: readonly PageLink[]): Html =>
  markup`<ul class="links">
    ${links.map(({ href, title, text }) => markup`<li><a href="${href}"><strong>${title}</strong><span>${text}</span></a></li>`)}
  </ul>`;

/** The page of an address at which there is nothing. */
export const renderMissing = (path: string, links: readonly PageLink[]): string =>
  renderPlainPage(
    "Not found · Cardkeep",
    markup`<main>
      <p class="brand"><a href="/">Cardkeep</a></p>
      <h1>There is nothing at this address</h1>
      <p class="lead">No page is at <code>${path}</code>. Look for a spelling mistake, or go on from here.</p>
      <h2>Where to go on</h2>
      ${renderLinks(links)}
    </main>`,
  );
