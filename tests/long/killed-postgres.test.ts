import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Postgres, startPostgres } from "@cardkeep/local/postgres";
import { rm } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgresClient from "postgres";
import { createDataFolder } from "../support/dataFolder.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { fillData } from "../support/postgres.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { pour } from "../support/rawClient.ts";
import { generous } from "../support/service.ts";

const restarts = 3;
const recoverMsMax = 10_000;
const writeEveryMs = 25;

let folder: string;
let postgres: Postgres;
let startAgain: () => Promise<Postgres>;
let server: AppProcess;
let ada: Person;
beforeAll(async () => {
  folder = await createDataFolder();
  const [postgresPort = 0, port = 0] = await findFreePorts(2);
  const dataDirectory = join(folder, "data");
  await fillData(dataDirectory);
  startAgain = () => startPostgres({ dataDirectory, port: postgresPort });
  postgres = await startAgain();
  const env = { DATABASE_URL: postgres.url, RPC_URL: "http://127.0.0.1:1", PORT: String(port), ...generous };
  server = await spawnApp("server", env);
  await server.ready("listening");
  ada = new Person({ url: `http://127.0.0.1:${port}`, sandboxUrl: "http://127.0.0.1:1" });
  await (await ada.signIn()).signUp();
});
afterAll(async () => {
  server.kill("SIGKILL");
  await server.exited;
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const isWell = () => ada.call("GET", "/user/terms").then(({ status }) => status === 200);

test("Postgres killed three times under load: 503 with Retry-After, recovery without help, and no acknowledged write is lost", async () => {
  const accepted: string[] = [];
  const refusals = new Set<string>();
  let isOver = false;
  const write = async () => {
    const { status, headers, body: nonce } = await ada.call("GET", "/auth/nonce");
    if (status === 200) accepted.push(nonce);
    else refusals.add(`${status}, again after ${headers.get("retry-after")} s`);
  };
  const writes: Promise<void>[] = [];
  const load = (async () => {
    while (!isOver) {
      writes.push(write());
      await Bun.sleep(writeEveryMs);
    }
  })();
  try {
    for (let count = 0; count < restarts; count++) {
      const before = accepted.length;
      await until(() => accepted.length > before + 20);
      // As `pg_ctl -m immediate` does: no clean shutdown, and a recovery at the next start.
      process.kill(postgres.pid, "SIGQUIT");
      await postgres.ended;
      await until(async () => !(await isWell()));
      expect((await fetch(`${ada.service.url}/livez`)).status).toBe(200);
      expect((await fetch(`${ada.service.url}/readyz`)).status).toBe(503);
      postgres = await startAgain();
      await until(isWell, { timeoutMs: recoverMsMax });
    }
  } finally {
    isOver = true;
    await load;
    await Promise.allSettled(writes);
  }
  expect([...refusals]).toEqual(["503, again after 5 s"]);
  const sql = postgresClient(postgres.url, { max: 1 });
  const rows = await sql<{ value: string }[]>`select value from nonces`;
  await sql.end();
  const stored = new Set(rows.map(({ value }) => value));
  expect(accepted.filter((nonce) => !stored.has(nonce))).toEqual([]);
  expect(accepted.length).toBeGreaterThan(restarts * 20);
}, 60_000);

test("while other sessions hold a lock that every request needs, no request waits for ever: 503 with Retry-After, and recovery afterwards", async () => {
  const sql = postgresClient(postgres.url, { max: 1 });
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const held = sql.begin(async (tx) => {
    await tx`lock table users, terms_acceptances in access exclusive mode`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const answers = Promise.all(Array.from({ length: 250 }, () => ada.call("GET", "/user/terms")));
  expect((await fetch(`${ada.service.url}/livez`)).status).toBe(200);
  for (const { status, headers } of await answers) expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
  release.resolve();
  await held;
  await sql.end();
  await until(isWell, { timeoutMs: recoverMsMax });
}, 60_000);

const readMemoryMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;

test.skipIf(process.platform !== "linux")(
  "a hundred bodies of 10 MB at once, with their length and in chunks, are refused, free their memory, and delay no other request",
  async () => {
    // The server's connections after its first work.
    for (let count = 0; count < 100; count++) await ada.call("GET", "/user/terms");
    const before = readMemoryMb();
    for (const chunked of [false, true]) {
      const poured = Promise.all(
        Array.from({ length: 100 }, () =>
          pour(ada.service.url, "/api/v1/auth/challenge", { bytes: 10 * 1024 * 1024, chunked }),
        ),
      );
      for (let count = 0; count < 20; count++) expect((await ada.call("GET", "/user/terms")).status).toBe(200);
      expect(new Set(await poured)).toEqual(new Set([413]));
    }
    await until(() => readMemoryMb() < before + 50);
  },
  60_000,
);
