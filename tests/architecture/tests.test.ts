import { Glob } from "bun";
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findEmptyLoops } from "./emptyLoops.ts";
import { findUnshareable } from "./sharedFiles.ts";
import { root, type Source } from "./sources.ts";

const listTests = (): Source[] =>
  [...new Glob("tests/**/*.test.ts").scanSync({ cwd: root })].map((path) => ({
    path,
    text: readFileSync(join(root, path), "utf8"),
  }));

// Read before the tests, whose time is limited.
const tests = listTests();
const emptyLoops = findEmptyLoops(tests);

const inTest = (body: string): Source[] => [{ path: "a.test.ts", text: `test("a", () => {\n${body}\n});` }];
const assertion = "expect(each).toBe(1);";

describe("a test", () => {
  // `for (const each of filled(list))`, or an assertion of its length before the loop.
  test("asserts that a list has entries before it asserts something of each", () => expect(emptyLoops).toEqual([]));
});

/** The names of the long tests, and those that their README has a row for. */
const longTests = tests.flatMap(({ path }) => /^tests\/long\/(.+)\.test\.ts$/.exec(path)?.[1] ?? []);
const rows = readFileSync(join(root, "tests/long/README.md"), "utf8").matchAll(/^\| `([^`]+)` \|/gm);

describe("a long test", () => {
  test("has one row in the README of its folder", () =>
    expect([...rows].map(([, name = ""]) => name).toSorted()).toEqual(longTests.toSorted()));
});

// What a process prints arrives after what it did: `ready` waits for a text, also of a process that has ended.
const findHasty = (sources: readonly Source[]): string[] =>
  sources.filter(({ text }) => /expect\([^;]*\boutput\(\)\)\.toContain\(/.test(text)).map(({ path }) => path);

describe("what a process prints", () => {
  test("is waited for, never expected at once", () => expect(findHasty(tests)).toEqual([]));

  test("is found where it is expected at once, also after the process ended", () => {
    const contains = "toContain";
    const body = `expect(worker.output()).${contains}("ready");`;
    expect(findHasty(inTest(body))).toEqual(["a.test.ts"]);
    expect(findHasty(inTest(`expect(await worker.exited).toBe(0);\n${body}`))).toEqual(["a.test.ts"]);
    expect(findHasty(inTest('await worker.ready("ready");'))).toEqual([]);
  });
});

describe("a loop that may assert nothing is found:", () => {
  test.each([
    "const list = await ask();",
    "const list = all.filter(isOpen);",
    "const list = [...found];",
    "const list: number[] = [];",
    "const list = answer.body.rows ?? [];",
    "const list = ask(); expect(list).toEqual([]);",
    "const list = ask(); expect(list).toHaveLength(0);",
    "const list = ask(); expect(list.length).toBeGreaterThanOrEqual(0);",
    'const list = ask(); expect(list).toHaveLength(2); });\ntest("b", () => {',
  ])("after %p", (before) => {
    expect(findEmptyLoops(inTest(`${before}\nfor (const each of list) ${assertion}`))).toHaveLength(1);
  });

  test.each([
    "const list = [1, 2];",
    "const list = filled(await ask());",
    "const list = Object.entries({ a: 1 });",
    "const list = await Promise.all([1, 2].map(ask));",
    "const list = Array.from({ length: 3 }, ask);",
    "const list = ask(); expect(list).toHaveLength(2);",
    "const list = ask(); expect(list.length).toBeGreaterThan(0);",
    "const list = ask(); expect(list).toEqual([one]);",
  ])("not after %p", (before) => {
    expect(findEmptyLoops(inTest(`${before}\nfor (const each of list) ${assertion}`))).toEqual([]);
  });

  test("not where it asserts nothing", () => {
    expect(findEmptyLoops(inTest("for (const each of ask()) await each.stop();"))).toEqual([]);
  });
});

describe("a file that shares a service", () => {
  const inFile = (helper: string, text: string): Source => ({
    path: "a.test.ts",
    text: `import { start } from "../support/${helper}.ts";\n${text}`,
  });

  test("touches only people of its own", () => expect(findUnshareable(tests)).toEqual([]));

  test.each([
    ["causes faults", 'await person.sandbox("PUT", "/faults/issuer.down", {});'],
    ["moves the clock", 'await person.sandbox("POST", "/chain/advance", { seconds: 181 });'],
    ["moves the clock", "setSystemTime(new Date(0));"],
    ["changes the chain's blocks", "await node.client.mine({ blocks: 1 });"],
    ["changes the chain's blocks", "await reorganise(node);"],
    ["changes settings", "await service.runtime.refresh(settings);"],
    ["changes settings", "await setQuestions(operator, [colour]);"],
    ["counts or changes a whole table", "expect(await db.$count(users)).toBe(1);"],
    ["counts or changes a whole table", "const rows = await db.select().from(users);"],
    ["counts or changes a whole table", "await db.select().from(users).orderBy(users.id);"],
    ["counts or changes a whole table", "await db.delete(users);"],
    ["counts or changes a whole table", "await db.update(users).set({ email });"],
    ["reads metrics", "await service.runtime.metrics.render();"],
    ["asks the doctor", 'await runCli("doctor");'],
    ["acts as the database's owner", "await service.ownerDb.execute(statement);"],
  ])("is found where it %s: %s", (what, text) => {
    expect(findUnshareable([inFile("shareService", text)])).toEqual([`a.test.ts: ${what}`]);
    expect(findUnshareable([inFile("service", text)])).toEqual([]);
  });

  test.each([
    "expect(await db.$count(users, eq(users.id, id))).toBe(1);",
    "const rows = await db.select().from(users).where(eq(users.id, id));",
    "await db.update(users).set({ email }).where(eq(users.id, id));",
    "await db.delete(users).where(eq(users.id, id));",
  ])("may touch its own rows: %s", (text) => {
    expect(findUnshareable([inFile("shareService", text)])).toEqual([]);
  });
});
