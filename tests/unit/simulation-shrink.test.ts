import { expect, test } from "bun:test";
import type { Plan } from "../simulate/options.ts";
import { shrinkList, shrinkPlan } from "../simulate/shrink.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("a failing list is shrunk to what it takes to fail", async () => {
  const isBroken = async (left: readonly number[]) => left.includes(3) && left.includes(14);
  expect(await shrinkList(numbers(16), isBroken, () => true)).toEqual([3, 14]);
});

const plan: Plan = {
  seed: 1,
  days: 1,
  people: 2,
  rounds: 1,
  acts: 6,
  isBrief: false,
  isAtMidnight: false,
  schedule: 0,
  until: null,
  keptActs: null,
  keptFaults: null,
};

/** A run of acts 1 to 8, in which a fault of each number up to 9 happens unless the plan leaves it out. */
const playUpTo = ({ keptActs, keptFaults }: Plan) => ({
  acts: numbers(8).filter((number) => keptActs?.includes(number) !== false),
  faults: numbers(9).filter((number) => keptFaults?.includes(number) !== false),
});

test("a failing plan is shrunk to the acts and the faults that it takes, also to those that first come to be needless later", async () => {
  const smaller = await shrinkPlan(plan, playUpTo(plan), async (tried) => {
    const { acts, faults } = playUpTo(tried);
    // Act 7 counts only beside fault 4.
    const isBroken = acts.includes(5) && faults.includes(2) && (!faults.includes(4) || acts.includes(7));
    return isBroken ? { acts, faults } : null;
  });
  expect(smaller.happened).toEqual({ acts: [5], faults: [2] });
  expect(smaller.plan).toEqual({ ...plan, keptActs: [5], keptFaults: [2] });
});

test("a plan is shrunk in no more runs than allowed", async () => {
  let tries = 0;
  const happened = { acts: numbers(200), faults: numbers(200) };
  const smaller = await shrinkPlan(
    plan,
    happened,
    async () => {
      tries++;
      return null;
    },
    30,
  );
  expect(tries).toBe(30);
  expect(smaller).toEqual({ plan, happened });
});
