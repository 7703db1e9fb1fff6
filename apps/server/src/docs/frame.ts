/** What surrounds every page: the contents, the title, and the way to the next page. */
import { documentsPath } from "@cardkeep/contract/openapi/documents";
import { version } from "@cardkeep/contract/version";
import { renderDocument } from "@cardkeep/html/document";
import { type Html, markup, prose } from "@cardkeep/html/markup";
import type { DocsContext } from "./docsContext.ts";
import type { DocumentPage } from "./documentPage.ts";
import { pages } from "./pages.ts";
import { minifyHtml } from "./minifyHtml.ts";
import { style } from "./style.ts";

const pagesByGroup = Map.groupBy(pages, ({ group }) => group);

function renderEntry(page: DocumentPage, open: DocumentPage): Html {
  const isOpen = page === open;
  const parts = isOpen ? page.parts() : [];
  return markup`<li><a href="${page.path}" ${isOpen && markup`aria-current="page"`}>${page.title}</a>
    ${parts.length > 0 && markup`<ul class="parts">${parts.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>`)}</ul>`}</li>`;
}

/** On a desk it stands at the left; on a phone a button opens it. */
const renderContents = (open: DocumentPage): Html =>
  markup`<nav id="contents" popover aria-label="Contents">
    <p class="brand"><a href="${documentsPath}">Cardkeep</a> <span class="tag">${version}</span>
      <button type="button" class="close" popovertarget="contents" popovertargetaction="hide">Close</button></p>
    <button type="button" class="find" data-search>Search <kbd>/</kbd></button>
    ${[...pagesByGroup].map(
      ([group, ofGroup]) =>
        markup`<p class="group" id="contents-${group}">${group}</p>
          <ul aria-labelledby="contents-${group}">${ofGroup.map((page) => renderEntry(page, open))}</ul>`,
    )}
  </nav>`;

const renderNeighbour = (page: DocumentPage | undefined, way: "Previous" | "Next"): Html | null =>
  page
    ? markup`<a href="${page.path}" rel="${way === "Next" ? "next" : "prev"}"><span>${way}</span> ${page.title}</a>`
    : null;

function renderTitle({ title, summary, group }: DocumentPage): Html {
  return markup`<header class="title">
    ${group !== "Start" && markup`<p class="kind">${group}</p>`}
    <h1>${title}</h1>
    <p class="lead">${prose(summary)}</p>
  </header>`;
}

/** The whole page. `script` is the bundle of `browser/page.ts`. */
export async function renderPage(page: DocumentPage, script: string, context: DocsContext): Promise<string> {
  const at = pages.indexOf(page);
  const content = await page.render(context);
  const html = renderDocument({
    title: page.path === documentsPath ? page.title : `${page.title} · Cardkeep documents`,
    style,
    script,
    body: markup`<a class="skip" href="#main">Skip to the content</a>
      <header class="bar"><a href="${documentsPath}">Cardkeep</a>
        <button type="button" class="find" data-search>Search</button>
        <button type="button" popovertarget="contents">Contents</button></header>
      ${renderContents(page)}
      <main id="main" data-sandbox="${context.sandboxUrl ?? ""}">
        ${renderTitle(page)} ${content}
        <nav class="around" aria-label="Pages before and after">
          ${renderNeighbour(pages[at - 1], "Previous")} ${renderNeighbour(pages[at + 1], "Next")}
        </nav>
      </main>`,
  });
  return minifyHtml(html);
}
