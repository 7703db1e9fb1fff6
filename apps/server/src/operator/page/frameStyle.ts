/** The style of the operator's frame: header, rooms beside the page or behind a button, and the line with the page's age. */
export const frameStyle = `
.skip { position: absolute; left: .5rem; top: -4rem; padding: .5rem 1rem; background: var(--page); border: 1px solid var(--accent); border-radius: .5rem; z-index: 2; }
.skip:focus { top: .5rem; }
header {
  display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.5rem; padding: .6rem clamp(1.25rem, 3vw, 2rem);
  border-bottom: 1px solid var(--line); background: var(--soft);
}
.brand { margin: 0; font-weight: 600; font-size: 1.1rem; letter-spacing: -.01em; display: flex; align-items: center; gap: .5rem; }
.brand a { color: inherit; min-height: 1.5rem; }
header .search { flex: 1; min-width: 0; }
header .search:empty { min-height: 0; }
header .find { margin: 0; }
header .operator { font-size: .85rem; color: var(--muted); overflow-wrap: anywhere; }
.desk { display: grid; grid-template-columns: 12rem minmax(0, 1fr); min-height: calc(100vh - 4rem); }
#rooms {
  display: block; position: sticky; top: 0; align-self: start; inset: auto; width: auto; height: auto; margin: 0; padding: 1.25rem 1rem 2rem 1.25rem; border: 0;
  color: inherit; background: none; font-size: .9rem; overflow: visible;
}
#rooms p { margin: 1rem 0 .2rem .6rem; font-size: .74rem; font-weight: 600; letter-spacing: .04em; text-transform: uppercase; color: var(--muted); }
#rooms a { display: block; padding: .2rem .6rem; border-radius: .45rem; color: var(--muted); }
#rooms a:hover { color: var(--ink); text-decoration: none; background: light-dark(#eceef3, #222631); }
#rooms a[aria-current] { color: var(--ink); background: light-dark(#e6ebf8, #232b40); }
.menu { display: none; }
.content { min-width: 0; max-width: 78rem; padding: 1rem clamp(1.25rem, 3vw, 2rem) 4rem; border-left: 1px solid var(--line); }
.live { display: flex; flex-wrap: wrap; justify-content: end; align-items: center; gap: .2rem 1rem; min-height: 1.8rem; font-size: .78rem; color: var(--muted); }
.live .updated { flex: 1 1 12rem; text-align: end; line-height: 1.35; }
.live [role=status] { color: var(--put); }
main:focus { outline: none; }
footer { margin-top: 3.5rem; font-size: .82rem; color: var(--muted); }
.banner { padding: .5rem clamp(1.25rem, 3vw, 2rem); font-size: .92rem; border-bottom: 1px solid var(--delete); background: color-mix(in srgb, var(--delete) 12%, var(--page)); }
.banner p { margin: .2rem 0; }
@media (max-width: 60rem) {
  header { gap: .4rem .8rem; padding: .5rem 1.25rem; }
  header .brand { flex: 1; }
  header .search { order: 1; flex: 1 0 100%; }
  header .search:empty { display: none; }
  header .operator { order: 2; flex: 1 0 60%; }
  header .sign-out { order: 3; }
  .menu { display: inline-block; }
  .desk { display: block; }
  #rooms { display: none; }
  #rooms:popover-open {
    display: block; position: fixed; inset: 3.4rem 1rem auto; width: auto; max-height: calc(100vh - 5rem); overflow: auto; z-index: 3;
    padding: .75rem 1rem 1.25rem; border: 1px solid var(--line); border-radius: .7rem; background: var(--page); box-shadow: 0 .5rem 2rem #0004;
  }
  #rooms ul { display: grid; grid-template-columns: 1fr 1fr; }
  #rooms a { padding: .4rem .6rem; }
  .content { border: 0; padding-top: .6rem; }
}
@media print { header, #rooms, .live { display: none !important; } .desk { display: block; } }
`;
