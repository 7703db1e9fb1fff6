import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readPackageFile } from "@cardkeep/local/packageFiles";
import { forgeMutants } from "../mutants/forge.ts";
import { mutate, type Mutant } from "../mutants/mutant.ts";
import { mutants } from "../mutants/mutants.ts";
import { ownFaults } from "../simulate/ownFaults.ts";
import { planted } from "../simulate/planted.ts";
import { probes } from "../simulate/probes.ts";
import { filled } from "../support/filled.ts";

const root = new URL("../..", import.meta.url).pathname;
const parser = new Bun.Transpiler({ loader: "ts" });

async function expectParses(mutant: Omit<Mutant, "killedBy">): Promise<void> {
  const text = await Bun.file(join(root, mutant.file)).text();
  expect([mutant.breaks, parser.transformSync(mutate(text, mutant)) !== ""]).toEqual([mutant.breaks, true]);
}

test("at least 100 mutants change one place of code that exists, and leave code that parses", async () => {
  expect(mutants.length).toBeGreaterThanOrEqual(100);
  for (const mutant of mutants) {
    await expectParses(mutant);
    expect(mutant.killedBy.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  }
});

test("each fault that a simulation plants changes one place of code that exists, and leaves code that parses", async () => {
  expect(ownFaults.length).toBeGreaterThan(0);
  for (const fault of ownFaults)
    for (const edit of [fault, ...(fault.also ?? [])]) await expectParses({ ...edit, breaks: fault.breaks });
});

test("the probes of a file stand beside each other, each notes its fault, and the file still parses", async () => {
  for (const file of filled([...new Set(probes.map((probe) => probe.file))])) {
    const own = probes.filter((probe) => probe.file === file);
    const text = own.reduce(mutate, await Bun.file(join(root, file)).text());
    expect([file, parser.transformSync(text) !== ""]).toEqual([file, true]);
    for (const { breaks } of filled(own)) expect(text).toContain(`globalThis.noteFault?.(${JSON.stringify(breaks)})`);
  }
  expect(probes.filter(({ breaks }) => planted.every((fault) => fault.breaks !== breaks))).toEqual([]);
});

test("at least 40 mutants of an account's contracts, set-up and policy change one place of a source that exists", async () => {
  // Code at an address is read when it is played.
  const ofSources = forgeMutants.filter(({ file }) => !file.startsWith("0x"));
  expect(ofSources.length).toBeGreaterThanOrEqual(40);
  for (const mutant of ofSources) {
    const [, name, path] = /^(@[^/]+\/[^/]+)\/(.+)$/.exec(mutant.file) ?? [];
    const text = name && path ? readPackageFile(name, path) : await Bun.file(join(root, mutant.file)).text();
    expect([mutant.breaks, mutate(text, mutant) !== text]).toEqual([mutant.breaks, true]);
    expect(mutant.killedBy.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  }
});
