/** Routes, fields, events, errors and declines. */
export const referenceStyle = `
article { padding: 2.25rem 0 2.5rem; border-top: 1px solid var(--line); }
h2 .path { font: 600 1.05rem/1.5 var(--mono); letter-spacing: -.01em; overflow-wrap: anywhere; }
article > h2 { font-size: 1.15rem; }
.method {
  display: inline-block; padding: .16rem .5rem; border-radius: .4rem; font: 700 .72rem/1.4 var(--mono); letter-spacing: .03em;
  color: var(--tone); background: color-mix(in srgb, var(--tone) 13%, transparent);
}
.get { --tone: var(--get); } .post { --tone: var(--post); } .put { --tone: var(--put); }
.patch { --tone: var(--patch); } .delete { --tone: var(--delete); }
h2 .method { margin-right: .35rem; vertical-align: .1em; }
.summary { max-width: 46rem; }
.notice {
  margin-top: .75rem; padding: .5rem .9rem; max-width: 46rem; border-radius: .5rem; font-size: .92rem;
  background: color-mix(in srgb, var(--put) 12%, transparent);
}
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.4rem; margin-top: .6rem; font-size: .87rem; color: var(--muted); }
.facts code { color: var(--ink); }
.facts a { text-decoration: underline; text-underline-offset: .2em; }
.part { margin: 1.75rem 0 .4rem; font-size: .84rem; letter-spacing: .02em; color: var(--muted); font-weight: 600; }
.part .status { margin: 0 .2rem; }
article details { max-width: 46rem; margin-top: .4rem; }
.sides { display: grid; gap: 1rem 3rem; }
.reference { min-width: 0; }
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
.values a { text-decoration: underline; text-underline-offset: .2em; }
.variant, .same { margin: .6rem 0 .2rem; font-size: .84rem; color: var(--muted); }
.faults li { display: grid; grid-template-columns: 3rem minmax(0, 1fr); gap: .25rem; padding: .4rem 0; align-items: baseline; }
.faults .status { justify-self: start; }
.faults .body { display: block; font-size: .8rem; }
.faults .code { display: inline-block; min-height: 1.5rem; font: .75rem/1.5rem var(--mono); color: var(--muted); }
summary { min-height: 1.5rem; }
table { margin-top: .75rem; }
tr.entry td:first-child { width: 19rem; } tr.entry td:nth-child(2) { width: 5.5rem; } tr.entry td:nth-child(3) { width: 36%; }
tr.entry td a { display: inline-block; min-height: 1.5rem; }
tr.entry td a:not(.link) { text-decoration: underline; text-underline-offset: .2em; text-decoration-thickness: 1px; }
:target > h2, tr:target > td:first-child > code { text-decoration: underline; text-decoration-color: var(--accent); text-decoration-thickness: 2px; text-underline-offset: .3em; }
@media (min-width: 75rem) {
  .sides { grid-template-columns: minmax(0, 1fr) minmax(0, 28rem); }
  .sides .example { position: sticky; top: 1.5rem; align-self: start; }
}
@media (min-width: 95rem) { .sides { grid-template-columns: minmax(0, 1fr) minmax(0, 34rem); } }
@media (max-width: 54rem) {
  main table:not(.wide table) thead { display: none; }
  tr.entry { display: grid; grid-template-columns: 1fr auto; padding: .7rem 0; border-top: 1px solid var(--line); }
  tr.entry td, tr.entry td:first-child, tr.entry td:nth-child(n) { width: auto; padding: .1rem 0; border: 0; }
  td:nth-child(n + 3) { grid-column: 1 / -1; }
  tr.entry td:last-child { color: var(--muted); }
}
`;
