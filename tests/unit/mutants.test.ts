import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { mutate } from "../mutants/mutant.ts";
import { mutants } from "../mutants/mutants.ts";

const root = new URL("../..", import.meta.url).pathname;

test("at least 100 mutants change one place of code that exists, and leave code that parses", async () => {
  expect(mutants.length).toBeGreaterThanOrEqual(100);
  const parser = new Bun.Transpiler({ loader: "ts" });
  for (const mutant of mutants) {
    const text = await Bun.file(join(root, mutant.file)).text();
    expect([mutant.breaks, parser.transformSync(mutate(text, mutant)) !== ""]).toEqual([mutant.breaks, true]);
    expect(mutant.killedBy.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  }
});
