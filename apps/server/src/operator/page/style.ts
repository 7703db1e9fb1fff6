/** The style sheet of the operator's pages, on top of the shared one. */
export const style = `
h1 { font-size: 1.75rem; }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.15rem; }
h1 + h2 { margin-top: 1.25rem; }
h1 + .fields, h1 + table, h1 + .tabs { margin-top: 1rem; }
.none { color: var(--muted); }
p.none { font-size: .92rem; padding: .5rem 0; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }
strong { font-weight: 600; }
td strong { white-space: nowrap; }
nav .tag { white-space: nowrap; }
section.waiting { padding: .25rem 1.25rem 1.25rem; margin-top: 1rem; }
section.waiting h2 { margin-top: .75rem; }

.status.good { --tone: var(--post); } .status.waiting { --tone: var(--put); } .status.bad { --tone: var(--delete); }
.status.plain { --tone: var(--muted); }
table { margin-top: .75rem; }
tbody tr:hover { background: var(--soft); }
th, td { padding: .5rem 1.25rem .5rem 0; }
td { max-width: 34rem; overflow-wrap: break-word; }
.right { text-align: right; font-variant-numeric: tabular-nums; }
td code { overflow-wrap: anywhere; }
@media (min-width: 54rem) { td a code, td.word code { white-space: nowrap; } }

.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11.5rem, 45%), 1fr)); gap: .75rem; margin-top: .75rem; }
.figures :is(a, div) { display: block; height: 100%; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .7rem; background: var(--soft); color: inherit; }
.figures a:hover { border-color: var(--accent); text-decoration: none; }
.figures span { display: block; font-size: .82rem; color: var(--muted); }
.figures strong { font-size: 1.2rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.figures .bad { border-color: var(--delete); }
.figures .bad strong { color: var(--delete); }

.fields { display: grid; grid-template-columns: max-content minmax(0, 1fr); margin: 0; font-size: .92rem; }
.fields dt { padding: .4rem 2rem .4rem 0; color: var(--muted); border-top: 1px solid var(--line); }
.fields dd { margin: 0; padding: .4rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.fields dt:first-of-type, .fields dd:first-of-type { border-top: 0; }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); gap: 0 2rem; margin: .75rem 0; font-size: .92rem; }
.facts div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); padding: .25rem 0; border-top: 1px solid var(--line); }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
#actions .actions { grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); max-width: none; align-items: start; }
#actions .confirm { margin-top: 0; }

.timeline { margin: .75rem 0 0 .35rem; border-left: 2px solid var(--line); font-size: .92rem; }
.timeline li { position: relative; padding: 0 0 1.1rem 1.4rem; }
.timeline li::before {
  content: ""; position: absolute; left: -.42rem; top: .5rem; width: .7rem; height: .7rem; border-radius: 50%;
  background: var(--page); border: 2px solid var(--accent);
}
.timeline li:last-child { padding-bottom: 0; }
.timeline time { color: var(--muted); font-size: .85rem; margin-right: .6rem; }
.timeline p { overflow-wrap: anywhere; }
.timeline code { color: var(--muted); }

.steps { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr)); gap: .6rem; margin: .75rem 0 1.25rem; padding: 0; list-style: none; font-size: .88rem; }
.steps li { --tone: var(--muted); padding: .55rem .8rem; border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: .5rem; background: var(--soft); }
.steps strong { display: block; font-size: .95rem; }
.steps span { color: var(--muted); }
.steps time { display: block; color: var(--muted); font-size: .82rem; }
.steps p { margin-top: .15rem; }
.steps .step-done { --tone: var(--post); } .steps :is(.step-waiting, .step-open) { --tone: var(--put); } .steps .step-failed { --tone: var(--delete); }
.figures strong span { display: inline; font-size: inherit; color: inherit; }
main > :is(.figures, .chart) + .chart { margin-top: .75rem; }
.whole { white-space: nowrap; font-variant-numeric: tabular-nums; }
.amount { font-variant-numeric: tabular-nums; white-space: nowrap; }
.decline { padding: .8rem 1.1rem; border-left: 4px solid var(--delete); margin: 1rem 0; }
.decline h2 { margin: 0 0 .4rem; }

.lead + .tabs, .tabs + .lead, .lead + p { margin-top: .6rem; }
.tabs { display: flex; flex-wrap: wrap; gap: .3rem; font-size: .85rem; }
.tabs a { min-height: 1.6rem; padding: .1rem .7rem; border: 1px solid var(--line); border-radius: 1em; color: var(--muted); }
.tabs a:hover { color: var(--ink); border-color: var(--accent); text-decoration: none; }
.tabs a[aria-current] { color: var(--ink); border-color: var(--accent); background: color-mix(in srgb, var(--accent) 10%, transparent); }
.pager { display: flex; line-height: 1.75rem; flex-wrap: wrap; gap: .25rem 1.5rem; margin-top: 1rem; font-size: .92rem; }
.notice { margin-bottom: 1.25rem; padding: .55rem 1rem; border-radius: .5rem; font-size: .92rem; background: color-mix(in srgb, var(--post) 13%, transparent); }
.notice.warning { background: color-mix(in srgb, var(--put) 16%, transparent); }
.refusal { color: var(--delete); font-size: .92rem; }

button {
  padding: .42rem .95rem; font: 600 .88rem var(--sans); color: light-dark(#fff, #10131a); background: var(--accent);
  border: 1px solid var(--accent); border-radius: .5rem; cursor: pointer;
}
button:hover { filter: brightness(1.08); }
form[aria-busy="true"] button { cursor: progress; filter: saturate(.3); }
button.quiet { color: var(--muted); background: none; border-color: transparent; padding: .25rem .5rem; font-weight: 400; }
button.quiet:hover { color: var(--ink); }
main > form { margin-top: 1.25rem; }
input, select, textarea { padding: .42rem .7rem; font: inherit; font-size: .92rem; color: var(--ink); background: var(--page); border: 1px solid var(--line); border-radius: .5rem; }
.find { display: flex; gap: .5rem; margin: 1rem 0; }
.find label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.find input { flex: 1; max-width: 30rem; min-width: 0; }
.filters { display: flex; flex-wrap: wrap; align-items: end; gap: .5rem .75rem; margin: .75rem 0; }
.filters :is(input, select) { height: 2.4rem; max-width: 15rem; }
.filters .check { display: flex; align-items: center; gap: .4rem; min-height: 2.4rem; }
.filters .check input { width: 1.1rem; height: 1.1rem; margin: 0; }
.filters label:not(.check) { display: grid; gap: .15rem; font-size: .82rem; color: var(--muted); }
.confirm { margin-top: .6rem; border: 1px solid var(--line); border-radius: .6rem; padding: .2rem .8rem; }
.confirm summary { padding: .3rem 0; font-size: .92rem; }
.confirm form, .preview form { display: grid; gap: .6rem; justify-items: start; max-width: 40rem; padding: .3rem 0 .8rem; font-size: .92rem; }
.confirm .check { display: flex; align-items: center; gap: .4rem; }
.confirm textarea[spellcheck=false] { font-family: var(--mono); font-size: .82rem; }
.confirm fieldset { border: 1px solid var(--line); border-radius: .5rem; padding: .4rem .8rem; }
.confirm legend { font-size: .82rem; color: var(--muted); padding: 0 .3rem; }
.fields pre { margin: 0; max-height: 24rem; overflow: auto; font-size: .82rem; white-space: pre-wrap; }
.confirm label, .preview label { font-size: .82rem; color: var(--muted); }
.confirm :is(textarea, input:not([type=checkbox], [type=hidden]), select), .preview textarea { width: 100%; }
.consequence { max-width: 40rem; }
.danger { background: var(--delete); border-color: var(--delete); }
.actions { display: grid; gap: .6rem; max-width: 44rem; }
.narrow { max-width: 29rem; margin: 0 auto; padding: 14vh 1.25rem 0; }
.narrow .brand { margin-bottom: 1rem; }
.sign-in { display: grid; gap: .8rem; padding: 1.4rem; }
.sign-in label { font-weight: 600; font-size: .92rem; }
.sign-in .none { font-size: .82rem; padding: 0; }
.sign-in .button { display: block; padding: .5rem 1rem; border-radius: .5rem; font-weight: 600; text-align: center; color: var(--page); background: var(--accent); }
.sign-in details form { display: grid; gap: .8rem; margin-top: .8rem; }

@media (max-width: 54rem) {
  thead { display: none; }
  table, tbody { display: block; }
  tr { display: grid; gap: .1rem; padding: .7rem 0; border-top: 1px solid var(--line); }
  tbody tr:hover { background: none; }
  td { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .5rem; max-width: none; padding: .05rem 0; border: 0; }
  td > div { overflow-wrap: anywhere; }
  td.right { text-align: left; }
  td strong { white-space: normal; }
  td::before { content: attr(data-label); color: var(--muted); font-size: .82rem; }
  td:has(> div:empty, > div > .none:only-child) { display: none; }
  h2 { margin-top: 1.5rem; }
  .facts div { padding: .1rem 0; }
  .figures { gap: .5rem; }
  .figures :is(a, div) { padding: .4rem .8rem; }
  #money + .figures :is(a, div) { padding: .4rem .6rem; }
  #money + .figures strong { font-size: .95rem; }
  #actions .actions { gap: .35rem; }
  .newest tbody tr:nth-child(n+4), .newest .pager { display: none; }
  nav.tabs { flex-wrap: nowrap; overflow-x: auto; white-space: nowrap; padding-bottom: .3rem; }
  .fields { grid-template-columns: minmax(0, 1fr); }
  .fields dt { padding: .5rem 0 0; font-size: .82rem; }
  .fields dd { padding: 0 0 .5rem; border: 0; }
  .timeline time { display: block; }
}
@media print {
  form, .pager, .tabs, .confirm { display: none; }
  table { font-size: .74rem; }
  th, td { padding-right: .5rem; }
  td code { white-space: normal; overflow-wrap: anywhere; }
}
`;
