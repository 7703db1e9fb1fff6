/** Builds `cardkeep`: every process as one bundle with the patched drivers inside, and a launcher for Node. */
import { buildSteps, codeFileOf, getSeededState, preparedNames } from "@cardkeep/local/seededState";
import localManifest from "@cardkeep/local/package.json";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nativeFolder } from "./bundle.ts";
import { bundlePrograms } from "./bundlePrograms.ts";
import { buildManifest, root } from "./manifest.ts";

const programs = [
  "apps/local/src/main",
  "apps/local/src/demo/main",
  "apps/server/src/main",
  "apps/worker/src/main",
  "apps/sandbox/src/main",
  "apps/cli/src/main",
  "packages/runtime/src/migrate",
];

const scripts = [
  "apps/server/src/docs/browser/page",
  "apps/server/src/docs/browser/search",
  "apps/server/src/docs/browser/run",
  "apps/server/src/operator/page/browser",
  "apps/sandbox/src/console/browser",
  "apps/sandbox/src/console/person/browser/main",
  "apps/sandbox/src/elements/browser",
];

/** The chain that a start has unless CHAIN_ID says otherwise; others are seeded at their first start. */
const chainId = 100;

/** Binaries cannot be bundled. */
const binaries = { "@foundry-rs/anvil": localManifest.dependencies["@foundry-rs/anvil"], bun: "1.4.5" };

/** Builds the package into `folder`. */
export async function buildProgram(folder: string): Promise<void> {
  await Promise.all([
    bundlePrograms(folder, { programs, scripts, migrations: ["drizzle", "apps/sandbox/drizzle"] }),
    prepareChain(join(folder, "apps/local/prepared")),
  ]);
  const launcher = join(folder, "bin/cardkeep.mjs");
  await mkdir(dirname(launcher), { recursive: true });
  await copyFile(join(root, "apps/pack/launcher/cardkeep.mjs"), launcher);
  await chmod(launcher, 0o755);
  const manifest = buildManifest({
    name: "cardkeep",
    description: "Self-hosted card and account service, with a local chain, Postgres and every partner played",
    license: "AGPL-3.0-only",
    bin: { cardkeep: "bin/cardkeep.mjs" },
    engines: { node: ">=20" },
    files: ["apps", "bin", "drizzle", nativeFolder, "packages", "THIRD_PARTY_LICENSES.txt", "sbom.cdx.json"],
    dependencies: binaries,
    optionalDependencies: localManifest.optionalDependencies,
  });
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
  await copyFile(join(root, "apps/pack/launcher/README.md"), join(folder, "README.md"));
}

/** Writes what a checkout compiles and seeds at its first start. */
async function prepareChain(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const cache = join(root, ".cardkeep/cache");
  await writeFile(join(folder, preparedNames.steps), JSON.stringify(await buildSteps(cache)));
  const seeded = await getSeededState(cache, chainId);
  const state = join(folder, preparedNames.stateOf(chainId));
  await copyFile(seeded, state);
  await copyFile(codeFileOf(seeded), codeFileOf(state));
}
