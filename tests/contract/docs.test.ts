import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { declineCatalogue } from "@cardkeep/contract/declineWords";
import { type ErrorCode, errors } from "@cardkeep/contract/errorCatalogue";
import { events } from "@cardkeep/contract/events";
import { eventExamples } from "@cardkeep/contract/examples";
import { isOfSchema } from "@cardkeep/contract/routeErrors";
import { machines } from "@cardkeep/contract/machines";
import { listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { createHash } from "node:crypto";
import { type Browser, hasBrowser, startBrowser } from "../support/browser.ts";

const nowhere = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", RPC_URL: "http://127.0.0.1:1" };

let response: Response;
let page: string;
let llms: string;
beforeAll(async () => {
  const runtime = await createRuntime(readSettings({ ...nowhere, LOG_LEVEL: "silent" }), "server");
  const server = createServer(runtime);
  const ask = (path: string) => server.handle(new Request(`http://localhost${path}`));
  response = await ask("/docs");
  page = await response.text();
  llms = await (await ask("/llms.txt")).text();
  await runtime.close();
});

const all = listRoutes(routes);

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
/** Pixels of the box around the number of a move. */
const badge = { width: 19, height: 17 };

const sectionOf = (id: string): string => {
  const begin = page.indexOf(`<article class="entry" id="${id}"`);
  expect(begin).toBeGreaterThan(0);
  return textOf(page.slice(begin, page.indexOf("</article>", begin)));
};

describe("the reference page", () => {
  test("is served without database and node", () => {
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  });

  test("loads nothing from outside: no foreign address, and a policy that would forbid it", () => {
    expect(
      [...page.matchAll(/(?:src|href)="(https?:|\/\/)[^"]*"|url\((?!#)|@import/g)].map((match) => match[0]),
    ).toEqual([]);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    for (const kind of ["style", "script"]) {
      const [, text = ""] = new RegExp(`<${kind}>([\\s\\S]*?)</${kind}>`).exec(page) ?? [];
      expect(text.length).toBeGreaterThan(100);
      expect(policy).toContain(`sha256-${createHash("sha256").update(text).digest("base64")}`);
    }
  });

  test.each(all.map(({ name, route }) => [name, route] as const))(
    "shows the path, the answer, the errors and an example of %s",
    (name, route) => {
      const text = sectionOf(name);
      expect(text).toContain(`${route.method} /api/v1${route.path}`);
      expect(text).toContain(String(route.status ?? 200));
      for (const code of route.errors) expect(text).toContain(code);
      for (const alias of route.aliases ?? []) expect(text).toContain(`/api/v1${alias}`);
      expect(text.includes("Deprecated.")).toBe(route.deprecated !== undefined);
      expect(text).toContain("Request");
    },
  );

  test("draws every state machine with all of its states", () => {
    for (const { name, states } of machines) {
      const begin = page.indexOf(`<title>${name}:`);
      const drawing = page.slice(begin, page.indexOf("</svg>", begin));
      for (const state of Object.keys(states)) expect(drawing).toContain(`>${state}</text>`);
    }
  });

  test("draws the number of every move so that none covers another, and names the moves to a screen reader", () => {
    const drawings = [...page.matchAll(/<svg [\s\S]*?<\/svg>/g)].map(([drawing]) => drawing);
    expect(drawings).toHaveLength(machines.length);
    for (const [index, drawing] of drawings.entries()) {
      const transitions = machines[index]?.transitions ?? [];
      const numbers = [
        ...drawing.matchAll(/<text[^>]* x="([-\d.]+)" y="([-\d.]+)" font-family="Helvetica[^>]*>(\d+)<\/text>/g),
      ].map(([, x, y, number]) => ({ x: Number(x), y: Number(y), number: Number(number) }));
      const drawn = transitions.flatMap(({ to }, move) => (to === "any" ? [] : move + 1));
      expect(numbers.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(drawn);
      for (const [at, a] of numbers.entries()) {
        for (const b of numbers.slice(at + 1))
          expect(Math.abs(a.x - b.x) >= badge.width || Math.abs(a.y - b.y) >= badge.height).toBe(true);
      }
      const [, description = ""] = /<desc>(.*)<\/desc>/.exec(drawing) ?? [];
      for (const [move, { from, to }] of transitions.entries())
        expect(description).toContain(`${move + 1}: ${from} to ${to}. `);
    }
  });

  test("shows an event as it was published", () => {
    for (const type of Object.keys(eventExamples))
      expect(sectionOf(`event-${type}`)).toContain(`"eventType": "${type}"`);
  });

  test("lists every event and every error", () => {
    for (const type of Object.keys(events)) expect(page).toContain(`id="event-${type}"`);
    for (const [code, { text }] of Object.entries(errors)) {
      expect(page).toContain(`id="error-${code}"`);
      expect(textOf(page)).toContain(isOfSchema(code as ErrorCode) ? "Names the first invalid field" : text);
    }
  });

  test("links only to what is on it, and shows examples on lines of their own", () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(targets.filter((target) => !ids.has(target))).toEqual([]);
    expect(sectionOf("accounts.withdraw")).toContain('"status": "QUEUING",\n');
  });
});

describe.if(hasBrowser)("the reference page in a browser", () => {
  let browser: Browser;
  let web: ReturnType<typeof Bun.serve>;
  beforeAll(async () => {
    const headers = Object.fromEntries(response.headers);
    web = Bun.serve({ port: 0, fetch: () => new Response(page, { headers }) });
    browser = await startBrowser();
    await browser.emulate({ width: 390, height: 844, scheme: "dark" });
    await browser.open(web.url.href);
    await browser.waitFor(`document.readyState === "complete"`);
  });
  afterAll(async () => {
    await browser.close();
    await web.stop(true);
  });

  const countShown = (selector: string) => browser.run(`document.querySelectorAll("${selector}:not([hidden])").length`);
  const filter = (text: string) =>
    browser.run(`{
      const input = document.querySelector("#filter");
      input.value = ${JSON.stringify(text)};
      input.dispatchEvent(new Event("input"));
    }`);

  test("fits a phone, with every drawing", async () => {
    expect(await browser.run("document.documentElement.scrollWidth")).toBe(390);
    const widths = await browser.run(
      `[...document.querySelectorAll(".machine figure")].map((figure) => figure.scrollWidth - figure.clientWidth)`,
    );
    expect(widths).toEqual(machines.map(() => 0));
  });

  test("shows the filter's results, with their places in the contents, and everything again without a filter", async () => {
    const entries = await countShown(".entry");
    const [titles, links] = [await countShown("nav p"), await countShown("nav li")];
    await filter("createVirtual");
    const found = await browser.run(`[...document.querySelectorAll("article:not([hidden])")].map(({ id }) => id)`);
    expect(found).toContain("cards.createVirtual");
    expect(found).not.toContain("auth.nonce");
    expect(Number(await countShown("nav li"))).toBeLessThan(Number(links));
    expect(Number(await countShown("nav p"))).toBeLessThan(Number(titles));
    await filter("no entry has this text");
    expect([await countShown(".entry"), await countShown("#nothing")]).toEqual([0, 1]);
    await filter("");
    expect([await countShown(".entry"), await countShown("nav li"), await countShown("#nothing")]).toEqual([
      entries,
      links,
      0,
    ]);
  });
});

describe("llms.txt", () => {
  test("is a title, a summary and sections of links, as llmstxt.org defines", () => {
    const [title, summary, ...sections] = llms.split(/\n\n(?=## |> )/);
    expect(title).toBe("# Cardkeep API");
    expect(summary).toMatch(/^> \S/);
    expect(sections.length).toBeGreaterThan(5);
    for (const section of sections)
      expect(section.trimEnd()).toMatch(/^## .+\n(\n- \[[^\]]+\]\([^)\s]+\): .+)(\n- .+)*$/);
  });

  test("has a line for every route, event, machine, decline and error, each linked to its place on the reference page", () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    const links = [...llms.matchAll(/^- \[([^\]]+)\]\([^)]*\/docs#([^)]+)\): /gm)].map(([, name, id]) => [name, id]);
    expect(links.filter(([, id]) => !ids.has(id))).toEqual([]);
    const rows = [machines, Object.keys(events), Object.keys(errors), [...declineCatalogue.keys()]];
    expect(links).toHaveLength(all.length + rows.reduce((sum, { length }) => sum + length, 0));
    for (const code of declineCatalogue.keys()) expect(links).toContainEqual([code, `decline-${code}`]);
    for (const { name, route } of all) expect(links).toContainEqual([`${route.method} /api/v1${route.path}`, name]);
    for (const type of Object.keys(events)) expect(links).toContainEqual([type, `event-${type}`]);
    for (const code of Object.keys(errors)) expect(links).toContainEqual([code, `error-${code}`]);
  });
});
