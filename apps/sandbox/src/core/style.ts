/** The look of the sandbox's pages: one style sheet, light and dark, phone and desk. */
import { dataLook, look } from "@cardkeep/html/look";
import { overviewLook } from "@cardkeep/html/overview";
import { pictureStyle } from "@cardkeep/html/pictures/pictureStyle";

export const style = `${look}${dataLook}${pictureStyle}${overviewLook}
:root { --good: var(--post); --warn: var(--put); --bad: var(--delete); --note: var(--get); --onaccent: light-dark(#fff, #10131a); }
small { font-size: .82rem; color: var(--muted); }
.muted { color: var(--muted); }
.narrow { max-width: 34rem; margin: 0 auto; padding: 3rem 1.25rem; }
.narrow > p { margin-bottom: 1.25rem; color: var(--muted); }
.narrow ul { margin: 0 0 1.25rem; padding-left: 1.1rem; list-style: disc; }

.panel { margin-bottom: 1.25rem; padding: 1.1rem 1.25rem 1.25rem; border-radius: .8rem; overflow: visible; min-width: 0; }
.panel h2 .muted { font-weight: 400; font-size: .86rem; }
.row > .muted { font-size: .9rem; }
.panel h2 { margin-bottom: .75rem; font-size: 1.05rem; overflow-wrap: anywhere; }
.panel h3 { margin: 0; font-size: .98rem; overflow-wrap: anywhere; }
.meta { display: flex; flex-wrap: wrap; gap: .15rem .7rem; align-items: baseline; font-size: .86rem; color: var(--muted); }
.head { display: flex; flex-wrap: wrap; gap: .6rem 1.5rem; justify-content: space-between; align-items: flex-start; }
.head > :first-child { flex: 1 1 15rem; min-width: 0; }
.head h2 { margin-bottom: .1rem; }
.head + .scroll, .head + .rows, .head + .empty { margin-top: 1rem; }
.head + .row, .rows + .row { margin-top: .8rem; }
.empty { padding: 1.4rem 1.25rem; border: 1px dashed var(--line); border-radius: .8rem; color: var(--muted); font-size: .92rem; }
.desk > .empty { margin-bottom: 1.25rem; }
.panel .empty { padding: .8rem 1rem; background: var(--page); }

.status.plain { --tone: var(--muted); }
.good { --tone: var(--good); } .warn { --tone: var(--warn); } .bad { --tone: var(--bad); } .note { --tone: var(--note); }
#start > section { margin-top: 2.25rem; }
#start > section > h2 { margin-bottom: .75rem; font-size: 1.15rem; }
#start .states + .meta { margin-top: .75rem; }
.steps { counter-reset: step; padding: .25rem 1.25rem; border: 1px solid var(--line); border-radius: .8rem; background: var(--soft); }
.rows.steps > li { counter-increment: step; position: relative; padding: .8rem 0 .8rem 2.6rem; }
.steps > li::before { content: counter(step); position: absolute; left: 0; top: .75rem; width: 1.7rem; height: 1.7rem; display: grid; place-items: center; border-radius: 50%; font: 600 .82rem/1 var(--sans); color: var(--accent); border: 1px solid var(--line); background: var(--page); }
.rows.steps > li:first-child, .rows.steps > li:last-child { padding-block: .8rem; }
.steps .meta, #start .states + .meta { display: block; }
.cut-off { margin: .9rem 0 1.25rem; font-size: .86rem; color: var(--muted); }
.badges { display: flex; flex-wrap: wrap; gap: .4rem; }

.rows { display: grid; grid-template-columns: minmax(0, 1fr); }
.rows > li { padding: .95rem 0; border-top: 1px solid var(--line); }
.rows > li:first-child { border-top: 0; padding-top: 0; }
.rows > li:last-child { padding-bottom: 0; }
.desk > .rows { padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: .8rem; background: var(--soft); }
.rows > li > form { margin-top: .6rem; }
.rows :is(h2, h3) { margin: 0; font-size: .98rem; line-height: 1.5; letter-spacing: 0; overflow-wrap: anywhere; }
.cut { max-width: 100%; overflow: hidden; text-overflow: ellipsis; }
.letter { margin-top: .25rem; max-width: 46rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .93rem; }
.code { margin-top: .5rem; }
.code .copy { padding: .25rem .8rem; font-size: 1.15rem; font-weight: 600; letter-spacing: .14em; border: 1px solid var(--line); background: var(--page); }
.wait { font-size: .92rem; }
.wait .status { margin-left: .4rem; }
.sum { display: grid; justify-items: end; text-align: right; font-variant-numeric: tabular-nums; }

dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.25rem; margin: 0; font-size: .92rem; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
dd.parts { display: flex; flex-wrap: wrap; gap: 0 .5rem; align-items: baseline; }
dl + p, dl + form { margin-top: 1rem; }
.figures { display: flex; flex-wrap: wrap; gap: .75rem 2.25rem; margin-bottom: 1rem; }
.figures:last-child { margin-bottom: 0; }
.figures dt { font-size: .8rem; }
.figures dd { font-weight: 600; font-variant-numeric: tabular-nums; }
.headers { margin-top: .4rem; grid-template-columns: minmax(0, max-content) minmax(0, 1fr); font: .78rem/1.6 var(--mono); }
.panel pre { max-height: 24rem; border-radius: .5rem; background: var(--page); border: 1px solid var(--line); }
details { margin-top: .5rem; }
.folds { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
.folds details[open] { flex: 1 1 100%; min-width: 0; }
summary { width: fit-content; }

.scroll { overflow-x: auto; scrollbar-width: thin; }
.desk > .scroll { padding: .35rem 1.25rem; border: 1px solid var(--line); border-radius: .8rem; background: var(--soft); }
th, td { padding: .6rem 1.25rem .6rem 0; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
td small { display: block; }
td.number, .wait, time { font-variant-numeric: tabular-nums; }

.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11rem, 100%), 1fr)); gap: .7rem 1rem; }
.field { display: block; font-size: .84rem; color: var(--muted); }
.field.wide { grid-column: span 2; }
.field > span { display: block; margin-bottom: .2rem; }
input, select, textarea {
  width: 100%; min-height: 2.4rem; padding: .4rem .65rem; font: .92rem/1.4 var(--sans); color: var(--ink); background: var(--page);
  border: 1px solid var(--line); border-radius: .5rem;
}
select { text-overflow: ellipsis; }
input::placeholder { color: var(--muted); opacity: .75; }
textarea { min-height: 4.5rem; font: .82rem/1.5 var(--mono); resize: vertical; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.fields ~ .row, form > .field + .row, .muted + .row { margin-top: .9rem; }
.row.inline input { width: 7rem; }
.row.inline input.long { width: 9.5rem; }
.row.inline input[type="email"] { width: min(20rem, 100%); }
.row.inline select { width: auto; }
.row.inline .field { display: flex; align-items: center; gap: .5rem; }
.row.inline .field > span { margin: 0; white-space: nowrap; }
button {
  min-height: 2.4rem; padding: .4rem 1rem; font: 600 .9rem/1.4 var(--sans); color: var(--onaccent); background: var(--accent);
  border: 1px solid transparent; border-radius: .5rem; cursor: pointer; white-space: nowrap;
}
button.plain { color: var(--accent); background: var(--page); border-color: var(--line); }
button:hover { filter: brightness(1.08); }
form[aria-busy="true"] button { cursor: progress; filter: saturate(.3); }
button.plain:hover { border-color: var(--accent); filter: none; }
button.copy {
  min-height: 24px; max-width: calc(100% + .6rem); padding: 0 .3rem; margin: 0 -.3rem; font: 500 .92em/1.6 var(--mono); color: inherit; background: none; border: 0;
  border-radius: .3rem; overflow-wrap: anywhere; white-space: inherit; text-align: left;
}
.code button.copy { margin: 0; }
button.copy:hover { background: color-mix(in srgb, var(--accent) 12%, transparent); filter: none; }
button.copy.copied { color: var(--good); background: color-mix(in srgb, var(--good) 14%, transparent); }
button.copy.refused { color: var(--bad); }
button.copy.refused::after { content: " not allowed by the browser"; font-family: var(--sans); letter-spacing: 0; font-size: .8rem; }
button.copy.copied::after { content: " copied"; font-family: var(--sans); letter-spacing: 0; font-size: .8rem; }
output, [role="status"], [role="alert"] { display: block; margin-top: .5rem; font-size: .88rem; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--tone, var(--ink)); }
output.plain { font: .8rem/1.5 var(--mono); max-height: 18rem; overflow: auto; }
output:empty, [role="status"]:empty, [role="alert"]:empty { display: none; }
#lost { margin: 0 0 1.5rem; padding: .6rem 1rem; border-radius: .5rem; color: var(--bad); background: color-mix(in srgb, var(--bad) 12%, transparent); }
#faulty { margin: 0 0 1.5rem; padding: .6rem 1rem; border-radius: .5rem; color: var(--warn); background: color-mix(in srgb, var(--warn) 12%, transparent); }
form + .kinds { margin-top: 1.25rem; }
.scroll + form { margin-top: 1rem; }

nav { position: fixed; inset: 0 auto 0 0; width: 16rem; padding: 1.5rem 1.1rem 2rem; overflow-y: auto; border-right: 1px solid var(--line); background: var(--soft); }
nav .brand { display: flex; align-items: center; gap: .5rem; margin-bottom: 1.1rem; font-size: 1.15rem; font-weight: 600; letter-spacing: -.01em; }
nav .brand a { color: inherit; }
nav .brand .tag { font-weight: 400; letter-spacing: 0; }
nav .person { margin-bottom: 1.1rem; }
nav .person span { display: block; margin-bottom: .2rem; font-size: .8rem; color: var(--muted); }
nav li a { display: block; padding: .38rem .65rem; margin: 0 -.65rem; border-radius: .45rem; font-size: .93rem; color: var(--muted); white-space: nowrap; }
nav li a:hover { color: var(--ink); background: light-dark(#eceef3, #222631); text-decoration: none; }
nav li a[aria-current] { color: var(--ink); font-weight: 600; background: light-dark(#e6ebf8, #232b40); }
nav .apart { margin-top: .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
#clock {
  position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1.25rem; min-height: 3rem; margin-left: 16rem;
  padding: .45rem clamp(1.25rem, 4vw, 3.5rem); font-size: .84rem; color: var(--muted); background: var(--page); border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums;
}
#clock > p { display: flex; flex-wrap: wrap; gap: 0 1rem; }
#clock strong { color: var(--ink); font-weight: 600; }
#clock form { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem; }
#clock button { min-height: 1.75rem; padding: .1rem .6rem; font-size: .8rem; }
#clock output { margin: 0; font-size: .8rem; }
#clock details { margin: 0; }
#clock details[open] { flex: 1 0 100%; }
#clock summary { min-height: 1.5rem; margin: 0; }
#clock details > div { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.5rem; padding: .2rem 0 .35rem; }
#clock details p { flex: 1 1 22rem; max-width: 46rem; }
#clock .field { display: flex; align-items: center; gap: .4rem; }
#clock .field > span { margin: 0; }
#clock input { width: 12rem; min-height: 1.9rem; padding: .15rem .5rem; font-size: .84rem; }
main { margin-left: 16rem; padding: 2rem clamp(1.25rem, 4vw, 3.5rem) 5rem; max-width: 84rem; }
main header { margin-bottom: 1.5rem; }
main h1 { font-size: 1.8rem; margin-bottom: .25rem; }
html { scroll-padding-top: 4.5rem; }
.search { display: flex; gap: .5rem; max-width: 30rem; margin-bottom: 1.25rem; }
#routes { margin-top: 3.5rem; padding-top: 2.5rem; border-top: 1px solid var(--line); }
.columns { columns: 22rem; column-gap: 1.25rem; }
.route { break-inside: avoid; }
.route form { margin-top: .75rem; }
.route .field { margin-bottom: .6rem; }
.route h3 code { font-size: .9em; }
.method { padding: .16rem .45rem; border-radius: .4rem; font: 700 .7rem/1.4 var(--mono); color: var(--tone); background: color-mix(in srgb, var(--tone) 13%, transparent); }
.method.get { --tone: var(--get); } .method.post { --tone: var(--post); } .method.put { --tone: var(--put); } .method.delete { --tone: var(--delete); }

@media (max-width: 54rem) {
  nav { position: sticky; top: 0; z-index: 1; width: auto; padding: .7rem 1rem 0; border: 0; border-bottom: 1px solid var(--line); overflow: visible; display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .4rem 1rem; align-items: center; }
  nav .brand { margin: 0; font-size: 1.05rem; }
  nav .person { margin: 0; }
  nav .person label { display: flex; align-items: center; justify-content: flex-end; gap: .5rem; }
  nav .person span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  nav .person select { width: auto; max-width: 100%; min-height: 2.1rem; }
  nav ul { grid-column: 1 / -1; display: flex; gap: .2rem; margin: 0 -1rem; padding: 0 1rem .5rem; overflow-x: auto; scrollbar-width: none; }
  nav li a { margin: 0; padding: .35rem .7rem; }
  nav .apart { margin: 0; padding: 0; border: 0; }
  #clock { position: static; gap: .15rem .9rem; margin: 0; padding: .4rem 1rem; }
  #clock > p { flex: 1 1 100%; }
  #clock form > .muted { display: none; }
  main { margin: 0; padding: 1.25rem 1rem 4rem; }
  main h1 { font-size: 1.5rem; }
  html { scroll-padding-top: 7rem; }
  .panel, .desk > .rows { padding: 1rem; }
  .desk > .scroll { padding: .25rem 1rem; }
  .head > form { flex: 1 1 100%; }
  .head > :first-child { flex-basis: 9rem; }
  .wait .status:first-child { margin-left: 0; }
  .row > .muted { flex: 1 1 100%; }
  .fields { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .headers { grid-template-columns: minmax(0, 1fr); }
  .headers dd { margin-bottom: .35rem; }
}
@media (prefers-reduced-motion: no-preference) { button, nav a { transition: background-color .12s, border-color .12s; } }
`;
