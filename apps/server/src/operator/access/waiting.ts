/** Requests that wait for a second person, each with its decision, above the list of all. */
import { approvals } from "@cardkeep/desk/nouns/approvals";
import { markup } from "@cardkeep/html/markup";
import { renderOffers } from "../deskForms.ts";
import { renderNamed } from "../deskTable.ts";
import type { Beside, Visit } from "../page/page.ts";

/** Forms on one page; the list has the others. */
const shownMax = 50;

export async function renderWaiting(visit: Visit): Promise<Beside> {
  const listed = await approvals.list.read(visit.ctx, { status: "WAITING" }, { after: null, limit: shownMax });
  // A row of a list has no fields: what is decided about is read of each.
  const waiting = await Promise.all(listed.map(async (row) => (await approvals.show?.read(visit.ctx, row.key)) ?? row));
  const before = markup`${waiting.map(
    (row) =>
      markup`<section class="panel waiting"><h2>Waits for a second person</h2> ${renderNamed(row)} ${renderOffers(visit, approvals, row)}</section>`,
  )}
    ${waiting.length > 0 && markup`<h2>All requests</h2>`}`;
  return { before };
}
