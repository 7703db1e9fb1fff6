/** The first desk: what runs, and what a new user does first. */
import { formatDuration } from "@cardkeep/contract/core/durations";
import { version } from "@cardkeep/contract/version";
import { development } from "@cardkeep/runtime/development";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderStates, renderVerdict } from "@cardkeep/html/overview";
import { type PageLink, renderLinks } from "@cardkeep/html/plainPage";
import { type Desk, hrefOf } from "./desk.ts";
import { renderCopy } from "./parts.ts";
import { type Overview, readOverview } from "./readOverview.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** Shows the key of the operator's pages only where it is the public one of development. */
const renderOperatorKey = ({ operatorApiKeys: [key] }: SandboxRuntime["settings"]): Html =>
  key === development.OPERATOR_API_KEY
    ? markup`Choose <strong>Ada Admin</strong>, who has every role, or sign in with the key ${renderCopy(key, key)}.`
    : markup`Choose <strong>Ada Admin</strong>, who has every role.`;

const renderStep = (title: Html, text: Html): Html => markup`<li><h3>${title}</h3><p class="meta">${text}</p></li>`;

const link = (href: string, text: string): Html => markup`<a href="${href}">${text}</a>`;

const renderSteps = ({ settings }: SandboxRuntime): Html =>
  markup`<ol class="rows steps">
    ${renderStep(
      link(hrefOf("person", null), "Be a person"),
      markup`The Person desk has a button for each step: sign in, pass KYC, get a Safe, money and a card. The desk ${link(hrefOf("people", null), "People")} lists them.`,
    )}
    ${renderStep(
      link(hrefOf("terminal", null), "Use a card"),
      markup`Tap any card at any merchant. A declined payment says why.`,
    )}
    ${renderStep(
      link(hrefOf("chain", null), "Move the time"),
      markup`A withdrawal waits ${formatDuration(settings.policy.cooldownSeconds)} in the queue of its Safe. Advance the clock instead of waiting.`,
    )}
    ${renderStep(
      link(`${settings.publicUrl}/docs`, "Read the documents"),
      markup`Guides, and every route, event and error with examples.`,
    )}
    ${renderStep(
      link("/#routes", "Trigger an event"),
      markup`<code>cardkeep trigger card.transaction.cleared</code>, or the form <code>POST /trigger</code> below, plays the journey that leads to an event. The desk
        ${link(hrefOf("inbox", null), "Partner inbox")} shows what a partner received.`,
    )}
    ${renderStep(
      link(hrefOf("faults", null), "Let something fail"),
      markup`Switch off a partner or the node, lose a callback, or kill the worker. See how the service recovers.`,
    )}
    ${renderStep(link(`${settings.publicUrl}/operator`, "Sign in as the operator"), renderOperatorKey(settings))}
  </ol>`;

/** The addresses beside this one, by the names that the JSON at `/` gives them. */
const listLinks = ({ settings }: SandboxRuntime): (PageLink & { readonly id: string })[] => [
  { id: "server", href: `${settings.publicUrl}/`, title: "Server", text: "The start page of the service itself." },
  { id: "documents", href: `${settings.publicUrl}/docs`, title: "Documents", text: "Guides and reference." },
  {
    id: "openapi",
    href: `${settings.publicUrl}/openapi.json`,
    title: "OpenAPI",
    text: "For Postman, Bruno and generators of clients.",
  },
  {
    id: "operator",
    href: `${settings.publicUrl}/operator`,
    title: "Operator",
    text: "Users, money, deliveries and jobs.",
  },
  {
    id: "elements",
    href: `http://localhost:${settings.elementsPort}/`,
    title: "Card elements",
    text: "The frame that shows a card's number and PIN.",
  },
];

/** The same as JSON, for programs. */
export async function describeStart(runtime: SandboxRuntime): Promise<Overview & { readonly [name: string]: unknown }> {
  const { publicUrl, sandboxPort } = runtime.settings;
  const links = Object.fromEntries(listLinks(runtime).map(({ id, href }) => [id, href]));
  const overview = await readOverview(runtime);
  return {
    name: "Cardkeep sandbox",
    version,
    ...overview,
    links: { ...links, console: `http://localhost:${sandboxPort}/`, api: `${publicUrl}/api/v1` },
  };
}

export const start: Desk = {
  id: "start",
  title: "Start",
  summary:
    "The sandbox plays every partner of Cardkeep on this machine. You play the person, the shop and the operator.",
  render: async ({ runtime }) => {
    const { doctor, parts } = await readOverview(runtime);
    return markup`${renderVerdict(doctor)}
      <section><h2>First steps</h2>${renderSteps(runtime)}</section>
      <section><h2>What runs</h2>${renderStates(parts)}
        <p class="meta">Version ${version}. The node of the chain is at ${renderCopy(runtime.settings.rpcUrl ?? "", runtime.settings.rpcUrl)}. <code>cardkeep doctor</code> runs every check.</p></section>
      <section><h2>Where to go on</h2>${renderLinks(listLinks(runtime))}</section>`;
  },
};
