/** Shrinks a failing plan: each try is a process of its own. In the end the smallest one is told as a story. */
import { playApart } from "./child.ts";
import { nameOracle } from "./oracles/names.ts";
import type { Plan } from "./options.ts";
import { type Happened, shrinkPlan } from "./shrink.ts";

/** @param said of the plan, which a smaller one has to say of the same invariant @param mutant what is planted; null: nothing */
export async function shrinkInChildren(input: {
  plan: Plan;
  happened: Happened;
  said: string;
  mutant: string | null;
}): Promise<Plan> {
  const oracle = nameOracle(input.said);
  const path = `.cardkeep/simulations/${input.plan.seed}-try-${process.pid}.json`;
  const options = ["--replay", path, ...(input.mutant === null ? [] : ["--mutant", input.mutant])];
  const shrunk = await shrinkPlan(input.plan, input.happened, async (plan) => {
    await Bun.write(path, JSON.stringify(plan));
    const { broken, happened } = await playApart(options);
    const isBroken = broken.some((each) => nameOracle(each) === oracle);
    const counted = `${happened.acts.length} acts and ${happened.faults.length} faults`;
    process.stderr.write(`${counted}: ${isBroken ? "breaks" : (broken[0] ?? "holds")}\n`);
    return isBroken ? happened : null;
  });
  const { acts, faults } = shrunk.happened;
  process.stderr.write(`It breaks with ${acts.length} acts and ${faults.length} faults:\n`);
  await Bun.write(path, JSON.stringify(shrunk.plan));
  const story = Bun.spawn([process.execPath, "tests/simulate/main.ts", "--story", ...options], {
    stdout: "inherit",
    stderr: "ignore",
  });
  await story.exited;
  return shrunk.plan;
}
