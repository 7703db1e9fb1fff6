/** The smallest simulated run. Whole ones are played each night: see `tests/simulate/README.md`. */
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../support/runCommand.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "simulation-"));
afterAll(() => rm(folder, { recursive: true }));

test("a simulated person acts under faults, and all that was begun comes to its end", async () => {
  const options = "--seed 4 --people 1 --rounds 1 --acts 3 --brief --json".split(" ");
  const env = { ...process.env, CARDKEEP_HOME: folder };
  const said = await runCommand([process.execPath, "tests/simulate/main.ts", ...options], { cwd: root, env });
  expect(JSON.parse(said.trim().split("\n").at(-1) ?? "")).toMatchObject({ seed: 4, ok: true, broken: [] });
}, 180_000);
