/** The sandbox's pages: one look, light and dark, no request to anywhere. */
import { type Html, markup, trust } from "@cardkeep/html/markup";
import { style } from "./style.ts";

/** A whole page around `body`. */
export const renderPage = ({ title, body, script }: { title: string; body: Html; script?: string }): string =>
  markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${trust(`<style>${style}</style>`)}
        ${script !== undefined && trust(`<script type="module">${script}</script>`)}
      </head>
      <body>
        ${body}
      </body>
    </html>`.html;
