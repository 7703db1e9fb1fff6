import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { checkContracts } from "@cardkeep/runtime/contracts";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { migrate } from "@cardkeep/db/migrate";
import { issuerCover } from "@cardkeep/db/schema/tables";
import { findAlerts } from "@cardkeep/domain/operations/alerts/findAlerts";
import { deployments } from "@cardkeep/chain/deployments";
import { sql } from "drizzle-orm";
import { runCli, runCliOn, spawnCli } from "../support/cli.ts";
import { createEmptyDatabase, createTestDatabase } from "../support/database.ts";
import { spawnApp } from "../support/process.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Finding {
  check: string;
  severity: "ok" | "warning" | "fault";
  text: string;
}

interface Diagnosis {
  isFaulty: boolean;
  checks: Finding[];
}

const read = ({ isFaulty, checks }: Diagnosis, code: number) => {
  expect([isFaulty, code]).toEqual([checks.some(({ severity }) => severity === "fault"), isFaulty ? 1 : 0]);
  const find = (check: string): Finding | undefined => checks.find((candidate) => candidate.check === check);
  return {
    code,
    checks,
    find,
    faults: checks.filter(({ severity }) => severity === "fault").map(({ check }) => check),
  };
};

/** The doctor's report under other settings, without a process of its own. */
async function examine(change: Record<string, string> = {}) {
  const runtime = await createRuntime(readSettings({ ...service.env, ...change }), "cli");
  try {
    const { code, out, err } = await runCliOn(runtime, "doctor", "--json");
    expect(err).toBe("");
    return read(JSON.parse(out), code);
  } finally {
    await runtime.close();
  }
}

/** The same through the command line. */
async function examineByCommand(change: Record<string, string> = {}) {
  const { code, out, err } = await runCli({ ...service.env, ...change }, "doctor", "--json");
  expect(err).toBe("");
  return read(JSON.parse(out), code);
}

/** One request to the chain's node. */
async function ask(method: string, params: unknown[]): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "Content-Type": "application/json" };
  return (await (await fetch(service.rpcUrl, { method: "POST", headers, body })).json()).result;
}

const unreachable = "http://127.0.0.1:1";

describe("cardkeep doctor", () => {
  test("finds no fault in a healthy service, exit code 0, a line for each check", async () => {
    await until(async () => (await fetch(`${service.url}/readyz`).then((answer) => answer.json())).status === "ok");
    const { code, checks, find } = await examineByCommand();
    expect(checks.filter(({ severity }) => severity !== "ok")).toEqual([]);
    expect(code).toBe(0);
    const [row] = await service.runtime.db.execute<{ version: string }>(sql`select version()`);
    const [version = ""] = /PostgreSQL [\d.]+/.exec(row?.version ?? "") ?? [];
    expect(find("database")?.text).toBe(`${version} answers`);
    expect(find("worker")?.text).toBe("1 worker takes jobs");
    const { out } = await spawnCli(service.env, "doctor");
    const lines = out.trimEnd().split("\n");
    // A long text goes on below its check.
    const heads = lines.filter((line) => !line.startsWith(" "));
    expect(heads.map((line) => line.slice(4).split(/ {2,}/)[0])).toEqual(checks.map(({ check }) => check));
    expect(heads.every((line) => line.startsWith("ok  "))).toBe(true);
    expect(lines.every((line) => line.length <= 100)).toBe(true);
    expect(find("keys")?.text).toMatch(/^\d+ keys of \d+ settings; `cardkeep keys list` shows each$/);
  });

  test("without the database it reports that once, and checks the rest", async () => {
    const { faults, find } = await examineByCommand({ DATABASE_URL: "postgres://me:hush@127.0.0.1:1/none" });
    expect(faults).toEqual(["database"]);
    expect(find("database")?.text).toBe("The database does not answer; start it, or see DATABASE_URL");
    expect(find("settings")?.text).toContain("database at 127.0.0.1:1,");
    expect(find("settings")?.text).not.toContain("hush");
    expect(find("worker")).toMatchObject({ severity: "warning", text: "Not looked at: the database comes first" });
    expect(find("contracts")?.severity).toBe("ok");
  });

  test("without a network it names every address that it could not reach, and the network as what to look at", async () => {
    const { find } = await examine({
      DATABASE_URL: "postgres://me:hush@127.0.0.1:1/none",
      RPC_URL: `${unreachable},http://node.invalid`,
      KYC_URL: unreachable,
      CARD_ISSUER_URL: unreachable,
      EMONEY_URL: unreachable,
      OIDC_ISSUER: unreachable,
      OPERATOR_ROLES: "staff=viewer",
      MAIL_URL: "smtp://me:hush@127.0.0.1:1",
      SMS_URL: "http://me:hush@127.0.0.1:1?from=%2B15005550006",
      ALERT_WEBHOOK_URL: `${unreachable}/alerts?secret=hush`,
    });
    const { severity, text = "" } = find("network") ?? {};
    expect(severity).toBe("fault");
    expect(text).toStartWith("Not reached from this machine: database 127.0.0.1:1 (refuses connections), ");
    for (const name of [
      "node 127.0.0.1:1 (refuses connections)",
      "node node.invalid:80 (",
      "identity provider 127.0.0.1:1",
      "card issuer 127.0.0.1:1",
      "e-money institution 127.0.0.1:1",
      "OpenID provider 127.0.0.1:1",
      "mail server 127.0.0.1:1",
      "text messages 127.0.0.1:1",
      "alerts 127.0.0.1:1",
    ])
      expect(text).toContain(`, ${name}`);
    expect(text).toEndWith(". No address answers: look at this machine's network and name server first");
    expect(text).not.toContain("hush");
  });

  test("a mail server that is away is a fault of the network, the only check that reaches for it", async () => {
    const { faults, find } = await examine({ MAIL_URL: "smtp://127.0.0.1:1" });
    expect(faults).toEqual(["network"]);
    expect(find("network")?.text).toBe(
      "Not reached from this machine: mail server 127.0.0.1:1 (refuses connections): see MAIL_URL",
    );
    expect((await examine()).find("network")?.text).toMatch(/^\d addresses take connections$/);
  });

  test("more connections than the database gives are a warning with the arithmetic, by kind of process", async () => {
    const { find } = await examine();
    const text = find("connections")?.text ?? "";
    expect(text).toMatch(/^Up to \d+ of 197: 1 worker 16, 1 server 11, 1 command 3(, others \d+)?$/);
    const large = await createRuntime(readSettings({ ...service.env, DATABASE_CONNECTIONS: "300" }), "server");
    await large.db.execute(sql`select 1`);
    const { code, find: findMore } = await examine();
    await large.close();
    expect(code).toBe(0);
    expect(findMore("connections")).toMatchObject({
      severity: "warning",
      text: expect.stringMatching(/ of 197: 1 worker 16, 2 servers 311, 1 command 3.*; raise max_connections, lower/),
    });
  });

  test("through a pooler it counts sessions alone, and reports a statement without a time limit", async () => {
    const { DATABASE_URL = "" } = service.env;
    const pooled = { DATABASE_URL: `${DATABASE_URL}?sslmode=disable`, DATABASE_SESSION_URL: DATABASE_URL };
    const { find } = await examine(pooled);
    expect(find("connections")?.text).toMatch(/besides the pooler's: sessions of 1 worker 12, .*default_pool_size/);
    expect(find("statement timeout")).toMatchObject({
      severity: "warning",
      text: expect.stringContaining("alter role"),
    });
    const name = new URL(DATABASE_URL).pathname.slice(1);
    await service.ownerDb.execute(sql.raw(`alter database ${name} set statement_timeout = '7s'`));
    const { find: findLimited } = await examine(pooled);
    await service.ownerDb.execute(sql.raw(`alter database ${name} reset statement_timeout`));
    expect(findLimited("statement timeout")?.text).toBe("The database ends a statement after 7 s");
    expect((await examine()).find("statement timeout")?.text).toBe("The database ends a statement after 10 s");
  });

  test("through a pooler it reports sessions that outlive a vanished machine, until `migrate` gave the role its limits", async () => {
    const { DATABASE_URL = "" } = service.env;
    const pooled = { DATABASE_URL: `${DATABASE_URL}?sslmode=disable`, DATABASE_SESSION_URL: DATABASE_URL };
    expect((await examine(pooled)).find("lost machines")).toMatchObject({
      severity: "warning",
      text: expect.stringContaining("alter role NAME set tcp_user_timeout = 10000"),
    });
    expect((await examine()).find("lost machines")?.severity).toBe("ok");
    await migrate(service.ownerUrl);
    expect((await examine(pooled)).find("lost machines")?.severity).toBe("ok");
  });

  test("before the migrations, and then without a worker, it names the command", async () => {
    const [empty, migrated] = await Promise.all([createEmptyDatabase(), createTestDatabase()]);
    const before = await examine({ DATABASE_URL: empty.url });
    const after = await examine({ DATABASE_URL: migrated.url });
    await Promise.all([empty.drop(), migrated.drop()]);
    expect(before.faults).toEqual(["migrations"]);
    expect(before.find("migrations")?.text).toContain("bun run migrate");
    expect(after.faults).toEqual(["worker"]);
    expect(after.find("worker")?.text).toBe("No worker is running: run `bun run worker`");
  });

  test("without the chain, or on another one, it reports that", async () => {
    const away = await examine({ RPC_URL: unreachable });
    expect(away.faults).toEqual(["chain"]);
    expect(away.find("contracts")?.text).toBe("Not looked at: the chain comes first");
    expect((await examine({ CHAIN_ID: "5" })).find("chain")?.text).toBe(
      "The node is on chain 100, not on 5; see RPC_URL and CHAIN_ID",
    );
  });

  test("a card issuer that is away, or does not know our key, is reported with the setting to check", async () => {
    for (const [name, value] of [
      ["CARD_ISSUER_URL", unreachable],
      ["CARD_ISSUER_API_KEY", "sk_test_other"],
    ] as const) {
      const { faults, find } = await examine({ [name]: value });
      expect(faults).toEqual(["card issuer"]);
      expect(find("card issuer")?.text).toEndWith(": see CARD_ISSUER_API_KEY and CARD_ISSUER_URL");
    }
  });

  test("an e-money institution that is away, or does not know our app, is reported with the setting to check", async () => {
    for (const [name, value] of [
      ["EMONEY_URL", unreachable],
      ["EMONEY_URL", `${service.sandboxUrl}/none`],
      ["EMONEY_CLIENT_SECRET", "another"],
    ] as const) {
      const { faults, find } = await examine({ [name]: value });
      expect(faults).toEqual(["e-money institution"]);
      expect(find("e-money institution")?.text).toEndWith("EMONEY_CLIENT_ID, EMONEY_CLIENT_SECRET and EMONEY_URL");
    }
  });

  test("a spender without the settlement account's approval is named, and so is the account", async () => {
    const { faults, find } = await examine({ SPENDER_PRIVATE_KEY: `0x${"11".repeat(32)}` });
    expect(faults).toEqual(["card returns"]);
    expect(find("card returns")?.text).toBe(
      `No refund goes back in EURe, GBPe, USDCe: ${service.runtime.settings.policy.settlementAddress} has to approve 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A, for 5000 of each`,
    );
  });

  test("a relayer without funds is named", async () => {
    const { faults, find } = await examine({ RELAYER_PRIVATE_KEYS: `0x${"11".repeat(32)}` });
    expect(faults).toEqual(["relayers"]);
    expect(find("relayers")?.text).toBe(
      "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A is out of funds soon: send it native tokens",
    );
  });

  test("invalid settings are each named, and the exit code is 1", async () => {
    const { faults, checks } = await examineByCommand({ PORT: "door", RPC_URL: "nowhere", CODE_PEPPER: "short" });
    expect(faults).toEqual(["settings", "settings", "settings"]);
    for (const name of ["PORT", "RPC_URL", "CODE_PEPPER"])
      expect(checks.some(({ text }) => text.split(/[.:]/)[0] === name)).toBe(true);
    const production = await runCli({ NODE_ENV: "production" }, "doctor");
    expect(production.code).toBe(1);
    expect(production.out).toMatch(/^fault +settings +DATABASE_URL: is required in production$/m);
  });

  test("an identity provider that is away, or does not know our credentials, is a fault", async () => {
    expect((await examine({ KYC_URL: unreachable })).find("identity provider")?.text).toStartWith("Does not answer");
    const refused = await examine({ KYC_APP_SECRET: "wrong" });
    expect(refused.faults).toEqual(["identity provider"]);
    expect(refused.find("identity provider")?.text).toContain("KYC_APP_SECRET");
  });

  test("the balance at the issuer that was read an hour ago is a warning", async () => {
    const { db, settings } = service.runtime;
    const key = `issuer.balance:${settings.policy.chainId}`;
    const isRead = async () => (await db.$count(issuerCover)) > 0;
    await until(isRead);
    const name = "cover at the issuer";
    expect((await examine()).find(name)?.severity).toBe("ok");
    await db.execute(
      sql`update graphile_worker._private_jobs set run_at = now() + interval '1 hour' where key = ${key}`,
    );
    await db.update(issuerCover).set({ readAt: sql`${issuerCover.readAt} - interval '1 hour'` });
    const found = (await examine()).find(name);
    expect(found).toMatchObject({ severity: "warning", text: expect.stringContaining("issuer.balance") });
    await db.execute(sql`update graphile_worker._private_jobs set run_at = now() where key = ${key}`);
    await until(async () => (await examine()).find(name)?.severity === "ok");
  });

  test("a job that was given up is a fault, one that waits too long a warning, with the command to find them", async () => {
    const { db } = service.runtime;
    // No worker runs a task that it does not know.
    await db.execute(sql`
      select graphile_worker.add_job('late', max_attempts := 3, run_at := now() - interval '90 seconds'),
        graphile_worker.add_job('lost', max_attempts := 3, job_key := 'lost')`);
    const late = await examine();
    expect([late.code, late.find("worker")?.severity, late.find("failed jobs")?.severity]).toEqual([0, "ok", "ok"]);
    expect(late.find("waiting jobs")).toMatchObject({
      severity: "warning",
      text: expect.stringMatching(/^The oldest waits for 9\d s \(late\): run more workers.* jobs list --waiting/),
    });
    await db.execute(sql`update graphile_worker._private_jobs set attempts = max_attempts where key = 'lost'`);
    const { faults, find } = await examine();
    await db.execute(sql`select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs
      where task_identifier in ('late', 'lost')))`);
    expect(faults).toEqual(["failed jobs"]);
    expect(find("failed jobs")?.text).toContain("1 lost; see `bun run cardkeep jobs list --failed`");
  });

  test("a job of another task that is given up while one is known is an alert of its own", async () => {
    const { db, services } = service.runtime;
    const findNews = async (known: readonly string[]) =>
      (await findAlerts(services)).map(({ key }) => key).filter((key) => !known.includes(key));
    const known = await findNews([]);
    const news: string[] = [];
    for (const task of ["lost", "missing"]) {
      await db.execute(sql`select graphile_worker.add_job(${task}, job_key := ${task})`);
      await db.execute(sql`update graphile_worker._private_jobs set attempts = max_attempts where key = ${task}`);
      news.push(...(await findNews([...known, ...news])));
    }
    await db.execute(sql`select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs
      where task_identifier in ('lost', 'missing')))`);
    expect(news).toEqual(["doctor:failed jobs:lost", "doctor:failed jobs:missing"]);
  });

  test("a missing contract is named", async () => {
    const setCode = (code: string) => ask("anvil_setCode", [deployments.multiSend, code]);
    const code = await ask("eth_getCode", [deployments.multiSend, "latest"]);
    await setCode("0x");
    const { faults, find } = await examine();
    await setCode(code);
    expect(faults).toEqual(["contracts"]);
    expect(find("contracts")?.text).toContain(`multiSend at ${deployments.multiSend}`);
  });

  test("a contract with unknown code is named, with the hash of its code", async () => {
    const original = await ask("eth_getCode", [deployments.delayMastercopy, "latest"]);
    await ask("anvil_setCode", [deployments.delayMastercopy, `${original}00`]);
    const { faults, find } = await examine();
    await ask("anvil_setCode", [deployments.delayMastercopy, original]);
    expect(faults).toEqual(["contracts"]);
    expect(find("contracts")?.text).toMatch(
      new RegExp(
        `unknown code: delayMastercopy at ${deployments.delayMastercopy} \\(\\d+ bytes, keccak256 0x\\w{64}\\)`,
      ),
    );
    // Without the local chain's own hashes its builds are unknown, as for a production service.
    const { find: findUnaccepted } = await examine({ CONTRACT_CODE: "" });
    for (const name of ["signMessageLib", "multicall", "delayMastercopy", "rolesMastercopy"])
      expect(findUnaccepted("contracts")?.text).toContain(`${name} at`);
    expect(findUnaccepted("contracts")?.text).not.toContain("safeMastercopy");
  });

  test("a spender that is a contract is a fault, and neither server nor worker starts with it", async () => {
    const { spenderAddress } = service.runtime.services.policy;
    // An account's delegation by EIP-7702 is this code at its address.
    const setCode = (code: string) => ask("anvil_setCode", [spenderAddress, code]);
    await setCode(`0xef0100${deployments.multicall.slice(2)}`);
    const { faults, find } = await examine();
    const starts = await Promise.all(
      ["server", "worker"].map(async (app) => {
        const started = await spawnApp(app, { ...service.env, PORT: "0" });
        return [await started.exited, started.output()];
      }),
    );
    await setCode("0x");
    expect(faults).toEqual(["spender"]);
    expect(find("spender")?.text).toStartWith(`${spenderAddress}, the spender, is a contract`);
    for (const [code, output] of starts) {
      expect(code).toBe(1);
      expect(output).toContain(`${spenderAddress}, the spender, is a contract`);
    }
  });

  test("a start logs unknown contracts, or that the node does not answer, and continues", async () => {
    const start = async (change: Record<string, string>) => {
      const runtime = await createRuntime(readSettings({ ...service.env, ...change }), "server");
      const lines: [string, string | undefined][] = [];
      const log = {
        ...runtime.log,
        error: (_: object, text?: string) => lines.push(["error", text]),
        warn: (_: object, text?: string) => lines.push(["warn", text]),
      };
      await checkContracts({ services: runtime.services, log }, { stopping: AbortSignal.abort(), fail: () => {} });
      await runtime.close();
      return lines;
    };
    expect(await start({})).toEqual([]);
    expect(await start({ CONTRACT_CODE: "" })).toEqual([["error", expect.stringContaining("delayMastercopy at")]]);
    expect(await start({ RPC_URL: unreachable })).toEqual([["warn", expect.stringContaining("does not answer")]]);
  });

  test("the sandbox's advance is not a skew; a chain that runs ahead alone is", async () => {
    const advance = { method: "POST", body: JSON.stringify({ seconds: 7_200 }) };
    expect((await fetch(`${service.sandboxUrl}/chain/advance`, advance)).status).toBe(200);
    expect((await examine()).find("chain clock")?.severity).toBe("ok");
    await ask("evm_increaseTime", [600]);
    await until(async () => {
      const [{ timestamp }, now] = await Promise.all([
        service.runtime.chain.getBlock(),
        service.runtime.clock.now(service.runtime.db),
      ]);
      return timestamp * 1000 > now.getTime() + 500_000;
    });
    const { code, find } = await examine();
    expect(code).toBe(0);
    expect(find("chain clock")).toMatchObject({
      severity: "warning",
      text: expect.stringMatching(/^(59|60)\d s ahead of the service's/),
    });
  });
});
