/** Bundles one program or script with everything that it imports. */
import type { BunPlugin } from "bun";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { root } from "./manifest.ts";

/**
 * `@safe-global/safe-singleton-factory` requires a file whose name it computes, which no bundler finds. Here every such file
 * is part of the module.
 */
const singletonFactory: BunPlugin = {
  name: "safe-singleton-factory",
  setup: (build) => {
    build.onLoad({ filter: /safe-singleton-factory\/dist\/index\.js$/ }, async ({ path }) => {
      const artifacts = join(dirname(path), "../artifacts");
      const chains = (await readdir(artifacts)).filter((name) => /^\d+$/.test(name));
      const entries = chains.map(async (chain) => {
        const text = await readFile(join(artifacts, chain, "deployment.json"), "utf8");
        return `${chain}:${JSON.stringify(JSON.parse(text))}`;
      });
      const table = `{${(await Promise.all(entries)).join(",")}}`;
      return {
        contents: `const table = ${table};\nexports.getSingletonFactoryInfo = (chain) => table[chain];`,
        loader: "js",
      };
    });
  },
};

/** The folder of the compiled modules that programs load, below that of the programs. */
export const nativeFolder = "native";

/** Bundles `path` of the repository into the same folder below `folder`, and answers the files that went in. */
export async function bundle(
  folder: string,
  path: string,
  { target, extension }: { target: "bun" | "browser"; extension: "js" | "ts" },
): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [join(root, `${path}.ts`)],
    target,
    outdir: join(folder, dirname(path)),
    // Compiled modules are the same for all programs, so they stand once beside them.
    naming: { entry: `[name].${extension}`, asset: `${relative(dirname(path), nativeFolder)}/[name].[ext]` },
    // `oidc-provider` finds its settings by the names of its classes.
    minify: { syntax: true, whitespace: true, keepNames: true },
    plugins: [singletonFactory],
    metafile: true,
    // Otherwise the folder of the machine that builds would stand in the bundle.
    define: { __dirname: JSON.stringify("."), __filename: JSON.stringify("./bundle.js") },
  });
  return Object.keys(metafile?.inputs ?? {});
}
