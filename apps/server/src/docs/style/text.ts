/** Guides and the index. */
export const textStyle = `
.text { max-width: 46rem; }
.text > * + * { margin-top: 1rem; }
.text > h2 { margin-top: 2.75rem; }
.text > h3 { margin-top: 2rem; }
.text ul, .text ol { padding-left: 1.4rem; }
.text ul { list-style: disc; } .text ol { list-style: decimal; }
.text li + li { margin-top: .35rem; }
.text td:first-child code { white-space: nowrap; }
.text p a, .text li a, .text td a, .summary a, .means a, .meta a, .same a, .topics a, .title .lead a { text-decoration: underline; text-underline-offset: .2em; text-decoration-thickness: 1px; }
.text :not(pre) > code, .means code, .summary code, .lead code, .meta code, .topics code { padding: .08em .35em; border-radius: .3em; background: var(--soft); box-shadow: inset 0 0 0 1px var(--line); }
.text blockquote { margin-inline: 0; padding: .6rem 1rem; border-left: 3px solid var(--accent); background: var(--soft); border-radius: 0 .5rem .5rem 0; }
.text hr { border: 0; border-top: 1px solid var(--line); }
.wide { overflow-x: auto; }
.wide table { margin: 0; }

.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: .75rem; margin: 1rem 0 2rem; counter-reset: card; }
.cards li { position: relative; padding: .9rem 1.1rem; border: 1px solid var(--line); border-radius: .7rem; background: var(--soft); }
.cards li:hover { border-color: var(--accent); }
.cards a { font-weight: 600; }
.cards a::after { content: ""; position: absolute; inset: 0; }
.cards span { display: block; margin-top: .2rem; font-size: .88rem; line-height: 1.5; color: var(--muted); }
.links { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: .75rem; margin: 0 0 2.5rem; }
.links li { padding: .7rem 1.1rem; border: 1px solid var(--line); border-radius: .7rem; }
.links span { display: block; font-size: .8rem; color: var(--muted); }
.links a { display: inline-block; min-height: 1.5rem; }
.topics { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1.75rem 3rem; margin-bottom: 3rem; }
.topics h2 { font-size: 1.05rem; }
.topics p { font-size: .95rem; color: var(--muted); }
.topics code { color: var(--ink); }
#main > section:not(.topics, #begin) { padding-top: 2rem; }
section > h2 a { color: inherit; }
.group { margin-top: 1.25rem; }
.meta { font-size: .9rem; color: var(--muted); }
.index li { display: grid; grid-template-columns: minmax(0, 27rem) minmax(0, 1fr); gap: .1rem 1.25rem; align-items: baseline; padding: .3rem 0; border-top: 1px solid var(--line); }
.index { margin-top: .6rem; }
.index a { display: flex; gap: .4rem; align-items: baseline; min-height: 1.5rem; color: var(--ink); }
.index .method { flex: none; width: 3.9rem; text-align: center; }
.index .old code { text-decoration: line-through; text-decoration-thickness: 1px; }
.index span:last-child { font-size: .9rem; color: var(--muted); }
.words { display: flex; flex-wrap: wrap; gap: .35rem .5rem; margin-top: .5rem; }
.words a { display: inline-block; padding: .1rem .6rem; font-size: .9rem; border: 1px solid var(--line); border-radius: .5rem; color: var(--ink); overflow-wrap: anywhere; }
.words a:hover { border-color: var(--accent); text-decoration: none; }
@media (max-width: 54rem) { .index li { grid-template-columns: minmax(0, 1fr); padding: .5rem 0; } }
`;
