import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { announcePools } from "@cardkeep/db/queue/liveness";
import { migrate } from "@cardkeep/db/migrate";
import { relayers } from "@cardkeep/db/schema/tables";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer, type Server } from "@cardkeep/server/server";
import { startWorker } from "@cardkeep/worker/worker";
import { generateId } from "@cardkeep/domain/core/generateId";
import { sql } from "drizzle-orm";
import { createHmac } from "node:crypto";
import postgres from "postgres";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { spawnProcess } from "../support/process.ts";
import { createEmptyDatabase, createTestDatabase } from "../support/database.ts";
import { type SlowProxy, startSlowProxy } from "../support/slowProxy.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Health {
  status: string;
  parts: Record<string, { status: string; reason?: string }>;
}

/** `/readyz` of a server under other settings. */
async function readReadiness(change: Record<string, string> = {}): Promise<{ code: number; body: Health }> {
  const runtime = await createRuntime(readSettings({ ...service.env, ...change }), "server");
  const response = await createServer(runtime).handle(new Request("http://localhost/readyz"));
  const body = await response.json();
  await runtime.close();
  return { code: response.status, body };
}

const readMetrics = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
/** The value of one sample, null without one. */
const sample = (text: string, name: string): number | null => {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? null : Number(line.slice(name.length + 1));
};
const unreachable = "http://127.0.0.1:1";

describe("/readyz", () => {
  test("shows each part, and all are ok here", async () => {
    const ok = { status: "ok" };
    await until(async () => (await readReadiness()).body.status === "ok");
    expect(await readReadiness()).toEqual({
      code: 200,
      body: {
        status: "ok",
        parts: {
          database: ok,
          migrations: ok,
          clock: ok,
          worker: ok,
          chores: ok,
          stops: ok,
          chain: ok,
          signers: ok,
          relayers: ok,
          spends: ok,
          funds: ok,
        },
      },
    });
  });

  test("without its database it is down, 503, while /livez stays 200", async () => {
    const { code, body } = await readReadiness({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
    expect(code).toBe(503);
    expect(body.parts["database"]).toEqual({ status: "down", reason: "The database does not answer" });
    expect(body.parts["chain"]).toEqual({ status: "ok" });
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  });

  describe("on a network that is slow or stalls", () => {
    let network: SlowProxy;
    let server: Server;
    let close: () => Promise<void>;
    beforeAll(async () => {
      const address = new URL(service.env["DATABASE_URL"] ?? "");
      network = await startSlowProxy(Number(address.port));
      address.port = String(network.port);
      const runtime = await createRuntime(readSettings({ ...service.env, DATABASE_URL: address.href }), "server");
      [server, close] = [createServer(runtime), runtime.close];
    });
    afterAll(async () => {
      await network.stop();
      await close();
    });
    const ask = async (): Promise<Health> =>
      (await server.handle(new Request("http://localhost/readyz"))).json() as Promise<Health>;

    test("with 300 ms to the database it answers within a second of waiting", async () => {
      const measure = async (roundTripMs: number): Promise<number> => {
        network.setRoundTripMs(roundTripMs);
        const times: number[] = [];
        // The first ones open the connections, which take several round trips each.
        for (let turn = 0; turn < 4; turn++) {
          const startedAt = performance.now();
          expect((await ask()).status).toBe("ok");
          times.push(performance.now() - startedAt);
        }
        return Math.min(...times);
      };
      // A busy machine takes its own time for both.
      const own = await measure(0);
      expect((await measure(300)) - own).toBeLessThan(1_000);
    });

    test("a database that stalls is named, and the chain's node is not", async () => {
      network.setRoundTripMs(null);
      const { status, parts } = await ask();
      expect(status).toBe("down");
      expect(parts["database"]).toEqual({ status: "down", reason: "The database does not answer" });
      expect(parts["chain"]).toEqual({ status: "ok" });
      for (const { reason = "" } of filled(Object.values(parts))) expect(reason).not.toContain("node");
    });
  });

  test("a clock that is two hours behind is named, and the log says why callbacks are refused", async () => {
    const lines: { provider?: string; ageSeconds?: number }[] = [];
    const made = await createRuntime(readSettings(service.env), "server");
    const child = () => ({ ...made.log, warn: (fields: object) => void lines.push(fields) });
    const log: typeof made.log = Object.create(made.log, { child: { value: child } });
    const { handle } = createServer({ ...made, log });
    const body = JSON.stringify({ id: "evt_late", object: "event", type: "ping", data: { object: {} } });
    const seconds = Math.floor(Date.now() / 1000);
    const signature = `t=${seconds},v1=${createHmac("sha256", "whsec_sandbox").update(`${seconds}.${body}`).digest("hex")}`;
    const callback = () =>
      handle(
        new Request("http://localhost/callbacks/stripe", {
          method: "POST",
          headers: { "Stripe-Signature": signature },
          body,
        }),
      );
    try {
      setSystemTime(new Date(Date.now() - 7_200_000));
      const { status, parts } = (await (await handle(new Request("http://localhost/readyz"))).json()) as Health;
      expect([status, parts["clock"]?.status]).toEqual(["degraded", "degraded"]);
      expect(parts["clock"]?.reason).toMatch(/^This machine's clock is 720\d s behind the database's/);
      expect((await callback()).status).toBe(401);
    } finally {
      setSystemTime();
      await made.close();
    }
    const [{ provider, ageSeconds = 0 } = {}] = lines;
    expect([provider, Math.round(ageSeconds / 60)]).toEqual(["issuer", -120]);
  });

  test("before its migrations it is down and names the command; afterwards it is not", async () => {
    const [database, migrated] = await Promise.all([createEmptyDatabase(), createTestDatabase()]);
    const before = await readReadiness({ DATABASE_URL: database.url });
    expect([before.code, before.body.parts["migrations"]?.status]).toEqual([503, "down"]);
    expect(before.body.parts["migrations"]?.reason).toContain("bun run migrate");
    const after = await readReadiness({ DATABASE_URL: migrated.url });
    expect(after.body.parts["migrations"]).toEqual({ status: "ok" });
    expect(after.body.parts["worker"]).toEqual({
      status: "degraded",
      reason: "No worker is running: run `bun run worker`",
    });
    await Promise.all([database.drop(), migrated.drop()]);
  });

  test("on a newer database it serves, degraded, with a reason", async () => {
    const database = await createTestDatabase();
    const runtime = await createRuntime(readSettings({ ...service.env, DATABASE_URL: database.url }), "server");
    await runtime.db.execute(
      sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${Date.now() + 1e9})`,
    );
    await runtime.close();
    const { code, body } = await readReadiness({ DATABASE_URL: database.url });
    expect([code, body.parts["migrations"]?.status]).toEqual([200, "degraded"]);
    await expect(migrate(database.url)).rejects.toThrow(
      "The database is newer than this program: start the newer program",
    );
    await database.drop();
  });

  test("a role that may not create an extension is told so by the migration, and the database stays as it was", async () => {
    const database = await createEmptyDatabase();
    const client = postgres(database.url, { max: 1, onnotice: () => {} });
    const role = `role_${generateId().replaceAll("-", "")}`;
    await client`create role ${client(role)} login`;
    const address = new URL(database.url);
    address.username = role;
    const run = spawnProcess([process.execPath, "packages/runtime/src/migrate.ts"], { DATABASE_URL: address.href });
    expect([await run.exited, run.output()]).toEqual([
      1,
      "cardkeep migrate: This role may not create the extension pg_trgm: run `create extension pg_trgm` in the database as its owner\n",
    ]);
    expect(await client`select nspname from pg_namespace where nspname = 'drizzle'`).toHaveLength(0);
    await client.end();
    await database.drop();
  });

  test("on a database of other migrations it is down, and migrating leaves that one unchanged", async () => {
    const database = await createEmptyDatabase();
    const client = postgres(database.url, { max: 1, onnotice: () => {} });
    await client`create schema drizzle`;
    await client`create table drizzle.__drizzle_migrations (id serial, hash text not null, created_at bigint)`;
    await client`insert into drizzle.__drizzle_migrations (hash, created_at) values ('older', 1)`;
    const { code, body } = await readReadiness({ DATABASE_URL: database.url });
    const refusal = "The database is of another version, with other migrations: use an empty";
    expect([code, body.parts["migrations"]?.status]).toEqual([503, "down"]);
    expect(body.parts["migrations"]?.reason).toStartWith(refusal);
    await expect(migrate(database.url)).rejects.toThrow(`${refusal} database, or start that version`);
    const [tables] = await client`select count(*)::int as count from pg_tables where schemaname = 'public'`;
    expect(tables).toEqual({ count: 0 });
    await client.end();
    await database.drop();
  });

  test("a worker with too many heartbeats degrades it, by name", async () => {
    const url = service.env["DATABASE_URL"] ?? "";
    const announced = [];
    for (const pool of ["one", "two", "three"]) announced.push(await announcePools(url, [`surplus-${pool}`], "f00d"));
    const { body } = await readReadiness();
    expect(body.parts["worker"]).toEqual({
      status: "degraded",
      reason: "Worker f00d holds 3 heartbeats and 0 connections of the queue, more than one worker has: restart it",
    });
    await Promise.all(announced.map((one) => one.release()));
    await until(async () => (await readReadiness()).body.parts["worker"]?.status === "ok");
  });

  test("without its node, or on another chain, it is degraded with the reason", async () => {
    const away = await readReadiness({ RPC_URL: unreachable });
    expect([away.code, away.body.status]).toEqual([200, "degraded"]);
    expect(away.body.parts["chain"]?.reason).toContain("does not answer");
    const elsewhere = await readReadiness({ CHAIN_ID: "5" });
    expect(elsewhere.body.parts["chain"]?.reason).toBe("The node is on chain 100, not on 5");
  });

  test("a relayer without funds, or with a gap in its nonces, degrades it by name", async () => {
    const poor = `0x${"11".repeat(32)}`;
    const { body } = await readReadiness({ RELAYER_PRIVATE_KEYS: poor });
    expect(body.parts["relayers"]).toEqual({
      status: "degraded",
      reason: "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A is out of funds soon: send it native tokens",
    });
    const [address] = service.runtime.services.policy.relayerAddresses;
    if (!address) throw new Error("no relayer");
    await service.runtime.db.insert(relayers).values({ address, nextNonce: 1_000n });
    const holed = await readReadiness();
    await service.runtime.db.delete(relayers);
    expect(holed.body.parts["relayers"]?.reason).toMatch(/lacks \d+ transactions/);
  });
});

describe("the operator's key", () => {
  test("once it is set, metrics and reasons need the key", async () => {
    const key = "an operator's own long key";
    const settings = readSettings({ ...service.env, OPERATOR_API_KEY: key, RPC_URL: unreachable });
    const runtime = await createRuntime(settings, "server");
    const server = createServer(runtime);
    const ask = (path: string, headers: Record<string, string> = {}) =>
      server.handle(new Request(`http://localhost${path}`, { headers }));
    for (const authorization of ["", "Bearer something else", key]) {
      const headers = { Authorization: authorization };
      const refused = await ask("/metrics", headers);
      expect([refused.status, await refused.json()]).toEqual([401, { error: "Unauthorized" }]);
      expect(refused.headers.get("x-error-code")).toBe("auth.token_invalid");
      expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="cardkeep"');
      const { parts } = await (await ask("/readyz", headers)).json();
      expect(parts.chain).toEqual({ status: "degraded" });
    }
    expect((await ask("/metrics")).headers.get("x-error-code")).toBe("auth.token_missing");
    const headers = { Authorization: `Bearer ${key}` };
    expect(await (await ask("/metrics", headers)).text()).toContain("cardkeep_health");
    expect((await (await ask("/readyz", headers)).json()).parts.chain.reason).toContain("does not answer");
    expect((await ask("/livez")).status).toBe(200);
    await runtime.close();
  });
});

test("wrong operator keys are limited per network: after ten of them no key is checked for a minute", async () => {
  const runtime = await createRuntime(
    { ...service.runtime.settings, measuresKeys: ["the key of this test"] },
    "server",
  );
  const server = createServer(runtime);
  const port = server.listen(0);
  const ask = (key: string | null, path = "/metrics") =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...(key !== null && { headers: { Authorization: `Bearer ${key}` } }) });
  // Requests with the right key, or without a key, are not counted.
  for (let index = 0; index < 12; index++) {
    expect((await ask("the key of this test")).status).toBe(200);
    expect((await ask(null)).status).toBe(401);
  }
  const wrong = [];
  for (let index = 0; index < 12; index++) wrong.push((await ask(`guess ${index}`)).status);
  expect(wrong.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
  expect(wrong.slice(10)).toEqual([429, 429]);
  const right = await ask("the key of this test");
  expect([right.status, Number(right.headers.get("retry-after")) > 0]).toEqual([429, true]);
  const ready = await ask("the key of this test", "/readyz");
  expect(ready.status).toBe(200);
  expect(JSON.stringify(await ready.json())).not.toContain("reason");
  await server.stop();
  await runtime.close();
});

describe("/metrics", () => {
  test("counts requests on both surfaces by status", async () => {
    const ada = new Person(service);
    await ada.signIn();
    await ada.call("GET", "/user");
    await ada.trpc().auth.nonce.query();
    const text = await readMetrics();
    expect(text).toContain('cardkeep_request_seconds_count{surface="rest",operation="users.me",status="401"}');
    expect(text).toContain('cardkeep_request_seconds_count{surface="rest",operation="auth.challenge",status="200"}');
    expect(text).toContain('cardkeep_request_seconds_count{surface="trpc",operation="auth.nonce",status="200"}');
  });

  test("counts calls to partners and to the node by outcome", async () => {
    const ada = await (await new Person(service).signIn()).signUp();
    await ada.call("GET", "/kyc/integration");
    const text = await readMetrics();
    expect(text).toMatch(/cardkeep_provider_call_seconds_count\{provider="kyc",outcome="answered"\} \d/);
    expect(text).toMatch(/cardkeep_rpc_call_seconds_count\{method="eth_chainId",outcome="answered"\} \d/);
  });

  test("shows the backlog: jobs, delayed operations, relayers, connections", async () => {
    const text = await readMetrics();
    const [relayer] = service.runtime.services.policy.relayerAddresses;
    expect(sample(text, `cardkeep_relayer_funds{relayer="${relayer}"}`)).toBeGreaterThan(1);
    expect(sample(text, `cardkeep_relayer_nonce_gap{relayer="${relayer}"}`)).toBe(0);
    expect(sample(text, "cardkeep_delay_lateness_seconds")).toBe(0);
    expect(text).toMatch(/cardkeep_database_connections\{part="cardkeep-server",state="\w+"\} [1-9]/);
    expect(sample(text, 'cardkeep_health{part="database"}')).toBe(1);
  });

  test("a job that no worker takes appears with its age", async () => {
    const database = await createTestDatabase();
    const settings = readSettings({ ...service.env, DATABASE_URL: database.serviceUrl });
    const alone = await createRuntime(settings, "server");
    const { handle } = createServer(alone);
    const ask = (path: string) => handle(new Request(`http://localhost${path}`));
    await enqueue(alone.db, "relay.confirm", { relayTransactionId: "none", requestId: "test" });
    await alone.db.execute(sql`update graphile_worker._private_jobs set run_at = now() - interval '90 seconds'`);
    const text = await (await ask("/metrics")).text();
    expect(sample(text, 'cardkeep_jobs{task="relay.confirm",state="waiting"}')).toBe(1);
    expect(sample(text, "cardkeep_job_oldest_waiting_seconds")).toBeGreaterThan(89);
    const ready = await (await ask("/readyz")).json();
    expect(ready.parts.worker.reason).toBe("No worker is running: run `bun run worker`");
    const runtime = await createRuntime(settings, "worker");
    const worker = await startWorker(runtime);
    await until(async () => (await (await ask("/readyz")).json()).parts.worker.status === "ok");
    await worker.stop();
    await Promise.all([runtime.close(), alone.close()]);
    await database.drop();
  });

  test("without database and node it still answers, and omits unknown values", async () => {
    const runtime = await createRuntime(
      readSettings({ ...service.env, DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", RPC_URL: unreachable }),
      "server",
    );
    const response = await createServer(runtime).handle(new Request("http://localhost/metrics"));
    const text = await response.text();
    await runtime.close();
    expect(response.status).toBe(200);
    expect(sample(text, 'cardkeep_health{part="database"}')).toBe(0);
    expect(sample(text, "cardkeep_delay_lateness_seconds")).toBeNull();
    expect(text).not.toContain("cardkeep_relayer_funds{");
  });
});
