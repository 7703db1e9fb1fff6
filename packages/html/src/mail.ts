/** Mails as HTML. Mail programs read no style sheet of ours, so each element has its own style. */
import { type Html, markup, type Part } from "./markup.ts";

/** Who sends a mail, and how it looks. */
export interface Brand {
  readonly name: string;
  /** Address of a picture; null: the name stands alone. */
  readonly logo: string | null;
  /** `#rrggbb`. */
  readonly color: string;
}

const channelMax = 255;

/** Relative luminance of `#rrggbb`. Source: WCAG 2.2, "relative luminance". */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / channelMax;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** At this luminance black and white have the same contrast. */
const middle = 0.179;

/** A page of the brand. */
export interface PageLink {
  readonly text: string;
  readonly url: string;
}

/** Links in one line. */
const renderLinks = (links: readonly PageLink[]): Part =>
  links.length > 0 &&
  markup`<p style="margin:8px 0 0">${links.map(({ text, url }, place) => markup`${place > 0 && " · "}<a href="${url}" style="color:inherit">${text}</a>`)}</p>`;

/** Black or white, whichever can be read on a colour. */
export const inkOn = (color: string): string => (luminanceOf(color) > middle ? "#000" : "#fff");

/** A brand's logo, or its name. */
export const renderBrand = ({ name, logo }: Brand): Html =>
  logo === null ? markup`${name}` : markup`<img src="${logo}" alt="${name}" height="32" />`;

/** A paragraph in which a code stands out. */
function renderParagraph(text: string, code: string | null): Html {
  const [before = "", ...after] = code === null ? [text] : text.split(code);
  const parts: Part[] = [before];
  for (const piece of after)
    parts.push(markup`<strong style="font-size:24px;letter-spacing:3px;white-space:nowrap">${code}</strong>`, piece);
  return markup`<p style="margin:0 0 16px">${parts}</p>`;
}

/** One mail, with a bar in the brand's colour on top. */
export const renderMail = ({
  language,
  brand,
  subject,
  paragraphs,
  code,
  footer,
  links,
}: {
  language: string;
  brand: Brand;
  subject: string;
  paragraphs: readonly string[];
  code: string | null;
  footer: readonly string[];
  links: readonly PageLink[];
}): string =>
  markup`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${subject}</title>
      </head>
      <body style="margin:0;background:#f6f7f9;font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:1.5;color:#1a1d26">
        <div style="max-width:560px;margin:0 auto;padding:24px 12px">
          <div style="padding:16px 24px;border-radius:12px 12px 0 0;background:${brand.color};color:${inkOn(brand.color)};font-size:18px;font-weight:bold">${renderBrand(brand)}</div>
          <div style="padding:24px;border-radius:0 0 12px 12px;background:#ffffff">
            <h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${subject}</h1>
            ${paragraphs.map((text) => renderParagraph(text, code))}
          </div>
          <div style="padding:16px 24px;font-size:13px;color:#596072">${footer.map((text) => markup`<p style="margin:0">${text}</p>`)}${renderLinks(links)}</div>
        </div>
      </body>
    </html>`.html;
