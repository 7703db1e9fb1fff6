import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { nouns } from "@cardkeep/cli/nouns";
import { isCommand } from "@cardkeep/cli/parse";
import { listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import * as tables from "@cardkeep/db/schema/tables";
import { getTableName, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { type Service, startService } from "../support/service.ts";
import manifest from "../../package.json" with { type: "json" };

const readme = await Bun.file(new URL("../../README.md", import.meta.url)).text();

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

describe("the README", () => {
  test("shows a client example that runs", async () => {
    const [, example = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    const script = `${example.replace("http://localhost:3000", service.url)}\nconsole.log(nonce.length, terms.length);`;
    const child = Bun.spawn([process.execPath, "-e", script], {
      cwd: new URL("..", import.meta.url).pathname,
      stdout: "pipe",
    });
    expect(await new Response(child.stdout).text()).toBe("32 5\n");
  });

  test("names only commands that exist", () => {
    const named = [...readme.matchAll(/`bun (?:run )?([a-z:]+)`/g)].map((match) => match[1] ?? "");
    expect(named).toContain("start");
    expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });

  test("shows every verb of the operator's CLI, and no other", () => {
    const section = readme.slice(readme.indexOf("## Operating"), readme.indexOf("## How it is built"));
    const shown = [...section.matchAll(/^\| `bun run cardkeep ([^|]*) \|/gm)].map((match) =>
      (match[1] ?? "").replaceAll(/[`·]/g, " ").trim().split(/\s+/),
    );
    const there = Object.entries(nouns).map(([noun, entry]) => [
      noun,
      ...(isCommand(entry) ? [] : Object.keys(entry.verbs)),
    ]);
    expect(shown).toEqual(there);
  });

  test("calls only routes that exist", () => {
    const paths = new Set<string>(listRoutes(routes).map(({ route }) => route.path));
    const called = [...readme.matchAll(/\$API(\/[\w/-]+)/g)].map((match) => match[1] ?? "");
    expect(called.length).toBeGreaterThan(8);
    expect(called.filter((path) => !paths.has(path))).toEqual([]);
  });

  test("lists every table of the data model, and no other", () => {
    const section = readme.slice(readme.indexOf("### The data"), readme.indexOf("### Decisions"));
    const listed = [...section.matchAll(/^\| (`[^|]*) \|/gm)].flatMap((match) =>
      [...(match[1] ?? "").matchAll(/`(\w+)`/g)].map((name) => name[1]),
    );
    const ours = Object.values(tables).flatMap((table) =>
      is(table, PgTable) && getTableConfig(table).schema !== "sandbox" ? [getTableName(table)] : [],
    );
    expect(listed.sort()).toEqual(ours.sort());
  });
});
