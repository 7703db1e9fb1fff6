import { afterAll, beforeAll, expect, test } from "bun:test";
import { createRuntime } from "@cardkeep/runtime/compose";
import { createElements } from "@cardkeep/sandbox/elements/app";
import { createServer } from "@cardkeep/server/server";
import { findAxeFaults, looks, shortenLists } from "../support/axe.ts";
import { type Browser, hasBrowser, startBrowser } from "../support/browser.ts";
import { filled } from "../support/filled.ts";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, use } from "../support/spending.ts";

let service: Service;
let elements: ReturnType<typeof Bun.serve>;
/** The origins of server, sandbox and card elements, as pages link to them. */
let origins: { server: string; sandbox: string; elements: string };
let userId: string;
let walked: Walk;
let browser: Browser;

const asBrowser = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const pageBytesMax = 200_000;
const [unauthorized, notFound] = [401, 404];

interface Walk {
  /** One address of each page, by its pattern. */
  readonly pages: ReadonlyMap<string, string>;
  /** Links that lead nowhere, each with the page that has it. */
  readonly dead: readonly string[];
}

/** Pages that differ by their data alone have one pattern. */
function patternOf({ origin, pathname, searchParams }: URL): string {
  const path = pathname
    .replace(/^\/docs\/guides\/.+/, "/docs/guides/*")
    .replace(/^\/docs\/(?!guides\/|machines$|events$|errors$|declines$).+/, "/docs/*")
    .replace(/^\/terms\/.+/, "/terms/*")
    .replaceAll(/[0-9a-f-]{24,}/g, "*");
  // The first desk is at `/` too, and shows nothing of a person.
  const given = searchParams.get("desk") === "start" ? [] : [...searchParams];
  const query = given.map(([name, value]) => (name === "desk" ? `desk=${value}` : name)).toSorted();
  return `${origin}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** Follows every link of every page from the start pages on, inside our own origins. */
async function walk(from: readonly string[]): Promise<Walk> {
  const pages = new Map<string, string>();
  const seen = new Set<string>();
  const dead: string[] = [];
  const visit = async (href: string, foundOn: string): Promise<void> => {
    const url = new URL(href, foundOn);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    if (seen.has(url.href) || !Object.values(origins).includes(url.origin)) return;
    seen.add(url.href);
    const answer = await fetch(url, { headers: asBrowser });
    const text = await answer.text();
    const isSignIn = answer.status === unauthorized && url.pathname === "/operator";
    if (!answer.ok && !isSignIn) return void dead.push(`${foundOn} -> ${url.href}: ${answer.status}`);
    const isPage = answer.headers.get("content-type")?.startsWith("text/html") === true;
    if (fragment !== "" && isPage && !text.includes(`id="${fragment}"`))
      dead.push(`${foundOn} -> ${href}: no such place`);
    // Operators have tests of their own.
    if (!isPage || (url.pathname.startsWith("/operator") && url.pathname !== "/operator")) return;
    const pattern = patternOf(url);
    const isKnown = pages.has(pattern);
    // The reference in one page would take axe-core minutes.
    if (!isKnown && text.length < pageBytesMax) pages.set(pattern, url.href);
    const hrefs = [...text.matchAll(/\shref="([^"]+)"/g)].map(([, found = ""]) => found.replaceAll("&amp;", "&"));
    for (const found of new Set(hrefs.filter((each) => !each.startsWith("data:")))) {
      const place = /^#(.+)/.exec(found)?.[1];
      if (place === undefined) await visit(found, url.href);
      else if (!text.includes(`id="${decodeURIComponent(place)}"`)) dead.push(`${url.href} -> ${found}: no such place`);
    }
  };
  for (const start of from) await visit(start, start);
  return { pages, dead };
}

beforeAll(async () => {
  const [elementsPort = 0] = await findFreePorts(1);
  service = await startService({ env: { ELEMENTS_PORT: String(elementsPort) } });
  elements = Bun.serve({ hostname: "127.0.0.1", port: elementsPort, fetch: createElements(service.runtime).fetch });
  const [server, sandbox] = [service.url, service.sandboxUrl].map((url) => url.replace("127.0.0.1", "localhost"));
  origins = { server: server ?? "", sandbox: sandbox ?? "", elements: `http://localhost:${elementsPort}` };
  const holder = await becomeCardHolder(service);
  const { person } = holder;
  userId = person.userId ?? "";
  await use(holder, 500);
  await use(holder, 900_000);
  await person.sandbox("PUT", "/faults/issuer.slow", { ms: 1, rate: 0.01 });
  walked = await walk([
    `${origins.server}/`,
    `${origins.sandbox}/`,
    `${origins.sandbox}/?desk=terminal&person=${userId}`,
  ]);
  if (hasBrowser) browser = await startBrowser();
}, 180_000);
afterAll(async () => {
  if (hasBrowser) await browser.close();
  await elements.stop(true);
  await service.stop();
});

/** The e-money institution's page, which only the service's own address leads to. */
const consentUrl = (): string => {
  const { emoney } = service.runtime.settings;
  const query = {
    client_id: emoney.clientId,
    redirect_uri: service.runtime.services.policy.emoney.consentReturnUrl,
    code_challenge: "a".repeat(43),
    code_challenge_method: "S256",
    state: "a",
    email: "ada@example.org",
  };
  return `${origins.sandbox}/emoney/oauth/authorize?${new URLSearchParams(query)}`;
};

/** Pages that no link leads to, with their status. */
const listApart = (): (readonly [string, number])[] => [
  [consentUrl(), 200],
  [`${origins.server}/terms/general-tos`, 200],
  [`${origins.server}/callbacks/monerium/oauth?state=none`, 400],
  [`${origins.server}/callbacks/monerium/email?state=none`, 400],
  [`${origins.server}/callbacks/contact?token=none`, 400],
  [`${origins.server}/nothing/here`, notFound],
  [`${origins.sandbox}/?desk=none`, notFound],
  [`${origins.sandbox}/?desk=bank&person=none`, notFound],
  [`${origins.sandbox}/nothing/here`, notFound],
];

test("no link of any page is dead, and links lead to every desk, with a chosen person too", () => {
  expect(walked.dead).toEqual([]);
  const queries = [...walked.pages.keys()].filter((page) => page.startsWith(`${origins.sandbox}/?`));
  const desks = [
    "person",
    "people",
    "messages",
    "kyc",
    "chain",
    "names",
    "terminal",
    "disputes",
    "bank",
    "inbox",
    "partners",
  ];
  for (const desk of [...desks, "operators", "faults"])
    for (const query of [`desk=${desk}`, `desk=${desk}&person`])
      expect(queries).toContain(`${origins.sandbox}/?${query}`);
});

test("the addresses that the start prints answer with pages, and JSON where it is asked for", async () => {
  const docs = `${origins.server}/docs`;
  const signIn = `${origins.server}/operator`;
  for (const url of [docs, signIn, ...Object.values(origins)]) {
    const { status, headers } = await fetch(url, { headers: asBrowser });
    const shown = [url, status, headers.get("content-type")];
    expect(shown).toEqual([url, url === signIn ? unauthorized : 200, "text/html; charset=utf-8"]);
  }
  const json = { headers: { Accept: "application/json" } };
  const ofServer = await (await fetch(`${service.url}/`, json)).json();
  const ofSandbox = await (await fetch(`${service.sandboxUrl}/`, json)).json();
  expect(ofServer).toMatchObject({ name: "Cardkeep", links: { sandbox: `${origins.sandbox}/` } });
  expect(ofSandbox).toMatchObject({ name: "Cardkeep sandbox", links: { server: `${origins.server}/` } });
  const names = [
    "Server",
    "Worker",
    "Postgres",
    "Chain node",
    "Identity provider",
    "E-money institution",
    "Card issuer",
  ];
  for (const { parts, doctor } of [ofServer, ofSandbox]) {
    expect(parts.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(doctor.text).toMatch(/^(All checks are ok|\d+ (fault|warning)s?)/);
    expect(doctor.text).not.toContain("database role");
  }
  // The fault that is on stops nothing, and is named.
  expect(ofSandbox.parts.at(-1)).toEqual({
    name: "Card issuer",
    severity: "warning",
    text: "issuer.slow is on: see the desk Faults",
  });
});

test("strangers read in production whether the service is ready, its version and documents, and nothing else", async () => {
  const { settings } = service.runtime;
  const runtime = await createRuntime({ ...settings, production: true }, "server");
  try {
    const server = createServer(runtime);
    const read = async (accept: string) =>
      server.handle(new Request("http://localhost/", { headers: { Accept: accept } }));
    const { links, version, ...rest } = await (await read("application/json")).json();
    expect(rest).toEqual({ name: "Cardkeep", parts: [], doctor: { severity: "ok", text: "Ready" } });
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(Object.keys(links)).toEqual(["documents", "openapi", "llms"]);
    const page = await (await read("text/html")).text();
    expect(page).not.toMatch(/operator|Postgres|sandbox|issuer|localhost:(?!\d+\/(docs|openapi|llms|api))/i);
    server.drain();
    expect(await (await read("text/html")).text()).toContain("Not ready");
  } finally {
    await runtime.close();
  }
});

test("unknown paths answer browsers with a page and programs with JSON; the API answers JSON to both", async () => {
  const ask = async (url: string, accept: string) => {
    const answer = await fetch(url, { headers: { Accept: accept } });
    const text = await answer.text();
    return [answer.status, answer.headers.get("content-type")?.split(";", 1)[0], text.startsWith("{")];
  };
  const { Accept: browser } = asBrowser;
  for (const path of ["/nothing", "/operator/nothing", "/docs/nothing", "/terms/nothing"]) {
    expect(await ask(`${service.url}${path}`, browser)).toEqual([notFound, "text/html", false]);
    expect(await ask(`${service.url}${path}`, "*/*")).toEqual([notFound, "application/json", true]);
    const { headers } = await fetch(`${service.url}${path}`, { headers: asBrowser });
    expect([headers.get("x-error-code"), headers.get("x-request-id") !== null]).toEqual(["request.not_found", true]);
  }
  for (const path of ["/api/v1/nothing", "/api/v1", "/trpc/nothing", "/trpc"])
    expect([path, ...(await ask(`${service.url}${path}`, browser))]).toEqual([
      path,
      notFound,
      "application/json",
      true,
    ]);
  for (const origin of [service.sandboxUrl, origins.elements]) {
    expect(await ask(`${origin}/nothing`, browser)).toEqual([notFound, "text/html", false]);
    expect(await ask(`${origin}/nothing`, "*/*")).toEqual([notFound, "application/json", true]);
  }
  expect(await ask(`${service.sandboxUrl}/kyc/flow/nobody`, browser)).toEqual([notFound, "text/html", false]);
  for (const [url, status] of filled(listApart()))
    expect([url, (await fetch(url, { headers: asBrowser })).status]).toEqual([url, status]);
});

test("the console says which person or desk there is not, and keeps its navigation", async () => {
  const read = async (query: string) => (await fetch(`${service.sandboxUrl}/?${query}`)).text();
  const person = await read("desk=bank&person=%3Cb%3E");
  expect(person).toContain("There is no such person");
  expect(person).toContain("<code>&lt;b&gt;</code>");
  expect(person).toContain('aria-label="Desks"');
  expect(await read("desk=none")).toContain("There is no such desk");
});

/** Opens a page, and returns its faults in the asked looks, whether it scrolls sideways, and what the browser logged. */
async function inspect(url: string, asked: readonly (typeof looks)[number][]): Promise<string[]> {
  await browser.emulate({ width: 390, height: 844, scheme: "light" });
  await browser.open(url);
  await browser.waitFor(`location.href === ${JSON.stringify(url)} && document.readyState === "complete"`);
  const faults: string[] = [];
  const isWide = await browser.run("document.documentElement.scrollWidth > document.documentElement.clientWidth");
  if (isWide === true) faults.push("scrolls sideways at 390 px");
  const isWrapped = await browser.run(
    `[...document.querySelectorAll(".text [data-language=text] pre")].some((pre) => getComputedStyle(pre).whiteSpace !== "pre")`,
  );
  if (isWrapped === true) faults.push("wraps a diagram");
  await shortenLists(browser);
  for (const look of asked) {
    for (const fault of await findAxeFaults(browser, look)) faults.push(`${look.scheme} ${look.width}: ${fault}`);
  }
  // The page of an unknown address is one.
  const errors = browser.takeErrors().filter((text) => !/status of 40[014]/.test(text));
  return [...faults, ...errors].map((fault) => `${url}: ${fault}`);
}

test.skipIf(!hasBrowser)("the card terminal forgets a verdict when a field of its payment changes", async () => {
  await browser.startOver();
  const form = `document.querySelector('form[aria-label="Use a card"]')`;
  const shown = `${form}.querySelector("output").value`;
  const change = (name: string) =>
    browser.run(`${form}.elements.${name}.dispatchEvent(new Event("input", { bubbles: true }))`);
  await browser.open(`${origins.sandbox}/?desk=terminal`);
  for (const name of ["amount", "cardToken"]) {
    await browser.click(`form[aria-label="Use a card"] button`);
    await browser.waitFor(`/Approved|Declined|decide/.test(${shown})`);
    await change(name);
    expect(await browser.run(shown)).toBe("");
  }
  // A field that changes while the request is on its way.
  const payments = `document.querySelectorAll('[id^="payment-"]').length`;
  const before = Number(await browser.run(payments));
  await browser.run(`${form}.requestSubmit()`);
  await change("amount");
  await browser.waitFor(`${payments} > ${before}`);
  expect(await browser.run(shown)).toBe("");
});

test.skipIf(!hasBrowser)(
  "axe-core finds no fault on any page of server and sandbox, none scrolls sideways on a phone, and the browser logs no error",
  async () => {
    await browser.startOver();
    const [first, ...others] = looks;
    const pages = [...walked.pages.values(), ...listApart().map(([url]) => url)];
    const faults: string[] = [];
    // Pages share their styles, so they take turns with dark and phone. With a person, a desk shows the same parts.
    const lookAt = (url: string, index: number) => {
      const other = others.filter((_, turn) => turn === index % 2);
      if (url.includes("person=")) return other;
      return url.includes("desk=") ? [first] : [first, ...other];
    };
    for (const [index, url] of pages.entries()) faults.push(...(await inspect(url, lookAt(url, index))));
    expect(faults).toEqual([]);
  },
  180_000,
);

test.skipIf(!hasBrowser)(
  "the documents run a route as a new person of the sandbox, with their own card, and show the samples of that call",
  async () => {
    await browser.startOver();
    const inExample = (selector: string) =>
      `[...document.querySelectorAll(${JSON.stringify(`#cards\\.status .example ${selector}`)})]`;
    await browser.open(`${origins.server}/docs/cards`);
    await browser.click("#cards\\.status [data-runs]");
    await browser.waitFor(`${inExample(".caller button")}.length > 0`);
    await browser.run(`${inExample(".caller button")}.find(({ textContent }) => textContent === "New person").click()`);
    const shown = `${inExample("form label input")}[0]?.value`;
    const recorded = String(await browser.run(shown));
    await browser.waitFor(`${shown} !== ${JSON.stringify(recorded)}`);
    const cardId = String(await browser.run(shown));
    await browser.run(`${inExample("form")}[0].requestSubmit()`);
    await browser.waitFor(`${inExample(".result pre")}.length > 0`);
    const [answer] = (await browser.run(`${inExample(".result pre")}.map((pre) => pre.textContent)`)) as string[];
    expect(JSON.parse(answer ?? "")).toMatchObject({ statusCode: 1000, isFrozen: false });
    const samples = (await browser.run(`${inExample(".samples pre")}.map((pre) => pre.textContent)`)) as string[];
    expect(samples).toHaveLength(4);
    for (const sample of samples) expect(sample).toContain(cardId);
  },
  60_000,
);
