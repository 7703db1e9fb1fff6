/** `bun run pack [name ...] [--out FOLDER]`: builds the packages that are published, or those named, as tarballs. */
import { createProgress } from "@cardkeep/terminal/progress";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildClient } from "./client.ts";
import { root } from "./manifest.ts";
import { buildProgram } from "./program.ts";
import { packFolder } from "./tarball.ts";
import { buildTesting } from "./testing.ts";

/** Each builds a package into `folder`; `stage` answers the folder of another one, built once. */
const builders: Readonly<Record<string, (folder: string, stage: (name: string) => Promise<string>) => Promise<void>>> =
  {
    "@cardkeep/client": buildClient,
    "@cardkeep/testing": async (folder, stage) => buildTesting(folder, await stage("@cardkeep/client")),
    cardkeep: buildProgram,
  };

const { values, positionals } = parseArgs({
  options: { out: { type: "string", default: join(root, "dist") } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !Object.hasOwn(builders, name));
if (unknown.length > 0) {
  process.stderr.write(`pack: there is no ${unknown.join(", ")}; there are ${Object.keys(builders).join(", ")}\n`);
  process.exit(2);
}
const out = resolve(values.out);
const progress = createProgress({ lines: process.stdout, activity: process.stderr });
// Inside the repository, so that the compiler finds the packages that the sources import.
const cache = join(root, "node_modules/.cache");
await mkdir(out, { recursive: true });
await mkdir(cache, { recursive: true });
const staging = await mkdtemp(join(cache, "pack-"));
const staged = new Map<string, Promise<string>>();
const build = async (name: string): Promise<string> => {
  const folder = join(staging, name.replace("/", "-"));
  await mkdir(folder);
  await builders[name]?.(folder, stage);
  return folder;
};
function stage(name: string): Promise<string> {
  const folder = staged.get(name) ?? build(name);
  staged.set(name, folder);
  return folder;
}
try {
  const asked = Object.keys(builders).filter((name) => positionals.length === 0 || positionals.includes(name));
  const waiting = new Set(asked);
  const report = () => progress.count(asked.length - waiting.size, asked.length, `builds ${[...waiting].join(", ")}`);
  progress.begin("builds", asked.length);
  report();
  await Promise.all(
    asked.map(async (name) => {
      const { file, bytes } = await packFolder(await stage(name), out);
      waiting.delete(name);
      report();
      progress.print(`${name}  ${Math.ceil(bytes / 1024)} kB  ${file}`);
    }),
  );
} finally {
  progress.end();
  await rm(staging, { recursive: true, force: true });
}
