/** The files of the production image: what its build writes, run as the image runs them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnProcess } from "../support/process.ts";

const megabytesMax = 40;

let folder: string;
let image: string;
let database: TestDatabase;
const started: AppProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-image-"));
  image = join(folder, "image");
  await mkdir(join(folder, "home"));
  database = await createEmptyDatabase();
  const build = fileURLToPath(new URL("../../apps/pack/src/image.ts", import.meta.url));
  expect(await spawnProcess([process.execPath, build, "--out", image], {}).exited).toBe(0);
});
afterAll(async () => {
  for (const app of started) {
    app.kill("SIGKILL");
    await app.exited;
  }
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Each file with its size and time. */
const listFiles = async (): Promise<{ path: string; bytes: number; changedAtMs: number }[]> => {
  const names = await readdir(folder, { recursive: true });
  const all = await Promise.all(
    names.toSorted().map(async (path) => ({ path, stats: await stat(join(folder, path)) })),
  );
  return all
    .filter(({ stats }) => stats.isFile())
    .map(({ path, stats }) => ({ path, bytes: stats.size, changedAtMs: stats.mtimeMs }));
};
/** Runs a command of the image in its folder. */
const run = (command: string, env: Record<string, string> = {}): AppProcess => {
  const app = spawnProcess([process.execPath, "run", "--cwd", image, command], {
    HOME: join(folder, "home"),
    DATABASE_URL: database.url,
    RPC_URL: "http://127.0.0.1:1",
    ...env,
  });
  started.push(app);
  return app;
};

test("it is small, and names every package that is inside, with its licence", async () => {
  const files = await listFiles();
  expect(files.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20).toBeLessThan(megabytesMax);
  const { components } = await Bun.file(join(image, "sbom.cdx.json")).json();
  const names = components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["elysia", "graphile-worker", "postgres", "viem"]));
  const licenses = await Bun.file(join(image, "THIRD_PARTY_LICENSES.txt")).text();
  for (const name of names) expect(licenses).toContain(name);
});

test("it migrates, serves, takes jobs and stops, and writes no file", async () => {
  const before = await listFiles();
  expect(await run("migrate").exited).toBe(0);
  const [port = 0] = await findFreePorts(1);
  const server = run("server", { PORT: String(port) });
  const worker = run("worker");
  await Promise.all([server.ready("listening"), worker.ready("taking jobs")]);
  for (const path of ["/readyz", "/docs", "/openapi.json"])
    expect([path, (await fetch(`http://127.0.0.1:${port}${path}`)).status]).toEqual([path, 200]);
  for (const app of [server, worker]) app.kill("SIGTERM");
  expect(await Promise.all([server.exited, worker.exited])).toEqual([0, 0]);
  expect(await listFiles()).toEqual(before);
});
