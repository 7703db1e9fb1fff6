/** Every page of the documents in reading order. */
import { anchorOfMachine, documentsPath, pathOfGuide, pathOfNoun } from "@cardkeep/contract/openapi/documents";
import type { Machine } from "@cardkeep/contract/core/machine";
import { operatorMachines, publicMachines } from "@cardkeep/contract/machines";
import { markup } from "@cardkeep/html/markup";
import { renderActs } from "./acts.ts";
import { renderDeclines } from "./declines.ts";
import type { DocumentPage } from "./documentPage.ts";
import { errorFamilies, renderErrors } from "./errors.ts";
import { eventTypes, renderEvents } from "./events.ts";
import { guides } from "./guides/guides.ts";
import { listSections, renderMarkdown } from "./guides/renderGuide.ts";
import { renderIndex } from "./indexPage.ts";
import { renderMachines } from "./machines.ts";
import { nounGroups, renderNoun } from "./nounPage.ts";
import { renderSettings } from "./settings.ts";
import { renderMethod } from "./route.ts";

/** The page of the acts, and of the settings. */
export const actsPath = `${documentsPath}/acts`;
export const settingsPath = `${documentsPath}/settings`;

const start: DocumentPage = {
  path: documentsPath,
  title: "Cardkeep documents",
  summary:
    "Sign in with a wallet, verify your identity, get a self-custodial account on chain, and move money out of it through a " +
    "three-minute delay. Every operation is on REST under `/api/v1` and on tRPC under `/trpc`, with the same fields and the same answers.",
  group: "Start",
  parts: () => [],
  render: renderIndex,
};

const guidePages: readonly DocumentPage[] = guides.map(({ slug, title, summary, text }) => ({
  path: pathOfGuide(slug),
  title,
  summary,
  group: "Guides",
  parts: () => listSections(text),
  render: (context) => renderMarkdown(text, context),
}));

const nounPages: readonly DocumentPage[] = nounGroups.map((group) => ({
  path: pathOfNoun(group.noun),
  title: group.title,
  summary: group.summary,
  group: "Reference",
  parts: () =>
    group.routes.map(({ name, route }) => ({
      id: name,
      title: markup`${renderMethod(route.method)}<span class="path">${route.path}</span>`,
    })),
  render: (context) => renderNoun(group, context),
}));

const showMachines = (machines: readonly Machine[]): Pick<DocumentPage, "parts" | "render"> => ({
  parts: () => machines.map(({ name }) => ({ id: anchorOfMachine(name), title: name })),
  render: () => renderMachines(machines),
});

const catalogues: readonly DocumentPage[] = [
  {
    path: `${documentsPath}/machines`,
    title: "State machines",
    summary:
      "A status changes only along one of these tables. The values on the wire, the database's checks and the updates come from " +
      "the same data. A double border marks a final state. The numbers are those of the list.",
    group: "Catalogues",
    ...showMachines(publicMachines),
  },
  {
    path: `${documentsPath}/operator-machines`,
    title: "State machines of operators",
    summary: "What operators alone see: moves of the programme's own money, relayers and requests for a second person.",
    group: "Catalogues",
    ...showMachines(operatorMachines),
  },
  {
    path: `${documentsPath}/events`,
    title: "Events",
    summary:
      "The service records a change of a user in the same commit as the change itself, as `eventType` and `data`, and delivers it " +
      "to the partners to which the user is subscribed.",
    group: "Catalogues",
    parts: () => eventTypes.map((type) => ({ id: `event-${type}`, title: type })),
    render: renderEvents,
  },
  {
    path: `${documentsPath}/errors`,
    title: "Errors",
    summary:
      "Every error has a code. On REST it is the header `X-Error-Code`, and its text is the `error` or the `message` of the body, in " +
      'the form that each route documents. The header `Link` with `rel="help"` leads to the code on this page. On tRPC the code is ' +
      "`data.error`, the status `data.httpStatus` and the link `data.help`.",
    group: "Catalogues",
    parts: () => [...errorFamilies.keys()].map((family) => ({ id: `errors-${family}`, title: family })),
    render: renderErrors,
  },
  {
    path: `${documentsPath}/declines`,
    title: "Declines",
    summary:
      "Each decline of a card has a code. Card history shows its status; the operator's pages and the issuer's `metadata.reason` have " +
      "the code. The last column is a sentence for the cardholder. Codes that begin with `issuer_` are declines of the issuer, which " +
      "did not ask the service or did not wait for it.",
    group: "Catalogues",
    parts: () => [],
    render: renderDeclines,
  },
  {
    path: actsPath,
    title: "Acts of operators",
    summary:
      "What operators read and change, each with the roles that may. The pages under `/operator`, `cardkeep` on a terminal, the " +
      "operator's API and the tools of assistants do the same acts.",
    group: "Catalogues",
    parts: () => [],
    render: renderActs,
  },
  {
    path: settingsPath,
    title: "Settings",
    summary:
      "Settings are environment variables. A secret may be in a file: `NAME_FILE` is its path, and `NAME` stays unset. A process takes " +
      "up a changed file within a minute, and at once on SIGHUP, unless the setting is read at the start.",
    group: "Catalogues",
    parts: () => [],
    render: renderSettings,
  },
];

export const pages: readonly DocumentPage[] = [start, ...guidePages, ...nounPages, ...catalogues];
