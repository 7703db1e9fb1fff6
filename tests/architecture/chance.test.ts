import { describe, expect, test } from "bun:test";
import { Glob } from "bun";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listSources, root, type Source } from "./sources.ts";

/**
 * Sources of time and chance that a simulation cannot hold: see `tests/simulate/README.md`. It holds the global dates, timers,
 * `crypto` and `Math.random`, named imports of `node:crypto` and `node:timers/promises`, and Postgres' `now()`,
 * `clock_timestamp()`, `random()` and `gen_random_uuid()`.
 */
const refused: readonly [name: string, pattern: RegExp][] = [
  ["a whole module of random numbers", /(?:import (?:\* as )?\w+ from|import\()\s*"(?:node:)?crypto"/],
  ["a module by its old name", /from "(?:crypto|timers(?:\/promises)?)"/],
  ["timers past the global ones", /from "node:timers"/],
  ["a clock of the engine", /\b(?:hrtime|Bun\.nanoseconds|timeOrigin)\b/],
  ["threads", /from "node:worker_threads"/],
  ["keys by native chance", /\bgenerateKeyPair(?:Sync)?\b/],
  ["chance that no seam gives", /\b(?:randomFill|randomFillSync|generatePrime|generatePrimeSync|webcrypto)\b/],
  [
    "another clock of Postgres",
    /\b(?:current_timestamp|current_time|localtime|localtimestamp)\b|\b(?:transaction_timestamp|statement_timestamp|timeofday|pg_sleep|uuidv7|uuidv4)\(/,
  ],
];

/** Uses that exist, by file. This list may only get shorter. */
const known: Readonly<Record<string, string>> = {
  "apps/sandbox/src/identity/keys.ts": "keys by native chance",
};

/** What a simulated installation runs. */
const isPlayed = (path: string): boolean =>
  /^(?:packages\/(?:db|domain|chain|providers|runtime|contract|client|html)|apps\/(?:server|worker|sandbox))\//.test(
    path,
  ) && !path.includes("/browser");

const listStatements = (): Source[] =>
  [...new Glob("{drizzle,apps/sandbox/drizzle}/*.sql").scanSync({ cwd: root })].map((path) => ({
    path,
    text: readFileSync(join(root, path), "utf8"),
  }));

const findRefused = (sources: readonly Source[]): string[] =>
  sources.flatMap(({ path, text }) =>
    refused.filter(([name, pattern]) => pattern.test(text) && known[path] !== name).map(([name]) => `${path}: ${name}`),
  );

// Read before the tests, whose time is limited.
const played = [...listSources().filter(({ path }) => isPlayed(path)), ...listStatements()];

describe("time and chance", () => {
  test("come by the ways that a simulation holds", () => {
    expect(played.length).toBeGreaterThan(500);
    expect(findRefused(played)).toEqual([]);
  });

  test("have no exception that is not needed any more", () => {
    const needed = played.filter(({ path, text }) =>
      refused.some(([name, one]) => known[path] === name && one.test(text)),
    );
    expect(needed.map(({ path }) => path)).toEqual(Object.keys(known));
  });

  test.each([
    'import crypto from "node:crypto";',
    'import * as crypto from "node:crypto";',
    'const { randomBytes } = await import("node:crypto");',
    'import { setTimeout } from "timers/promises";',
    "const at = process.hrtime.bigint();",
    "select current_timestamp",
    "select statement_timestamp()",
  ])("are found: %p", (text) => {
    expect(findRefused([{ path: "packages/db/src/planted.ts", text }])).toHaveLength(1);
  });
});
