/** The console: one developer plays every role, each at its desk. Example: `/?desk=kyc&person=<id>`. */
import { address } from "@cardkeep/contract/core/primitives";
import { findUserByAddress } from "@cardkeep/db/queries/users/users";
import { listPeople, type PersonRow } from "@cardkeep/db/sandbox/people";
import { bundleScript } from "@cardkeep/html/bundleScript";
import { consoleScript } from "../browserScripts.ts";
import { renderDocument } from "@cardkeep/html/document";
import { type Html, markup, prose } from "@cardkeep/html/markup";
import { buildPageHeaders, integrityOf } from "@cardkeep/html/policy";
import { style } from "../core/style.ts";
import { bank } from "./bank.ts";
import { chain } from "./chain.ts";
import { readClock, renderClock } from "./clock.ts";
import { disputes } from "./disputes.ts";
import { faults, renderFaultLine } from "./faults.ts";
import { type Desk, hrefOf, nameOf, type View } from "./desk.ts";
import { findPeople } from "./findPeople.ts";
import { inbox } from "./inboxes.ts";
import { kyc } from "./kyc.ts";
import { messages } from "./messages.ts";
import { names } from "./names.ts";
import { operators } from "./operators.ts";
import { partners } from "./partners.ts";
import { people } from "./people.ts";
import { person as personDesk } from "./person/desk.ts";
import { renderMissing } from "./missing.ts";
import { simulation } from "./simulation/desk.ts";
import { start } from "./start.ts";
import { terminal } from "./terminal.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const desks: readonly Desk[] = [
  start,
  personDesk,
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
  simulation,
];

async function readView(
  runtime: SandboxRuntime,
  query: URLSearchParams,
  token: string | null,
): Promise<View & { isUnknownPerson: boolean }> {
  const find = query.get("find")?.trim() ?? "";
  const wallet = address.safeParse(query.get("wallet")).data ?? null;
  const id = query.get("person") ?? (wallet && (await findUserByAddress(runtime.db, wallet)))?.id ?? "";
  const [clock, found, [person = null]] = await Promise.all([
    readClock(runtime),
    findPeople(runtime.db, find),
    id === "" ? [] : listPeople(runtime.db, { ids: [id], limit: 1 }),
  ]);
  const isUnknownPerson = id !== "" && person === null;
  return { runtime, clock, people: found, person, find, wallet, token, query, isUnknownPerson };
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

const bearer = /^Bearer (.+)$/;

/** Renders one page of the console. The first desk ends with `routes`. An unknown desk or person is a 404, and says so. */
export async function answerConsole(runtime: SandboxRuntime, request: Request, routes: Html): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const token = bearer.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
  const view = await readView(runtime, query, token);
  const desk = findDesk(query);
  const isUnknown = desk === null || view.isUnknownPerson;
  const page = isUnknown ? undefined : desk.page;
  const own = page && { path: page.scriptPath, script: await bundleScript(page.script) };
  const body = markup`${renderNavigation(view, desk)} ${renderClock(runtime, view.clock)}
    <main>
      <p id="lost" role="alert" hidden>The sandbox does not answer. This page may be out of date.</p>
      <noscript><p class="empty">The buttons of this console need JavaScript.</p></noscript>
      ${renderFaultLine(runtime)}
      ${isUnknown ? renderMissing(query, desk) : await renderDesk(view, desk)}
      ${desk === start && !isUnknown && routes}
    </main>
    ${own && markup`<script src="${own.path}" integrity="${integrityOf(own.script)}"></script>`}`;
  const script = await bundleScript(consoleScript);
  const title = isUnknown ? "Not found" : titleOf(desk, view);
  const look = `${style}${page?.style ?? ""}`;
  const origins = page?.listOrigins(runtime.settings) ?? { connect: [], frame: [] };
  const headers = buildPageHeaders({
    style: look,
    script,
    self: ["form-action"],
    connectTargets: ["'self'", ...origins.connect],
    frameTargets: origins.frame,
    loadedScripts: own ? [own.script] : [],
  });
  return new Response(renderDocument({ title: `${title} · Cardkeep sandbox`, style: look, script, body }), {
    status: isUnknown ? notFound : ok,
    headers: { ...headers, Vary: "Accept, Authorization" },
  });
}

/** The script in a file of its own at a path below `/console/`; null for another path. */
export async function findDeskScript(path: string): Promise<Response | null> {
  const page = desks.find((each) => each.page?.scriptPath === path)?.page;
  if (!page) return null;
  return new Response(await bundleScript(page.script), {
    headers: { "Content-Type": "text/javascript; charset=utf-8", "X-Content-Type-Options": "nosniff" },
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
