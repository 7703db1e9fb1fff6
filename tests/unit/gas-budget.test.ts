import { expect, test } from "bun:test";
import { findNextTry } from "@cardkeep/domain/chain/relay/gasBudget";
import type { GasBudget } from "@cardkeep/domain/core/policy";

const budget: GasBudget = { perHourMax: 100n, perDayMax: 300n };
const start = Date.UTC(2026, 10, 24);
const minuteMs = 60_000;
/** Refused transactions at some minutes, each with its cost, the newest first as the database lists them. */
const refuse = (...reverts: [minute: number, cost: bigint][]) =>
  reverts.map(([minute, cost]) => ({ cost, createdAt: new Date(start + minute * minuteMs) })).toReversed();
const nextTry = (...reverts: [number, bigint][]) => {
  const at = findNextTry(refuse(...reverts), budget);
  return at === null ? null : (at.getTime() - start) / 1000;
};

test("who had nothing refused waits for nothing", () => {
  expect(nextTry()).toBeNull();
});

test("the pause grows with each refusal of an hour, up to five minutes and a third", () => {
  expect(nextTry([0, 1n])).toBe(5);
  expect(nextTry([0, 1n], [1, 1n])).toBe(60 + 20);
  expect(nextTry([0, 1n], [1, 1n], [2, 1n])).toBe(120 + 80);
  expect(nextTry([0, 1n], [1, 1n], [2, 1n], [3, 1n])).toBe(180 + 320);
  expect(nextTry([0, 1n], [1, 1n], [2, 1n], [3, 1n], [4, 1n])).toBe(240 + 320);
  expect(nextTry([0, 1n], [60, 1n])).toBe(3_600 + 5);
});

test("a used-up hour waits until so much of it has passed that less than the maximum is left", () => {
  expect(nextTry([0, 100n])).toBe(3_600);
  expect(nextTry([0, 60n], [10, 30n])).toBe(600 + 20);
  expect(nextTry([0, 60n], [10, 40n])).toBe(3_600);
  expect(nextTry([0, 60n], [10, 90n], [20, 10n])).toBe(600 + 3_600);
});

test("a used-up day outlasts its hours", () => {
  expect(nextTry([0, 99n], [120, 99n], [240, 99n])).toBe(240 * 60 + 5);
  expect(nextTry([0, 99n], [120, 99n], [240, 102n])).toBe(24 * 3_600);
  expect(nextTry([0, 1n], [120, 300n])).toBe(120 * 60 + 24 * 3_600);
});
