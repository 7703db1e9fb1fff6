/** Stop switches: the banner on every page. */
import type { Db } from "@cardkeep/db/client";
import { listStopped } from "@cardkeep/db/queries/operators/stops";
import { describeStop } from "@cardkeep/domain/operators/stops/describeStopped";
import { markup, type Html } from "@cardkeep/html/markup";
import pTimeout from "p-timeout";

const page = "/operator/stops";
/** A page does not wait longer for its banner. */
const readMsMax = 1_000;

/** Names what is stopped; null where nothing is, and while the database does not answer. */
export async function renderStopBanner(db: Db): Promise<Html | null> {
  const stopped = await pTimeout(listStopped(db), { milliseconds: readMsMax }).catch(() => []);
  if (stopped.length === 0) return null;
  return markup`<aside class="banner" aria-label="Stopped parts">
    ${stopped.map((stop) => markup`<p><strong>${describeStop(stop)}</strong></p>`)}
    <p><a href="${page}">Stop switches</a></p>
  </aside>`;
}
