/** Secrets of a process as an operator gives them: in files, those of its role alone. And a search for them elsewhere. */
import { listPublicParts } from "@cardkeep/runtime/childEnvironment";
import { development } from "@cardkeep/runtime/development";
import { listSettingsOf, type ProcessRole, type SettingName, uses } from "@cardkeep/runtime/settingUses";
import { readSettings } from "@cardkeep/runtime/settings";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const draw = (): string => randomBytes(24).toString("base64url");
const keySet = (kid: string, key: object): string => JSON.stringify({ keys: [{ kid, ...key }] });

/** Fresh values for every secret that the sandbox need not know, and for those that it learns from its own settings. */
export const drawSecrets = (): Record<string, string> => ({
  RELAYER_PRIVATE_KEYS: development.RELAYER_PRIVATE_KEYS,
  OPERATOR_PRIVATE_KEY: development.OPERATOR_PRIVATE_KEY,
  SPENDER_PRIVATE_KEY: development.SPENDER_PRIVATE_KEY,
  CARD_ENCRYPTION_KEY: development.CARD_ENCRYPTION_KEY,
  ACCESS_TOKEN_KEYS: keySet(
    "drawn",
    generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }),
  ),
  WEBHOOK_SIGNING_KEYS: keySet("drawn", generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })),
  SECRETS_KEYS: randomBytes(32).toString("base64"),
  OPERATOR_API_KEY: draw(),
  CODE_PEPPER: draw(),
  KYC_APP_TOKEN: draw(),
  KYC_APP_SECRET: draw(),
  KYC_CALLBACK_SECRET: draw(),
  EMONEY_CLIENT_SECRET: draw(),
  EMONEY_CALLBACK_SECRET: `whsec_${randomBytes(32).toString("base64")}`,
  CARD_ISSUER_API_KEY: `sk_test_${draw()}`,
  CARD_ISSUER_CALLBACK_SECRETS: `whsec_${draw()}`,
});

/** The environment of a process: open settings, and the path of a file for each secret that it uses. */
export async function moveSecretsToFiles(
  folder: string,
  values: Readonly<Record<string, string>>,
  role: ProcessRole,
): Promise<Record<string, string>> {
  const names = listSettingsOf(role);
  await mkdir(folder, { recursive: true });
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...values, ...listPublicParts(readSettings(values)) })) {
    if (!(name in uses)) env[name] = value;
    else if (names.includes(name as SettingName) && uses[name as SettingName].isSecret) {
      const path = join(folder, name);
      await writeFile(path, `${value}\n`, { mode: 0o600 });
      env[`${name}_FILE`] = path;
    } else if (!uses[name as SettingName].isSecret) env[name] = value;
  }
  return env;
}

/** Shorter texts would be found by chance. */
const partMin = 16;

/** What is secret of a setting: keys of a set, the password or the path of an address, entries of a list. */
function listParts(value: string): string[] {
  if (value.startsWith("{")) return (JSON.parse(value).keys as { d: string }[]).map(({ d }) => d);
  if (!URL.canParse(value))
    return value.split(",").map((each) => each.replace(/^(0x(?=[0-9a-f]{64}$)|whsec_|sk_test_)/i, ""));
  const { protocol, pathname, password } = new URL(value);
  return [password, ...(protocol === "http:" ? pathname.split("/") : [])];
}

/** Texts that reveal a secret: itself, and its bytes in hex and base64. */
function listForms(part: string): string[] {
  const bytes = [
    Buffer.from(part),
    ...(/^[0-9a-f]{64}$/i.test(part) ? [Buffer.from(part, "hex")] : []),
    Buffer.from(part, "base64"),
  ];
  const coded = bytes.flatMap((each) => [
    each.toString("hex"),
    each.toString("base64").replace(/=+$/, ""),
    each.toString("base64url"),
  ]);
  return [part, ...coded].filter((form) => form.length >= partMin);
}

/** Finds the settings whose secret, in any form, is in a text. */
export function createSecretSearch(values: Readonly<Record<string, string>>): (text: string) => string[] {
  const secrets = Object.entries(values).filter(([name]) => name in uses && uses[name as SettingName].isSecret);
  const forms = secrets.map(([name, value]) => ({
    name,
    forms: listParts(value)
      .filter((part) => part.length >= partMin)
      .flatMap(listForms),
  }));
  return (text) =>
    forms.filter(({ forms: known }) => known.some((form) => text.includes(form))).map(({ name }) => name);
}

/** Environment and command line of processes and of all that they started. */
export async function readProcesses(roots: readonly number[]): Promise<string> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  // A process that has ended has no files.
  const read = (id: string, file: string) =>
    Bun.file(`/proc/${id}/${file}`)
      .text()
      .catch(() => "");
  const parents = new Map(
    await Promise.all(
      ids.map(async (id) => [id, /^PPid:\t(\d+)$/m.exec(await read(id, "status"))?.[1] ?? ""] as const),
    ),
  );
  const isOurs = (id: string | undefined): boolean =>
    id !== undefined && (roots.includes(Number(id)) || isOurs(parents.get(id)));
  const ours = ids.filter(isOurs);
  const texts = ours.flatMap((id) => [read(id, "environ"), read(id, "cmdline")]);
  return (await Promise.all(texts)).join("\n");
}
