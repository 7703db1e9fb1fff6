/** `bun run pack [--out FOLDER]`: builds every package that is published, as tarballs in one folder. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildClient } from "./client.ts";
import { root } from "./manifest.ts";
import { packFolder } from "./tarball.ts";

const builders = { "@cardkeep/client": buildClient };

const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "dist") } } });
const out = resolve(values.out);
// Inside the repository, so that the compiler finds the packages that the sources import.
const cache = join(root, "node_modules/.cache");
await mkdir(out, { recursive: true });
await mkdir(cache, { recursive: true });
const staging = await mkdtemp(join(cache, "pack-"));
try {
  for (const [name, build] of Object.entries(builders)) {
    const folder = join(staging, name.replace("/", "-"));
    await mkdir(folder);
    await build(folder);
    const { file, bytes } = await packFolder(folder, out);
    process.stdout.write(`${name}  ${Math.ceil(bytes / 1024)} kB  ${file}\n`);
  }
} finally {
  await rm(staging, { recursive: true, force: true });
}
