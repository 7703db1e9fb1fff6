import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyTemplate } from "@cardkeep/local/databaseTemplate";
import { findRunning } from "@cardkeep/local/pidFile";
import { startPostgres } from "@cardkeep/local/postgres";
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { chmod, mkdir, mkdtemp, readlink, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { until } from "../support/poll.ts";
import { templatesVariable } from "../support/postgres.ts";

let folder: string;
let dataDirectory: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-postgres-"));
  // The server runs as another user if the tests run as root.
  await chmod(folder, 0o755);
  dataDirectory = join(folder, "data");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (port?: number) => startPostgres({ dataDirectory, ...(port !== undefined && { port }) });

async function ask<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

const countNotes = (url: string): Promise<number> => ask(url, async (sql) => (await sql`select from notes`).length);
const addNote = (url: string) =>
  ask(url, async (sql) => {
    await sql`create table if not exists notes ()`;
    await sql`insert into notes default values`;
  });

const isRunning = (pid: number): boolean => findRunning(pid, dataDirectory) !== null;

/** A separate process that starts a server on the directory, prints its number, and stays. */
async function startElsewhere() {
  const script = `
    import { findRunning } from "@cardkeep/local/pidFile";
import { startPostgres } from "@cardkeep/local/postgres";
    const { pid, url } = await startPostgres({ dataDirectory: ${JSON.stringify(dataDirectory)} });
    process.stdout.write(JSON.stringify({ pid, url }) + "\\n");
    setInterval(() => {}, 1_000);`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    cwd: import.meta.dir,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return { child, ...(JSON.parse(new TextDecoder().decode(value)) as { pid: number; url: string }) };
}

/** The process that ends a server after its own process has ended. */
const findGuards = (owner: number): number[] =>
  Bun.spawnSync(["ps", "-eo", "pid=,ppid=,comm="])
    .stdout.toString()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, command]) => Number(parent) === owner && command === "sh")
    .map(([pid]) => Number(pid));

describe("the embedded Postgres", () => {
  test("resumes with the same data at a second start", async () => {
    const first = await start();
    await addNote(first.url);
    await first.stop();
    expect(isRunning(first.pid)).toBe(false);
    const second = await start();
    expect(await countNotes(second.url)).toBe(1);
    await second.stop();
  });

  test("leaves no lock behind when it is stopped", () => {
    expect(existsSync(`${dataDirectory}.pid`)).toBe(false);
    expect(existsSync(join(dataDirectory, "postmaster.pid"))).toBe(false);
  });

  test("ends together with its process, also when that is killed", async () => {
    const { child, pid } = await startElsewhere();
    child.kill("SIGKILL");
    await until(() => !isRunning(pid));
  });

  test("that outlived its process is stopped by the next start, and loses nothing", async () => {
    const { child, pid, url } = await startElsewhere();
    await addNote(url);
    for (const guard of findGuards(child.pid)) process.kill(guard, "SIGKILL");
    child.kill("SIGKILL");
    await child.exited;
    expect(isRunning(pid)).toBe(true);
    const next = await start();
    expect(isRunning(pid)).toBe(false);
    expect(await countNotes(next.url)).toBe(2);
    await next.stop();
  });

  test("is left alone while its process runs, and the second start names that process", async () => {
    const { child, pid } = await startElsewhere();
    await expect(start()).rejects.toThrow(`Process ${child.pid} already uses ${dataDirectory}`);
    expect(isRunning(pid)).toBe(true);
    child.kill("SIGTERM");
    await until(() => !isRunning(pid));
  });

  test("starts despite a lock file whose number belongs to another process by now", async () => {
    writeFileSync(join(dataDirectory, "postmaster.pid"), `${process.pid}\n${dataDirectory}\n`);
    writeFileSync(`${dataDirectory}.pid`, `${process.pid} ${process.ppid}\n`);
    const server = await start();
    expect(await countNotes(server.url)).toBe(2);
    await server.stop();
  });

  test("reports in one line that its port is in use", async () => {
    const squatter = createServer();
    const port = await new Promise<number>((resolve) => {
      squatter.listen(0, "127.0.0.1", () => resolve((squatter.address() as { port: number }).port));
    });
    await expect(start(port)).rejects.toThrow(
      new RegExp(`^Port ${port} is in use\\. Stop the other program or set POSTGRES_PORT\\.$`),
    );
    squatter.close();
  });

  test("reports in one line why it does not start", async () => {
    const settings = join(dataDirectory, "postgresql.conf");
    const whole = readFileSync(settings, "utf8");
    writeFileSync(settings, `${whole}\nno_such_setting = on\n`);
    await expect(start()).rejects.toThrow(
      /^Postgres did not start \(code 1\): .*FATAL: .*contains errors; see .*server\.log$/,
    );
    writeFileSync(settings, whole);
    await (await start()).stop();
  });

  test("is created again after an interrupted first start", async () => {
    const cutShort = join(folder, "cut-short");
    writeFileSync(`${cutShort}.new`, "");
    const server = await startPostgres({ dataDirectory: cutShort, fsync: false });
    await server.stop();
  });

  test.if(process.getuid?.() === 0)("keeps root's data behind a link where its user may not enter", async () => {
    const closed = join(folder, "closed");
    const link = join(closed, "data");
    await mkdir(closed, { mode: 0o700 });
    const server = await startPostgres({ dataDirectory: link, fsync: false });
    await addNote(server.url);
    await server.stop();
    const again = await startPostgres({ dataDirectory: link, fsync: false });
    expect(await countNotes(again.url)).toBe(1);
    await again.stop();
    await rm(await readlink(link), { recursive: true });
  });
});

test("the log names no value of a row, and only its owner reads it", async () => {
  const logFile = join(folder, "logs", "postgres.log");
  await mkdir(join(folder, "logs"));
  writeFileSync(logFile, "of an earlier version", { mode: 0o644 });
  const server = await startPostgres({ dataDirectory, logFile });
  await ask(server.url, async (sql) => {
    await sql`create table if not exists people (mail text unique)`;
    const mail = "ada@example.org";
    await sql`insert into people (mail) values (${mail})`;
    await expect((async () => sql`insert into people (mail) values (${mail})`)()).rejects.toThrow("duplicate key");
  });
  await server.stop();
  expect(readFileSync(logFile, "utf8")).toContain("duplicate key");
  expect(readFileSync(logFile, "utf8")).not.toContain("ada@example.org");
  for (const path of [logFile, `${logFile}.1`]) expect(statSync(path).mode & 0o077).toBe(0);
});

test("an ephemeral start says that it used its template, and removes one that none used for long", async () => {
  const cache = join(folder, "cache");
  const copy = join(folder, "copy");
  const given = process.env[templatesVariable];
  await mkdir(join(cache, "postgres-0123456789abcdef"), { recursive: true });
  if (given !== undefined)
    for (const name of readdirSync(given)) symlinkSync(realpathSync(join(given, name)), join(cache, name));
  const longAgo = new Date("2020-01-01");
  for (const name of readdirSync(cache)) utimesSync(join(cache, name), longAgo, longAgo);
  await copyTemplate(cache, copy);
  const left = readdirSync(cache);
  expect(left).toEqual([expect.not.stringContaining("0123456789abcdef")]);
  expect(statSync(join(cache, left[0] ?? "")).mtimeMs).toBeGreaterThan(longAgo.getTime());
  expect(existsSync(join(copy, "PG_VERSION"))).toBe(true);
});
