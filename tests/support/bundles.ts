/** The programs that tests start, each as one file: loaded module by module, a start costs twice the processor time. */
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const apps = ["server", "worker", "cli"];
const sourceOf = (app: string): string => join(root, "apps", app, "src/main.ts");

/** Under this name the runner tells its tests the folder. */
export const bundlesVariable = "CARDKEEP_TEST_BUNDLES";

/** Bundles the programs as they stand into a folder of this run's own. */
export async function bundleApps(): Promise<{ folder: string; remove: () => Promise<void> }> {
  // As deep below the root as the sources, which find what is outside of them by their own place.
  const folder = join(root, ".cardkeep/bundles", randomUUID());
  await Promise.all(
    apps.map((app) =>
      Bun.build({
        entrypoints: [sourceOf(app)],
        target: "bun",
        outdir: folder,
        naming: `${app}.[ext]`,
        // One of its dependencies reads files beside its own.
        external: ["@gnosispay/account-kit"],
      }),
    ),
  );
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The file that starts a program: its bundle where the runner made one, else its source. */
export function mainOf(app: string): string {
  const folder = process.env[bundlesVariable];
  return folder !== undefined && apps.includes(app) ? join(folder, `${app}.js`) : sourceOf(app);
}
