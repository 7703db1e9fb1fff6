/** Which modules of the program a simulated world replaces: the only places by which messages, time and chance come in. */
import { plugin } from "bun";
import { fileURLToPath } from "node:url";
import { type Mutant, mutate } from "../mutants/mutant.ts";

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
 * @param mutant a fault that is planted in them
 */
export function installSeams(mutant: Omit<Mutant, "killedBy"> | null): void {
  plugin({
    name: "seams",
    setup: (build) => {
      build.onLoad({ filter: /\/(?:apps|packages)\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => {
        const written = await Bun.file(path).text();
        const text = mutant !== null && path.endsWith(`/${mutant.file}`) ? mutate(written, mutant) : written;
        const contents = text.replaceAll(
          statement,
          (_, head: string, name: string) => `${head}"${replaced[name] ?? name}"`,
        );
        return { contents, loader: "ts" };
      });
    },
  });
}
