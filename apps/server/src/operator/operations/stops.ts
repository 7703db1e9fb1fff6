/** Stop switches: the banner on every page. */
import type { Db } from "@cardkeep/db/client";
import { listStopped } from "@cardkeep/db/queries/operators/stops";
import { describeStop } from "@cardkeep/domain/operators/stops/describeStopped";
import { markup, type Html } from "@cardkeep/html/markup";
import pTimeout from "p-timeout";

const page = "/operator/stops";
/** A page does not wait longer for its banner. */
const readMsMax = 1_000;

/** Names what is stopped, or says that the database does not answer; null where nothing is stopped. */
export async function renderStopBanner(db: Db): Promise<Html | null> {
  const stopped = await pTimeout(listStopped(db), { milliseconds: readMsMax }).catch(() => null);
  if (stopped?.length === 0) return null;
  const texts = stopped?.map(describeStop) ?? [
    "The database does not answer, so parts may be stopped that are not named here.",
  ];
  return markup`<aside class="banner" aria-label="Stopped parts">
    ${texts.map((text) => markup`<p><strong>${text}</strong></p>`)}
    <p><a href="${page}">Stop switches</a></p>
  </aside>`;
}
