/** The picture of a state machine with the present state of one thing lit. */
import { listStates, type Machine } from "@cardkeep/contract/core/machine";
import { markup, type Html, prose, trust } from "../markup.ts";
import { renderTime } from "../time.ts";
import { getMachineDrawing } from "./machineDrawing.ts";
import { findWay, type MachineWay, type PassedState } from "./machineWay.ts";

/** One thing, and the machine that its status follows. */
export interface MachineState {
  readonly machine: Machine;
  /** What the thing is: `Order`. */
  readonly title: string;
  /** Its status; one that the machine does not have lights nothing. */
  readonly current: string;
  /** Earlier states that are known from its history, oldest first. */
  readonly history?: readonly PassedState[];
}

/** Adds a class to each state and move of a drawing. */
function light(drawing: Html, { machine, current }: MachineState, way: MachineWay): string {
  const states = listStates(machine);
  const classOf = (kind: string, number: number): string => {
    if (kind === "move") {
      const { from = "" } = machine.transitions[number - 1] ?? {};
      if (way.passedMoves.has(number)) return "is-passed";
      if (way.next.has(number)) return "is-next";
      return from === "any" || way.reachable.has(from) ? "is-open" : "is-out";
    }
    const state = states[number] ?? "";
    if (state === current) return "is-now";
    if (way.passed.has(state)) return "is-passed";
    return way.reachable.has(state) ? "is-open" : "is-out";
  };
  return drawing.html.replaceAll(
    /class="((?:node|edge) [^"]*?\b(state|move)(\d+))"/g,
    (_, names: string, kind: string, number: string) => `class="${names} ${classOf(kind, Number(number))}"`,
  );
}

const join = (states: Iterable<string>): string => [...states].join(", ") || "none";

/** The drawing's own title and description name no present state. */
function describe(svg: string, { machine, title, current }: MachineState, way: MachineWay): Html {
  const passed = [...way.passed].filter((state) => state !== current);
  const following = machine.transitions.flatMap(({ to }, index) => (way.next.has(index + 1) ? to : []));
  const words = markup`<title>${title}: ${current}</title>
    <desc>Now ${current}. Passed: ${join(passed)}. May follow: ${join(new Set(following))}.</desc>`;
  return trust(svg.replace(/<title>[\s\S]*?<\/desc>/, () => words.html));
}

const renderMoves = ({ machine, history = [] }: MachineState, way: MachineWay): Html =>
  markup`${
    history.length > 0 &&
    markup`<p>Known of its way</p>
      <ol>
        ${history.map(({ state, at }) => markup`<li><code>${state}</code> ${at && renderTime(at)}</li>`)}
      </ol>`
  }
  <p>${way.next.size === 0 ? "No other status follows." : "May follow"}</p>
  <ol>
    ${machine.transitions.map(
      ({ to, when }, index) =>
        way.next.has(index + 1) &&
        markup`<li><b>${index + 1}</b> <code>${to === "any" ? "any other" : to}</code> ${prose(when)}</li>`,
    )}
  </ol>`;

const legend = markup`<ul class="legend">
  <li class="is-now">now</li>
  <li class="is-passed">passed</li>
  <li class="is-open">may follow</li>
  <li class="is-out">out of reach</li>
</ul>`;

/**
 * Draws the machine with the present state lit, the way to it, and the moves that may follow, which are a list as well. The drawing
 * is made once for each machine.
 */
export async function renderMachineState(state: MachineState): Promise<Html> {
  const { machine, title, current, history } = state;
  const drawing = await getMachineDrawing(machine);
  const way = findWay(machine, current, history);
  const means = machine.states[current]?.means;
  return markup`<figure class="chart machine-state"><div>
    <figcaption>${title}: ${current}${means !== undefined && markup`<br /><span>${prose(means)}.</span>`}</figcaption>
    ${describe(light(drawing, state, way), state, way)}
    <div class="machine-moves">${legend} ${renderMoves(state, way)}</div>
  </div></figure>`;
}
