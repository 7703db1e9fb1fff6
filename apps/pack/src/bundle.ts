/** Bundles one program or script with everything that it imports. */
import { dirname, join, relative } from "node:path";
import { bundleDeployments } from "./bundleDeployments.ts";
import { root } from "./manifest.ts";

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
    plugins: [bundleDeployments],
    metafile: true,
    // Otherwise the folder of the machine that builds would stand in the bundle.
    define: { __dirname: JSON.stringify("."), __filename: JSON.stringify("./bundle.js") },
  });
  return Object.keys(metafile?.inputs ?? {});
}
