/** Pages for people of the programme, in its colours and in their language. They need no script. */
import { renderDocument } from "./document.ts";
import { look } from "./look.ts";
import { type Brand, inkOn, renderBrand } from "./mail.ts";
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
footer { margin-top: 2.5rem; color: var(--muted); font-size: .9rem; }
`;

/** A whole page around `body`; `support` is the last line. */
export const renderPersonPage = ({
  language,
  brand,
  title,
  body,
  support,
}: {
  language: string;
  brand: Brand;
  title: string;
  body: Html;
  support: string | null;
}): string =>
  renderDocument({
    language,
    title: `${title} · ${brand.name}`,
    style: buildStyle(brand),
    body: markup`<header><div>${renderBrand(brand)}</div></header>
      <main>${body} ${support !== null && markup`<footer>${support}</footer>`}</main>`,
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
