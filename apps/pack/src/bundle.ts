/** Bundles programs or scripts with everything that they import. */
import { join } from "node:path";
import { bundleDeployments } from "./bundleDeployments.ts";
import { root } from "./manifest.ts";

/** The folder of the compiled modules that programs load, below that of the programs. */
export const nativeFolder = "native";

/**
 * Code that several programs run, or that a program loads when it is needed, is in files of its own. They are as deep below the
 * root as the sources, which find other files relative to themselves.
 */
const sharedFolder = "packages/shared/src";

/** Bundles files of the repository into the same folders below `folder`, and answers the files that went in. */
export async function bundle(
  folder: string,
  paths: readonly string[],
  { target, extension }: { target: "bun" | "browser"; extension: "js" | "ts" },
): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: paths.map((path) => join(root, `${path}.ts`)),
    root,
    target,
    outdir: folder,
    naming: {
      entry: `[dir]/[name].${extension}`,
      chunk: `${sharedFolder}/[name]-[hash].js`,
      asset: `${nativeFolder}/[name].[ext]`,
    },
    splitting: target === "bun",
    // `oidc-provider` finds its settings by the names of its classes.
    minify: { syntax: true, whitespace: true, keepNames: true },
    plugins: [bundleDeployments],
    metafile: true,
    // Otherwise the folder of the machine that builds would stand in the bundle.
    define: { __dirname: JSON.stringify("."), __filename: JSON.stringify("./bundle.js") },
  });
  return Object.keys(metafile?.inputs ?? {});
}
