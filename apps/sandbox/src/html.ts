/** The look of the sandbox's pages: one style sheet, light and dark, no request to anywhere. */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it may stand in HTML and in attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);

const style = `
:root {
  color-scheme: light dark;
  --page: light-dark(#fff, #14161b); --soft: light-dark(#f5f6f9, #1c1f26); --line: light-dark(#d8dbe2, #3a3f4b);
  --ink: light-dark(#1b1f2a, #e8eaf0); --muted: light-dark(#5d6474, #9aa1b1);
  --accent: light-dark(#2f5fd0, #86a8ff); --onaccent: light-dark(#fff, #10131a);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 72rem;
  font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
}
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .25rem 0 1rem; color: var(--muted); }
code, textarea, pre, input, select { font: .85rem/1.4 ui-monospace, monospace; }
h2 code { color: var(--accent); }
.narrow { max-width: 32rem; margin: 0 auto; }
main { display: grid; gap: 1rem; align-items: start; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); }
section { border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; background: var(--soft); min-width: 0; }
label { display: block; margin-bottom: .6rem; font-size: .85rem; color: var(--muted); }
input, select, textarea {
  display: block; width: 100%; padding: .45rem .55rem; color: var(--ink); background: var(--page);
  border: 1px solid var(--line); border-radius: .5rem;
}
textarea { min-height: 4.5rem; resize: vertical; }
button {
  font: inherit; font-weight: 600; padding: .5rem 1rem; border: 0; border-radius: .5rem;
  background: var(--accent); color: var(--onaccent); cursor: pointer;
}
button.plain { background: transparent; color: var(--accent); box-shadow: inset 0 0 0 1px var(--line); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
pre { margin: .75rem 0 0; max-height: 16rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
pre:empty, [role=status]:empty { display: none; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
`;

/** A whole page around `body`, which is HTML already. */
export function renderPage({ title, body, script }: { title: string; body: string; script?: string }): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body>${body}${script === undefined ? "" : `<script type="module">${script}</script>`}</body></html>`;
}
