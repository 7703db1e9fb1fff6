/** Delayed operations, and the timeline of one. */
import { delayMachine } from "@cardkeep/contract/delays";
import { listStates } from "@cardkeep/contract/machine";
import { describeEffect, summariseEffect } from "@cardkeep/domain/delays/describeOperation";
import { listOperations, type OperationSummary } from "@cardkeep/domain/delays/listOperations";
import { timeline } from "@cardkeep/domain/delays/timeline";
import { describeEntry, describeQueue } from "@cardkeep/domain/delays/timelineWords";
import { shorten } from "@cardkeep/domain/wording";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderJobs } from "./jobs.ts";
import { readChoice, readPosition, type ShowPage, splitPage } from "./page.ts";
import {
  renderCode,
  renderFields,
  renderIdLink,
  renderInstant,
  renderPager,
  renderStatus,
  renderTable,
  renderTabs,
  renderWords,
} from "./parts.ts";

/** A table of operations. */
export const renderOperations = (operations: readonly OperationSummary[]): Html =>
  renderTable(
    ["Operation", "Status", "What", "Safe", "Accepted", "Ready"],
    operations.map((row) => [
      renderIdLink("/operator/delays", row.id),
      renderStatus(row.status),
      summariseEffect(row.effect),
      markup`<code title="${row.safeAddress}">${shorten(row.safeAddress)}</code>`,
      renderInstant(row.createdAt),
      renderInstant(row.readyAt),
    ]),
    "There are no such operations.",
  );

const states = listStates(delayMachine);

export const showDelays: ShowPage = async (visit) => {
  const isOpenOnly = visit.query.get("status") === "open";
  const status = readChoice(visit, "status", states);
  const userId = visit.query.get("user");
  const rows = await listOperations(visit.ctx, { isOpenOnly, status, userId, ...readPosition(visit) });
  const { shown, last } = splitPage(rows);
  return {
    title: "Delays",
    body: markup`${userId !== null && markup`<p class="lead">User: ${renderIdLink("/operator/users", userId)}</p>`}
      ${renderTabs(visit, "status", ["open", ...states], isOpenOnly ? "open" : status)} ${renderOperations(shown)}
      ${renderPager(visit, last)}`,
  };
};

export const showDelay: ShowPage = async ({ ctx, params }) => {
  const history = await timeline(ctx, { id: params["id"] ?? "" });
  const { operation, entries, jobs, chainFault } = history;
  return {
    title: "Operation",
    body: markup`${renderFields([
      ["Id", renderCode(operation.id)],
      ["Status", markup`${renderStatus(operation.status)} ${operation.reason}`],
      ...describeEffect(operation.effect).map(([name, value]) => [name, renderWords(value)] as const),
      ["Safe", renderCode(operation.safeAddress)],
      ["Delay module", renderCode(operation.delayAddress)],
      ["User", renderIdLink("/operator/users", operation.userId)],
      ["Signer", renderCode(operation.signer)],
      ["Request", renderCode(operation.requestId)],
      ["Queue", describeQueue(history)],
      ["Expires", renderInstant(operation.expiresAt)],
    ])}
      <h2>Timeline</h2>
      ${chainFault !== null && markup`<p class="notice">Some details are missing because the chain could not be read: ${chainFault}</p>`}
      <ol class="timeline">
        ${entries.map(describeEntry).map(
          ({ at, word, facts }) =>
            markup`<li>
              <time>${at.replace("T", " ").replace("Z", "")}</time> <strong>${word}</strong> ${facts.map((fact) => markup`<p>${renderWords(fact)}</p>`)}
            </li>`,
        )}
      </ol>
      ${
        jobs.length > 0 &&
        markup`<h2>Next step</h2>
          ${renderJobs(jobs)}`
      }`,
  };
};
