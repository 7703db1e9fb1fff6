import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { resealAll } from "@cardkeep/domain/operations/housekeeping/resealSecrets";
import type { KeyState } from "@cardkeep/domain/operations/keys/listKeys";
import { listEmoneyRecords } from "@cardkeep/db/sandbox/emoneyRecords";
import { recordKeys } from "@cardkeep/runtime/recordKeys";
import { listSettingsOf, type ProcessRole, uses } from "@cardkeep/runtime/settingUses";
import { nameSecret } from "@cardkeep/runtime/settingKeys";
import { readSettings } from "@cardkeep/runtime/settings";
import { sql } from "drizzle-orm";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeyToAddress } from "viem/accounts";
import { runCli, runCliOn } from "../support/cli.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp, spawnProcess } from "../support/process.ts";
import { production } from "../support/production.ts";
import { type Service, startService } from "../support/service.ts";

const rotated = ["ACCESS_TOKEN_KEYS", "SECRETS_KEYS", "EMONEY_CALLBACK_SECRET", "OPERATOR_API_KEY"] as const;

let home: string;
let set: string;
let service: Service;
let printed: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "cardkeep-keys-"));
  set = join(home, "set");
  ({ out: printed } = await runCli({}, "keys", "generate", "--out", set, "--relayers", "3"));
  // The server holds both secrets before the institution uses the newer one.
  const path = join(set, "secrets", "EMONEY_CALLBACK_SECRET");
  const withoutDatabase = { EMONEY_CALLBACK_SECRET_FILE: path, DATABASE_URL: "postgres://127.0.0.1:1/none" };
  expect((await runCli(withoutDatabase, "keys", "add", "EMONEY_CALLBACK_SECRET")).code).toBe(0);
  service = await startService({
    worker: false,
    env: Object.fromEntries(rotated.map((name) => [`${name}_FILE`, join(set, "secrets", name)])),
  });
});
afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true });
});

const readEnv = async (role: ProcessRole, folder = set): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await readFile(join(folder, `${role}.env`), "utf8"))
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
const readSecret = (name: string): Promise<string> => readFile(join(set, "secrets", name), "utf8");

describe("cardkeep keys generate", () => {
  test("writes files for their owner alone, and prints addresses and no secret", async () => {
    const listed = await readdir(join(set, "secrets"), { recursive: true });
    const names = listed.filter((name) => name !== "migrate");
    for (const path of ["", "secrets", join("secrets", "migrate")])
      expect((await stat(join(set, path))).mode & 0o777).toBe(0o700);
    for (const name of [...names.map((each) => join("secrets", each)), "server.env", "worker.env", "migrate.env"])
      expect([name, (await stat(join(set, name))).mode & 0o777]).toEqual([name, 0o600]);
    const texts = await Promise.all(names.map(readSecret));
    for (const secret of filled(texts.flatMap((text) => text.match(/[\w+/=-]{24,}/g) ?? [])))
      expect(printed).not.toContain(secret);
    const relayers = (await readSecret("RELAYER_PRIVATE_KEYS")).split(",");
    const server = await readEnv("server");
    expect(server["RELAYER_ADDRESSES"]).toBe(
      relayers.map((key) => privateKeyToAddress(key as `0x${string}`)).join(","),
    );
    for (const address of filled(server["RELAYER_ADDRESSES"]?.split(",") ?? [])) expect(printed).toContain(address);
    expect(relayers).toHaveLength(3);
  });

  test("names each blank that the operator fills in, and no process starts before", async () => {
    const env = await readEnv("server");
    for (const name of [
      "DATABASE_URL",
      "PUBLIC_URL",
      "TREASURY_ADDRESS",
      "KYC_APP_TOKEN",
      "CARD_ISSUER_CALLBACK_SECRETS",
    ]) {
      expect(printed).toContain(`${name} in ${set}`);
      expect(() => readSettings(env, "server")).toThrow(new RegExp(`^${name}: `, "m"));
    }
  });

  test("gives each process the files of its own secrets alone, and other settings without a secret", async () => {
    for (const role of ["server", "worker", "migrate"] as const) {
      const env = await readEnv(role);
      const names = Object.keys(env).map((name) => name.replace(/_FILE$/, ""));
      expect(names.filter((name) => !listSettingsOf(role).some((known) => known === name))).toEqual([]);
      const secrets = listSettingsOf(role).filter((name) => uses[name].isSecret);
      expect(secrets.filter((name) => name in env)).toEqual([]);
    }
    expect(Object.keys(await readEnv("server")).filter((name) => /PRIVATE|ENCRYPTION/.test(name))).toEqual([]);
  });

  test("overwrites nothing", async () => {
    const before = await readSecret("SECRETS_KEYS");
    const { code, err } = await runCli({}, "keys", "generate", "--out", set);
    expect([code, err]).toEqual([1, expect.stringContaining("is not empty")]);
    expect(await readSecret("SECRETS_KEYS")).toBe(before);
  });

  test("makes no key of the chain where the keys are at signers", async () => {
    const other = join(home, "signers");
    const { out } = await runCli({}, "keys", "generate", "--out", other, "--signers", "web3signer");
    expect((await readdir(join(other, "secrets"))).filter((name) => name.includes("PRIVATE"))).toEqual([]);
    const [worker, server] = [await readEnv("worker", other), await readEnv("server", other)];
    expect([worker["RELAYER_SIGNERS"], worker["SPENDER_SIGNER"], server["RELAYER_ADDRESSES"]]).toEqual(["", "", ""]);
    for (const name of ["OPERATOR_SIGNER", "OPERATOR_ADDRESS"]) expect(out).toContain(`${name} in ${other}`);
  });
});

describe("a set with its blanks filled in", () => {
  let database: TestDatabase;
  const processes: AppProcess[] = [];
  afterAll(async () => {
    for (const each of processes) each.kill("SIGKILL");
    await Promise.all(processes.map(({ exited }) => exited));
    await database.drop();
  });

  test("starts migration, worker and server in production, which is ready and knows its keys", async () => {
    database = await createEmptyDatabase();
    const given: Record<string, string> = { ...production, DATABASE_URL: database.serviceUrl, RPC_URL: service.rpcUrl };
    for (const name of await readdir(join(set, "secrets"))) {
      if (name === "migrate") continue;
      const path = join(set, "secrets", name);
      if ((await readFile(path, "utf8")) === "") await writeFile(path, given[name] ?? "");
    }
    await writeFile(join(set, "secrets", "migrate", "DATABASE_URL"), database.url);
    const [port = 0, workerPort = 0] = await findFreePorts(2);
    const fill = async (role: ProcessRole): Promise<Record<string, string>> => {
      const entries = Object.entries(await readEnv(role));
      const filled = entries.map(([name, value]) => [name, value === "" ? (given[name] ?? "") : value]);
      const own = { PORT: String(port), WORKER_PORT: String(workerPort), DRAIN_SECONDS: "0" };
      return { ...Object.fromEntries(filled), ...own, CONTRACT_CODE: service.env["CONTRACT_CODE"] ?? "" };
    };
    const migration = spawnProcess([process.execPath, "packages/runtime/src/migrate.ts"], await fill("migrate"));
    expect([await migration.exited, migration.output()]).toEqual([0, expect.any(String)]);
    for (const [role, line] of [
      ["worker", "taking jobs"],
      ["server", "listening"],
    ] as const) {
      const started = await spawnApp(role, await fill(role));
      processes.push(started);
      await started.ready(line);
    }
    const { status, parts } = await (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
    expect([status, parts.database.status, parts.chain.status]).not.toContain("down");
    const { keys } = await (await fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`)).json();
    const { code, out } = await runCli(await fill("server"), "keys", "list", "--json");
    const listed: KeyState[] = JSON.parse(out);
    expect(code).toBe(0);
    expect(listed.find(({ setting }) => setting === "ACCESS_TOKEN_KEYS")).toMatchObject({
      keyId: keys[0].kid,
      hangs: "makes new access tokens",
      mayGo: false,
    });
    expect(listed.filter(({ setting }) => setting === "RELAYER_PRIVATE_KEYS")).toHaveLength(3);
  });
});

test("a secret that a process would refuse, or read as none or two, is not written", async () => {
  const { KYC_CALLBACK_SECRET: old, ...others } = production;
  const [path, from] = [join(home, "callback"), join(home, "given")];
  await writeFile(path, old, { mode: 0o600 });
  const env = { ...others, KYC_CALLBACK_SECRET_FILE: path, DATABASE_URL: "postgres://127.0.0.1:1/none" };
  for (const [secret, fault] of [
    ["too-short", "KYC_CALLBACK_SECRET: must have 16 characters or more in production"],
    ["\n", "is empty or holds a comma"],
    ["one-secret-of-a-partner,another-secret-of-it", "is empty or holds a comma"],
  ] as const) {
    await writeFile(from, secret);
    const { code, err } = await runCli(env, "keys", "add", "KYC_CALLBACK_SECRET", "--from", from);
    expect([secret, code, err]).toEqual([secret, 1, expect.stringContaining(fault)]);
    expect(await readFile(path, "utf8")).toBe(old);
  }
});

test("of two commands at once on one file, the later one changes nothing and says so", async () => {
  const path = join(set, "secrets", "OPERATOR_API_KEY");
  await withProcess(async (earlier) => {
    expect(await cli("add", "OPERATOR_API_KEY")).toMatchObject({ code: 0 });
    const held = await readSecret("OPERATOR_API_KEY");
    const later = await runCliOn(earlier, "keys", "add", "OPERATOR_API_KEY");
    expect([later.code, later.err]).toEqual([1, expect.stringContaining("was changed by another command")]);
    // One that is about to replace the file holds it by this name.
    await writeFile(`${path}.new`, "");
    const beside = await cli("add", "OPERATOR_API_KEY");
    expect([beside.code, beside.err]).toEqual([1, expect.stringContaining(`remove ${path}.new`)]);
    await rm(`${path}.new`);
    expect(await readSecret("OPERATOR_API_KEY")).toBe(held);
  });
  expect((await readdir(join(set, "secrets"))).filter((name) => name.includes(".new"))).toEqual([]);
});

/** A process that starts now, with the present files. */
async function withProcess<T>(run: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await createRuntime(readSettings(service.env), "server");
  try {
    return await run(runtime);
  } finally {
    await runtime.close();
  }
}
const cli = (...words: string[]) => runCli(service.env, "keys", ...words);
/** Records the keys of a process that started with the present files, and of no other one. */
const restart = () => withProcess(recordKeys);
/** Makes all that was recorded so much older. */
const age = (interval: string) =>
  service.runtime.db.execute(
    sql.raw(
      `update setting_keys set first_seen_at = first_seen_at - interval '${interval}', used_at = used_at - interval '${interval}', lacked_at = lacked_at - interval '${interval}'`,
    ),
  );
const list = async (setting: string): Promise<KeyState[]> =>
  JSON.parse((await cli("list", "--json")).out).filter((key: KeyState) => key.setting === setting);

/** Adds a key and puts it first, as soon as every process has it; answers the older and the newer name. */
async function rotate(setting: string): Promise<[string, string]> {
  await restart();
  const [older] = await list(setting);
  const added = JSON.parse((await cli("add", setting, "--json")).out);
  expect(added.keys).toEqual([older?.keyId, added.keyId]);
  await restart();
  await age("5 minutes");
  await restart();
  expect(await cli("use", setting, added.keyId)).toMatchObject({ code: 0, err: "" });
  await restart();
  return [older?.keyId ?? "", added.keyId];
}

describe("a key", () => {
  test("is put first only once every process holds it", async () => {
    const { keyId } = JSON.parse((await cli("add", "OPERATOR_API_KEY", "--json")).out);
    const use = async () => (await cli("use", "OPERATOR_API_KEY", keyId)).err;
    expect(await use()).toContain("Not every running process holds");
    await restart();
    await age("5 minutes");
    // A process from before the change still runs.
    await recordKeys(service.runtime);
    await restart();
    expect(await use()).toContain("Not every running process holds");
    await age("5 minutes");
    expect(await use()).toBe("");
  });

  test("of access tokens goes when no token of it can be valid any more, and its tokens count until then", async () => {
    const person = new Person(service);
    const token = (await person.call("POST", "/auth/challenge", await person.signMessage())).body.token;
    const [older, newer] = await rotate("ACCESS_TOKEN_KEYS");
    await withProcess(async ({ services: { accessTokens } }) => {
      expect(accessTokens.publicKeys.keys.map(({ kid }) => kid)).toEqual([newer, older]);
      expect(await accessTokens.verify(token)).toMatchObject({ userId: null });
    });
    await age("2 hours");
    expect((await cli("remove", "ACCESS_TOKEN_KEYS", older)).err).toContain("access tokens of it for 22 h more");
    await age("23 hours");
    expect(await cli("remove", "ACCESS_TOKEN_KEYS", older)).toMatchObject({ code: 0, err: "" });
    await withProcess(async ({ services: { accessTokens } }) =>
      expect(await accessTokens.verify(token)).toBe("auth.token_invalid"),
    );
    expect((await cli("remove", "ACCESS_TOKEN_KEYS", newer)).err).toContain("is the first key");
  });

  test("of sealed rows stays until the last of them is sealed anew, also with --force", async () => {
    const [older] = await rotate("SECRETS_KEYS");
    await age("1 day");
    for (const force of [[], ["--force"]])
      expect((await cli("remove", "SECRETS_KEYS", older, ...force)).err).toMatch(/stays, sealed rows: [1-9]/);
    const doctor = JSON.parse((await runCli(service.env, "doctor", "--json")).out).checks;
    const texts = doctor
      .filter(({ check }: { check: string }) => check === "keys")
      .map(({ text }: { text: string }) => text);
    expect(texts[0]).toMatch(/^\d+ keys of \d+ settings; /);
    expect(texts).toContainEqual(
      expect.stringMatching(new RegExp(`^SECRETS_KEYS: ${older} for \\d+ d, sealed rows: [1-9]`)),
    );
    expect(await withProcess(({ services }) => resealAll(services))).toBeGreaterThan(0);
    expect(await cli("remove", "SECRETS_KEYS", older)).toMatchObject({ code: 0, err: "" });
    expect(await withProcess(({ services }) => resealAll(services))).toBe(0);
  });

  test("of the e-money institution's callbacks is given to it, and its earlier subscription ends", async () => {
    const { services, settings, store } = service.runtime;
    await services.emoney.subscribe({ url: services.policy.emoney.institutionCallbackUrl });
    await restart();
    await age("5 minutes");
    await restart();
    const [older = "", newer = ""] = settings.emoney.callbackSecrets;
    const nameOf = (secret: string) => nameSecret("EMONEY_CALLBACK_SECRET", secret);
    expect(await cli("use", "EMONEY_CALLBACK_SECRET", nameOf(newer))).toMatchObject({ code: 0, err: "" });
    const records = (await listEmoneyRecords(store, "subscription")).map(({ data }) => data);
    expect(records).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ secret: older, state: "inactive" }),
        expect.objectContaining({ secret: newer, state: "active" }),
      ]),
    );
    // The institution's first callback, about the subscription, came with the newer secret.
    await recordKeys(service.runtime);
    const { hangs } = (await list("EMONEY_CALLBACK_SECRET")).find(({ keyId }) => keyId === nameOf(newer)) ?? {};
    expect(hangs).toContain("callbacks with it");
    await age("2 days");
    expect(await cli("remove", "EMONEY_CALLBACK_SECRET", nameOf(older))).toMatchObject({ code: 0, err: "" });
    expect(await readSecret("EMONEY_CALLBACK_SECRET")).toBe(newer);
  });
});
