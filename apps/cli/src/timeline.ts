/** An operation's timeline as text. */
import { describeEffect } from "@cardkeep/domain/delays/describeOperation";
import type { Timeline } from "@cardkeep/domain/delays/timeline";
import { describeEntry, describeQueue } from "@cardkeep/domain/delays/timelineWords";
import { formatInstant } from "@cardkeep/domain/wording";
import { renderFields } from "./print.ts";

const instantWidth = 24;
const wordWidth = 10;

/** The whole timeline: what it is about, what happened, and what happens next. */
export function renderTimeline(timeline: Timeline): string {
  const { operation, entries, jobs, chainFault } = timeline;
  const head = renderFields([
    ["Operation", operation.id],
    ["Status", operation.reason === null ? operation.status : `${operation.status}: ${operation.reason}`],
    ...describeEffect(operation.effect),
    ["Safe", operation.safeAddress],
    ["Delay module", operation.delayAddress],
    ["User", operation.userId],
    ["Signer", operation.signer],
    ["Request", operation.requestId],
    ["Queue", describeQueue(timeline)],
    ["Expires", formatInstant(operation.expiresAt)],
  ]);
  const steps = renderFields(
    entries
      .map(describeEntry)
      .map(({ at, word, facts }) => [
        at.padEnd(instantWidth),
        facts.map((fact, index) => (index === 0 ? word : "").padEnd(wordWidth) + fact),
      ]),
  );
  const next = jobs.map(
    ({ id, task, state, runAt, attempts, lastError }) =>
      `job ${id} ${task} ${state}, runs at ${formatInstant(runAt)}` +
      (lastError === null ? "" : `, failed ${attempts} times: ${lastError.split("\n", 1)[0]}`),
  );
  return [
    head,
    steps,
    ...(next.length === 0 ? [] : [renderFields([["Next", next]])]),
    ...(chainFault === null ? [] : [`Parts that need the chain are missing: ${chainFault}\n`]),
  ].join("\n");
}
