/** Builds `@cardkeep/client`: JavaScript modules and their types, with the contract's types in a file of their own. */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import clientManifest from "@cardkeep/client/package.json";
import { buildClientTypes } from "./clientTypes.ts";
import { buildManifest, root } from "./manifest.ts";
import { runTool } from "./tool.ts";

const source = join(root, "packages/client");

/** The packages that the client imports at run time. */
const { "@cardkeep/contract": _, ...dependencies } = clientManifest.dependencies;

const compilerOptions = {
  target: "ES2022",
  lib: ["ES2023", "DOM", "DOM.Iterable"],
  types: [],
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

/** Builds the package into `folder`. */
export async function buildClient(folder: string): Promise<void> {
  const sources = join(folder, "src");
  await mkdir(sources);
  for (const name of await readdir(join(source, "src"))) {
    const text = await readFile(join(source, "src", name), "utf8");
    await writeFile(join(sources, name), text.replaceAll(/"@cardkeep\/contract\/\w+"/g, '"./contract.ts"'));
  }
  await writeFile(join(sources, "contract.ts"), await buildClientTypes());
  const manifest = buildManifest({
    name: "@cardkeep/client",
    description: "Typed client of Cardkeep, the self-hosted card and account service",
    license: "MIT",
    sideEffects: false,
    engines: { node: ">=20" },
    files: ["dist"],
    exports: {
      ".": exportOf("index"),
      ...Object.fromEntries(["client", "errors", "webhooks", "contract"].map((name) => [`./${name}`, exportOf(name)])),
      "./package.json": "./package.json",
    },
    dependencies,
  });
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  await runTool([join(root, "node_modules/.bin/tsc"), "-p", "."], folder);
  for (const name of ["README.md", "LICENSE"]) await copyFile(join(source, name), join(folder, name));
  await Promise.all(["src", "tsconfig.json"].map((name) => rm(join(folder, name), { recursive: true })));
}

const exportOf = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
