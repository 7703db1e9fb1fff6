/** The dialog of the search. */
export const searchStyle = `
dialog.search {
  width: min(42rem, calc(100vw - 2rem)); max-height: min(40rem, calc(100dvh - 4rem)); margin: 10vh auto auto; padding: 0; overflow: hidden;
  border: 1px solid var(--line); border-radius: .9rem; color: var(--ink); background: var(--page); box-shadow: 0 1rem 3rem rgb(0 0 0 / .25);
}
dialog.search[open] { display: flex; flex-direction: column; }
dialog.search::backdrop { background: rgb(10 12 16 / .45); }
.search .head { display: flex; gap: .5rem; align-items: center; padding: .75rem .75rem .75rem 1.1rem; border-bottom: 1px solid var(--line); }
.search input { flex: 1; min-width: 0; padding: .35rem 0; font: 1.05rem var(--sans); color: var(--ink); background: none; border: 0; outline: 0; }
.search input::placeholder { color: var(--muted); opacity: 1; }
.search input:focus-visible { outline: 0; box-shadow: 0 2px 0 -1px var(--accent); border-radius: 0; }
.search .head button { padding: .35rem .6rem; }
.search [role=status] { padding: .5rem 1.1rem; font-size: .82rem; color: var(--muted); }
.search ul { overflow-y: auto; padding: 0 .5rem .5rem; scrollbar-width: thin; }
.search li a { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 .75rem; padding: .45rem .6rem; border-radius: .5rem; color: inherit; }
.search li a:hover, .search li a:focus-visible { background: light-dark(#e6ebf8, #232b40); text-decoration: none; }
.search .kind { margin: 0; grid-row: span 2; font-size: .8rem; line-height: 1.75; }
.search .name { font-weight: 600; font-size: .92rem; overflow-wrap: anywhere; }
.search .meta { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .84rem; }
@media (max-width: 54rem) {
  dialog.search { margin-top: 1rem; max-height: calc(100dvh - 2rem); }
  .search li a { grid-template-columns: minmax(0, 1fr); }
  .search .kind { grid-row: auto; }
}
`;
