import type { BunPlugin } from "bun";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Bundles all of `@safe-global/safe-singleton-factory`. It requires a file whose name it computes, which no bundler finds.
 * Here every such file is part of the module.
 */
export const bundleDeployments: BunPlugin = {
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
