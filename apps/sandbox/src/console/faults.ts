/** The desk of faults: those that are on, and forms that switch others on. */
import { type Html, markup, prose } from "@cardkeep/html/markup";
import { type FaultGroup, faultGroups, type OptionName } from "../faults/catalogue.ts";
import { type Fault, activeFaultsOf } from "../faults/activeFaults.ts";
import type { Desk } from "./desk.ts";
import { renderAction, renderEmpty, renderField, renderPanel, renderSelect, renderTable } from "./parts.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const labels: Readonly<Record<OptionName, string>> = {
  rate: "Probability, 0 to 1",
  seconds: "For seconds of wall time",
  count: "For hits",
  match: "Only if it contains",
  seed: "Seed",
  ms: "Milliseconds",
  status: "HTTP status",
  blocks: "Blocks",
  place: "Place",
};

const renderControl = (option: OptionName): Html => {
  if (option === "match") return markup`<input name="match" maxlength="200" autocomplete="off" />`;
  if (option !== "place") return markup`<input name="${option}" type="number" min="0" step="any" />`;
  return markup`<select name="place">
    <option value="">usual</option>
    <option>beside</option>
    <option>instead</option>
  </select>`;
};

function renderGroup({ title, kinds }: FaultGroup): Html {
  const taken = new Set(Object.values(kinds).flatMap(({ takes }) => takes));
  const summaries = new Map(Object.entries(kinds).map(([name, { summary }]) => [name.split(".")[1] ?? name, summary]));
  return renderPanel(
    title,
    markup`${renderAction({
      method: "PUT",
      path: "/faults/{name}",
      label: title,
      done: "{name}: done.",
      content: markup`<div class="fields">
          ${renderField(
            "Fault",
            renderSelect(
              "name",
              Object.keys(kinds).map((name) => ({ value: name, text: name })),
            ),
          )}
          ${[...taken].map((option) => renderField(labels[option], renderControl(option)))}
        </div>
        <div class="row"><button>Switch on</button></div>`,
    })}
    <dl class="kinds">${[...summaries].map(([name, summary]) => markup`<dt>${name}</dt><dd>${prose(summary)}</dd>`)}</dl>`,
  );
}

/** The options of a fault as text: `rate 0.5, count 3`. */
const formatOptions = ({ name: _, hits: __, ...options }: Fault): string =>
  Object.entries(options)
    .map(([option, value]) => `${option} ${value}`)
    .join(", ");

const renderFault = (fault: Fault): Html =>
  markup`<tr id="fault-${fault.name}">
    <td><strong>${fault.name}</strong></td>
    <td>${formatOptions(fault)}</td>
    <td class="number">${fault.hits}</td>
    <td>${renderAction({
      method: "DELETE",
      path: `/faults/${fault.name}`,
      label: `Switch ${fault.name} off`,
      done: "Off.",
      content: markup`<button class="plain">Switch off</button>`,
    })}</td>
  </tr>`;

export const faults: Desk = {
  id: "faults",
  title: "Faults",
  summary:
    "What goes wrong on purpose: partners, callbacks, the node and processes. A restart of the sandbox switches all off.",
  render: async ({ runtime }) => {
    const on = activeFaultsOf(runtime).list();
    return markup`${renderPanel(
      "Faults that are on",
      on.length === 0
        ? renderEmpty("None. Switch one on below, or by `PUT /faults/{name}`.")
        : markup`${renderTable(["Fault", "Options", "Hits", ""], on.map(renderFault))}
          ${renderAction({
            method: "DELETE",
            path: "/faults",
            label: "Switch all off",
            done: "All are off.",
            content: markup`<div class="row"><button>Switch all off</button></div>`,
          })}`,
    )}
    ${faultGroups.map(renderGroup)}`;
  },
};

/** A line for every page while a fault is on. */
export function renderFaultLine(runtime: SandboxRuntime): Html {
  const names = activeFaultsOf(runtime)
    .list()
    .map(({ name }) => name);
  if (names.length === 0) return markup``;
  const sentence = `${names.length === 1 ? "A fault is on" : `${names.length} faults are on`}: ${names.join(", ")}.`;
  return markup`<p id="faulty" role="status">${sentence} <a href="/?desk=faults">Faults</a></p>`;
}
