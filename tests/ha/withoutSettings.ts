/**
 * `bun run test:ha vanishing --without-settings`: the plays about vanished machines, each without what bounds its loss. Each has
 * to fail; one that passes would not notice either if the settings were lost.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { copyCheckout } from "../mutants/copy.ts";
import { mutate } from "../mutants/mutant.ts";
import { sessionMutant, silenceMutant } from "../mutants/vanish.ts";
import { mayMakeMachines } from "../support/vanishingMachine.ts";
import type { VanishingName } from "./vanishing.ts";

/** The limit of a whole request ends what the others leave. */
const deadlineMutant = {
  breaks: "a request has no time limit",
  file: "apps/server/src/deadline.ts",
  from: "const deadlineMs = 10_000;",
  to: "const deadlineMs = 600_000;",
};

const taken: Readonly<Record<VanishingName, readonly Parameters<typeof mutate>[1][]>> = {
  worker: [sessionMutant],
  server: [sessionMutant],
  node: [
    {
      breaks: "no second node is named",
      file: "tests/ha/vanishingWorld.ts",
      from: "RPC_URL: `http://${node.own}:${nodePort},${service.rpcUrl}`",
      to: "RPC_URL: `http://${node.own}:${nodePort}`",
    },
  ],
  primary: [sessionMutant, silenceMutant, deadlineMutant],
};

/** Plays each in a copy of the checkout. @returns a line each. @throws Error where one passes */
export async function playWithoutSettings(folder: string, names: readonly VanishingName[]): Promise<string[]> {
  if (!mayMakeMachines) return ["Vanished machines: skipped, they need root and network namespaces"];
  const lines: string[] = [];
  for (const name of names) {
    const copy = join(folder, name);
    await copyCheckout(copy);
    for (const change of taken[name]) {
      const file = Bun.file(join(copy, change.file));
      await file.write(mutate(await file.text(), change));
    }
    const played = Bun.spawn([process.execPath, "tests/ha/main.ts", "vanishing", name], {
      cwd: copy,
      stderr: "ignore",
    });
    const said = (await new Response(played.stdout).text()).trim();
    await rm(copy, { recursive: true, force: true });
    if ((await played.exited) === 0) throw new Error(`Passes without its settings: ${said}`);
    lines.push(`Without its settings: ${said}`);
  }
  return lines;
}
