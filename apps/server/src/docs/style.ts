/** The style sheet of the reference page: light and dark, phone and desk. */
import { dataLook, look } from "@cardkeep/html/look";

export const style = `${look}${dataLook}
.bar { display: none; }
nav {
  position: fixed; inset: 0 auto 0 0; width: 18rem; padding: 1.5rem 1rem 3rem 1.25rem; overflow-y: auto;
  border-right: 1px solid var(--line); background: var(--soft); font-size: .87rem; scrollbar-width: thin;
}
nav a { color: inherit; }
nav p { margin: 1.1rem 0 .3rem; font-weight: 600; }
nav .brand { margin: 0 0 1rem; font-size: 1.15rem; letter-spacing: -.01em; display: flex; align-items: center; gap: .5rem; }
nav .close { display: none; margin-left: auto; font-size: .9rem; font-weight: 400; color: var(--accent); }
nav li a {
  display: flex; gap: .5rem; align-items: baseline; padding: .2rem .5rem; margin: 0 -.5rem; border-radius: .4rem;
  color: var(--muted); white-space: nowrap; overflow: hidden;
}
nav li a:hover { background: light-dark(#eceef3, #222631); color: var(--ink); text-decoration: none; }
nav li a[aria-current] { background: light-dark(#e6ebf8, #232b40); color: var(--ink); }
nav li .path { overflow: hidden; text-overflow: ellipsis; font: .95em var(--mono); letter-spacing: -.02em; }
nav li .old .path { text-decoration: line-through; text-decoration-thickness: 1px; }
nav .method { flex: none; width: 3.4rem; padding: 0; background: none; font-size: .68rem; text-align: left; }
.filter { display: none; }
.js .filter { display: block; }
.filter span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.filter input {
  width: 100%; padding: .45rem .7rem; font: inherit; color: var(--ink); background: var(--page);
  border: 1px solid var(--line); border-radius: .5rem;
}
.filter input::placeholder { color: var(--muted); opacity: 1; }

main { margin-left: 18rem; padding: 3rem clamp(1.25rem, 4vw, 4rem) 6rem; max-width: 86rem; }
main > section { padding-bottom: 3.5rem; }
.links { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: 1.75rem 0 2.5rem; }
.links li { padding: .7rem 1rem; border: 1px solid var(--line); border-radius: .7rem; background: var(--soft); }
.links span { display: block; font-size: .8rem; color: var(--muted); }
.topics { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1.75rem 3rem; }
.topics p { font-size: .95rem; color: var(--muted); }
.topics code { color: var(--ink); }

article { padding: 2rem 0 2.25rem; border-top: 1px solid var(--line); }
article:first-of-type { margin-top: 1.5rem; }
.anchor { color: inherit; }
.anchor .path { font: 600 1rem/1.5 var(--mono); letter-spacing: -.01em; overflow-wrap: anywhere; }
.method {
  display: inline-block; padding: .16rem .5rem; border-radius: .4rem; font: 700 .72rem/1.4 var(--mono); letter-spacing: .03em;
  color: var(--tone); background: color-mix(in srgb, var(--tone) 13%, transparent);
}
.get { --tone: var(--get); } .post { --tone: var(--post); } .put { --tone: var(--put); }
.patch { --tone: var(--patch); } .delete { --tone: var(--delete); }
h3 .method { margin-right: .35rem; vertical-align: .08em; }
.summary { max-width: 44rem; }
.notice {
  margin-top: .75rem; padding: .5rem .9rem; max-width: 44rem; border-radius: .5rem; font-size: .92rem;
  background: color-mix(in srgb, var(--put) 12%, transparent);
}
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.4rem; margin-top: .6rem; font-size: .87rem; color: var(--muted); }
.facts code { color: var(--ink); }
#events article { padding: 1.25rem 0; }
#events details { max-width: 44rem; }
.sides { display: grid; gap: 1rem 3rem; }
.fields { border-left: 1px solid var(--line); }
.fields li { padding: .5rem 0 .5rem 1rem; }
.fields li + li { border-top: 1px solid var(--line); }
.fields .fields { margin-top: .5rem; }
.field { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; }
.field .name { font-weight: 600; font-size: .88rem; }
.type, .optional { font-size: .84rem; font-weight: 400; }
.optional { font-style: italic; }
.means { font-size: .9rem; line-height: 1.5; }
.bounds { font-size: .82rem; }
.bounds code, .values code { font-size: .95em; }
.values { display: block; font-size: .84rem; line-height: 1.8; }
.values code { padding: .08em .4em; border-radius: .3em; background: var(--soft); box-shadow: inset 0 0 0 1px var(--line); }
.variant { margin: .6rem 0 .2rem; font-size: .84rem; color: var(--muted); }
h4 .status { margin: 0 .2rem; }
.faults li { display: grid; grid-template-columns: 3rem 1fr; gap: .25rem; padding: .4rem 0; align-items: baseline; }
.faults .status { justify-self: start; }
.faults .body { display: block; font-size: .8rem; }
.faults .code { font: .75rem var(--mono); color: var(--muted); }
.common { margin-top: .4rem; }

.example { display: grid; gap: .75rem; align-content: start; margin-top: 1.25rem; min-width: 0; }
.k { color: var(--accent); } .s { color: var(--post); } .n { color: var(--patch); }
i { font-style: normal; }
button { display: none; margin-left: auto; padding: .15rem .55rem; font: 500 .78rem var(--sans); color: var(--accent); background: none; border: 0; border-radius: .4rem; cursor: pointer; }
.js button { display: inline-block; }
button:hover { background: color-mix(in srgb, var(--accent) 12%, transparent); }

.machine { display: grid; gap: 1.5rem 3rem; margin-top: 1rem; align-items: start; }
svg { display: block; max-width: 100%; height: auto; }
.state path { fill: var(--soft); stroke: var(--muted); stroke-width: 1.25; }
.state path + path { fill: none; }
.state text { font: 13px var(--mono); fill: var(--ink); }
.line path { stroke: var(--muted); stroke-width: 1.25; }
.line polygon, .begin ellipse { fill: var(--muted); stroke: none; }
.line polygon + path { fill: var(--page); stroke: var(--accent); }
.line text { font: 600 11px var(--sans); fill: var(--accent); }
.any text { font: italic 13px var(--mono); fill: var(--muted); }
.states { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; margin: 0 0 1.25rem; font-size: .9rem; }
.states dd { margin: 0; color: var(--muted); }
.moves { counter-reset: move; font-size: .9rem; }
.moves li { counter-increment: move; position: relative; padding: .35rem 0 .35rem 2.1rem; }
.moves li::before {
  content: counter(move); position: absolute; left: 0; top: .5rem; width: 1.35rem; height: 1.35rem; border-radius: 50%;
  border: 1px solid var(--accent); color: var(--accent); font: 600 .72rem/1.25rem var(--sans); text-align: center;
}
ul.moves li { padding-left: 0; }
ul.moves li::before { content: none; }
.moves + details { margin-top: .75rem; }
.move { display: block; }
.moves .means { display: block; }

table { margin-top: 1.25rem; }
td:first-child { width: 17rem; } td:nth-child(2) { width: 4rem; } td:nth-child(3) { width: 36%; }
:target > h3 .anchor, tr:target code { text-decoration: underline; text-decoration-color: var(--accent); text-decoration-thickness: 2px; text-underline-offset: .3em; }
#nothing { color: var(--muted); }

@media (min-width: 75rem) {
  .sides { grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); }
  .sides .example { position: sticky; top: 1.5rem; align-self: start; }
  .machine { grid-template-columns: max-content minmax(0, 1fr); }
}
@media (min-width: 95rem) { .sides { grid-template-columns: minmax(0, 1fr) minmax(0, 33rem); } }
@media (max-width: 54rem) {
  html { scroll-padding-top: 4rem; }
  .bar {
    display: flex; justify-content: space-between; position: sticky; top: 0; z-index: 1; padding: .75rem 1.25rem;
    border-bottom: 1px solid var(--line); background: var(--page);
  }
  .bar a:first-child { font-weight: 600; color: var(--ink); }
  nav { display: none; position: fixed; z-index: 2; inset: 0; width: auto; border: 0; }
  nav:target { display: block; }
  nav .close { display: block; }
  nav li a { padding: .4rem .5rem; }
  main { margin: 0; padding: 1.75rem 1.25rem 4rem; }
  h1 { font-size: 1.75rem; }
  thead { display: none; }
  tr.entry { display: grid; grid-template-columns: 1fr auto; padding: .7rem 0; border-top: 1px solid var(--line); }
  tr.entry td { width: auto; padding: .1rem 0; border: 0; }
  td:nth-child(n + 3) { grid-column: 1 / -1; }
  td:last-child { color: var(--muted); }
  .states { grid-template-columns: 1fr; gap: 0; }
  .states dd { margin-bottom: .5rem; }
}
@media print { nav, .bar, button { display: none !important; } main { margin: 0; } }
`;
