/** What all pages look like before they look like themselves: colours, light and dark, and the plain elements. */
export const look = `
:root {
  color-scheme: light dark;
  --page: light-dark(#fff, #111318); --soft: light-dark(#f6f7f9, #181b22); --line: light-dark(#e1e4ea, #2b303b);
  --ink: light-dark(#1a1d26, #e6e8ee); --muted: light-dark(#596072, #9aa2b3); --accent: light-dark(#2f5fd0, #8fb0ff);
  --get: light-dark(#0b6a8c, #6cc7e8); --post: light-dark(#1c6f3a, #74d296); --put: light-dark(#8a5200, #edb45f);
  --patch: light-dark(#6a3fb0, #c0a2f7); --delete: light-dark(#b02a2a, #ff9c94);
  --sans: system-ui, -apple-system, "Segoe UI", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; font: 16px/1.6 var(--sans); color: var(--ink); background: var(--page); }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font: .85em/1.6 var(--mono); overflow-wrap: anywhere; }
p { margin: 0; }
ul, ol { margin: 0; padding: 0; list-style: none; }
h1 { margin: 0 0 .5rem; font-size: 2.1rem; line-height: 1.2; letter-spacing: -.02em; }
h2 { margin: 0 0 .35rem; font-size: 1.5rem; line-height: 1.3; letter-spacing: -.01em; }
h3 { margin: 0 0 .4rem; font-size: 1.05rem; line-height: 1.5; }
h4 { margin: 1.6rem 0 .3rem; font-size: .8rem; letter-spacing: .02em; color: var(--muted); font-weight: 600; }
.lead { max-width: 44rem; color: var(--muted); }
.none, .type, .means, .bounds, .optional { color: var(--muted); }
.tag { padding: .1em .5em; border: 1px solid var(--line); border-radius: 1em; font-size: .75rem; color: var(--muted); }
`;
