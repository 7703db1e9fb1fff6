/**
 * The programs that tests start, as bundles: loading module by module takes twice the processor time. Server and worker are compiled
 * ahead too, which takes two seconds each and saves a quarter of what a start takes.
 */
import { bundleDeployments } from "@cardkeep/pack/bundleDeployments";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const formats = {
  server: { format: "cjs", bytecode: true },
  worker: { format: "cjs", bytecode: true },
  // What it imports for a command is not parsed at its start.
  cli: { format: "esm", splitting: true },
} as const;
const apps = Object.keys(formats);
const sourceOf = (app: string): string => join(root, "apps", app, "src/main.ts");

/** The variable in which the runner passes the folder to its tests. */
export const bundlesVariable = "CARDKEEP_TEST_BUNDLES";

/** Bundles the programs into a folder of this run. */
export async function bundleApps(): Promise<{ folder: string; remove: () => Promise<void> }> {
  // At the same depth below the root as the sources, which find other files relative to themselves.
  const folder = join(root, ".cardkeep/bundles", randomUUID());
  await Promise.all(
    Object.entries(formats).map(([app, format]) =>
      Bun.build({
        ...format,
        entrypoints: [sourceOf(app)],
        target: "bun",
        outdir: folder,
        naming: { entry: `${app}.[ext]`, chunk: `${app}-[hash].[ext]` },
        plugins: [bundleDeployments],
      }),
    ),
  );
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The file that starts a program: its bundle from the runner, otherwise its source. */
export function mainOf(app: string): string {
  const folder = process.env[bundlesVariable];
  return folder !== undefined && apps.includes(app) ? join(folder, `${app}.js`) : sourceOf(app);
}
