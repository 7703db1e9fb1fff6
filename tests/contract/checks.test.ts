import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { checks } from "../checks.ts";

const sourceOf = (file: string): string => {
  const path = new URL(`../${file}.test.ts`, import.meta.url);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};

describe("the table of checks", () => {
  test.each(Object.entries(checks))("%s names tests that there are", (_, { tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const entry of tests) {
      const [, file = "", name = ""] = /^([\w/-]+): (.+)$/.exec(entry) ?? [];
      const quoted = ['"', "`", "'"].some((quote) => sourceOf(file).includes(`${quote}${name}${quote}`));
      expect([entry, name !== "" && quoted]).toEqual([entry, true]);
    }
  });
});
