import { describe, expect, test } from "bun:test";
import { listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import * as tables from "@cardkeep/db/schema/tables";
import { getTableName, is, Table } from "drizzle-orm";
import manifest from "../../package.json" with { type: "json" };

const readme = await Bun.file(new URL("../../README.md", import.meta.url)).text();

describe("the README", () => {
  test("names only commands that exist", () => {
    const named = [...readme.matchAll(/`bun (?:run )?([a-z]+)`/g)].map((match) => match[1] ?? "");
    expect(named).toContain("start");
    expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });

  test("calls only routes that exist", () => {
    const paths = new Set<string>(listRoutes(routes).map(({ route }) => route.path));
    const called = [...readme.matchAll(/\$API(\/[\w/-]+)/g)].map((match) => match[1] ?? "");
    expect(called.length).toBeGreaterThan(8);
    expect(called.filter((path) => !paths.has(path))).toEqual([]);
  });

  test("lists every table of the data model, and no other", () => {
    const section = readme.slice(readme.indexOf("### The data"), readme.indexOf("### Decisions"));
    const listed = [...section.matchAll(/^\| (`[^|]*) \|/gm)].flatMap((match) => [...(match[1] ?? "").matchAll(/`(\w+)`/g)].map((name) => name[1]));
    const ours = Object.values(tables).flatMap((table) => (is(table, Table) ? [getTableName(table)] : []));
    const ofSandbox = ["messages", "kyc_applicants"];
    expect(listed.sort()).toEqual(ours.filter((name) => !ofSandbox.includes(name)).sort());
  });
});
