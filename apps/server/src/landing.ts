/** The start page at `/`: what this is, what runs, and where to go on. */
import { version } from "@cardkeep/contract/version";
import { checkHealth } from "@cardkeep/domain/operations/health/checkHealth";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { finding } from "@cardkeep/domain/operations/health/finding";
import { listParts, summariseFindings } from "@cardkeep/domain/operations/health/summariseFindings";
import { type Html, markup } from "@cardkeep/html/markup";
import { chooseMediaType } from "@cardkeep/html/mediaType";
import { type PartState, renderStates, renderVerdict } from "@cardkeep/html/overview";
import { type PageLink, plainPageHeaders, renderLinks, renderPlainPage } from "@cardkeep/html/plainPage";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Settings } from "@cardkeep/runtime/settings";
import type { Elysia } from "elysia";
import { hasOperatorPages } from "./operator.ts";

/** What the start page knows. */
interface Landing {
  readonly doctor: Omit<PartState, "name">;
  /** None in production. */
  readonly parts: readonly PartState[];
}

/** Many people may open the page; the checks run once in this time. */
const keptMs = 5_000;

const summary =
  "Cardkeep is a self-hosted card-and-account service: a person signs in with a wallet, and gets a self-custodial account, an IBAN and payment cards.";

/** The documents, which everybody may read. */
export const documentLinks: readonly (PageLink & { id: string })[] = [
  { id: "documents", href: "/docs", title: "Documents", text: "Guides, and every route, event and error." },
  { id: "openapi", href: "/openapi.json", title: "OpenAPI", text: "For Postman, Bruno and generators of clients." },
  { id: "llms", href: "/llms.txt", title: "llms.txt", text: "The same for language models." },
];

export const operatorLink = {
  id: "operator",
  href: "/operator",
  title: "Operator",
  text: "Users, money, deliveries and jobs, for the people who run it.",
} as const;

/** The sandbox listens on this machine only, and never in production. */
function listSandboxLinks({ sandboxPort, elementsPort }: Settings): (PageLink & { id: string })[] {
  const sandbox = `http://localhost:${sandboxPort}`;
  return [
    {
      id: "sandbox",
      href: `${sandbox}/`,
      title: "Sandbox console",
      text: "Play the person, the partners and the shop.",
    },
    {
      id: "chain",
      href: `${sandbox}/?desk=chain`,
      title: "Chain",
      text: "Advance time, mint money, see each Safe's queue.",
    },
    {
      id: "elements",
      href: `http://localhost:${elementsPort}/`,
      title: "Card elements",
      text: "The frame that shows a card's number and PIN.",
    },
  ];
}

/** Strangers see links to the documents alone in production. */
const listLinks = (settings: Settings): (PageLink & { id: string })[] => [
  ...documentLinks,
  ...(settings.production
    ? []
    : [...(hasOperatorPages(settings) ? [operatorLink] : []), ...listSandboxLinks(settings)]),
];

/** Strangers see in production whether the service is ready, and nothing about its parts. */
async function readLanding({ services, settings }: Runtime): Promise<Landing> {
  if (settings.production) {
    const { status } = await checkHealth(services);
    const isReady = status !== "down";
    return { parts: [], doctor: { severity: isReady ? "ok" : "fault", text: isReady ? "Ready" : "Not ready" } };
  }
  const findings = [finding("server", "ok", "Answers this page"), ...(await diagnose(services))];
  const { severity, text } = summariseFindings(findings);
  return { parts: listParts(findings), doctor: { severity, text } };
}

const renderLanding = ({ parts, doctor }: Landing, settings: Settings): Html =>
  markup`<main>
    <h1>Cardkeep</h1>
    <p class="lead">${summary}</p>
    ${renderVerdict(doctor)}
    ${parts.length > 0 && markup`<h2>What runs</h2>${renderStates(parts)}`}
    <h2>Where to go on</h2>
    ${renderLinks(listLinks(settings))}
    <footer>Version ${version}. The API is below <code>${settings.publicUrl}/api/v1</code>.</footer>
  </main>`;

/** Mounts `/`. It answers JSON where a request prefers JSON, and 200 also while a part is away: `/readyz` is for proxies. */
export function mountLanding(app: Elysia, runtime: Runtime, isDraining: () => boolean): void {
  const { settings } = runtime;
  let kept: { readonly until: number; readonly landing: Promise<Landing> } | null = null;
  const read = async (): Promise<Landing> => {
    if (kept === null || performance.now() > kept.until) {
      kept = { until: performance.now() + keptMs, landing: readLanding(runtime) };
    }
    const landing = await kept.landing;
    return isDraining() ? { ...landing, doctor: { severity: "fault", text: "Not ready: this server stops" } } : landing;
  };
  app.get("/", async ({ request }) => {
    const landing = await read();
    if (chooseMediaType(request, "text/html") === "text/html")
      return new Response(renderPlainPage("Cardkeep", renderLanding(landing, settings)), {
        headers: { ...plainPageHeaders, Vary: "Accept" },
      });
    const links = Object.fromEntries(
      listLinks(settings).map(({ id, href }) => [id, new URL(href, settings.publicUrl).href]),
    );
    const body = { name: "Cardkeep", version, ...landing, links };
    return Response.json(body, { headers: { Vary: "Accept" } });
  });
}
