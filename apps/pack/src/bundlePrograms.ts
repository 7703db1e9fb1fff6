/** Bundles programs with their pages' scripts, and names the packages inside. */
import { version } from "@cardkeep/contract/version";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { buildSbom, listBundledPackages, renderLicenses } from "./bundledPackages.ts";
import { root } from "./manifest.ts";

/**
 * Bundles programs and scripts for browsers into `folder`, with licences, a bill of materials and the migrations. Each bundle
 * stands where its source does, so that paths to files beside the code hold.
 */
export async function bundlePrograms(
  folder: string,
  { programs, scripts, migrations }: { programs: string[]; scripts: string[]; migrations: string[] },
): Promise<void> {
  const inputs = await Promise.all([
    bundle(folder, programs, { target: "bun", extension: "js" }),
    // A server bundles them for browsers, here of modules that are not in the folder.
    bundle(folder, scripts, { target: "browser", extension: "ts" }),
  ]);
  const packages = await listBundledPackages(inputs.flat());
  await writeFile(join(folder, "THIRD_PARTY_LICENSES.txt"), renderLicenses(packages));
  await writeFile(join(folder, "sbom.cdx.json"), JSON.stringify(buildSbom("cardkeep", version, packages), null, 2));
  for (const path of migrations) {
    // Snapshots of the schema are for the generator of migrations.
    const filter = (name: string) => !name.endsWith("_snapshot.json");
    await cp(join(root, path), join(folder, path), { recursive: true, filter });
  }
}
