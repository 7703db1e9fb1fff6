/** Which modules of the program a simulated world replaces: the only places by which messages, time and chance come in. */
import { plugin } from "bun";
import { fileURLToPath } from "node:url";

const inFolder = (name: string): string => fileURLToPath(new URL(`seams/${name}.ts`, import.meta.url));

const replaced: Readonly<Record<string, string>> = {
  "node:crypto": inFolder("crypto"),
  "node:timers/promises": inFolder("timers"),
  postgres: inFolder("postgres"),
  "@cardkeep/providers/webhooks/send": inFolder("webhookSender"),
};

const statement = /^((?:import|export)\s+(?!type\b)[^"';]*?\sfrom\s+)"([^"]+)"/gm;

/** Has the sources of apps and packages import the seams in place of the modules that they name. */
export function installSeams(): void {
  plugin({
    name: "seams",
    setup: (build) => {
      build.onLoad({ filter: /\/(?:apps|packages)\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => {
        const text = await Bun.file(path).text();
        const contents = text.replaceAll(
          statement,
          (_, head: string, name: string) => `${head}"${replaced[name] ?? name}"`,
        );
        return { contents, loader: "ts" };
      });
    },
  });
}
