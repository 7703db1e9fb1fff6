/** A page of state machines: a drawing and a table of each, from the same data. */
import { anchorOfMachine } from "@cardkeep/contract/openapi/documents";
import { listStates, type Machine } from "@cardkeep/contract/core/machine";
import { type Html, markup, prose } from "@cardkeep/html/markup";
import { drawMachines } from "@cardkeep/html/pictures/drawMachines";
import { renderHeading } from "./heading.ts";

const nameState = (state: string, other: string): Html =>
  state === "any" ? markup`<em>any${other === "any" && " state"}</em>` : markup`<code>${state}</code>`;

const renderUndone = (moves: NonNullable<Machine["undone"]>): Html =>
  markup`<details>
    <summary>What a reorganisation of the chain may undo</summary>
    <ul class="moves">
      ${moves.map(
        ({ from, to, when }) =>
          markup`<li>
            <span class="move">${nameState(from, to)} → ${nameState(to, from)}</span>
            <span class="means">${prose(when)}</span>
          </li>`,
      )}
    </ul>
  </details>`;

const renderMachine = (machine: Machine, drawing: Html | undefined): Html =>
  markup`<article class="entry" id="${anchorOfMachine(machine.name)}">
    ${renderHeading(2, anchorOfMachine(machine.name), machine.name)}
    <div class="machine">
      <figure>${drawing}</figure>
      <div>
        <dl class="states">
          ${listStates(machine).map((state) => {
            const { means, isFinal } = machine.states[state] ?? { means: "" };
            return markup`<dt><code>${state}</code>${isFinal && markup` <span class="tag">final</span>`}</dt>
              <dd>${prose(means)}</dd>`;
          })}
        </dl>
        <ol class="moves">
          ${machine.transitions.map(
            ({ from, to, when }) =>
              markup`<li>
                <span class="move"
                  >${nameState(from, to)} → ${to === "any" ? markup`<em>any other</em>` : nameState(to, from)}</span
                >
                <span class="means">${prose(when)}</span>
              </li>`,
          )}
        </ol>
        ${machine.undone && renderUndone(machine.undone)}
      </div>
    </div>
  </article>`;

export async function renderMachines(machines: readonly Machine[]): Promise<Html> {
  const drawings = await drawMachines(machines);
  return markup`${machines.map((machine) => renderMachine(machine, drawings.get(machine)))}`;
}
