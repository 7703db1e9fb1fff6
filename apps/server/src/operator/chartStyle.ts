/** The style of charts. Colours are the shared ones, which keep AA on both backgrounds. */
export const chartStyle = `
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1rem; margin-top: .75rem; align-items: start; }
.pager + .chart { margin-top: .75rem; }
.chart { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .7rem; min-width: 0; }
.chart figcaption { min-height: 0; padding: 0; border: 0; font-size: .88rem; color: var(--ink); display: block; }
.chart figcaption span { font-weight: 400; color: var(--muted); }
.chart > svg, .spark { display: block; width: 100%; overflow: visible; }
.chart > svg { margin: .5rem 0 .25rem; }
.chart svg text { font: .72rem var(--sans); fill: var(--muted); font-variant-numeric: tabular-nums; }
.chart svg .scale { stroke: var(--page); stroke-width: 3; paint-order: stroke; }
.chart svg .rule { stroke: var(--line); }
.chart svg .hour:hover { opacity: .75; }
.spark { width: 7rem; display: inline-block; vertical-align: middle; }
.chart svg text.shown { fill: var(--ink); font-weight: 600; }
.chart svg .now { stroke: var(--ink); stroke-dasharray: 3 3; }
.chart .empty { --tone: var(--line); }
.tone-good { --tone: var(--post); } .tone-bad { --tone: var(--delete); } .tone-waiting { --tone: var(--put); }
.tone-plain { --tone: var(--muted); } .tone-first { --tone: var(--accent); } .tone-second { --tone: var(--patch); } .tone-third { --tone: var(--get); }
.chart rect, .chart circle, .spark circle { fill: var(--tone); }
.chart line.value, .spark line { stroke: var(--tone); stroke-width: 2; stroke-linecap: round; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; font-size: .8rem; color: var(--muted); }
.legend li { display: flex; align-items: center; gap: .4rem; min-height: 1.5rem; }
.legend li::before { content: ""; width: .7rem; height: .7rem; border-radius: .2rem; background: var(--tone); }
.legend strong { color: var(--ink); font-variant-numeric: tabular-nums; }
.numbers summary { min-height: 1.5rem; }
.numbers table { margin: 0; }
`;
