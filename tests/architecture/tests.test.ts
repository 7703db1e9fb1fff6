import { Glob } from "bun";
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findEmptyLoops } from "./emptyLoops.ts";
import { root, type Source } from "./sources.ts";

const listTests = (): Source[] =>
  [...new Glob("tests/**/*.test.ts").scanSync({ cwd: root })].map((path) => ({
    path,
    text: readFileSync(join(root, path), "utf8"),
  }));

// Read before the tests, whose time is limited.
const emptyLoops = findEmptyLoops(listTests());

const inTest = (body: string): Source[] => [{ path: "a.test.ts", text: `test("a", () => {\n${body}\n});` }];
const assertion = "expect(each).toBe(1);";

describe("a test", () => {
  // `for (const each of filled(list))`, or an assertion of its length before the loop.
  test("asserts that a list has entries before it asserts something of each", () => expect(emptyLoops).toEqual([]));
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
