/** Makes a failing plan smaller: without acts, then without faults, and again, as long as it still breaks in the same way. */
import type { Plan } from "./options.ts";

/** Each try is a run of its own. */
const triesMax = 120;

/** The numbers of the acts and of the faults of a run. */
export interface Happened {
  readonly acts: readonly number[];
  readonly faults: readonly number[];
}

/** What happened in a run that broke as the first one did; null where it did not. */
export type Try = (plan: Plan) => Promise<Happened | null>;

/**
 * The parts of a list without something, larger ones first: the order in which they are tried. `isBroken` is asked with what would
 * be left, as long as tries are left.
 */
export async function shrinkList<T>(
  items: readonly T[],
  isBroken: (left: readonly T[]) => Promise<boolean>,
  mayTry: () => boolean,
): Promise<readonly T[]> {
  let left = items;
  for (let size = left.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < left.length && mayTry();) {
      const without = left.filter((_, index) => index < at || index >= at + size);
      if (await isBroken(without)) left = without;
      else at += size;
    }
  }
  return left;
}

/**
 * The smallest plan that was found to break. Another schedule follows from each act that is left out, so faults are tried anew after
 * acts, and acts after faults, until neither becomes less.
 *
 * @param happened of the failing run
 */
export async function shrinkPlan(
  plan: Plan,
  happened: Happened,
  tryPlan: Try,
  triesLeft = triesMax,
): Promise<{ plan: Plan; happened: Happened }> {
  let tries = triesLeft;
  let smallest = { plan, happened };
  const countAll = (): number => smallest.happened.acts.length + smallest.happened.faults.length;
  const shrinkOne = async (kind: "acts" | "faults"): Promise<void> => {
    await shrinkList(
      smallest.happened[kind],
      async (left) => {
        tries--;
        const kept = kind === "acts" ? { keptActs: left } : { keptFaults: left };
        const smaller = { ...smallest.plan, ...kept };
        const played = await tryPlan(smaller);
        if (played === null) return false;
        smallest = { plan: smaller, happened: played };
        return true;
      },
      () => tries > 0,
    );
  };
  for (let before = Number.POSITIVE_INFINITY; countAll() < before && tries > 0;) {
    before = countAll();
    await shrinkOne("acts");
    // From here on no fault happens that is not named.
    await shrinkOne("faults");
  }
  return smallest;
}
