/** The look that all pages share: colours, light and dark, and the plain elements. */
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
:is(p, dd) a { text-decoration: underline; text-decoration-color: color-mix(in srgb, currentColor 45%, transparent); text-underline-offset: .2em; }
.brand a { text-decoration: none; }
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

/** Tables, statuses and panels, for pages that show data. */
export const dataLook = `
.status { white-space: nowrap; font: 700 .78rem/1.5 var(--mono); padding: .05rem .4rem; border-radius: .35rem; color: var(--tone); background: color-mix(in srgb, var(--tone) 13%, transparent); }
.s2 { --tone: var(--post); } .s4 { --tone: var(--put); } .s5 { --tone: var(--delete); }
summary { cursor: pointer; padding: .15rem 0; font-size: .84rem; color: var(--accent); }
details[open] > summary { margin-bottom: .3rem; }
figure { margin: 0; }
.panel { border: 1px solid var(--line); border-radius: .7rem; background: var(--soft); overflow: hidden; }
figcaption {
  display: flex; align-items: center; gap: .5rem; min-height: 2.2rem; padding: .2rem .9rem; font-size: .8rem; font-weight: 600;
  color: var(--muted); border-bottom: 1px solid var(--line);
}
.panel pre { margin: 0; padding: .8rem .9rem; font-size: .79rem; line-height: 1.6; white-space: pre-wrap; max-height: 32rem; overflow-y: auto; scrollbar-width: thin; }
table { width: 100%; border-collapse: collapse; font-size: .88rem; }
th, td { padding: .5rem 1rem .5rem 0; text-align: left; vertical-align: baseline; border-top: 1px solid var(--line); overflow-wrap: break-word; }
th { border-top: 0; color: var(--muted); font-size: .8rem; }
`;
