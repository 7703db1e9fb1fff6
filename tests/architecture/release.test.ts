import { describe, expect, test } from "bun:test";
import { version } from "@cardkeep/contract/version";
import { Glob } from "bun";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { root } from "./sources.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const patches = Object.entries(manifest.patchedDependencies).map(([dependency, path]) => {
  const at = dependency.lastIndexOf("@");
  return { name: dependency.slice(0, at), patched: dependency.slice(at + 1), path };
});
const manifests = [...new Glob("{apps,packages}/*/package.json").scanSync(root), "package.json"];

describe("a patched dependency", () => {
  test.each(patches)("$name stays at the version of its patch", ({ name, patched }) => {
    const named = manifests.flatMap((path) => {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(read(path));
      return dependencies[name] ?? devDependencies[name] ?? [];
    });
    expect(named.length).toBeGreaterThan(0);
    // A newer version may need no patch: first run the tests that the patch names without it.
    expect(new Set([...named, JSON.parse(read(`node_modules/${name}/package.json`)).version])).toEqual(
      new Set([patched]),
    );
  });

  test.each(patches)("$name is installed with every line of its patch", ({ name, path }) => {
    const files = read(path)
      .split(/^diff --git /m)
      .slice(1);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const [, target = ""] = /^\+\+\+ b\/(.+)$/m.exec(file) ?? [];
      const installed = new Set(read(`node_modules/${name}/${target}`).split("\n"));
      const added = [...file.matchAll(/^\+(?!\+\+ )(.+)$/gm)].map(([, line = ""]) => line);
      expect([target, added.filter((line) => !installed.has(line))]).toEqual([target, []]);
    }
  });

  test.each(patches)("$name names its reason, date, report and the condition for its removal", ({ path }) => {
    const [header = ""] = read(path).split(/^diff --git /m);
    expect(header).toMatch(/^Upstream: https:\/\/github\.com\/\S+/m);
    expect(header).toMatch(/^Since: \d{4}-\d{2}-\d{2}\.$/m);
    expect(header).toMatch(/^Why: /m);
    expect(header).toMatch(/^Remove: with a version of /m);
    const tests = [...header.matchAll(/tests\/\S+\.test\.ts/g)].map(([test]) => test);
    expect(tests.length).toBeGreaterThan(0);
    for (const test of tests) expect([test, existsSync(join(root, test))]).toEqual([test, true]);
  });
});

describe("a release", () => {
  test("has one version, with an entry in the changelog", () => {
    expect(version).toBe(manifest.version);
    expect(/^## (.+)$/m.exec(read("CHANGELOG.md"))?.[1]).toBe(version);
    const stated = [...new Glob("{apps,packages}/*/src/**/*.ts").scanSync(root)].filter((path) =>
      read(path).includes(`"${version}"`),
    );
    expect(stated).toEqual([]);
  });

  test("has its licences, under the names in the manifests", () => {
    expect(manifest.license).toBe("AGPL-3.0-only");
    expect(read("LICENSE")).toStartWith("GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3,");
    expect(read("apps/local/contracts/LICENSE")).toStartWith("GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3,");
    const contracts = [...new Glob("apps/local/contracts/**/*.sol").scanSync(root)];
    expect(contracts.length).toBeGreaterThan(0);
    for (const path of contracts) expect(read(path)).toContain("SPDX-License-Identifier: LGPL-3.0");
  });

  test("is checked by workflows that run the commands of package.json", () => {
    expect(read(".github/workflows/ci.yml")).toContain("run: .ci/run");
    const commands = [...read(".github/workflows/nightly.yml").matchAll(/command: "([\w:]+)/g)].map(
      ([, name = ""]) => name,
    );
    expect(new Set(commands)).toEqual(
      new Set([
        "test:chaos",
        "test:lives",
        "test:simulate",
        "simulate",
        "test:fuzz",
        "test:forge",
        "test:mutants",
        "test:kit",
        "test",
        "bench",
      ]),
    );
    expect(commands.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });

  test("is repeated each night: the whole suite five times, the twenty slowest files fifty times beside a load", () => {
    const nightly = read(".github/workflows/nightly.yml");
    expect(nightly).toContain('command: "test --repeat 5"');
    const parts = [...nightly.matchAll(/"test --repeat 50 --busy 12 \$\(jq -r '(.+?)\[(\d+):(\d+)\]\[\]\.key' /g)];
    expect(new Set(parts.map(([, query]) => query))).toEqual(new Set([".files | to_entries | sort_by(-.value)"]));
    const places = parts.flatMap(([, , from, to]) =>
      Array.from({ length: Number(to) - Number(from) }, (_, at) => Number(from) + at),
    );
    expect(places).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });
});
