/** An operation's timeline as text. */
import { describeEffect } from "@cardkeep/domain/accounts/delays/describeOperation";
import type { Timeline } from "@cardkeep/domain/accounts/delays/timeline";
import { describeEntry, describeQueue } from "@cardkeep/domain/accounts/delays/timelineWords";
import { renderFields } from "./print.ts";
import { joinTexts, phrase, type Text } from "./texts.ts";

const instantWidth = 24;
const wordWidth = 10;

/** The whole timeline: what it is about, what happened, and what happens next. */
export function renderTimeline(timeline: Timeline): Text {
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
    ["Expires", operation.expiresAt],
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
      phrase`job ${id} ${task} ${state}, runs at ${runAt}${
        lastError === null ? "" : `, failed ${attempts} times: ${lastError.split("\n", 1)[0]}`
      }`,
  );
  return joinTexts(
    head,
    "\n",
    steps,
    ...(next.length === 0 ? [] : ["\n", renderFields([["Next", next]])]),
    ...(chainFault === null ? [] : [`\nParts that need the chain are missing: ${chainFault}\n`]),
  );
}
