/** The smallest simulated run. Whole ones are played each night: see `tests/simulate/README.md`. */
import { expect, test } from "bun:test";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../support/runCommand.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("a simulated person acts under faults, and all that was begun comes to its end", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "simulation-"));
  const options = "--seed 4 --people 1 --rounds 1 --acts 3 --brief --json".split(" ");
  const env = { ...process.env, CARDKEEP_HOME: folder.path };
  const said = await runCommand([process.execPath, "tests/simulate/main.ts", ...options], { cwd: root, env });
  expect(JSON.parse(said.trim().split("\n").at(-1) ?? "")).toMatchObject({ seed: 4, ok: true, broken: [] });
}, 180_000);
