/** The look of the Person desk, beside the console's own. */

export const personStyle = `
#play .keys { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-bottom: 1.25rem; }
#play .chip { display: inline-flex; align-items: center; min-height: 2.4rem; padding: .3rem .9rem; border: 1px solid var(--line); border-radius: 1.3rem; font-size: .9rem; color: var(--ink); background: var(--page); }
#play .chip:hover { border-color: var(--accent); text-decoration: none; }
#play .chip[aria-current] { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 12%, transparent); font-weight: 600; }
#play .keys details { margin: 0; }
#play .keys details[open] { flex: 1 1 100%; }
#play .keys summary { padding: .45rem .3rem; }
#play .hint { flex: 1 1 100%; margin: 0; font-size: .9rem; color: var(--warn); }

.life { display: grid; gap: 1.25rem; align-items: start; grid-template-columns: minmax(0, 1fr) minmax(15rem, 20rem); }
.life > * { min-width: 0; }
.life .who { grid-column: 2; grid-row: 1; position: sticky; top: 4.5rem; margin: 0; }
.life > section { grid-column: 1; grid-row: 1; }
.who h2 { margin: 0; font-size: 1.25rem; }
.who dl { margin-top: .9rem; grid-template-columns: 1fr; gap: .1rem; }
.who dt { font-size: .8rem; margin-top: .45rem; }
.balance { margin-top: .9rem; font-size: 1.7rem; font-weight: 600; line-height: 1.25; letter-spacing: -.02em; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
#session:not(:empty) { margin-top: .9rem; padding-top: .75rem; border-top: 1px solid var(--line); }

.pictures { margin-top: 2rem; }
.pictures h2 { font-size: 1.15rem; }

.progress { display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: center; margin-bottom: .9rem; font-size: .88rem; color: var(--muted); }
.progress progress { flex: 1 1 8rem; }
progress { height: .45rem; border: 0; border-radius: 1rem; overflow: hidden; background: var(--line); accent-color: var(--accent); }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--good); border-radius: 1rem; transition: inline-size .3s; }

.rail { position: relative; border: 1px solid var(--line); border-radius: .8rem; background: var(--soft); }
.step + .step { border-top: 1px solid var(--line); }
.step > details { margin: 0; }
.step summary { display: flex; align-items: center; gap: .8rem; width: auto; min-height: 3.1rem; padding: .45rem 1.1rem; font-size: .95rem; color: var(--ink); list-style: none; border-radius: .8rem; }
.step summary::-webkit-details-marker { display: none; }
.step summary:hover { background: color-mix(in srgb, var(--accent) 6%, transparent); }
.step details[open] > summary { margin: 0; }
.step .mark { flex: none; display: grid; place-items: center; width: 1.5rem; height: 1.5rem; border: 2px solid var(--line); border-radius: 50%; font: 700 .8rem/1 var(--sans); background: var(--page); }
.step.done .mark { border-color: var(--good); background: var(--good); color: var(--page); }
.step.done .mark::after { content: "✓"; }
.step.now .mark { border-color: var(--accent); }
.step.now .mark::after { content: ""; width: .6rem; height: .6rem; border-radius: 50%; background: var(--accent); }
.step.open .mark { border-color: var(--muted); }
.step.waiting .mark { border-color: var(--note); }
.step.waiting .mark::after { content: "…"; color: var(--note); transform: translateY(-.15rem); }
.step.failed .mark { border-color: var(--bad); color: var(--bad); }
.step.failed .mark::after { content: "!"; }
.step .title { flex: none; font-weight: 500; }
.step.now .title { font-weight: 650; }
.step.later .title { color: var(--muted); font-weight: 400; }
.step .outcome { flex: 1 1 auto; min-width: 0; display: flex; justify-content: flex-end; align-items: baseline; gap: .6rem; font-size: .84rem; color: var(--muted); }
.step .outcome .cut { white-space: nowrap; }
.step .state { flex: none; font-size: .8rem; }
.step :is(.cut + .state), .step.done .state { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.step.now .state { color: var(--accent); font-weight: 600; }
.step.failed :is(.state, .cut) { color: var(--bad); }
.step.waiting :is(.state, .cut) { color: var(--note); }
.inside { display: grid; gap: .9rem; grid-template-columns: minmax(0, 1fr); padding: .1rem 1.1rem 1.2rem 3.4rem; }
.explains { max-width: 42rem; font-size: .92rem; color: var(--muted); }
.inside .fields { max-width: 40rem; }
.inside .fields.one { grid-template-columns: minmax(0, 1fr); }
.inside .rows { padding: 0; }
.inside ul.rows:empty { display: none; }
.inside .fields + .row, .inside .tick + .row { margin-top: .9rem; }
.inside output { margin-top: .6rem; }
.inside > output { margin: 0; }
/* What is done needs no prominent button; the next step has it. */
.step.done .inside form button { color: var(--accent); background: var(--page); border-color: var(--line); }
.inside output .docs { white-space: nowrap; }
.tick { display: flex; align-items: center; gap: .55rem; margin-top: .8rem; font-size: .9rem; min-height: 1.5rem; }
.tick input { width: 1.15rem; min-height: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--accent); }
.choices { display: flex; flex-wrap: wrap; gap: .6rem; }
.pair { display: flex; flex-wrap: wrap; gap: .4rem 1rem; justify-content: space-between; align-items: center; }
.rows > li.pair > form, .pair > form { margin: 0; }
.plainlist li { padding: .1rem 0; font-size: .9rem; }
a.button { display: inline-flex; align-items: center; min-height: 2.4rem; padding: .4rem 1rem; font: 600 .9rem/1.4 var(--sans); color: var(--onaccent); background: var(--accent); border-radius: .5rem; }
a.button:hover { text-decoration: none; filter: brightness(1.08); }
.deliveries { margin-top: .5rem; padding-left: .9rem; border-left: 2px solid var(--line); }
.element:empty { display: none; }
.element { max-width: 24rem; border: 1px solid var(--line); border-radius: .8rem; background: #fff; overflow: hidden; color-scheme: light; }
.element iframe { display: block; width: 100%; height: 9.5rem; border: 0; }

.trace { display: grid; gap: .4rem; grid-template-columns: minmax(0, 1fr); }
.trace:empty { display: none; }
.trace > h3 { margin: .3rem 0 0; font-size: .8rem; font-weight: 600; color: var(--muted); }
.exchange { margin: 0; border: 1px solid var(--line); border-radius: .6rem; background: var(--page); }
.exchange > summary { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem .6rem; width: auto; min-height: 2.3rem; padding: .3rem .7rem; margin: 0; font-size: .84rem; color: var(--ink); }
.exchange > summary code { min-width: 0; flex: 1 1 10rem; }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem; padding: .1rem .7rem .5rem; }
.tabs button { min-height: 1.9rem; padding: .15rem .7rem; font-size: .8rem; font-weight: 500; color: var(--muted); background: none; border: 0; }
.tabs button[aria-selected="true"] { color: var(--accent); background: color-mix(in srgb, var(--accent) 12%, transparent); }
.tabs .copies { margin-left: auto; color: var(--accent); }
.exchange pre { margin: 0; padding: .7rem .8rem; max-height: 20rem; overflow: auto; font-size: .78rem; line-height: 1.55; white-space: pre-wrap; border-top: 1px solid var(--line); }

.start { max-width: 46rem; }
.outline { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: 1rem; counter-reset: step; }
.outline li { padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .85rem; color: var(--muted); background: var(--page); }

@media (max-width: 70rem) {
  .life { grid-template-columns: minmax(0, 1fr); }
  .life .who { grid-column: 1; grid-row: auto; position: static; }
  .life > section { grid-row: auto; }
  .who dl { grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1.25rem; }
  .who dt { margin: 0; font-size: inherit; }
}
@media (max-width: 54rem) {
  .step summary { padding: .45rem .85rem; }
  .inside { padding: .1rem .85rem 1.1rem; }
  .inside .field.wide { grid-column: 1 / -1; }
}
`;
