import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildChildEnvironment, listPublicParts } from "@cardkeep/runtime/childEnvironment";
import { development } from "@cardkeep/runtime/development";
import { buildEnvExample } from "@cardkeep/runtime/envExample";
import { listSettingsOf, type SettingName, uses } from "@cardkeep/runtime/settingUses";
import { readSettings } from "@cardkeep/runtime/settings";
import { generateKeyPairSync } from "node:crypto";
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filled } from "../support/filled.ts";
import { production } from "../support/production.ts";
import { listSettingsFaults } from "../support/settings.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-secrets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function write(text: string | Uint8Array, mode = 0o600): Promise<string> {
  const path = join(folder, `secret-${++files}`);
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

const isSecret = (name: string): boolean => uses[name as SettingName].isSecret;
/** The environment of production with every secret in a file. */
async function moveToFiles(values: Record<string, string>, end = "\n"): Promise<Record<string, string>> {
  const moved = Object.entries(values).map(async ([name, value]) =>
    isSecret(name) ? [`${name}_FILE`, await write(value + end)] : [name, value],
  );
  return Object.fromEntries(await Promise.all(moved));
}

const address = `0x${"66".repeat(20)}`;
const { d: _d, ...publicKey } = JSON.parse(production.WEBHOOK_SIGNING_KEYS).keys[0];
/** What a server has in place of the worker's keys. */
const publicParts = {
  WEBHOOK_PUBLIC_KEYS: JSON.stringify({ keys: [publicKey] }),
  RELAYER_ADDRESSES: address,
  OPERATOR_ADDRESS: address,
  SPENDER_ADDRESS: address,
};

describe("secrets from files", () => {
  test("are the same settings as in the environment, for every secret and every line end", async () => {
    const { secretFiles: _, isTrustedProxy: __, ...expected } = readSettings(production);
    for (const end of ["", "\n", "\r\n"]) {
      const env = await moveToFiles(production, end);
      const { secretFiles, isTrustedProxy: ____, ...settings } = readSettings(env);
      expect(settings).toEqual(expected);
      expect(Object.keys(secretFiles.paths).toSorted()).toEqual(Object.keys(production).filter(isSecret).toSorted());
    }
    const pem = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "pem", type: "pkcs8" });
    const { cardEncryptionKeys } = readSettings({ CARD_ENCRYPTION_KEY_FILE: await write(pem.toString()) });
    expect(cardEncryptionKeys[0]?.export({ format: "pem", type: "pkcs8" })).toBe(pem);
  });

  test("an empty file is a secret that is not set", async () => {
    expect(readSettings({ DATABASE_URL_FILE: await write("\n") }).databaseUrl).toBeUndefined();
    const env = { ...(await moveToFiles(production)), CODE_PEPPER_FILE: await write("") };
    expect(listSettingsFaults({ ...env, ...publicParts }, "server")).toEqual([
      "CODE_PEPPER: is required by the server",
    ]);
    expect(listSettingsFaults({ ...production, CODE_PEPPER_FILE: "" })).toEqual([]);
  });

  test("name the setting and the path of each file that cannot be used, and nothing else of it", async () => {
    const pipe = join(folder, "pipe");
    Bun.spawnSync(["mkfifo", pipe]);
    await mkdir(join(folder, "folder"));
    const files = {
      KYC_APP_TOKEN: [join(folder, "missing"), "there is no such file"],
      KYC_APP_SECRET: [join(folder, "folder"), "it is a folder"],
      CARD_ISSUER_API_KEY: [pipe, "it is no regular file"],
      CODE_PEPPER: [await write(new Uint8Array([0xff, 0xfe, 0x41])), "it is no text in UTF-8"],
      DATABASE_URL: [await write("a\0b"), "it is no text in UTF-8"],
      SMS_URL: [await write("x".repeat(65_537)), "it has more than 65536 bytes"],
    };
    const env: Record<string, string> = { ...production };
    for (const [name, [path = ""]] of Object.entries(files)) {
      delete env[name];
      env[`${name}_FILE`] = path;
    }
    const expected = Object.entries(files).map(([name, [path, why]]) => `${name}_FILE: cannot use ${path}: ${why}`);
    expect(listSettingsFaults(env).toSorted()).toEqual(expected.toSorted());
  });

  test("the addresses of databases are secrets, also those of `bun start` alone", async () => {
    const url = "postgres://u:p@127.0.0.1:1/db";
    for (const name of filled(["DATABASE_URL", "SERVICE_DATABASE_URL", "SANDBOX_DATABASE_URL"]))
      expect([name, listSettingsFaults({ ...production, [`${name}_FILE`]: await write(url), [name]: "" })]).toEqual([
        name,
        [],
      ]);
  });

  test("a secret given twice and a file of a setting that is no secret are faults", async () => {
    expect(listSettingsFaults({ ...production, CODE_PEPPER_FILE: await write("another pepper of our own") })).toEqual([
      "CODE_PEPPER: is set twice; remove CODE_PEPPER or CODE_PEPPER_FILE",
    ]);
    expect(listSettingsFaults({ PORT_FILE: await write("3000") })).toEqual([
      "PORT_FILE: only secrets are read from files; set PORT instead",
    ]);
  });

  test("no fault shows a value", async () => {
    const secret = "hush-9f1c";
    const texts = [
      secret,
      `postgres://u:${secret}@h:0/db`,
      `{"keys":[{"kid":"${secret}","d":"${secret}"}]}`,
      `-----BEGIN ${secret}`,
    ];
    for (const text of texts) {
      const env = await moveToFiles(
        Object.fromEntries(Object.entries(production).map(([name, value]) => [name, isSecret(name) ? text : value])),
      );
      const faults = listSettingsFaults(env);
      expect(faults.length).toBeGreaterThan(5);
      expect(faults.join("\n")).not.toContain("hush");
    }
  });

  test("a process opens the files of its own secrets alone", async () => {
    const der = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "der", type: "pkcs8" });
    const env = await moveToFiles({ ...production, CARD_ENCRYPTION_KEY: der.toString("base64") });
    for (const role of ["server", "worker"] as const) {
      const { paths } = readSettings({ ...env, ...(role === "server" && publicParts) }, role).secretFiles;
      expect(Object.keys(paths).filter((name) => !listSettingsOf(role).includes(name as SettingName))).toEqual([]);
    }
    const foreign = { RELAYER_PRIVATE_KEYS_FILE: join(folder, "missing") };
    expect(listSettingsFaults({ ...env, ...foreign, ...publicParts }, "server")).toEqual([]);
    expect(listSettingsFaults({ ...env, ...foreign }, "worker")).toHaveLength(1);
  });

  test("in development a server takes addresses and public keys, as they are given, in place of the keys", () => {
    const server = readSettings(publicParts, "server");
    expect([server.relayerPrivateKeys, server.webhookSigningKeys]).toEqual([[], []]);
    expect(server.webhookPublicKeys.map(({ x }) => x)).toEqual([publicKey.x]);
    expect(readSettings(publicParts, "worker").relayerPrivateKeys).toHaveLength(2);
    const elsewhere = { NODE_ENV: "test", ALLOW_DEVELOPMENT_KEYS: "true" };
    const worker = readSettings({ ...development, ...production, ...elsewhere });
    expect(listPublicParts(readSettings({ ...elsewhere, ...listPublicParts(worker) }, "server"))).toEqual(
      Object.fromEntries(Object.entries(listPublicParts(worker)).filter(([name]) => name !== "WEBHOOK_PUBLIC_KEYS")),
    );
  });

  test("a child gets the secrets that it uses, as values or as files, and every open setting", () => {
    const given = Object.fromEntries(
      Object.keys(uses).flatMap((name) => [[name, "x"], ...(isSecret(name) ? [[`${name}_FILE`, "/x"]] : [])]),
    );
    for (const role of ["server", "worker", "migrate", null] as const) {
      const names = Object.keys(buildChildEnvironment({ ...given, PATH: "/bin" }, role)).filter(
        (name) => name !== "PATH",
      );
      const secrets = new Set(names.map((name) => name.replace(/_FILE$/, "")).filter(isSecret));
      expect([...secrets].toSorted()).toEqual(role === null ? [] : listSettingsOf(role).filter(isSecret).toSorted());
      expect(names.filter((name) => !isSecret(name.replace(/_FILE$/, "")))).toEqual(
        Object.keys(uses).filter((name) => !isSecret(name)),
      );
    }
  });

  test("a process of production names the secrets that it has and does not use", () => {
    const env = { ...production, ...publicParts };
    expect(readSettings(env, "server").unusedSecrets).toEqual([
      "WEBHOOK_SIGNING_KEYS",
      "RELAYER_PRIVATE_KEYS",
      "OPERATOR_PRIVATE_KEY",
      "SPENDER_PRIVATE_KEY",
    ]);
    expect(readSettings(env).unusedSecrets).toEqual([]);
  });

  test("warn of a file that other users can read or change, also behind a link", async () => {
    const value = "a pepper of our own making";
    const warningsOf = async (path: string) => readSettings({ CODE_PEPPER_FILE: path }).secretFiles.warnings;
    for (const mode of [0o600, 0o400]) expect(await warningsOf(await write(value, mode))).toEqual([]);
    for (const [mode, whom] of [
      [0o604, "every user"],
      [0o602, "every user"],
      [0o644, "every user"],
      [0o640, "its group"],
      [0o620, "its group"],
    ] as const) {
      const path = await write(value, mode);
      const link = `${path}-link`;
      await symlink(path, link);
      for (const given of [path, link])
        expect(await warningsOf(given)).toEqual([
          expect.stringMatching(new RegExp(`^CODE_PEPPER_FILE: ${given} is open to ${whom}`)),
        ]);
    }
  });

  test.if(process.geteuid?.() === 0)("the group may read a file of another user, if the process is in it", async () => {
    const path = await write("a pepper of our own making", 0o440);
    const warningsOf = () => readSettings({ CODE_PEPPER_FILE: path }).secretFiles.warnings;
    await chown(path, 1, process.getegid?.() ?? 0);
    expect(warningsOf()).toEqual([]);
    await chown(path, 1, 12_345);
    expect(warningsOf()).toHaveLength(1);
    await chmod(path, 0o460);
    expect(warningsOf()).toHaveLength(1);
  });

  test(".env.example marks every secret, and no other setting", () => {
    const marked = [...buildEnvExample().matchAll(/\[secret\b.*\]\n#(\w+)=/g)].map(([, name = ""]) => name);
    expect(marked.toSorted()).toEqual(Object.keys(uses).filter(isSecret).toSorted());
  });
});
