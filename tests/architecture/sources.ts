/** The source files in the form of the architecture's rules. */
import { Glob } from "bun";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const root = new URL("../..", import.meta.url).pathname;

export interface Import {
  /** As written. */
  specifier: string;
  /** Removed by the compiler. */
  isType: boolean;
  /** The imported names, as written. */
  names: string;
}

export interface Source {
  /** From the repository's root, as in `packages/db/src/client.ts`. */
  path: string;
  text: string;
}

/** Every source file of the apps and packages. */
export const listSources = (): Source[] =>
  ["{apps,packages}/*/src/**/*.ts", "{apps,packages}/*/*.ts"]
    .flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root })])
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

const statement = /^(?:import|export)\s+(type\s+)?([^"';]*?)\s*from\s+"([^"]+)"/gm;
const bareImport = /^import\s+"([^"]+)"/gm;
const lateImport = /\bimport\(\s*"([^"]+)"\s*\)/g;

/** Everything a file imports or re-exports. */
export const listImports = ({ text }: Source): Import[] => [
  ...[...text.matchAll(statement)].map(([, type, names = "", specifier = ""]) => ({
    specifier,
    names,
    isType: type !== undefined,
  })),
  ...[...text.matchAll(bareImport), ...text.matchAll(lateImport)].map(([, specifier = ""]) => ({
    specifier,
    names: "",
    isType: false,
  })),
];

/** `packages/db` of `packages/db/src/client.ts`. */
export const packageOf = (path: string): string => path.split("/").slice(0, 2).join("/");

/** `viem` of `viem/accounts`, `@trpc/server` of `@trpc/server/rpc`. */
export const moduleOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** The file behind an import of our own; null for another package's. */
export function resolveOwn(from: Source, specifier: string, folders: ReadonlyMap<string, string>): string | null {
  if (specifier.startsWith(".")) return normalize(join(dirname(from.path), specifier));
  const folder = folders.get(moduleOf(specifier));
  return folder === undefined ? null : `${folder}/src/${specifier.slice(moduleOf(specifier).length + 1)}.ts`;
}
