import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { type SecretWatch, watchSecretFiles } from "@cardkeep/runtime/watchSecretFiles";
import { writeFile, mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/poll.ts";
import { production } from "../support/production.ts";

const keySet = (kid: string) =>
  JSON.stringify({ keys: [{ ...JSON.parse(production.ACCESS_TOKEN_KEYS).keys[0], kid }] });
const initial = {
  ACCESS_TOKEN_KEYS: keySet("one"),
  CODE_PEPPER: "the pepper of the first day",
  OPERATOR_API_KEY: "the operator's key of the first day",
  DATABASE_URL: "postgres://me:hush@127.0.0.1:1/none",
};
type Name = keyof typeof initial;

let folder: string;
let runtime: Runtime;
let watch: SecretWatch;
let lines: { level: string; message: string; fields: Record<string, unknown> }[];
let changes: number;
let onChange: () => Promise<void>;

/** Swaps all files at once, as Kubernetes does: they are links through `..data`, which is replaced. */
async function mount(values: Partial<Record<Name, string>>): Promise<void> {
  const version = await mkdtemp(join(folder, "..version-"));
  for (const [name, value] of Object.entries({ ...initial, ...values }))
    await writeFile(join(version, name), `${value}\n`, { mode: 0o400 });
  await symlink(version, join(folder, "..next"));
  await rename(join(folder, "..next"), join(folder, "..data"));
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-mount-"));
  await mount({});
  for (const name of Object.keys(initial)) await symlink(join("..data", name), join(folder, name));
  const env = {
    ...Object.fromEntries(Object.keys(initial).map((name) => [`${name}_FILE`, join(folder, name)])),
    RPC_URL: "http://127.0.0.1:1",
    LOG_LEVEL: "silent",
  };
  runtime = await createRuntime(readSettings(env, "server"), "server");
  lines = [];
  changes = 0;
  onChange = async () => void changes++;
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields: { ...fields } });
  const log = { info: write("info"), warn: write("warn"), error: write("error") };
  const watched = {
    get settings() {
      return runtime.settings;
    },
    refresh: runtime.refresh,
    log,
  };
  watch = watchSecretFiles({ runtime: watched, role: "server", env, onChange: () => onChange() });
});
afterEach(async () => {
  watch.stop();
  await runtime.close();
  await rm(folder, { recursive: true, force: true });
});

const kidsOf = ({ services }: Runtime) => services.accessTokens.publicKeys.keys.map(({ kid }) => kid);

describe("a changed file of a secret", () => {
  test("is taken up as a whole, and what is under way keeps the secrets it began with", async () => {
    const before = runtime.services;
    const token = await before.accessTokens.sign({
      signerAddress: `0x${"11".repeat(20)}`,
      wallet: null,
      chainId: 1,
      ttlSeconds: 60,
    });
    await mount({ ACCESS_TOKEN_KEYS: keySet("two"), CODE_PEPPER: "the pepper of the second day" });
    await watch.check();
    expect(kidsOf(runtime)).toEqual(["two"]);
    expect(runtime.services.policy.codePeppers).toEqual(["the pepper of the second day"]);
    expect(before.policy.codePeppers).toEqual([initial.CODE_PEPPER]);
    expect(await before.accessTokens.verify(token)).toMatchObject({ userId: null });
    expect(await runtime.services.accessTokens.verify(token)).toBe("auth.token_invalid");
    expect(lines).toEqual([
      {
        level: "info",
        message: "Changed secrets were taken up",
        fields: { settings: ["ACCESS_TOKEN_KEYS", "CODE_PEPPER"] },
      },
    ]);
    await watch.check();
    expect([changes, lines.length]).toEqual([1, 1]);
  });

  test("is taken up on SIGHUP", async () => {
    await mount({ OPERATOR_API_KEY: "the operator's key of the second day" });
    process.kill(process.pid, "SIGHUP");
    await until(() => changes > 0);
    expect(runtime.settings.operatorApiKeys).toEqual(["the operator's key of the second day"]);
  });

  test.each([
    ["is invalid", { ACCESS_TOKEN_KEYS: `{"keys":[{"kid":"hush"}]}` }, "ACCESS_TOKEN_KEYS.keys"],
    ["is empty", { OPERATOR_API_KEY: "" }, "OPERATOR_API_KEY_FILE: "],
    ["is a file that cannot be read", { ACCESS_TOKEN_KEYS: "\0" }, "ACCESS_TOKEN_KEYS_FILE: cannot use "],
    ["is invalid and takes effect at the next start", { DATABASE_URL: "mysql://me:hush@h/d" }, "DATABASE_URL: must be"],
  ] as const)("that %s is refused with every other change beside it, until it is mended", async (_, values, fault) => {
    await mount({ CODE_PEPPER: "the pepper of the second day", ...values });
    await watch.check();
    await watch.check();
    expect([kidsOf(runtime), runtime.services.policy.codePeppers]).toEqual([["one"], [initial.CODE_PEPPER]]);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["error", "Changed secrets were refused. The present ones stay"],
    ]);
    expect(JSON.stringify(lines)).toContain(fault);
    expect(JSON.stringify(lines)).not.toContain("hush");
    await mount({ CODE_PEPPER: "the pepper of the second day" });
    await watch.check();
    expect(runtime.services.policy.codePeppers).toEqual(["the pepper of the second day"]);
  });

  test("that the process needs from its start waits for the next one, and the log says so once", async () => {
    const next = "postgres://me:hush@127.0.0.1:2/none";
    await mount({ DATABASE_URL: next });
    await watch.check();
    await mount({ DATABASE_URL: next, CODE_PEPPER: "the pepper of the second day" });
    await watch.check();
    expect(runtime.settings.databaseUrl).toBe(initial.DATABASE_URL);
    expect(runtime.services.policy.codePeppers).toEqual(["the pepper of the second day"]);
    expect(lines).toEqual([
      {
        level: "warn",
        message: "Changed secrets take effect at the next start",
        fields: { settings: ["DATABASE_URL"] },
      },
      { level: "info", message: "Changed secrets were taken up", fields: { settings: ["CODE_PEPPER"] } },
    ]);
  });

  test("is announced again after a failure", async () => {
    onChange = () => Promise.reject(new Error("the database is away"));
    await mount({ CODE_PEPPER: "the pepper of the second day" });
    await watch.check();
    expect(lines.at(-1)).toMatchObject({ level: "warn", message: expect.stringContaining("Trying again") });
    onChange = async () => void changes++;
    await watch.check();
    expect(changes).toBe(1);
  });
});
