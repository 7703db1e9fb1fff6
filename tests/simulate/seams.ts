/** Which modules of the program a simulated world replaces: the only places by which messages, time and chance come in. */
import { plugin } from "bun";
import { fileURLToPath } from "node:url";
import { mutate } from "../mutants/mutant.ts";
import type { Fault } from "./ownFaults.ts";
import type { Probe } from "./probes.ts";

const inFolder = (name: string): string => fileURLToPath(new URL(`seams/${name}.ts`, import.meta.url));

const replaced: Readonly<Record<string, string>> = {
  "node:crypto": inFolder("crypto"),
  "node:timers/promises": inFolder("timers"),
  postgres: inFolder("postgres"),
  "@cardkeep/providers/webhooks/send": inFolder("webhookSender"),
};

const statement = /^((?:import|export)\s+(?!type\b)[^"';]*?\sfrom\s+)"([^"]+)"/gm;

/**
 * Has the sources of apps and packages import the seams in place of the modules that they name.
 *
 * @param fault what is planted in them @param probes what is planted where no fault is
 */
export function installSeams(fault: Fault | null, probes: readonly Probe[]): void {
  const edits =
    fault === null ? probes : [fault, ...(fault.also ?? [])].map((edit) => ({ ...edit, breaks: fault.breaks }));
  plugin({
    name: "seams",
    setup: (build) => {
      build.onLoad({ filter: /\/(?:apps|packages)\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => {
        const written = await Bun.file(path).text();
        const text = edits.filter(({ file }) => path.endsWith(`/${file}`)).reduce(mutate, written);
        const contents = text.replaceAll(
          statement,
          (_, head: string, name: string) => `${head}"${replaced[name] ?? name}"`,
        );
        return { contents, loader: "ts" };
      });
    },
  });
}
