/** The packages inside the bundles: their licences have to travel with them, and operators ask which they are. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { root } from "./manifest.ts";

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.union([z.string(), z.object({ type: z.string() }).transform(({ type }) => type)]).optional(),
});

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression; null if the package names none. */
  readonly license: string | null;
  /** Texts of its licence files. */
  readonly texts: readonly string[];
}

/** The packages of other authors that the files `inputs` of bundles belong to, by name and version. */
export async function listBundledPackages(inputs: readonly string[]): Promise<BundledPackage[]> {
  const folders = new Set(inputs.filter((path) => path.includes("node_modules/")).map((path) => findFolder(path)));
  const packages = await Promise.all([...folders].map(readPackage));
  const byId = new Map(packages.map((bundled) => [`${bundled.name}@${bundled.version}`, bundled]));
  return [...byId.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, bundled]) => bundled);
}

/** The nearest folder around a file that a named package is in. */
function findFolder(path: string): string {
  const [, before = "", name = ""] = /^(.*node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return join(root, before, name);
}

async function readPackage(folder: string): Promise<BundledPackage> {
  const {
    name,
    version,
    license = null,
  } = manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
  const names = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).toSorted();
  const texts = await Promise.all(names.map((file) => readFile(join(folder, file), "utf8")));
  return { name, version, license, texts };
}

/** The licence texts as one document. */
export const renderLicenses = (packages: readonly BundledPackage[]): string =>
  [
    "The bundles of this program contain these packages.",
    ...packages.map(({ name, version, license, texts }) =>
      [`${"=".repeat(80)}\n${name}@${version}  ${license ?? "see below"}`, ...texts.map((text) => text.trim())].join(
        "\n\n",
      ),
    ),
    "",
  ].join("\n\n");

/** The packages as a software bill of materials. Source: CycloneDX 1.6, JSON. */
export const buildSbom = (name: string, version: string, packages: readonly BundledPackage[]): unknown => ({
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: { component: { type: "application", name, version, purl: `pkg:npm/${name}@${version}` } },
  components: packages.map((bundled) => ({
    type: "library",
    name: bundled.name,
    version: bundled.version,
    purl: `pkg:npm/${bundled.name.replace("@", "%40")}@${bundled.version}`,
    ...(bundled.license !== null && { licenses: [describeLicense(bundled.license)] }),
  })),
});

/** Some packages write an expression that SPDX does not know. */
const describeLicense = (license: string) =>
  /^\(?[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*\)?$/.test(license) ? { expression: license } : { license: { name: license } };
