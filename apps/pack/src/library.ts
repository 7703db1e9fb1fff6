/** Builds a library of the repository as JavaScript modules with their types. */
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildManifest, root } from "./manifest.ts";
import { runTool } from "./tool.ts";

const compilerOptions = {
  target: "ES2022",
  lib: ["ES2023", "ESNext.Disposable", "DOM", "DOM.Iterable"],
  module: "NodeNext",
  moduleResolution: "NodeNext",
  strict: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  declaration: true,
  rewriteRelativeImportExtensions: true,
  rootDir: "src",
  outDir: "dist",
};

export interface Library {
  readonly name: string;
  readonly description: string;
  /** Folder of its source, from the root. */
  readonly source: string;
  /** Files that programs may import by name, besides the one entry. */
  readonly entries: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  /** Packages of ambient types that the sources use. */
  readonly types?: readonly string[];
  /** Folders of packages that are built here too, by name. */
  readonly built?: Readonly<Record<string, string>>;
  /** A change of each source file before it is compiled. */
  rewrite?(text: string): string;
  /** Generated files, by name. */
  readonly generated?: Readonly<Record<string, string>>;
}

/** Builds a library into `folder`. */
export async function buildLibrary(folder: string, library: Library): Promise<void> {
  const {
    name,
    description,
    entries,
    dependencies,
    types = [],
    built = {},
    rewrite = (text) => text,
    generated = {},
  } = library;
  const source = join(root, library.source);
  const sources = join(folder, "src");
  await mkdir(sources);
  for (const file of await readdir(join(source, "src"))) {
    await writeFile(join(sources, file), rewrite(await readFile(join(source, "src", file), "utf8")));
  }
  for (const [file, text] of Object.entries(generated)) await writeFile(join(sources, file), text);
  const manifest = buildManifest({
    name,
    description,
    license: "MIT",
    sideEffects: false,
    engines: { node: ">=20" },
    files: ["dist"],
    exports: {
      ".": exportOf("index"),
      ...Object.fromEntries(entries.map((entry) => [`./${entry}`, exportOf(entry)])),
      "./package.json": "./package.json",
    },
    dependencies,
  });
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, types }, include: ["src"] }),
  );
  await linkModules(folder, { ...(await listModules(source)), ...built });
  await runTool([join(root, "node_modules/.bin/tsc"), "-p", "."], folder);
  for (const file of ["README.md", "LICENSE"]) await copyFile(join(source, file), join(folder, file));
  const scaffolding = ["src", "tsconfig.json", "node_modules"];
  await Promise.all(scaffolding.map((file) => rm(join(folder, file), { recursive: true })));
}

const exportOf = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });

/** The packages that a source folder has installed, by name; those of the repository are not for publishing. */
async function listModules(source: string): Promise<Record<string, string>> {
  const modules = join(source, "node_modules");
  const names = (await readdir(modules)).filter((name) => !name.startsWith("."));
  const nested = await Promise.all(
    names.map(async (name) =>
      name.startsWith("@") ? (await readdir(join(modules, name))).map((scoped) => `${name}/${scoped}`) : [name],
    ),
  );
  const own = nested.flat().filter((name) => !name.startsWith("@cardkeep/"));
  return Object.fromEntries(own.map((name) => [name, join(modules, name)]));
}

/** Lets the compiler find packages by name. */
async function linkModules(folder: string, modules: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, target] of Object.entries(modules)) {
    const path = join(folder, "node_modules", name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  }
}
