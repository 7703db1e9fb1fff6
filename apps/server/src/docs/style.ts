/** The look of the reference page: one style sheet, light and dark, phone and desk. */
export const style = `
:root {
  color-scheme: light dark;
  --page: light-dark(#fff, #14161b); --soft: light-dark(#f5f6f9, #1c1f26); --line: light-dark(#dcdfe6, #343945);
  --ink: light-dark(#1b1f2a, #e8eaf0); --muted: light-dark(#5a6171, #9ea5b5);
  --accent: light-dark(#2f5fd0, #86a8ff); --wash: light-dark(#eaf0ff, #222b42);
  --green: light-dark(#18794e, #6fd3a0); --amber: light-dark(#8f5200, #f0b866); --red: light-dark(#b42331, #ff9592);
  --violet: light-dark(#6d3fc4, #bea2ff);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--page); }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font-family: var(--mono); font-size: .84em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
[hidden] { display: none !important; }
ul, ol { margin: 0; padding: 0; list-style: none; }
h1, h2, h3, h4 { line-height: 1.25; }
h1 { margin: 0 0 .5rem; font-size: 2rem; letter-spacing: -.02em; }
h2 { margin: 0 0 .4rem; font-size: 1.45rem; letter-spacing: -.01em; }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
h4 { margin: 1.4rem 0 .5rem; font-size: .8rem; color: var(--muted); font-weight: 600; }
.lead { margin: 0 0 1.5rem; max-width: 46rem; color: var(--muted); }
.anchor { color: inherit; }

.bar { display: none; }
nav {
  position: fixed; inset: 0 auto 0 0; width: 19rem; overflow-y: auto; padding: 1.4rem 1rem 3rem;
  border-right: 1px solid var(--line); background: var(--soft); font-size: .86rem; scrollbar-width: thin;
}
nav p { margin: 1rem 0 .25rem; font-weight: 600; }
nav p a { color: var(--ink); }
nav .brand { margin: 0 0 .8rem; font-size: 1.1rem; display: flex; align-items: center; gap: .5rem; }
nav .close { display: none; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .16rem .35rem; border-radius: .35rem; color: var(--muted); }
nav li a:hover { background: var(--wash); text-decoration: none; }
nav li a[aria-current] { background: var(--wash); color: var(--ink); }
nav li a.old .path { text-decoration: line-through; }
nav .path { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font: .95em var(--mono); }
nav .method.method { width: 3.1rem; flex: none; padding: 0; background: none; text-align: left; }
.filter { display: none; }
.js .filter { display: block; }
.filter span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.filter input {
  width: 100%; padding: .45rem .6rem; font: inherit; color: var(--ink); background: var(--page);
  border: 1px solid var(--line); border-radius: .5rem;
}
main { margin-left: 19rem; padding: 2.5rem clamp(1.25rem, 4vw, 4rem) 8rem; max-width: 86rem; }
main > section { padding-bottom: 3rem; }
main > section + section { border-top: 1px solid var(--line); padding-top: 2.5rem; }
.entry { padding: 1.6rem 0; scroll-margin-top: 1rem; }
section > .entry + .entry { border-top: 1px dashed var(--line); }
.entry:target > h3 .path, .entry:target > h3 > .anchor { color: var(--accent); }
.entry > h3 .path { font: 600 1rem var(--mono); }
.summary { margin: .5rem 0 .6rem; max-width: 46rem; }
.links, .facts { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; font-size: .88rem; }
.links span, .facts { color: var(--muted); }
.facts li { position: relative; }
.facts li + li::before { content: "·"; position: absolute; left: -.85rem; }
.topics { display: grid; gap: 1rem 2.5rem; margin-top: 2rem; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); }
.topics p { margin: .3rem 0 0; color: var(--muted); font-size: .93rem; }
.notice { margin: 0 0 .7rem; padding: .45rem .75rem; border-radius: .5rem; max-width: 46rem; font-size: .9rem; color: var(--amber); background: light-dark(#fff5e5, #2f2617); }

.method, .status, .tag { display: inline-block; border-radius: .35rem; font: 600 .72rem/1.5 var(--mono); padding: .08rem .42rem; }
.method { color: var(--accent); background: var(--wash); }
.method.post { color: var(--green); background: light-dark(#e5f6ee, #1a3027); }
.method.put, .method.patch { color: var(--amber); background: light-dark(#fff2dd, #33291a); }
.method.delete { color: var(--red); background: light-dark(#ffecec, #3a1f22); }
.status { color: var(--red); background: light-dark(#ffecec, #3a1f22); }
.status.s2 { color: var(--green); background: light-dark(#e5f6ee, #1a3027); }
.status.s5 { color: var(--violet); background: light-dark(#f1ebff, #2a2341); }
.tag { color: var(--muted); background: light-dark(#e9ebf0, #2a2e38); font-weight: 500; }

.sides { display: grid; gap: 0 2.5rem; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); align-items: start; }
.reference { min-width: 0; }
.fields li { padding: .5rem 0; border-top: 1px solid var(--line); }
.fields .fields { margin: .5rem 0 0; padding-left: .9rem; border-left: 2px solid var(--line); }
.fields .fields > li:first-child { border-top: 0; }
.field { margin: 0; }
.field .name { font-weight: 600; }
.type { color: var(--muted); font-size: .85rem; font-weight: 400; }
.optional { color: var(--amber); font-size: .78rem; font-weight: 500; }
.means, .bounds, .none { margin: .1rem 0 0; color: var(--muted); font-size: .89rem; overflow-wrap: anywhere; }
.bounds code { overflow-wrap: anywhere; }
.values { display: block; font-size: .89rem; line-height: 1.9; }
.values code { padding: .1rem .35rem; border-radius: .3rem; background: var(--soft); border: 1px solid var(--line); }
.variant { margin: .6rem 0 .2rem; font-size: .85rem; font-weight: 600; }
.faults li { display: flex; gap: .7rem; padding: .45rem 0; border-top: 1px solid var(--line); align-items: baseline; }
.faults li > div { min-width: 0; display: grid; gap: .15rem; }
.faults .body { overflow-wrap: anywhere; }
.faults .code { font: .78rem var(--mono); color: var(--muted); }
.faults details .body { display: block; padding: .15rem 0; }
summary { cursor: pointer; color: var(--muted); font-size: .85rem; }
.common { margin-top: .6rem; }

.example { position: sticky; top: 1.25rem; min-width: 0; display: grid; gap: .8rem; margin-top: 1.4rem; max-height: calc(100vh - 2.5rem); overflow-y: auto; scrollbar-width: thin; }
figure { margin: 0; min-width: 0; }
figure.code { border: 1px solid var(--line); border-radius: .6rem; overflow: hidden; background: var(--soft); }
figcaption { display: flex; align-items: center; gap: .5rem; padding: .35rem .75rem; border-bottom: 1px solid var(--line); color: var(--muted); font-size: .8rem; }
figcaption button { display: none; margin-left: auto; font: inherit; padding: .05rem .5rem; color: var(--accent); background: none; border: 1px solid var(--line); border-radius: .35rem; cursor: pointer; }
.js figcaption button { display: block; }
pre { margin: 0; padding: .7rem .75rem; overflow: auto; max-height: 24rem; line-height: 1.5; white-space: pre; }
pre i, .body i { font-style: normal; }
i.k { color: var(--accent); } i.s { color: var(--green); } i.n { color: var(--violet); }

.machine { display: grid; gap: 1.5rem 3rem; margin-top: 1rem; grid-template-columns: max-content minmax(0, 1fr); }
.machine figure { overflow-x: auto; }
svg.defs { position: absolute; }
svg .line { fill: none; stroke: var(--muted); stroke-width: 1.4; }
svg .line.any { stroke-dasharray: 4 3; }
svg marker path { fill: var(--muted); }
svg .begin { fill: var(--muted); }
svg .state rect { fill: var(--soft); stroke: var(--line); stroke-width: 1.4; }
svg .state .inner { fill: none; }
svg .state text { font: 600 13px var(--mono); fill: var(--ink); text-anchor: middle; }
svg .badge circle { fill: var(--page); stroke: var(--line); }
svg .badge text { font: 600 11px system-ui, sans-serif; fill: var(--muted); text-anchor: middle; }
svg text.any { font: italic 12px system-ui, sans-serif; fill: var(--muted); text-anchor: end; }
.states { margin: 0 0 1rem; display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.1rem; }
.states dt { font-size: .93rem; }
.states dd { margin: 0; color: var(--muted); font-size: .89rem; }
.moves { counter-reset: move; display: grid; gap: .35rem; }
.moves li { counter-increment: move; display: grid; grid-template-columns: 1.6rem minmax(9rem, max-content) minmax(0, 1fr); gap: 0 .6rem; align-items: baseline; }
.moves li::before { content: counter(move); color: var(--muted); font: 600 .78rem system-ui, sans-serif; text-align: right; }
.moves + details { margin-top: 1rem; }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .89rem; }
th { text-align: left; color: var(--muted); font-size: .8rem; }
th, td { padding: .5rem .9rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; }
tr.entry { padding: 0; }
tr:target td { background: var(--wash); }

@media (max-width: 75rem) {
  .sides, .machine { grid-template-columns: minmax(0, 1fr); }
  .example { position: static; max-height: none; }
}
@media (max-width: 52rem) {
  html { scroll-padding-top: 4rem; }
  .bar { position: sticky; top: 0; z-index: 1; display: flex; justify-content: space-between; padding: .75rem 1.25rem; background: var(--soft); border-bottom: 1px solid var(--line); }
  .bar a:first-child { color: var(--ink); font-weight: 700; }
  nav { display: none; z-index: 2; width: 100%; border: 0; }
  nav:target { display: block; }
  nav .close { display: block; margin-left: auto; font-size: .9rem; font-weight: 400; }
  main { margin: 0; padding: 1.75rem 1.25rem 6rem; }
  h1 { font-size: 1.7rem; }
  .moves li { grid-template-columns: 1.6rem minmax(0, 1fr); }
  .moves .means { grid-column: 2; }
}
@media print { nav, .bar, figcaption button { display: none; } main { margin: 0; } }
`;
