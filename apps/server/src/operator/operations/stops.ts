/** Stop switches: the banner on every page, and the page that sets them. */
import type { Db } from "@cardkeep/db/client";
import { listStopped } from "@cardkeep/db/queries/operators/stops";
import { stopNames } from "@cardkeep/db/schema/operators/stops";
import { fail } from "@cardkeep/contract/core/errors";
import { describeCardholders } from "@cardkeep/domain/operations/health/checkCardholders";
import { describeStop, stopTexts } from "@cardkeep/domain/operators/stops/describeStopped";
import { listStops, setStop, type StopState } from "@cardkeep/domain/operators/stops/setStop";
import { markup, type Html } from "@cardkeep/html/markup";
import pTimeout from "p-timeout";
import { renderConfirm } from "../page/confirm.ts";
import { type Action, linkTo, may, type ShowPage, type Visit } from "../page/page.ts";
import { renderStatus } from "../page/parts.ts";
import { buildTable } from "../page/table.ts";

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

function renderSwitch({ name, stop }: StopState): Html {
  const { subject, effect } = stopTexts[name];
  return stop === null
    ? renderConfirm({
        action: `${page}/${name}`,
        label: `Stop ${subject.toLowerCase()}`,
        consequence: `${effect} Everybody who operates the service sees your name and the reason.`,
        hidden: { state: "on" },
        isDanger: true,
      })
    : renderConfirm({
        action: `${page}/${name}`,
        label: `Resume ${subject.toLowerCase()}`,
        consequence: `${subject} work again at once.`,
        hidden: { state: "off" },
      });
}

const buildStops = (visit: Visit, rows: readonly StopState[]) =>
  buildTable(visit, {
    name: "stops",
    rows,
    none: "There are no switches.",
    columns: [
      { name: "Part", text: ({ name }) => stopTexts[name].subject },
      {
        name: "State",
        text: ({ stop }) => (stop === null ? "running" : "stopped"),
        cell: ({ stop }) => renderStatus(stop === null ? "running" : "stopped"),
      },
      { name: "What a stop does", text: ({ name }) => stopTexts[name].effect },
      { name: "Since", text: ({ stop }) => stop?.stoppedAt ?? null },
      { name: "By", text: ({ stop }) => stop?.operator ?? null },
      { name: "Reason", text: ({ stop }) => stop?.reason ?? null },
    ],
  });

export const showStops: ShowPage = async (visit) => {
  const [stops, progress] = await Promise.all([listStops(visit.ctx), describeCardholders(visit.ctx)]);
  const table = buildStops(visit, stops);
  return {
    title: "Stop switches",
    body: markup`<p class="lead">A switch stops a part of the service in an emergency. What is under way ends.</p>
      ${progress !== null && markup`<p>${progress}.</p>`} ${table} ${may(visit, "stops.set") && stops.map(renderSwitch)}`,
    tables: [table],
  };
};

/** @throws request.not_found for an unknown part, request.invalid for another state than on and off */
export const submitStop: Action = async ({ ctx, params, form }) => {
  const name = stopNames.find((candidate) => candidate === params["name"]) ?? fail("request.not_found");
  const state = form.get("state");
  if (state !== "on" && state !== "off") fail("request.invalid");
  await setStop(ctx, { name, isStopped: state === "on" });
  return linkTo(page, { done: "done" });
};
