import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { guides } from "../support/guides.ts";
import { proofs } from "./strictness.ts";
import { filled } from "../support/filled.ts";

const text = guides.find(({ slug }) => slug === "strictness")?.text ?? "";
const rows = [...text.matchAll(/^\| (?!rule |---)(.+?) \| (.+?) \| (.+?) \|$/gm)];

test("each row of the guide to the sandbox's strictness has its test, and each test its row", () => {
  expect(rows.length).toBeGreaterThan(30);
  expect(proofs.map(([rule]) => rule)).toEqual(rows.map(([, rule = ""]) => rule));
  const missing = proofs.filter(([, file, name]) => {
    const source = readFileSync(new URL(`../${file}.test.ts`, import.meta.url), "utf8");
    return !source.includes(JSON.stringify(name)) && !source.includes(`\`${name}\``);
  });
  expect(missing).toEqual([]);
});

test("each row says what the sandbox does, and names a source", () => {
  for (const [, rule, does = "", source = ""] of filled(rows)) {
    expect([rule, /^(enforced|on request|played)\b/.test(does)]).toEqual([rule, true]);
    expect([rule, source.length > 3]).toEqual([rule, true]);
  }
});
