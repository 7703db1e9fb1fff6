import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  pathOfDecline,
  pathOfError,
  pathOfEvent,
  pathOfGuide,
  pathOfMachine,
  pathOfNoun,
  pathOfRoute,
} from "@cardkeep/contract/openapi/documents";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { type ErrorCode, errors } from "@cardkeep/contract/core/errorCatalogue";
import { events } from "@cardkeep/contract/partners/events";
import { eventExamples, examples } from "@cardkeep/contract/openapi/examples";
import { isOfSchema } from "@cardkeep/contract/core/routeErrors";
import { machines } from "@cardkeep/contract/machines";
import { listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { buildCall } from "@cardkeep/server/docs/buildCall";
import { buildSamples, type Language } from "@cardkeep/server/docs/samples/buildSamples";
import { fillPath } from "@cardkeep/server/docs/samples/call";
import { guides } from "@cardkeep/server/docs/guides/guides";
import { pages } from "@cardkeep/server/docs/pages";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, hasBrowser, startBrowser } from "../support/browser.ts";
import { filled } from "../support/filled.ts";

test("no route of card orders asks for one token: an order is paid in that of its currency", () => {
  const summaries = Object.values(routes.orders).map(({ summary }) => summary);
  expect(filled(summaries).filter((summary) => summary.includes("EURe"))).toEqual([]);
});

const nowhere = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", RPC_URL: "http://127.0.0.1:1" };

/** An address that no text of ours names. */
const publicUrl = "https://api.cards.example";

/** By path. */
const texts = new Map<string, string>();
const headers = new Map<string, Headers>();
const ask = (path: string): string => texts.get(path) ?? "";
beforeAll(async () => {
  const settings = readSettings({
    ...nowhere,
    LOG_LEVEL: "silent",
    PUBLIC_URL: publicUrl,
    ALLOW_DEVELOPMENT_KEYS: "true",
  });
  const runtime = await createRuntime(settings, "server");
  const server = createServer(runtime);
  for (const path of [
    ...pages.map((page) => page.path),
    "/llms.txt",
    "/openapi.json",
    "/docs/search.js",
    "/docs/search.json",
  ]) {
    const response = await server.handle(new Request(`http://localhost${path}`));
    expect([path, response.status]).toEqual([path, 200]);
    headers.set(path, response.headers);
    texts.set(path, await response.text());
  }
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

const sectionOf = (path: string, id: string): string => {
  const page = ask(path);
  const begin = page.indexOf(`<article class="entry" id="${id}"`);
  expect(begin).toBeGreaterThan(0);
  return textOf(page.slice(begin, page.indexOf("</article>", begin)));
};

const ids = new Map<string, Set<string>>();
/** The ids of a page, read once: a page is asked for each link that leads to it. */
function idsOf(path: string): Set<string> {
  const found = ids.get(path) ?? new Set([...ask(path).matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));
  ids.set(path, found);
  return found;
}

/** Bytes of the largest page, uncompressed. */
const pageBytesMax = 200_000;

describe.each(pages.map(({ path }) => path))("the page %s", (path) => {
  test("is served without database and node, and is smaller than 200 kB", () => {
    expect(headers.get(path)?.get("content-type")).toBe("text/html; charset=utf-8");
    expect(Buffer.byteLength(ask(path))).toBeLessThan(pageBytesMax);
  });

  test("loads nothing from outside: no foreign address, and a policy that would forbid it", () => {
    expect(
      [...ask(path).matchAll(/src="(https?:|\/\/)[^"]*"|<link[^>]* href="(?!data:)[^"]*"|url\((?!#)|@import/g)].map(
        ([text]) => text,
      ),
    ).toEqual([]);
    const policy = headers.get(path)?.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    for (const kind of ["style", "script"]) {
      const [, text = ""] = new RegExp(`<${kind}>([\\s\\S]*?)</${kind}>`).exec(ask(path)) ?? [];
      expect(text.length).toBeGreaterThan(100);
      expect(policy).toContain(`sha256-${createHash("sha256").update(text).digest("base64")}`);
    }
  });

  test("has one title, headings in order, and no address but the one of PUBLIC_URL", () => {
    const levels = [...ask(path).matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.filter((level, index) => index > 0 && level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
    expect(ask(path)).not.toContain("localhost:3000");
  });

  test("links only to what exists, each id once", () => {
    const targets = [...ask(path).matchAll(/href="(#[^"]+|\/docs[^"]*)"/g)].map(([, target = ""]) => target);
    const missing = targets.filter((target) => {
      const [page = "", id] = target.split("#");
      const known = page === "" ? path : page;
      return !texts.has(known) || (id !== undefined && !idsOf(known).has(id));
    });
    expect(missing).toEqual([]);
    const each = [...ask(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(each).toHaveLength(idsOf(path).size);
  });
});

describe("the reference", () => {
  test.each(all.map(({ name, noun, route }) => [name, noun, route] as const))(
    "shows the path, the answer, the errors and an example in four languages of %s",
    (name, noun, route) => {
      const text = sectionOf(pathOfNoun(noun), name);
      expect(text).toContain(`${route.method} /api/v1${route.path}`);
      expect(text).toContain(String(route.status ?? 200));
      const named = [...route.errors, ...(route.aliases ?? []).map((alias) => `/api/v1${alias}`)];
      expect(named.filter((each) => !text.includes(each))).toEqual([]);
      expect(text.includes("Deprecated.")).toBe(route.deprecated !== undefined);
      for (const language of ["curl ", "@cardkeep/client", "import requests", "package main"])
        expect(text).toContain(language);
    },
  );

  test("draws every state machine with all of its states", () => {
    for (const machine of machines) {
      const { name, states } = machine;
      const page = ask(pathOfMachine(machine).replace(/#.*/, ""));
      const begin = page.indexOf(`<title>${name}:`);
      const drawing = page.slice(begin, page.indexOf("</svg>", begin));
      for (const state of filled(Object.keys(states))) expect(drawing).toContain(`>${state}</text>`);
    }
  });

  test("draws the number of every move so that none covers another, and names the moves to a screen reader", () => {
    const drawings = ["/docs/machines", "/docs/operator-machines"].flatMap((path) =>
      [...ask(path).matchAll(/<svg [\s\S]*?<\/svg>/g)].map(([drawing]) => drawing),
    );
    expect(drawings).toHaveLength(machines.length);
    for (const [index, drawing] of filled(drawings.entries())) {
      const transitions = machines[index]?.transitions ?? [];
      const numbers = [
        ...drawing.matchAll(/<text[^>]* x="([-\d.]+)" y="([-\d.]+)" font-family="Helvetica[^>]*>(\d+)<\/text>/g),
      ].map(([, x, y, number]) => ({ x: Number(x), y: Number(y), number: Number(number) }));
      const drawn = transitions.flatMap(({ to }, move) => (to === "any" ? [] : move + 1));
      expect(numbers.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(drawn);
      const covered = numbers.flatMap((a, at) =>
        numbers.slice(at + 1).filter((b) => Math.abs(a.x - b.x) < badge.width && Math.abs(a.y - b.y) < badge.height),
      );
      expect(covered).toEqual([]);
      const [, description = ""] = /<desc>(.*)<\/desc>/.exec(drawing) ?? [];
      for (const [move, { from, to }] of filled(transitions.entries()))
        expect(description).toContain(`${move + 1}: ${from} to ${to}. `);
    }
  });

  test("shows an event as it was published", () => {
    for (const type of Object.keys(eventExamples))
      expect(sectionOf("/docs/events", `event-${type}`)).toContain(`"eventType": "${type}"`);
  });

  test("lists every event and every error, and the index every route, event, error and decline", () => {
    for (const type of Object.keys(events)) expect(idsOf("/docs/events")).toContain(`event-${type}`);
    for (const [code, { text }] of Object.entries(errors)) {
      expect(idsOf("/docs/errors")).toContain(`error-${code}`);
      expect(textOf(ask("/docs/errors"))).toContain(
        isOfSchema(code as ErrorCode) ? "Names the first invalid field" : text,
      );
    }
    const linked = new Set([...ask("/docs").matchAll(/href="([^"]+)"/g)].map(([, href]) => href));
    for (const { name, route } of filled(all)) {
      expect(linked).toContain(pathOfRoute(name));
      expect(textOf(ask("/docs"))).toContain(`${route.method} /api/v1${route.path}`);
    }
    for (const type of Object.keys(events)) expect(linked).toContain(pathOfEvent(type));
    for (const code of Object.keys(errors)) expect(linked).toContain(pathOfError(code as ErrorCode));
    for (const code of declineCatalogue.keys()) expect(linked).toContain(pathOfDecline(code));
    for (const machine of machines) expect(linked).toContain(pathOfMachine(machine));
  });

  test("shows examples on lines of their own, and fields of many routes once", () => {
    expect(sectionOf("/docs/accounts", "accounts.withdraw")).toContain('"status": "QUEUING",\n');
    expect(sectionOf("/docs/transactions", "transactions.listAll")).toContain(
      "The same fields as in transactions.list",
    );
  });

  test("names the values of a field that takes one of several", () => {
    const listBare = (path: string): string[] =>
      [
        ...ask(path).matchAll(
          /<code class="name">([^<]+)<\/code> <span class="type"\s*>([^<]+)<\/span\s*>(.*?)<\/li>/gs,
        ),
      ]
        .filter(([, , type = "", rest = ""]) => /one of/.test(type) && !/class="(values|variant|same)"/.test(rest))
        .map(([, name = ""]) => name);
    for (const { path } of pages) expect([path, listBare(path)]).toEqual([path, []]);
    expect(sectionOf("/docs/cards", "cards.list")).toMatch(/exclude_voided boolean or one of\s/);
  });

  test("and the other documents name no address but the one of PUBLIC_URL", () => {
    for (const path of ["/llms.txt", "/openapi.json"]) {
      expect(ask(path)).not.toContain("localhost:3000");
      expect(ask(path)).toContain(publicUrl);
    }
  });
});

describe("the samples", () => {
  const calls = Object.entries(examples).flatMap(([name, example]) => {
    const route = all.find((each) => each.name === name)?.route;
    return route ? [buildCall(name, route, example, publicUrl)] : [];
  });
  const listCode = (language: Language): string[] =>
    calls.flatMap((call) => buildSamples(call).flatMap((sample) => (sample.language === language ? sample.code : [])));
  /** Runs a program with the samples as JSON in its input. */
  const check = async (command: string[], codes: readonly string[]): Promise<string> => {
    const child = Bun.spawn(command, { stdin: new Blob([JSON.stringify(codes)]), stdout: "pipe", stderr: "pipe" });
    const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()];
    await child.exited;
    return (await Promise.all(texts)).join("");
  };

  test("of curl send the example's input, as a shell reads them", async () => {
    // The shell's words as JSON, in place of the request.
    const print = 'curl() { for word in "$@"; do printf \'%s\\0\' "$word"; done; }; TOKEN=t PARTNER_KEY=p; ';
    const sent = await check(["sh", "-c", `${print}\n${listCode("curl").join("\nprintf '\\1'\n")}`], []);
    const words = sent.split("\u0001").map((text) => text.split("\u0000"));
    expect(words).toHaveLength(calls.length);
    for (const [index, call] of filled(calls.entries())) {
      const [url, ...options] = words[index] ?? [];
      expect(url).toBe(publicUrl + fillPath(call));
      if (call.tokenName !== null)
        expect(options).toContain(`Authorization: Bearer ${call.tokenName === "TOKEN" ? "t" : "p"}`);
      const data = options[options.indexOf("--data") + 1] ?? "";
      if (call.body !== undefined) expect(JSON.parse(data)).toEqual(call.body);
    }
  });

  test.if(Bun.which("python3") !== null)("of Python compile", async () => {
    const program = "import json,sys\nfor code in json.load(sys.stdin): compile(code, 'sample', 'exec')";
    expect(await check(["python3", "-c", program], listCode("python"))).toBe("");
  });

  test.if(Bun.which("gofmt") !== null)("of Go compile as far as their syntax", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cardkeep-samples-"));
    await Promise.all(listCode("go").map((code, index) => Bun.write(join(folder, `${index}.go`), `${code}\n`)));
    expect(await check(["gofmt", "-l", folder], [])).toBe("");
    await rm(folder, { recursive: true });
  });
});

describe.if(hasBrowser)("the pages in a browser", () => {
  let browser: Browser;
  let web: ReturnType<typeof Bun.serve>;
  beforeAll(async () => {
    web = Bun.serve({
      port: 0,
      fetch: ({ url }) => {
        const { pathname } = new URL(url);
        return new Response(ask(pathname), { headers: Object.fromEntries(headers.get(pathname) ?? []) });
      },
    });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await web.stop(true);
  });
  const open = async (path: string) => {
    await browser.open(`${web.url.origin}${path}`);
    await browser.waitFor(`document.readyState === "complete" && document.documentElement.classList.contains("js")`);
  };
  const textsOf = (selector: string) =>
    browser.run(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ textContent }) => textContent)`);

  test("fit a phone, with every drawing", async () => {
    await browser.emulate({ width: 390, height: 844, scheme: "dark" });
    const overflows: unknown[] = [];
    for (const path of ["/docs", "/docs/cards", "/docs/errors", "/docs/machines", "/docs/operator-machines"]) {
      await open(path);
      expect([path, await browser.run("document.documentElement.scrollWidth")]).toEqual([path, 390]);
      const figures = `[...document.querySelectorAll(".machine figure")]`;
      overflows.push(await browser.run(`${figures}.map((figure) => figure.scrollWidth - figure.clientWidth)`));
    }
    expect(overflows.flat()).toEqual(machines.map(() => 0));
  });

  test("take old addresses to the page that now has their thing", async () => {
    for (const [old, place] of [
      ["#cards.list", "/docs/cards#cards.list"],
      ["#error-cards.not_found", "/docs/errors#error-cards.not_found"],
      ["#event-card.status.changed", "/docs/events#event-card.status.changed"],
      ["#noun-cards", "/docs/cards"],
    ]) {
      await browser.open("about:blank");
      await browser.open(`${web.url.origin}/docs${old}`);
      await browser.waitFor(`location.pathname + location.hash === ${JSON.stringify(place)}`);
    }
  });

  test("find a field, an error and a route by parts of their names, without a request before the first search", async () => {
    await browser.emulate({ width: 390, height: 844, scheme: "light" });
    await open("/docs");
    const countRequests = () =>
      browser.run(
        `performance.getEntriesByType("resource").filter(({ name }) => name.includes("/docs/search")).length`,
      );
    expect(await countRequests()).toBe(0);
    await browser.run(`document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }))`);
    await browser.waitFor(`document.querySelector("dialog.search")?.open === true`);
    for (const [text, href] of [
      ["not found cards", "/docs/errors#error-cards.not_found"],
      ["embossed", "/docs/orders#orders.create-answer"],
      ["freez card", "/docs/cards#cards.freeze"],
      ["quick start", "/docs/guides/quick-start"],
      ["card.dispute.upd", "/docs/events#event-card.dispute.updated"],
    ] as const) {
      await browser.run(`{
        const input = document.querySelector("dialog.search input");
        input.value = ${JSON.stringify(text)};
        input.dispatchEvent(new Event("input"));
      }`);
      await browser.waitFor(`document.querySelector('dialog.search a[href="${href}"]') !== null`);
    }
    await browser.click('dialog.search a[href^="/docs/events#"]');
    await browser.waitFor(`location.pathname + location.hash === "/docs/events#event-card.dispute.updated"`);
  });

  test("show one language of a sample, which keys change and all pages remember", async () => {
    await open("/docs/cards");
    expect(await textsOf("#cards\\.status [role=tab][aria-selected=true]")).toEqual(["curl"]);
    await browser.run(`{
      const tab = document.querySelector("[role=tab][aria-selected=true]");
      tab.focus();
      tab.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    }`);
    expect(await textsOf("#cards\\.status [role=tab][aria-selected=true]")).toEqual(["TypeScript"]);
    await open("/docs/orders");
    const shown = await textsOf("#orders\\.get .samples .panel:not([hidden]) pre");
    expect(shown).toEqual([expect.stringContaining("cardkeep.orders.get.query({")]);
  });
});

describe("llms.txt", () => {
  test("and the client's page say how each family of amounts is written, and where the body of an error is", async () => {
    const client = await Bun.file(new URL("../../packages/client/README.md", import.meta.url)).text();
    for (const text of [ask("/llms.txt"), client])
      for (const words of ["base units", "minor units", "whole tokens", "decimal texts"])
        expect(text.replaceAll(/\s+/g, " ")).toContain(words);
    for (const body of [`{"error"}`, `{"message"}`, `{"errors"}`, `{"data"}`, "bare text"])
      expect(ask("/llms.txt")).toContain(body);
  });

  test("is a title, a summary and sections of links, as llmstxt.org defines", () => {
    const [title, summary, ...sections] = ask("/llms.txt").split(/\n\n(?=## |> )/);
    expect(title).toBe("# Cardkeep API");
    expect(summary).toMatch(/^> \S/);
    expect(sections.length).toBeGreaterThan(5);
    for (const section of sections)
      expect(section.trimEnd()).toMatch(/^## .+\n(\n- \[[^\]]+\]\([^)\s]+\): .+)(\n- .+)*$/);
  });

  test("has a line for every route, event, machine, decline, error and guide, each linked to its place", () => {
    const links = [...ask("/llms.txt").matchAll(/^- \[([^\]]+)\]\(([^)]+)\): /gm)].map(([, name = "", href = ""]) => [
      name,
      href.replace(publicUrl, ""),
    ]);
    const missing = links.filter(([, href = ""]) => {
      const [path = "", id] = href.split("#");
      return !texts.has(path) || (id !== undefined && !idsOf(path).has(id));
    });
    expect(missing).toEqual([]);
    for (const { name, route } of filled(all))
      expect(links).toContainEqual([`${route.method} /api/v1${route.path}`, pathOfRoute(name)]);
    for (const type of Object.keys(events)) expect(links).toContainEqual([type, pathOfEvent(type)]);
    for (const code of Object.keys(errors)) expect(links).toContainEqual([code, pathOfError(code as ErrorCode)]);
    for (const code of declineCatalogue.keys()) expect(links).toContainEqual([code, pathOfDecline(code)]);
    for (const machine of machines) expect(links).toContainEqual([machine.name, pathOfMachine(machine)]);
    for (const { slug, title } of guides) expect(links).toContainEqual([title, pathOfGuide(slug)]);
  });
});
