/** `bun apps/pack/src/image.ts --out FOLDER`: the files of the production image. Without sandbox and local chain. */
import { version } from "@cardkeep/contract/version";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundlePrograms } from "./bundlePrograms.ts";
import { root } from "./manifest.ts";

/** The commands of the image, as in a checkout: `bun run server`. */
const commands = {
  server: "apps/server/src/main",
  worker: "apps/worker/src/main",
  migrate: "packages/runtime/src/migrate",
  cardkeep: "apps/cli/src/main",
};

const { values } = parseArgs({ options: { out: { type: "string" } } });
if (values.out === undefined) {
  process.stderr.write("image: --out names the folder to write\n");
  process.exit(2);
}
const folder = resolve(values.out);
await mkdir(folder, { recursive: true });
await bundlePrograms(folder, {
  programs: Object.values(commands),
  scripts: [
    "apps/server/src/docs/browser/page",
    "apps/server/src/docs/browser/search",
    "apps/server/src/docs/browser/run",
    "apps/server/src/operator/page/browser",
  ],
  migrations: ["drizzle"],
});
const scripts = Object.fromEntries(
  Object.keys(commands).map((name) => [
    name,
    ["exec bun", `${commands.cardkeep}.js`, ...(name === "cardkeep" ? [] : [name])].join(" "),
  ]),
);
const manifest = { name: "cardkeep", version, private: true, license: "AGPL-3.0-only", type: "module", scripts };
await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
