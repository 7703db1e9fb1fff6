/** Samples, their tabs, and running a route. */
export const codeStyle = `
.k { color: var(--accent); } .s { color: var(--post); } .n { color: var(--patch); } .c { color: var(--muted); } .f { color: var(--get); }
i { font-style: normal; }
.example { display: grid; gap: .75rem; align-content: start; margin-top: 1.5rem; min-width: 0; }
.caption, figcaption { display: flex; align-items: center; gap: .5rem; min-height: 2.3rem; padding: .2rem .5rem .2rem .9rem; font-size: .8rem; font-weight: 600; color: var(--muted); border-bottom: 1px solid var(--line); }
.js [data-copies], .js [data-runs] { display: inline-block; margin-left: auto; min-height: 1.6rem; padding: .1rem .6rem; font: 500 .8rem var(--sans); }
[data-copies]:hover { background: color-mix(in srgb, var(--accent) 12%, transparent); }
.samples { display: grid; gap: .75rem; min-width: 0; }
.samples.tabbed { display: block; position: relative; border: 1px solid var(--line); border-radius: .7rem; background: var(--soft); overflow: hidden; }
.tabbed .panel { border: 0; border-radius: 0; }
.tabbed .caption { position: absolute; top: 0; right: 0; border: 0; }
.tabbed .caption span { display: none; }
[role=tablist] { display: flex; min-height: 2.3rem; padding: 0 4rem 0 .35rem; border-bottom: 1px solid var(--line); overflow-x: auto; scrollbar-width: none; }
[role=tab] { padding: .3rem .6rem; font: 500 .82rem var(--sans); color: var(--muted); border-radius: 0; border-bottom: 2px solid transparent; margin-bottom: -1px; }
[role=tab]:hover { color: var(--ink); }
[role=tab][aria-selected=true] { color: var(--ink); border-color: var(--accent); }
[role=tab]:focus-visible { outline-offset: -3px; }
.text .panel pre { max-height: none; }
`;
