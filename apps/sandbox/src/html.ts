/** The look of the sandbox's pages: one style sheet, light and dark, no request to anywhere. */

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text as it may stand in HTML and in attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dbe2, #3a3f4b); --soft: light-dark(#f5f6f9, #1c1f26); --ink: light-dark(#1b1f2a, #e8eaf0);
  --muted: light-dark(#5d6474, #9aa1b1); --accent: light-dark(#2f5fd0, #86a8ff); --onaccent: light-dark(#fff, #10131a); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 68rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: light-dark(#fff, #14161b); }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1rem; margin: 0; } p { margin: .25rem 0 1rem; color: var(--muted); }
main { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); }
section { border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; background: var(--soft); min-width: 0; }
code { font: .85rem ui-monospace, monospace; } h2 code { color: var(--accent); }
textarea { width: 100%; min-height: 5.5rem; font: .85rem/1.4 ui-monospace, monospace; padding: .5rem; border: 1px solid var(--line); border-radius: .5rem; background: light-dark(#fff, #14161b); color: inherit; resize: vertical; }
button { font: inherit; font-weight: 600; padding: .5rem 1rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--onaccent); cursor: pointer; }
button.plain { background: transparent; color: var(--accent); box-shadow: inset 0 0 0 1px var(--line); }
pre { margin: .75rem 0 0; padding: .5rem; max-height: 16rem; overflow: auto; font-size: .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
pre:empty { display: none; } .row { display: flex; flex-wrap: wrap; gap: .5rem; } dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; } dt { color: var(--muted); } dd { margin: 0; }
`;

/** A whole page around `body`, which is HTML already. */
export const renderPage = (input: { title: string; body: string; script: string }): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(input.title)}</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body>${input.body}<script type="module">${input.script}</script></body></html>`;
