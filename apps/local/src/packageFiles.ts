/**
 * Files inside the packages that this one depends on, also if a package does not export them. The versions are
 * pinned.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Every folder of packages that this file may use, the nearest first, up to the root. */
function* listModules(): Generator<string> {
  for (let folder = import.meta.dir; ; folder = dirname(folder)) {
    yield join(folder, "node_modules");
    if (folder === dirname(folder)) return;
  }
}

/**
 * The folder of a direct dependency.
 * @throws Error if it is not installed
 */
export function packageFolder(name: string): string {
  for (const modules of listModules()) {
    const folder = join(modules, name);
    // The resolved path: a dependency's own dependencies are found from there.
    if (existsSync(folder)) return realpathSync(folder);
  }
  throw new Error(`The package ${name} is not installed. Run \`bun install\`.`);
}

/** The text of a file of a dependency. */
export const readPackageFile = (name: string, path: string): string =>
  readFileSync(join(packageFolder(name), path), "utf8");

/** The exports of a CommonJS or JSON file of a dependency. */
export const loadPackageFile = (name: string, path: string): unknown =>
  createRequire(import.meta.url)(join(packageFolder(name), path));

/** The folder of a package that only `parent` depends on, such as its build for this platform. */
export function nestedPackageFolder(parent: string, name: string): string {
  try {
    return dirname(createRequire(join(packageFolder(parent), "package.json")).resolve(`${name}/package.json`));
  } catch {
    throw new Error(
      `${name} is missing. Either ${parent} has no build for this platform, or \`bun install\` has not run.`,
    );
  }
}
