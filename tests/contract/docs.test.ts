import { beforeAll, describe, expect, test } from "bun:test";
import { type ErrorCode, errors } from "@cardkeep/contract/errors";
import { events } from "@cardkeep/contract/events";
import { eventExamples, examples } from "@cardkeep/contract/examples";
import { isOfSchema } from "@cardkeep/contract/faults";
import { machines } from "@cardkeep/contract/machines";
import { listPathParameters, listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { PostmanValidator } from "@har-sdk/validator";
import { createHash } from "node:crypto";

const nowhere = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", RPC_URL: "http://127.0.0.1:1" };

let response: Response;
let page: string;
let collection: Collection;
let llms: string;
beforeAll(async () => {
  const runtime = await createRuntime(readSettings({ ...nowhere, LOG_LEVEL: "silent" }), "server");
  const server = createServer(runtime);
  const ask = (path: string) => server.handle(new Request(`http://localhost${path}`));
  response = await ask("/docs");
  page = await response.text();
  collection = await (await ask("/collection.json")).json();
  llms = await (await ask("/llms.txt")).text();
  await runtime.close();
});

const all = listRoutes(routes);

interface CollectionRequest {
  name: string;
  event?: object[];
  request: {
    method: string;
    auth?: { type: string };
    url: { raw: string; path: string[]; variable?: { key: string; value: string }[] };
    body?: { raw: string };
  };
}

interface Collection {
  variable: { key: string; value: string }[];
  item: { name: string; item: CollectionRequest[] }[];
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
const sectionOf = (id: string): string => {
  const begin = page.indexOf(`<article class="entry" id="${id}"`);
  expect(begin).toBeGreaterThan(0);
  return textOf(page.slice(begin, page.indexOf("</article>", begin)));
};

describe("the reference page", () => {
  test("is answered without database and node", () => {
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  });

  test("asks nobody for anything: no address of another place, and a policy that would forbid it", () => {
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
    "tells of %s its path, its answer, its faults and an example",
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

  test("draws the numbers of a machine's moves so that none covers another", () => {
    const drawings = [...page.matchAll(/<svg viewBox[\s\S]*?<\/svg>/g)].map(([drawing]) => drawing);
    expect(drawings).toHaveLength(machines.length);
    for (const drawing of drawings) {
      const badges = [...drawing.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="(9)"/g)].map(([, x, y, r]) => ({
        x: Number(x),
        y: Number(y),
        r: Number(r),
      }));
      expect(badges.length).toBeGreaterThan(1);
      for (const [index, a] of badges.entries()) {
        for (const b of badges.slice(index + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(a.r + b.r);
      }
    }
  });

  test("shows of an event what was published", () => {
    for (const type of Object.keys(eventExamples))
      expect(sectionOf(`event-${type}`)).toContain(`"eventType": "${type}"`);
  });

  test("catalogues every event and every fault", () => {
    for (const type of Object.keys(events)) expect(page).toContain(`id="event-${type}"`);
    for (const [code, { text }] of Object.entries(errors)) {
      expect(page).toContain(`id="error-${code}"`);
      expect(textOf(page)).toContain(isOfSchema(code as ErrorCode) ? "Names the first field at fault" : text);
    }
  });

  test("links only to what is on it, and shows examples on lines of their own", () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(targets.filter((target) => !ids.has(target))).toEqual([]);
    expect(sectionOf("accounts.withdraw")).toContain('"status": "QUEUING",\n');
  });
});

describe("the collection", () => {
  const listRequests = () => collection.item.flatMap(({ item }) => item);

  test("is of Postman's published schema 2.1", async () => {
    const validator = new PostmanValidator();
    // oxlint-disable-next-line typescript/no-explicit-any -- what is looked at may be anything
    expect(await validator.verify(collection as any)).toEqual([]);
    // oxlint-disable-next-line typescript/no-explicit-any -- what is looked at may be anything
    const broken = { ...collection, item: [{ request: { method: 1 } }] } as any;
    expect(await validator.verify(broken)).not.toEqual([]);
  });

  test("has every route of the table once and no other, sign-in first", () => {
    expect(
      listRequests().map(({ name, request: { method, url } }) => [name, method, `/${url.path.join("/")}`]),
    ).toEqual(
      all.map(({ name, route }) => [name, route.method, `/api/v1${route.path.replaceAll(/\{(\w+)\}/g, ":$1")}`]),
    );
    expect(listRequests()[0]?.name).toBe("auth.nonce");
  });

  test("sends what the examples sent, with the token that sign-in left, and gives every path parameter a value", () => {
    expect(collection.variable.map(({ key }) => key)).toEqual(["baseUrl", "token", "partnerKey"]);
    expect(listRequests().flatMap(({ name, event }) => (event ? name : []))).toEqual(["auth.challenge", "auth.signUp"]);
    for (const [index, { name, request }] of listRequests().entries()) {
      const route = all[index]?.route;
      const sent = examples[name]?.input;
      const expected = { public: "noauth", partner: "bearer", user: undefined, wallet: undefined };
      expect(request.auth?.type).toBe(expected[route?.access ?? "public"]);
      expect(request.url.raw).toStartWith("{{baseUrl}}/api/v1/");
      const values = request.url.variable ?? [];
      expect(values.map(({ key }) => key)).toEqual(listPathParameters(route?.path ?? ""));
      expect(values.every(({ value }) => value !== "")).toBe(true);
      const inPath = new Set(values.map(({ key }) => key));
      const rest = Array.isArray(sent)
        ? sent
        : Object.fromEntries(Object.entries(sent ?? {}).filter(([key]) => !inPath.has(key)));
      if (request.body) expect(JSON.parse(request.body.raw)).toEqual(rest);
      else if (route?.method !== "GET") expect([name, rest]).toEqual([name, {}]);
    }
  });
});

describe("llms.txt", () => {
  test("is a title, a summary and sections of links, as llmstxt.org has it", () => {
    const [title, summary, ...sections] = llms.split(/\n\n(?=## |> )/);
    expect(title).toBe("# Cardkeep API");
    expect(summary).toMatch(/^> \S/);
    expect(sections.length).toBeGreaterThan(5);
    for (const section of sections)
      expect(section.trimEnd()).toMatch(/^## .+\n(\n- \[[^\]]+\]\([^)\s]+\): .+)(\n- .+)*$/);
  });

  test("has a line for every route, event, machine and fault, each linked to its place on the reference page", () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    const links = [...llms.matchAll(/^- \[([^\]]+)\]\([^)]*\/docs#([^)]+)\): /gm)].map(([, name, id]) => [name, id]);
    expect(links.filter(([, id]) => !ids.has(id))).toEqual([]);
    expect(links).toHaveLength(all.length + machines.length + Object.keys(events).length + Object.keys(errors).length);
    for (const { name, route } of all) expect(links).toContainEqual([`${route.method} /api/v1${route.path}`, name]);
    for (const type of Object.keys(events)) expect(links).toContainEqual([type, `event-${type}`]);
    for (const code of Object.keys(errors)) expect(links).toContainEqual([code, `error-${code}`]);
  });
});
