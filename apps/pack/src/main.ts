/** `bun run pack [name ...] [--out FOLDER]`: builds the packages that are published, or those named, as tarballs. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildClient } from "./client.ts";
import { root } from "./manifest.ts";
import { buildProgram } from "./program.ts";
import { packFolder } from "./tarball.ts";
import { buildTesting } from "./testing.ts";

/** In the order in which they need each other. */
const builders: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  "@cardkeep/client": buildClient,
  "@cardkeep/testing": async (folder) => {
    const client = `${folder}-client`;
    await mkdir(client);
    await buildClient(client);
    await buildTesting(folder, client);
  },
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
// Inside the repository, so that the compiler finds the packages that the sources import.
const cache = join(root, "node_modules/.cache");
await mkdir(out, { recursive: true });
await mkdir(cache, { recursive: true });
const staging = await mkdtemp(join(cache, "pack-"));
try {
  for (const [name, build] of Object.entries(builders)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const folder = join(staging, name.replace("/", "-"));
    await mkdir(folder);
    await build(folder);
    const { file, bytes } = await packFolder(folder, out);
    process.stdout.write(`${name}  ${Math.ceil(bytes / 1024)} kB  ${file}\n`);
  }
} finally {
  await rm(staging, { recursive: true, force: true });
}
