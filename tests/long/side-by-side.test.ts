import { afterAll, beforeAll, expect, test } from "bun:test";
import { compareMigrations } from "@cardkeep/db/migrations";
import { delayTransactions, relayTransactions, safes } from "@cardkeep/db/schema/tables";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { sql } from "drizzle-orm";
import { fileURLToPath } from "node:url";
import { createEmptyDatabase } from "../support/database.ts";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const peopleCount = 6;

let service: Service;
let servers: { process: AppProcess; url: string }[];
let workers: AppProcess[];
beforeAll(async () => {
  service = await startService({ worker: false });
  const ports = await findFreePorts(2);
  servers = await Promise.all(
    ports.map(async (port) => ({
      process: await spawnApp("server", { ...service.env, PORT: String(port) }),
      url: `http://127.0.0.1:${port}`,
    })),
  );
  workers = await Promise.all([spawnApp("worker", service.env), spawnApp("worker", service.env)]);
  await Promise.all([
    ...servers.map(({ process }) => process.ready("listening")),
    ...workers.map((worker) => worker.ready("taking jobs")),
  ]);
});
afterAll(async () => {
  for (const process of [...workers, ...servers.map((server) => server.process)]) process.kill("SIGTERM");
  await service.stop();
});

const personAt = (index: number): Person => {
  const server = servers[index % servers.length];
  if (!server) throw new Error("no server");
  return new Person({ url: server.url, sandboxUrl: service.sandboxUrl });
};

/** The same person with the same token at the other server. */
function beforeTheOther(person: Person): Person {
  const other = servers.find(({ url }) => url !== person.service.url);
  if (!other) throw new Error("no other server");
  const moved = new Person({ url: other.url, sandboxUrl: service.sandboxUrl });
  Object.assign(moved, { account: person.account, token: person.token, userId: person.userId });
  return moved;
}

test("a sign-in on one server is valid on the other, and so are nonces", async () => {
  const ada = personAt(0);
  const nonce = (await personAt(1).call("GET", "/auth/nonce")).body;
  const signed = await ada.signMessage({ nonce });
  ada.token = (await ada.call("POST", "/auth/challenge", signed)).body.token;
  await ada.signUp();
  expect((await beforeTheOther(ada).call("GET", "/user")).body.id).toBe(ada.userId);
  expect((await beforeTheOther(ada).call("POST", "/auth/challenge", signed)).status).toBe(401);
});

test("one key names one request on every server", async () => {
  const ada = await personAt(0).becomeApproved();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      (index % 2 ? beforeTheOther(ada) : ada).call("POST", "/safe/deploy", {}, { "Idempotency-Key": "once" }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status).filter((status) => status !== 409))).toEqual(new Set([202]));
  const rows = await service.runtime.db.select().from(safes);
  expect(rows.filter(({ userId }) => userId === ada.userId)).toHaveLength(1);
});

test("two workers share the jobs: every operation once on chain, no nonce twice, no gap", async () => {
  const people = await Promise.all(
    Array.from({ length: peopleCount }, async (_, index) => {
      const person = personAt(index);
      const address = await person.becomeAccountHolder();
      await person.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "100" });
      return person;
    }),
  );
  const to = "0x000000000000000000000000000000000000bEEF";
  for (const person of people) {
    const moved = beforeTheOther(person);
    const body = await person.signWithdrawal({ tokenAddress: eure, to, amount: "3" });
    expect((await moved.call("POST", "/accounts/withdraw", body)).status).toBe(200);
  }
  const { db, chain } = service.runtime;
  const isAll = async (status: string) =>
    (await db.select().from(delayTransactions)).every((row) => row.status === status);
  await until(() => isAll("WAITING"));
  await people[0]?.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(() => isAll("EXECUTED"));
  expect(await chain.getTokenBalance(eure, to)).toBe(BigInt(3 * peopleCount));
  const sent = await db.select().from(relayTransactions);
  let counted = 0;
  for (const relayer of filled(service.runtime.services.policy.relayerAddresses)) {
    const nonces = sent.filter((row) => row.relayer === relayer).map((row) => Number(row.nonce));
    const [first = 0] = nonces.sort((a, b) => a - b);
    expect(nonces).toEqual(nonces.map((_, index) => first + index));
    counted += nonces.length;
    if (nonces.length > 0) expect(await chain.getTransactionCount(relayer, "latest")).toBe(first + nonces.length);
  }
  // Each person's account, deposit and execution is a transaction of one of these relayers.
  expect([counted, counted > peopleCount]).toEqual([sent.length, true]);
  expect(workers.length).toBeGreaterThan(1);
  await Promise.all(workers.map((worker) => worker.ready('"signed"')));
}, 90_000);

test("instances that migrate an empty database at once apply each migration once", async () => {
  const database = await createEmptyDatabase();
  const script = fileURLToPath(new URL("../../packages/runtime/src/migrate.ts", import.meta.url));
  const runs = Array.from({ length: 2 }, () =>
    Bun.spawn([process.execPath, script], {
      env: { PATH: process.env["PATH"] ?? "", DATABASE_URL: database.url },
      stdout: "ignore",
      stderr: "pipe",
    }),
  );
  const ends = await Promise.all(runs.map(async (run) => [await run.exited, await new Response(run.stderr).text()]));
  // The one that comes second may say that it waits.
  for (const [code, said] of ends) {
    expect(code).toBe(0);
    expect(said).toMatch(/^(cardkeep migrate: waits for the end of another run, session \d+ \(cardkeep-migrate\)\n)?$/);
  }
  const runtime = await createRuntime(readSettings({ ...service.env, DATABASE_URL: database.url }), "server");
  expect(await compareMigrations(runtime.db)).toBe("current");
  const hashes = await runtime.db.execute<{ hash: string }>(sql`select hash from drizzle.__drizzle_migrations`);
  expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(hashes.length);
  const schemas = await runtime.db.execute<{ name: string }>(
    sql`select nspname as name from pg_namespace where nspname not like 'pg\\_%' and nspname <> 'information_schema'`,
  );
  // Production: the sandbox's tables are made by the sandbox alone.
  expect(schemas.map(({ name }) => name).toSorted()).toEqual(["drizzle", "graphile_worker", "public"]);
  await runtime.close();
  await database.drop();
});
