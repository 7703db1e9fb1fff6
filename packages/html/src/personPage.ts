/** Pages for people of the programme, in its colours and in their language. They need no script. */
import { renderDocument } from "./document.ts";
import { look } from "./look.ts";
import { type Brand, inkOn, type PageLink, renderBrand } from "./mail.ts";
import { type Html, markup } from "./markup.ts";
import { buildPageHeaders } from "./policy.ts";

const buildStyle = ({ color }: Brand): string => `${look}
header { padding: 1rem; background: ${color}; color: ${inkOn(color)}; font-size: 1.15rem; font-weight: 600; }
header > div, main { max-width: 34rem; margin: 0 auto; padding: 0 .25rem; }
main { padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; }
p + p { margin-top: .75rem; }
form { margin-top: 1.5rem; }
input, button { font: inherit; padding: .5rem .8rem; min-height: 44px; }
form p + button, input + button { margin-top: .75rem; }
h1 { margin-bottom: .75rem; }
button { padding: .5rem 1.25rem; border: 1px solid ${color}; border-radius: .5rem; font-weight: 600; color: ${inkOn(color)}; background: ${color}; cursor: pointer; }
form + form { margin-top: .75rem; }
form + form button { color: var(--ink); background: none; border-color: var(--muted); }
input { max-width: 100%; color: var(--ink); background: var(--page); border: 1px solid var(--muted); border-radius: .5rem; }
footer { margin-top: 2.5rem; color: var(--muted); font-size: .9rem; }
footer ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: .5rem; }
footer a { display: inline-block; min-height: 24px; text-decoration: underline; text-underline-offset: .2em; }
`;

/** A whole page around `body`; `support` and the brand's own pages are below it. */
export const renderPersonPage = ({
  language,
  brand,
  title,
  body,
  support,
  links,
}: {
  language: string;
  brand: Brand;
  title: string;
  body: Html;
  support: string | null;
  links: readonly PageLink[];
}): string =>
  renderDocument({
    language,
    title: `${title} · ${brand.name}`,
    style: buildStyle(brand),
    body: markup`<header><div>${renderBrand(brand)}</div></header>
      <main>${body} ${
        (support !== null || links.length > 0) &&
        markup`<footer>${support !== null && markup`<p>${support}</p>`}
          ${links.length > 0 && markup`<ul>${links.map(({ text, url }) => markup`<li><a href="${url}">${text}</a></li>`)}</ul>`}
        </footer>`
      }</main>`,
  });

/** Its headers. The picture of the brand is the only thing that it loads. */
export const buildPersonPageHeaders = (
  brand: Brand,
  form: { formTargets?: readonly string[] } = {},
): Readonly<Record<string, string>> => ({
  ...buildPageHeaders({
    style: buildStyle(brand),
    imageTargets: brand.logo === null ? [] : [new URL(brand.logo).origin],
    ...form,
  }),
  "Cache-Control": "no-store",
});
