/** The contents, the title, and the way to the next page. */
export const frameStyle = `
.skip { position: absolute; left: -100vw; top: 0; z-index: 3; padding: .75rem 1rem; background: var(--page); }
.skip:focus { left: 0; }
.bar { display: none; }
button { font: inherit; color: var(--accent); background: none; border: 0; border-radius: .4rem; cursor: pointer; }
.find, [data-copies], [data-runs], [data-search] { display: none; }
#contents {
  display: block; position: fixed; inset: 0 auto 0 0; width: 18rem; height: auto; margin: 0; padding: 1.5rem 1rem 3rem 1.25rem;
  overflow-y: auto; border: 0; border-right: 1px solid var(--line); color: var(--ink); background: var(--soft); font-size: .87rem; scrollbar-width: thin;
}
#contents::backdrop { background: none; }
#contents .brand { display: flex; align-items: center; gap: .5rem; margin: 0 0 1rem; font-size: 1.15rem; font-weight: 600; letter-spacing: -.01em; }
#contents .brand a { color: inherit; }
#contents .close { display: none; margin-left: auto; padding: .25rem .5rem; font-size: .9rem; }
.js #contents .find {
  display: flex; justify-content: space-between; align-items: center; width: 100%; padding: .4rem .7rem; text-align: left;
  color: var(--muted); background: var(--page); border: 1px solid var(--line); border-radius: .5rem;
}
kbd { padding: 0 .4em; font: .85em/1.5 var(--mono); border: 1px solid var(--line); border-radius: .3em; }
#contents .group { margin: 1.25rem 0 .25rem; font-size: .78rem; font-weight: 600; color: var(--muted); }
#contents li a {
  display: flex; gap: .5rem; align-items: baseline; min-height: 1.75rem; padding: .2rem .5rem; margin: 0 -.5rem; border-radius: .4rem; color: inherit;
}
#contents li a:hover { background: light-dark(#eceef3, #222631); text-decoration: none; }
#contents li a[aria-current] { background: light-dark(#e6ebf8, #232b40); }
#contents li a[aria-current=page] { font-weight: 600; }
#contents .parts { margin: .1rem 0 .6rem .15rem; padding-left: .85rem; border-left: 1px solid var(--line); }
#contents .parts a { color: var(--muted); white-space: nowrap; overflow: hidden; }
#contents .parts a[aria-current] { color: var(--ink); }
#contents .path { overflow: hidden; text-overflow: ellipsis; font: .92em var(--mono); letter-spacing: -.02em; }
#contents .method { flex: none; width: 2.9rem; padding: 0; background: none; font-size: .66rem; text-align: left; }

main { margin-left: 18rem; padding: 3rem clamp(1.25rem, 4vw, 4rem) 4rem; max-width: 86rem; }
.title { margin-bottom: 2rem; }
.kind { margin-bottom: .3rem; font-size: .85rem; font-weight: 600; color: var(--accent); }
.title .lead { font-size: 1.05rem; }
.link { padding: 0 .35em; font-weight: 400; color: var(--muted); }
.link:hover { color: var(--accent); }
.around { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; margin-top: 4rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.around a { padding: .6rem 1rem; border: 1px solid var(--line); border-radius: .7rem; }
.around a:hover { border-color: var(--accent); text-decoration: none; }
.around span { display: block; font-size: .8rem; color: var(--muted); }
.around [rel=next] { margin-left: auto; text-align: right; }

@media (max-width: 54rem) {
  html { scroll-padding-top: 4.25rem; }
  .bar {
    display: flex; gap: .25rem; align-items: center; position: sticky; top: 0; z-index: 1; padding: .55rem 1.25rem;
    border-bottom: 1px solid var(--line); background: var(--page);
  }
  .bar a { margin-right: auto; padding: .25rem 0; font-weight: 600; color: var(--ink); }
  .bar button { padding: .4rem .6rem; }
  .js .bar .find { display: block; }
  #contents { display: none; width: 100%; border: 0; font-size: 1rem; }
  #contents:popover-open { display: block; }
  #contents .close { display: block; }
  #contents li a { min-height: 2.25rem; align-items: center; }
  main { margin: 0; padding: 1.75rem 1.25rem 3rem; }
  h1 { font-size: 1.75rem; }
}
@media print { #contents, .bar, button, .around { display: none !important; } main { margin: 0; } }
`;
