/** The console: one developer plays every role, each at its desk. Example: `/?desk=kyc&person=<id>`. */
import { listPeople, type PersonRow } from "@cardkeep/db/sandbox/people";
import { bundleScript } from "@cardkeep/html/bundleScript";
import { consoleScript } from "../browserScripts.ts";
import { renderDocument } from "@cardkeep/html/document";
import { type Html, markup, prose } from "@cardkeep/html/markup";
import { buildPageHeaders } from "@cardkeep/html/policy";
import { style } from "../style.ts";
import { bank } from "./bank.ts";
import { chain } from "./chain.ts";
import { readClock, renderClock } from "./clock.ts";
import { disputes } from "./disputes.ts";
import { faults, renderFaultLine } from "./faults.ts";
import { type Desk, hrefOf, nameOf, type View } from "./desk.ts";
import { inbox } from "./inboxes.ts";
import { kyc } from "./kyc.ts";
import { messages } from "./messages.ts";
import { names } from "./names.ts";
import { operators } from "./operators.ts";
import { partners } from "./partners.ts";
import { people } from "./people.ts";
import { renderMissing } from "./missing.ts";
import { start } from "./start.ts";
import { terminal } from "./terminal.ts";
import type { SandboxRuntime } from "../openStore.ts";

const desks: readonly Desk[] = [
  start,
  people,
  messages,
  kyc,
  chain,
  names,
  terminal,
  disputes,
  bank,
  inbox,
  partners,
  operators,
  faults,
];

const peopleMax = 50;

async function readView(runtime: SandboxRuntime, query: URLSearchParams): Promise<View & { isUnknownPerson: boolean }> {
  const [find, id] = [query.get("find")?.trim() ?? "", query.get("person") ?? ""];
  const [clock, found, [person = null]] = await Promise.all([
    readClock(runtime),
    listPeople(runtime.db, { ...(find !== "" && { text: find }), limit: peopleMax }),
    id === "" ? [] : listPeople(runtime.db, { id, limit: 1 }),
  ]);
  return { runtime, clock, people: found, person, find, isUnknownPerson: id !== "" && person === null };
}

/** The choice of a person, on every desk. */
function renderChoice({ people: found, person }: View, desk: Desk | null): Html {
  const known = found.some(({ id }) => id === person?.id);
  const choices: readonly PersonRow[] = person === null || known ? found : [person, ...found];
  return markup`<form method="get" action="/" class="person">
    <input type="hidden" name="desk" value="${desk?.id ?? start.id}" />
    <label><span>Person</span>
      <select name="person" data-submits>
        <option value="">Everybody</option>
        ${choices.map(
          (each) => markup`<option value="${each.id}" ${each.id === person?.id && "selected"}>${nameOf(each)}</option>`,
        )}
      </select></label>
    <noscript><button class="plain">Show</button></noscript>
  </form>`;
}

const renderNavigation = (view: View, desk: Desk | null): Html =>
  markup`<nav aria-label="Desks">
    <p class="brand"><a href="/">Cardkeep</a> <span class="tag">sandbox</span></p>
    ${renderChoice(view, desk)}
    <ul>
      ${desks.map(
        (each) =>
          markup`<li><a href="${hrefOf(each.id, view.person)}" ${each === desk && `aria-current=page`}>${each.title}</a></li>`,
      )}
      <li class="apart"><a href="/#routes">All routes</a></li>
      <li><a href="${view.runtime.settings.publicUrl}/docs">API reference</a></li>
      <li><a href="${view.runtime.settings.publicUrl}/operator">Operator</a></li>
    </ul>
  </nav>`;

/** Renders one page of the console. The first desk ends with `routes`. An unknown desk or person is a 404, and says so. */
export async function answerConsole(runtime: SandboxRuntime, url: string, routes: Html): Promise<Response> {
  const query = new URL(url).searchParams;
  const view = await readView(runtime, query);
  const desk = findDesk(query);
  const isUnknown = desk === null || view.isUnknownPerson;
  const body = markup`${renderNavigation(view, desk)} ${renderClock(runtime, view.clock)}
    <main>
      <p id="lost" role="alert" hidden>The sandbox does not answer. This page may be out of date.</p>
      ${renderFaultLine(runtime)}
      ${isUnknown ? renderMissing(query, desk) : await renderDesk(view, desk)}
      ${desk === start && !isUnknown && routes}
    </main>`;
  const script = await bundleScript(consoleScript);
  const title = isUnknown ? "Not found" : titleOf(desk, view);
  return new Response(renderDocument({ title: `${title} · Cardkeep sandbox`, style, script, body }), {
    status: isUnknown ? notFound : ok,
    headers: { ...buildPageHeaders({ style, script, self: ["connect-src", "form-action"] }), Vary: "Accept" },
  });
}

const [ok, notFound] = [200, 404];

/** The first desk without a name, null for a name that no desk has. */
function findDesk(query: URLSearchParams): Desk | null {
  const id = query.get("desk") ?? "";
  return id === "" ? start : (desks.find((desk) => desk.id === id) ?? null);
}

const titleOf = (desk: Desk, { person }: View): string =>
  person === null ? desk.title : `${desk.title}: ${nameOf(person)}`;

const renderDesk = async (view: View, desk: Desk): Promise<Html> =>
  markup`<header>
      <h1>${desk.title}</h1>
      <p class="lead">${prose(desk.summary)}</p>
    </header>
    <div class="desk" id="${desk.id}">${await desk.render(view)}</div>`;
