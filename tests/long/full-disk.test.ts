/** A full disk: the tables of the database are on a small file system of their own, where the machine lets the test mount one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Postgres, startPostgres } from "@cardkeep/local/postgres";
import { serverUser } from "@cardkeep/local/postgresFiles";
import { mkdtempSync } from "node:fs";
import { chmod, chown, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgresClient from "postgres";
import { atEnd } from "../support/ends.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { fillData, nameDatabase } from "../support/postgres.ts";
import { generous } from "../support/service.ts";

const folder = mkdtempSync(join(tmpdir(), "cardkeep-full-"));
const run = (...command: string[]) => Bun.spawnSync(command, { stderr: "ignore" }).exitCode === 0;
/** Only root may mount, and not in every container. */
const canMount = process.getuid?.() === 0 && run("mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", folder);
atEnd(async () => {
  if (canMount) run("umount", folder);
  await rm(folder, { recursive: true, force: true });
});
const parallel = 8;

describe.skipIf(!canMount)("a full disk", () => {
  let data: string;
  let postgres: Postgres;
  let server: AppProcess;
  let ada: Person;
  let url: string;
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "cardkeep-full-data-"));
    for (const each of [data, folder]) await chmod(each, 0o755);
    const tables = join(folder, "tables");
    await mkdir(tables);
    await chown(tables, serverUser.uid ?? 0, serverUser.gid ?? 0);
    const [port = 0] = await findFreePorts(1);
    const dataDirectory = join(data, "data");
    await fillData(dataDirectory);
    postgres = await startPostgres({ dataDirectory });
    const admin = postgresClient(postgres.url, { max: 1 });
    await admin.unsafe(`create tablespace small location '${tables}'`);
    await admin`create database small template cardkeep tablespace small`;
    await admin.end();
    url = nameDatabase(postgres.url, "small");
    server = await spawnApp("server", {
      DATABASE_URL: url,
      RPC_URL: "http://127.0.0.1:1",
      PORT: String(port),
      ...generous,
    });
    await server.ready("listening");
    ada = new Person({ url: `http://127.0.0.1:${port}`, sandboxUrl: "http://127.0.0.1:1" });
    await (await ada.signIn()).signUp();
  }, 60_000);
  afterAll(async () => {
    server.kill("SIGKILL");
    await server.exited;
    await postgres.stop();
    await rm(data, { recursive: true, force: true });
  });

  /** Writes until the space is gone. */
  const fill = async () => {
    run("dd", "if=/dev/zero", `of=${join(folder, "filler")}`, "bs=64k");
    await writeFile(join(folder, "rest"), Buffer.alloc(1)).catch(() => null);
  };

  test("writes answer 503 with Retry-After, reads go on, readyz names the disk, no acknowledged write is lost, and freed space is enough to recover", async () => {
    const accepted: string[] = [];
    const refusals = new Map<string, number>();
    const write = async () => {
      const { status, headers, body: nonce } = await ada.call("GET", "/auth/nonce");
      if (status === 200) accepted.push(nonce);
      else {
        const refusal = `${status}, again after ${headers.get("retry-after")} s`;
        refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
      }
      return status;
    };
    const writeSome = () => Promise.all(Array.from({ length: parallel }, write));
    const readiness = async () => {
      const response = await fetch(`${ada.service.url}/readyz`);
      return { status: response.status, database: (await response.json()).parts.database };
    };
    await writeSome();
    await fill();
    await until(async () => (await writeSome()).includes(503));
    expect(await readiness()).toEqual({
      status: 503,
      database: { status: "down", reason: "The database's disk is full: free space on it" },
    });
    expect([...refusals.keys()]).toEqual(["503, again after 5 s"]);
    expect((await ada.call("GET", "/user/terms")).status).toBe(200);
    await rm(join(folder, "filler"));
    await until(async () => (await writeSome()).every((status) => status === 200));
    await until(async () => (await readiness()).status === 200);
    const sql = postgresClient(url, { max: 1 });
    const rows = await sql<{ value: string }[]>`select value from nonces`;
    await sql.end();
    const stored = new Set(rows.map(({ value }) => value));
    expect(accepted.filter((nonce) => !stored.has(nonce))).toEqual([]);
  }, 60_000);
});
