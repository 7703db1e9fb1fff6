/** The timeline of one delayed operation. */
import { delayMachine } from "@cardkeep/contract/accounts/delays";
import { delays } from "@cardkeep/desk/nouns/delays";
import { jobs as jobNoun } from "@cardkeep/desk/nouns/jobs";
import { listQueue } from "@cardkeep/domain/accounts/delays/listQueue";
import { timeline } from "@cardkeep/domain/accounts/delays/timeline";
import { describeEntry } from "@cardkeep/domain/accounts/delays/timelineWords";
import { markup } from "@cardkeep/html/markup";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { buildNounTable, renderNamed } from "../deskTable.ts";
import type { ShowPage } from "../page/page.ts";
import { renderWords } from "../page/parts.ts";
import { buildQueueChart } from "../operations/queueChart.ts";

export const showDelay: ShowPage = async (visit) => {
  const { ctx, params } = visit;
  const history = await timeline(ctx, { id: params["id"] ?? "" });
  const around = await listQueue(ctx, { id: history.operation.id });
  const queue = buildQueueChart(visit, { ...around, shownId: history.operation.id });
  const { operation, entries, jobs, chainFault } = history;
  const place = around.operations.find(({ id }) => id === operation.id);
  const sent = entries.find((entry) => entry.step === "signed" && entry.purpose === "delay.dispatch");
  const passed = [
    { state: "QUEUING", at: operation.createdAt },
    { state: "WAITING", at: place?.queuedAt ?? null },
    { state: "EXECUTING", at: sent?.at ?? null },
  ].filter(({ state, at }) => at !== null && state !== operation.status);
  const machine = await renderMachineState({
    machine: delayMachine,
    title: "Operation",
    current: operation.status,
    history: passed,
  });
  const nextJobs = buildNounTable(visit, jobNoun, jobs.map(jobNoun.describe));
  return {
    title: "Operation",
    body: markup`${renderNamed(delays.describeShown(history))}
      <h2>Queue</h2>
      ${queue} ${machine}
      <h2>Timeline</h2>
      ${chainFault !== null && markup`<p class="notice">Some details are missing because the chain could not be read: ${chainFault}</p>`}
      <ol class="timeline">
        ${entries.map(describeEntry).map(
          ({ at, word, facts }) =>
            markup`<li>
              <time${at !== "-" && markup` datetime="${at}"`}>${at.replace("T", " ").replace("Z", "")}</time> <strong>${word}</strong> ${facts.map((fact) => markup`<p>${renderWords(fact)}</p>`)}
            </li>`,
        )}
      </ol>
      ${
        jobs.length > 0 &&
        markup`<h2>Next step</h2>
          ${nextJobs}`
      }`,
    tables: [queue, nextJobs],
  };
};
