/** Makes a failing plan smaller: first without acts, then without faults, as long as it still breaks. */
import type { Plan } from "./options.ts";

/** Each try is a run of its own. */
export const triesMax = 40;

/**
 * The items that are left when as many as possible were left out, larger parts first. `isBroken` is asked at most `triesMax`
 * times, with what would be left.
 */
export async function shrinkList<T>(
  items: readonly T[],
  isBroken: (left: readonly T[]) => Promise<boolean>,
  triesLeft = triesMax,
): Promise<readonly T[]> {
  let left = items;
  let tries = triesLeft;
  for (let size = left.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < left.length && tries > 0;) {
      const without = left.filter((_, index) => index < at || index >= at + size);
      tries--;
      if (await isBroken(without)) left = without;
      else at += size;
    }
  }
  return left;
}

/** @param happened the numbers of the acts and faults of the failing run @param isBroken plays a plan */
export async function shrinkPlan(
  plan: Plan,
  happened: { acts: readonly number[]; faults: readonly number[] },
  isBroken: (plan: Plan) => Promise<boolean>,
): Promise<Plan> {
  const without = (all: readonly number[], left: readonly number[]): number[] =>
    all.filter((one) => !left.includes(one));
  const withActs = (left: readonly number[]): Plan => ({
    ...plan,
    withoutActs: [...plan.withoutActs, ...without(happened.acts, left)],
  });
  const smaller = withActs(await shrinkList(happened.acts, (left) => isBroken(withActs(left))));
  const withFaults = (left: readonly number[]): Plan => ({
    ...smaller,
    withoutFaults: [...plan.withoutFaults, ...without(happened.faults, left)],
  });
  return withFaults(await shrinkList(happened.faults, (left) => isBroken(withFaults(left))));
}
