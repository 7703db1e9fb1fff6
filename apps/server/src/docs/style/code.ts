/** Samples, their tabs, and running a route. */
export const codeStyle = `
.k { color: var(--accent); } .s { color: var(--post); } .n { color: var(--patch); } .c { color: var(--muted); } .f { color: var(--get); }
i { font-style: normal; }
.example { display: grid; gap: .75rem; align-content: start; margin-top: 1.5rem; min-width: 0; }
.caption, figcaption { display: flex; align-items: center; gap: .5rem; min-height: 2.3rem; padding: .2rem .5rem .2rem .9rem; font-size: .8rem; font-weight: 600; color: var(--muted); border-bottom: 1px solid var(--line); }
.js [data-copies] { display: inline-block; margin-left: auto; min-height: 1.6rem; padding: .1rem .6rem; font: 500 .8rem var(--sans); }
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
.try { display: none; }
.js .try { display: block; }
.js .try button, .run button { display: inline-block; min-height: 2rem; padding: .25rem .9rem; font: 500 .86rem var(--sans); border: 1px solid var(--line); background: var(--page); }
.js .try button:hover, .run button:hover { border-color: var(--accent); }
.example:has(form) .try { display: none; }
.run { display: grid; gap: .75rem; padding: .9rem; outline: 0; font-size: .86rem; }
.run .go { justify-self: start; color: var(--page); background: var(--accent); border-color: var(--accent); }
.caller { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding-bottom: .75rem; border-bottom: 1px solid var(--line); }
.caller input { flex: 1; min-width: 9rem; }
.caller .note { flex-basis: 100%; }
.note:empty, .result:empty, .inputs:empty { display: none; }
.note { color: var(--muted); }
.note[role=alert] { color: var(--delete); }
.inputs { display: grid; gap: .6rem; }
.run label { display: grid; gap: .2rem; color: var(--muted); }
.run input, .run textarea { width: 100%; padding: .4rem .6rem; font: .82rem/1.5 var(--mono); color: var(--ink); background: var(--page); border: 1px solid var(--line); border-radius: .4rem; }
.run textarea { resize: vertical; }
.result { display: grid; gap: .4rem; min-width: 0; }
.result dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 .75rem; margin: 0; font-size: .8rem; }
.result dt { color: var(--muted); } .result dd { margin: 0; overflow-wrap: anywhere; font-family: var(--mono); }
.result a { text-decoration: underline; }
.result pre { padding: .6rem .7rem; background: var(--page); border: 1px solid var(--line); border-radius: .4rem; }
.text .panel pre { max-height: none; }
.text [data-language=text] pre { white-space: pre; overflow-x: auto; }
`;
