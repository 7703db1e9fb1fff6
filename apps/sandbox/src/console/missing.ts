/** What the console says about an address with an unknown desk or person. */
import { type Html, markup } from "@cardkeep/html/markup";
import { type Desk, hrefOf } from "./desk.ts";

/** Names what there is not, and where the known ones are. `desk` is null if the desk is unknown. */
export function renderMissing(query: URLSearchParams, desk: Desk | null): Html {
  const [missing, name] = desk === null ? ["desk", query.get("desk")] : ["person", query.get("person")];
  return markup`<header>
      <h1>There is no such ${missing}</h1>
      <p class="lead">No ${missing} has the id <code>${name}</code>.
        ${desk === null ? "All desks are in the navigation." : "The person may be of a database that was removed."}</p>
    </header>
    <p>${
      desk === null
        ? markup`<a href="/">Start</a>`
        : markup`<a href="${hrefOf(desk.id, null)}">${desk.title} of everybody</a> · <a href="${hrefOf("people", null)}">All people</a>`
    }</p>`;
}
