import { type Html, markup, trust } from "./markup.ts";

/** A whole page around `body`, with the style and script that `buildPageHeaders` permits. It needs no other file. */
export const renderDocument = ({
  language = "en",
  title,
  style,
  script,
  body,
}: {
  language?: string;
  title: string;
  style: string;
  script?: string;
  body: Html;
}): string =>
  markup`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${trust(`<style>${style}</style>`)}
      </head>
      <body>
        ${body} ${script !== undefined && trust(`<script>${script}</script>`)}
      </body>
    </html>`.html;
