/** The style of pictures. Colours are the shared ones, which keep AA on both backgrounds. */
export const pictureStyle = `
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1rem; margin-top: .75rem; align-items: start; }
.chart { margin-top: .75rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .7rem; background: var(--page); min-width: 0; }
.charts .chart { margin-top: 0; }
.chart + :is(ol, ul, table, .rows, .tabs), .charts + ol { margin-top: 1rem; }
.chart figcaption { min-height: 0; padding: 0; border: 0; font-size: .88rem; color: var(--ink); display: block; }
.chart figcaption span { font-weight: 400; color: var(--muted); }
.chart > svg, .spark { display: block; width: 100%; overflow: visible; }
.chart > svg { margin: .5rem 0 .25rem; }
.chart svg text { font: .72rem var(--sans); fill: var(--muted); font-variant-numeric: tabular-nums; }
.chart svg :is(.scale, .name) { stroke: var(--page); stroke-width: 3; paint-order: stroke; }
.chart svg .rule { stroke: var(--line); }
.chart svg .hour:hover { opacity: .75; }
.spark { width: 7rem; display: inline-block; vertical-align: middle; }
.chart svg text.shown { fill: var(--ink); font-weight: 600; }
.chart svg .head { fill: var(--accent); font-weight: 700; }
.chart svg .now { stroke: var(--ink); stroke-dasharray: 3 3; }
.chart svg .ahead { opacity: .35; }
.chart svg circle { stroke: var(--page); stroke-width: 2; }
.legend .present::before { width: 0; height: .9rem; border-radius: 0; background: none; border-left: 2px dashed var(--ink); }
.chart .empty { --tone: var(--line); }
.tone-good { --tone: var(--post); } .tone-bad { --tone: var(--delete); } .tone-waiting { --tone: light-dark(#b8760a, #edb45f); }
.tone-plain { --tone: var(--muted); } .tone-first { --tone: var(--accent); } .tone-second { --tone: var(--patch); } .tone-third { --tone: var(--get); }
.chart rect, .chart circle, .spark circle { fill: var(--tone); }
.chart .track { stroke: var(--line); stroke-width: 3; fill: none; stroke-linecap: round; }
.chart svg .amounts { fill: var(--ink); font-variant-numeric: tabular-nums; }
.narrow-picture { max-width: 42rem; margin-bottom: .6rem; }
.chart circle.next { fill: var(--page); stroke: var(--ink); stroke-width: 2; stroke-dasharray: 3 3; }
.chart rect.held { opacity: .16; }
.chart line.value, .spark line { stroke: var(--tone); stroke-width: 2; stroke-linecap: round; }
.chart svg .tip { overflow: visible; }
.chart .tip path { fill: var(--tone); }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; font-size: .8rem; color: var(--muted); }
.legend li { display: flex; align-items: center; gap: .4rem; min-height: 1.5rem; }
.legend li::before { content: ""; width: .7rem; height: .7rem; border-radius: .2rem; background: var(--tone); }
.legend strong { color: var(--ink); font-variant-numeric: tabular-nums; }
.machine-state { container-type: inline-size; }
.machine-state svg { display: block; max-width: 100%; height: auto; margin: .6rem auto; }
@container (min-width: 44rem) {
  .machine-state > div { display: grid; grid-template: "picture words" auto "picture moves" 1fr / max-content minmax(0, 1fr); gap: .25rem 2.5rem; }
  .machine-state figcaption { grid-area: words; } .machine-state svg { grid-area: picture; margin: 0; } .machine-moves { grid-area: moves; }
}
.chart .state path { fill: var(--page); stroke: var(--muted); stroke-width: 1.25; }
.chart .state path + path { fill: none; }
.chart .state text { font: 13px var(--mono); fill: var(--ink); }
.chart .line path { stroke: var(--muted); stroke-width: 1.25; }
.chart .line polygon, .chart .begin ellipse { fill: var(--muted); stroke: none; }
.chart .line polygon + path { fill: var(--page); stroke: var(--line); }
.chart .line text { font: 600 11px var(--sans); fill: var(--muted); }
.chart .any text { font: italic 13px var(--mono); fill: var(--muted); }
.chart .state.is-passed path { stroke: var(--accent); stroke-width: 2; }
.chart .state.is-now path:first-of-type { fill: var(--accent); stroke: var(--accent); }
.chart .state.is-now text { fill: light-dark(#fff, #10131a); font-weight: 700; }
.chart .line.is-passed path:first-of-type { stroke: var(--accent); stroke-width: 2.25; }
.chart .line.is-passed polygon { fill: var(--accent); stroke: none; }
.chart .line.is-next text { fill: var(--accent); }
.chart .line.is-next polygon + path { stroke: var(--accent); }
.chart :is(.state, .line).is-out { opacity: .5; }
.chart .state.is-out path { stroke-dasharray: 3 3; }
.machine-state .legend li::before { border: 1px solid var(--muted); background: none; }
.machine-state .legend .is-now::before { border-color: var(--accent); background: var(--accent); }
.machine-state .legend .is-passed::before { border: 2px solid var(--accent); }
.machine-state .legend .is-out::before { border-style: dashed; opacity: .6; }
.machine-moves { font-size: .85rem; }
.machine-moves p { margin-top: .4rem; color: var(--muted); }
.machine-moves li { padding: .1rem 0; }
.machine-moves b { display: inline-block; min-width: 1.5rem; color: var(--accent); }
.numbers summary { min-height: 1.5rem; }
.numbers table { margin: 0; }
`;
