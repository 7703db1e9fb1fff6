/** The state machines: a drawing and a table of each, from the same data. */
import { listStates, type Machine } from "@cardkeep/contract/machine";
import { machines } from "@cardkeep/contract/machines";
import { markup, type Html, prose } from "@cardkeep/html/markup";

export const machineAnchor = (machine: Machine): string =>
  `machine-${machine.name.replaceAll(/[^a-zA-Z]+/g, "-").toLowerCase()}`;

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
  markup`<article class="entry" id="${machineAnchor(machine)}">
    <h3><a class="anchor" href="#${machineAnchor(machine)}">${machine.name}</a></h3>
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

/** The section of all machines; `drawings` are those of `drawMachines`. */
export const renderMachines = (drawings: ReadonlyMap<Machine, Html>): Html =>
  markup`<section id="machines">
    <h2>State machines</h2>
    <p class="lead">
      A status changes only along one of these tables. The values on the wire, the
      database's checks and the updates come from the same data. A double border marks a final state. The numbers are those of the list.
    </p>
    ${machines.map((machine) => renderMachine(machine, drawings.get(machine)))}
  </section>`;
