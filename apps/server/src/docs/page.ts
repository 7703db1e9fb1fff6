/** The reference page, rendered from the same tables that the service runs on. */
import { events } from "@cardkeep/contract/events";
import type { Machine } from "@cardkeep/contract/machine";
import { machines } from "@cardkeep/contract/machines";
import { nouns } from "@cardkeep/contract/nouns";
import { listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import { version } from "@cardkeep/contract/version";
import { renderErrors, renderEvents } from "./catalogues.ts";
import { renderDeclines } from "./declines.ts";
import { renderDocument } from "@cardkeep/html/document";
import { markup, type Html, prose } from "@cardkeep/html/markup";
import { machineAnchor, renderMachines } from "./machines.ts";
import { renderOverview } from "./overview.ts";
import { renderMethod, renderRoute } from "./route.ts";
import { style } from "./style.ts";

const groups = [...Map.groupBy(listRoutes(routes), ({ noun }) => noun)].map(([noun, ofNoun]) => ({
  noun,
  // The types of the table allow only these nouns.
  ...(nouns as Readonly<Record<string, { title: string; summary: string }>>)[noun],
  routes: ofNoun,
}));

const renderContents = (): Html =>
  markup`<nav id="contents" aria-label="Contents">
    <p class="brand">
      <a href="#overview">Cardkeep</a> <span class="tag">${version}</span> <a class="close" href="#overview">Close</a>
    </p>
    <label class="filter">
      <span>Filter</span><input id="filter" type="search" placeholder="Filter  /" autocomplete="off" />
    </label>
    <p><a href="#overview">Overview</a></p>
    ${groups.map(
      ({ noun, title, routes: ofNoun }) =>
        markup`<p><a href="#noun-${noun}">${title}</a></p>
          <ul>
            ${ofNoun.map(
              ({ name, route }) =>
                markup`<li>
                  <a
                    href="#${name}"
                    title="${route.method} ${route.path}"
                    class="${route.deprecated ? "old" : "current"}"
                    >${renderMethod(route.method)}<span class="path">${route.path}</span></a
                  >
                </li>`,
            )}
          </ul>`,
    )}
    <p><a href="#machines">State machines</a></p>
    <ul>
      ${machines.map((machine) => markup`<li><a href="#${machineAnchor(machine)}">${machine.name}</a></li>`)}
    </ul>
    <p><a href="#events">Events</a></p>
    <ul>
      ${Object.keys(events).map((type) => markup`<li><a href="#event-${type}">${type}</a></li>`)}
    </ul>
    <p><a href="#declines">Declines</a></p>
    <p><a href="#errors">Errors</a></p>
  </nav>`;

interface ReferenceParts {
  /** Where clients reach the server. */
  serverUrl: string;
  script: string;
  /** The result of `drawMachines`. */
  drawings: ReadonlyMap<Machine, Html>;
}

/** The whole page, which loads nothing else. `script` is the bundle of `browser.ts`. */
export const renderReference = ({ serverUrl, script, drawings }: ReferenceParts): string =>
  renderDocument({
    title: "Cardkeep API reference",
    style,
    script,
    body: markup`<header class="bar"><a href="#overview">Cardkeep</a> <a href="#contents">Contents</a></header>
      ${renderContents()}
      <main>
        ${renderOverview(serverUrl)}
        ${groups.map(
          ({ noun, title, summary, routes: ofNoun }) =>
            markup`<section id="noun-${noun}">
              <h2>${title}</h2>
              <p class="lead">${prose(summary ?? "")}</p>
              ${ofNoun.map(renderRoute)}
            </section>`,
        )}
        ${renderMachines(drawings)} ${renderEvents()} ${renderDeclines()} ${renderErrors()}
        <p id="nothing" hidden>No entry has all of these words.</p>
      </main>`,
  });
