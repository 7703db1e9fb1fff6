import { Glob } from "bun";
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  findCircles,
  findEnvironmentReaders,
  findFolderCircles,
  findOwnTransactions,
  findQueueTableUsers,
  findReservedImports,
  findNounCircles,
  findSilentCatches,
  findSubjectFaults,
  findUndeclaredImports,
  findUpwardImports,
  findWholeInserts,
  type Manifests,
} from "./rules.ts";
import { listSources, root } from "./sources.ts";

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const manifests: Manifests = new Map(
  [...new Glob("{apps,packages}/*/package.json").scanSync({ cwd: root })].map((path) => {
    const { name, ...manifest } = JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
    const named = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    return [dirname(path), { name, dependencies: new Set(Object.keys(named)) }];
  }),
);
const sources = listSources();

test("the top level holds nothing but what the README shows and the files that tools read there", () => {
  const files = new TextDecoder().decode(Bun.spawnSync(["git", "ls-files"], { cwd: root }).stdout).split("\n");
  const visible = new Set(
    files.map((path) => path.split("/", 1).join("")).filter((name) => name && !name.startsWith(".")),
  );
  const known =
    "CHANGELOG.md Dockerfile LICENSE README.md apps bun.lock bunfig.toml compose.yaml drizzle package.json packages tests tsconfig.json";
  expect([...visible].toSorted()).toEqual(known.split(" "));
});

describe("the source", () => {
  test("is complete", () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(manifests.size).toBeGreaterThanOrEqual(10);
  });

  test("imports strictly downwards", () => expect(findUpwardImports(sources, manifests)).toEqual([]));

  test("imports what its package.json names", () => expect(findUndeclaredImports(sources, manifests)).toEqual([]));

  test("imports reserved modules only in their reserved places", () =>
    expect(findReservedImports(sources)).toEqual([]));

  test("reads the environment in the runtime alone", () => expect(findEnvironmentReaders(sources)).toEqual([]));

  test("names the queue's own tables in one folder", () => expect(findQueueTableUsers(sources)).toEqual([]));

  test("begins the domain's transactions in the context alone", () => expect(findOwnTransactions(sources)).toEqual([]));

  test("inserts lists of any length in parts", () => expect(findWholeInserts(sources)).toEqual([]));

  test("drops no failure without a log line or a reason", () => expect(findSilentCatches(sources)).toEqual([]));

  test("has no circles of files", () => expect(findCircles(sources, manifests)).toEqual([]));

  test("has no circles of folders", () => expect(findFolderCircles(sources, manifests)).toEqual([]));

  test("has each file of the domain in a subject, which imports no later one", () =>
    expect(findSubjectFaults(sources, manifests)).toEqual([]));

  test("has no circles of nouns within the domain", () => expect(findNounCircles(sources, manifests)).toEqual([]));
});

describe("a planted fault is found:", () => {
  const plant = (path: string, text: string) => [{ path, text }];

  test("an upward import", () => {
    expect(
      findUpwardImports(
        plant("packages/db/src/a.ts", 'import type { Clock } from "@cardkeep/domain/clock";'),
        manifests,
      ),
    ).toHaveLength(1);
  });

  test("an import between apps", () => {
    expect(
      findUpwardImports(plant("apps/server/src/a.ts", 'import { seed } from "@cardkeep/sandbox/seed";'), manifests),
    ).toHaveLength(1);
  });

  test("an import between packages of one floor, spread over lines", () => {
    expect(
      findUpwardImports(
        plant("packages/db/src/a.ts", 'import {\n  tokens,\n} from "@cardkeep/chain/tokens";'),
        manifests,
      ),
    ).toHaveLength(1);
  });

  test("another package's file by path", () => {
    expect(
      findUpwardImports(plant("packages/domain/src/a.ts", 'import { a } from "../../db/src/client.ts";'), manifests),
    ).toHaveLength(1);
  });

  test("a package without a floor", () => {
    expect(
      findUpwardImports(
        [],
        new Map([["packages/utils", { name: "@cardkeep/utils", dependencies: new Set<string>() }]]),
      ),
    ).toHaveLength(1);
  });

  test("a module that is not declared", () => {
    expect(
      findUndeclaredImports(plant("packages/domain/src/a.ts", 'export { sql } from "postgres";'), manifests),
    ).toHaveLength(1);
  });

  test("a reserved module, also when imported dynamically", () => {
    expect(findReservedImports(plant("packages/domain/src/a.ts", 'import { http } from "viem";'))).toHaveLength(1);
    expect(
      findReservedImports(plant("apps/server/src/a.ts", 'const { importJWK } = await import("jose");')),
    ).toHaveLength(1);
    expect(
      findReservedImports(plant("packages/contract/src/a.ts", 'import { getAddress, http } from "viem";')),
    ).toHaveLength(1);
    expect(findReservedImports(plant("packages/contract/src/a.ts", 'import { getAddress } from "viem";'))).toEqual([]);
  });

  test("a file that reads the environment", () => {
    expect(
      findEnvironmentReaders(plant("packages/domain/src/a.ts", 'export const level = process.env["LEVEL"];')),
    ).toHaveLength(1);
  });

  test("a file elsewhere that names a table of the queue", () => {
    const text = "const count = sql`select count(*) from graphile_worker._private_jobs`;";
    expect(findQueueTableUsers(plant("packages/db/src/queries/a.ts", text))).toHaveLength(1);
    expect(findQueueTableUsers(plant("packages/db/src/queue/a.ts", text))).toEqual([]);
  });

  test("a verb's own transaction", () => {
    const text = "return db.transaction(async (tx) => updateUser(tx, id, { status }));";
    expect(findOwnTransactions(plant("packages/domain/src/users/a.ts", text))).toHaveLength(1);
    expect(findOwnTransactions(plant("packages/domain/src/core/context.ts", text))).toEqual([]);
  });

  test("a query that inserts a list of any length at once", () => {
    const text = "await tx.insert(movements).values([...rows]).onConflictDoNothing();";
    expect(findWholeInserts(plant("packages/db/src/queries/a.ts", text))).toHaveLength(1);
    expect(findWholeInserts(plant("packages/db/src/queries/a.ts", text.replace("[...rows]", "part")))).toEqual([]);
  });

  test("a failure that is dropped silently; one with a reason is not", () => {
    const dropped = ["() => {}", "(error: unknown) => {\n}", "async () => {}", "() => undefined", "_ => void 0"];
    for (const handler of dropped)
      expect(findSilentCatches(plant("packages/db/src/a.ts", `\nread().catch(${handler});`))).toEqual([
        "packages/db/src/a.ts:2: drops a failure without a reason",
      ]);
    const reasoned = ["() => {\n// The caller reads again.\n}", "() => null", "(error) => log.warn({ err: error })"];
    for (const handler of reasoned)
      expect(findSilentCatches(plant("packages/db/src/a.ts", `read().catch(${handler});`))).toEqual([]);
  });

  test("a circle of files", () => {
    const circle = [
      { path: "packages/db/src/a.ts", text: 'import { b } from "./b.ts";' },
      { path: "packages/db/src/b.ts", text: 'import { a } from "@cardkeep/db/a";' },
    ];
    expect(findCircles(circle, manifests)).toEqual([
      "packages/db/src/a.ts -> packages/db/src/b.ts -> packages/db/src/a.ts",
    ]);
  });

  test("a file of no subject, and an import of a later one", () => {
    const planted = [
      { path: "packages/domain/src/loose.ts", text: "" },
      { path: "packages/domain/src/core/a.ts", text: 'import type { B } from "../cards/cards/b.ts";' },
      { path: "packages/domain/src/cards/cards/b.ts", text: 'import type { A } from "../../core/a.ts";' },
    ];
    expect(findSubjectFaults(planted, manifests)).toEqual([
      "packages/domain/src/loose.ts: is in no subject",
      "packages/domain/src/core/a.ts: imports ../cards/cards/b.ts of a later subject",
    ]);
  });

  test("a circle of nouns of one subject", () => {
    const circle = [
      { path: "packages/domain/src/cards/cards/a.ts", text: 'import type { B } from "../orders/b.ts";' },
      { path: "packages/domain/src/cards/orders/b.ts", text: 'import type { A } from "../cards/a.ts";' },
    ];
    expect(findFolderCircles(circle, manifests)).toEqual([]);
    expect(findNounCircles(circle, manifests)).toHaveLength(1);
  });

  test("a circle of folders, by types alone, without a circle of files", () => {
    const circle = [
      { path: "packages/domain/src/safes/a.ts", text: 'import type { B } from "../delays/b.ts";' },
      { path: "packages/domain/src/delays/c.ts", text: 'import type { D } from "../safes/d.ts";' },
    ];
    expect(findCircles(circle, manifests)).toEqual([]);
    expect(findFolderCircles(circle, manifests)).toEqual([
      "packages/domain/src/safes -> packages/domain/src/delays -> packages/domain/src/safes",
    ]);
  });
});
