import { beforeAll, describe, expect, test } from "bun:test";
import { type ErrorCode, errors } from "@cardkeep/contract/errors";
import { events } from "@cardkeep/contract/events";
import { eventExamples } from "@cardkeep/contract/examples";
import { isOfSchema } from "@cardkeep/contract/faults";
import { machines } from "@cardkeep/contract/machines";
import { listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { createHash } from "node:crypto";

const nowhere = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", RPC_URL: "http://127.0.0.1:1" };

let response: Response;
let page: string;
beforeAll(async () => {
  const runtime = await createRuntime(readSettings({ ...nowhere, LOG_LEVEL: "silent" }), "server");
  response = await createServer(runtime).handle(new Request("http://localhost/docs"));
  page = await response.text();
  await runtime.close();
});

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

  test.each(listRoutes(routes).map(({ name, route }) => [name, route] as const))(
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
      expect(badges.length).toBeGreaterThan(3);
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
