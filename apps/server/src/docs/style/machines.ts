/** State machines: a drawing beside its list. */
export const machineStyle = `
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
@media (min-width: 75rem) { .machine { grid-template-columns: max-content minmax(0, 1fr); } }
@media (max-width: 54rem) { .states { grid-template-columns: 1fr; gap: 0; } .states dd { margin-bottom: .5rem; } }
`;
