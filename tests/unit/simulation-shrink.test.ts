import { expect, test } from "bun:test";
import type { Plan } from "../simulate/options.ts";
import { shrinkList, shrinkPlan, triesMax } from "../simulate/shrink.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("a failing list is shrunk to what it takes to fail", async () => {
  const isBroken = async (left: readonly number[]) => left.includes(3) && left.includes(14);
  expect(await shrinkList(numbers(16), isBroken)).toEqual([3, 14]);
});

test("a list is shrunk in no more runs than allowed", async () => {
  let tries = 0;
  await shrinkList(numbers(200), async () => {
    tries++;
    return false;
  });
  expect(tries).toBe(triesMax);
});

test("a failing plan loses acts first, then faults, and what it did not need stays out", async () => {
  const plan: Plan = {
    seed: 1,
    days: 1,
    people: 2,
    rounds: 1,
    acts: 6,
    isBrief: false,
    isAtMidnight: false,
    until: null,
    withoutActs: [],
    withoutFaults: [],
  };
  const isBroken = async ({ withoutActs, withoutFaults }: Plan) =>
    !withoutActs.includes(5) && !withoutFaults.includes(2);
  const smaller = await shrinkPlan(plan, { acts: numbers(8), faults: numbers(3) }, isBroken);
  expect(smaller).toEqual({ ...plan, withoutActs: [1, 2, 3, 4, 6, 7, 8], withoutFaults: [1, 3] });
});
