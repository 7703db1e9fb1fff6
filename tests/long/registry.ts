/** A registry of packages on this machine: it holds the packed ones, and refers to the machine's own registry for the rest. */
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  // No registry takes a private package.
  private: z.literal(false).optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

interface PackedPackage {
  readonly file: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly manifest: z.infer<typeof manifestSchema>;
}

export interface Registry {
  readonly url: string;
  /** What the packages in it need of other authors. */
  readonly foreign: Readonly<Record<"dependencies" | "optionalDependencies", Readonly<Record<string, string>>>>;
  stop(): Promise<void>;
}

/** Starts a registry that holds the tarballs of a folder. `upstream` is the address of the machine's own registry. */
export async function startRegistry(tarballs: string, upstream: string): Promise<Registry> {
  const packages = await Promise.all((await readdir(tarballs)).map((file) => readPackage(tarballs, file)));
  const byName = new Map(packages.map((packed) => [packed.manifest.name, packed]));
  const byFile = new Map(packages.map((packed) => [packed.file, packed]));
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const { pathname, origin } = new URL(url);
      const path = decodeURIComponent(pathname.slice(1));
      const packed = byName.get(path);
      if (packed) return Response.json(describe(packed, origin));
      const tarball = byFile.get(path);
      return tarball ? new Response(tarball.bytes) : Response.redirect(new URL(pathname.slice(1), upstream).href, 302);
    },
  });
  const isForeign = ([name]: [string, string]) => !byName.has(name);
  const list = (kind: keyof Registry["foreign"]) =>
    Object.fromEntries(packages.flatMap(({ manifest }) => Object.entries(manifest[kind]).filter(isForeign)));
  return {
    url: server.url.origin,
    foreign: { dependencies: list("dependencies"), optionalDependencies: list("optionalDependencies") },
    stop: () => server.stop(true),
  };
}

async function readPackage(folder: string, file: string): Promise<PackedPackage> {
  const bytes = await Bun.file(join(folder, file)).bytes();
  const files = await new Bun.Archive(bytes).files("package/package.json");
  const text = await files.get("package/package.json")?.text();
  return { file, bytes, manifest: manifestSchema.parse(JSON.parse(text ?? "null")) };
}

/** What a registry answers about a package with one version. */
function describe({ file, bytes, manifest }: PackedPackage, origin: string): unknown {
  const { name, version } = manifest;
  const integrity = `sha512-${new Bun.CryptoHasher("sha512").update(bytes).digest("base64")}`;
  const dist = { tarball: `${origin}/${file}`, integrity };
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

/** npm's own settings on this machine. */
export async function readNpmSettings(): Promise<{ registry: string; cache: string }> {
  const child = Bun.spawn(["npm", "config", "get", "registry", "cache"], {
    cwd: tmpdir(),
    stdout: "pipe",
    stderr: "ignore",
  });
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  const settings = Object.fromEntries(lines.map((line) => line.split(/=(.*)/)));
  return z.object({ registry: z.url(), cache: z.string() }).parse(settings);
}
