/** The desk of simulated runs: what happened in words, and the messages of each moment as arrows between the processes. */
import { type Html, markup } from "@cardkeep/html/markup";
import { renderFigure } from "@cardkeep/html/pictures/figure";
import { renderLegend } from "@cardkeep/html/pictures/legend";
import type { Desk } from "../desk.ts";
import { renderBadge, renderEmpty, renderPanel } from "../parts.ts";
import { drawLanes, listLanes } from "./lanes.ts";
import { listRuns, readRun, type Run } from "./readRun.ts";

const id = "simulation";
const shownMax = 24;
const talesMax = 60;
const leap = 20;

const hrefOf = (seed: string, step: number): string =>
  `/?${new URLSearchParams({ desk: id, run: seed, step: String(step) })}`;

const legend = renderLegend([
  { name: "statement", tone: "first" },
  { name: "request and answer", tone: "second" },
  { name: "call of the node, block", tone: "third" },
  { name: "timer, job, chore", tone: "plain" },
]);

/** The whole number of a query, within a run; its first step otherwise. */
const readStep = (given: string | null, { messages }: Run): number => {
  const [first, last] = [messages[0]?.step ?? 1, messages.at(-1)?.step ?? 1];
  const step = /^\d{1,9}$/.test(given ?? "") ? Number(given) : first;
  return Math.min(Math.max(step, first), last);
};

function renderWays({ seed, messages, tales }: Run, step: number): Html {
  const last = messages.at(-1)?.step ?? step;
  const ways = [
    ["First", messages[0]?.step ?? 1],
    [`Back ${leap}`, step - leap],
    ["Back", step - 1],
    ["Next", step + 1],
    [`Next ${leap}`, step + leap],
    ["Next in words", tales.find((each) => each.step > step)?.step ?? last],
    ["Last", last],
  ] as const;
  return markup`<p class="row inline">${ways.map(([name, to]) => markup`<a href="${hrefOf(seed, to)}">${name}</a> `)}</p>`;
}

function renderMessage({ messages }: Run, step: number): Html | null {
  const shown = messages.find((each) => each.step === step);
  if (!shown) return null;
  return markup`<p><strong>Step ${step}</strong>: ${shown.actor}, ${shown.kind}</p>
    <p class="meta"><code>${shown.text}</code></p>
    <p class="meta">${shown.said === null ? "Nothing has come back yet." : markup`<code>${shown.said}</code>`}</p>`;
}

function renderTales({ seed, tales }: Run, step: number): Html {
  const next = tales.findIndex((each) => each.step > step);
  const from = Math.max(0, (next === -1 ? tales.length : next) - talesMax / 2);
  return markup`<ol class="rows">${tales
    .slice(from, from + talesMax)
    .map(
      (each) =>
        markup`<li><a href="${hrefOf(seed, each.step)}">${each.step}</a> ${each.actor}: ${each.tale}${each.step === step && " ←"}</li>`,
    )}</ol>`;
}

function renderRun(run: Run, given: string | null): Html {
  const { seed, messages, end } = run;
  const step = readStep(given, run);
  const at = messages.findIndex((each) => each.step >= step);
  const from = Math.max(0, Math.min(at - shownMax / 2, messages.length - shownMax));
  const picture = {
    name: "lanes",
    title: `Seed ${seed}, step ${step} of ${messages.at(-1)?.step ?? 0}`,
    summary:
      "Each arrow is a message that was released, from its process to the one that takes it. A pale one waits for a lock.",
  };
  const svg = drawLanes(picture, {
    lanes: listLanes(messages),
    messages: messages.slice(from, from + shownMax),
    shown: step,
    hrefOf: (to) => hrefOf(seed, to),
  });
  const verdict =
    end === null
      ? renderBadge("is played, or was stopped", "note")
      : end.broken.length === 0
        ? renderBadge("all holds", "good")
        : markup`${renderBadge("broken", "bad")} ${end.broken.join("; ")}`;
  return markup`${renderPanel(
    markup`Seed ${seed} ${verdict}`,
    markup`${renderWays(run, step)} ${renderFigure(picture, { svg, legend })} ${renderMessage(run, step)}`,
  )}
  ${renderPanel("In words", renderTales(run, step))}`;
}

export const simulation: Desk = {
  id,
  title: "Simulation",
  summary:
    "Runs of `bun run simulate --seed N --watch`, step by step: who did what, what was lost, which invariant broke.",
  render: async ({ runtime, query }) => {
    const { home } = runtime.settings;
    const seeds = await listRuns(home);
    const wanted = query.get("run") ?? seeds[0] ?? "";
    const run = await readRun(home, wanted);
    if (run && run.messages.length > 0) {
      const others = seeds.filter((seed) => seed !== wanted);
      return markup`${renderRun(run, query.get("step"))}
        ${others.length > 0 && renderPanel("Other runs", markup`<p>${others.map((seed) => markup`<a href="${hrefOf(seed, 1)}">Seed ${seed}</a> `)}</p>`)}`;
    }
    return renderEmpty(
      "No run is here yet. `bun run simulate --seed 42 --watch` plays one in a checkout, and writes it for this desk.",
    );
  },
};
