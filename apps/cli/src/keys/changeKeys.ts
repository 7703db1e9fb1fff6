/** Replaces keys while others of their setting count: a new one is added last, put first, and the older one is removed. */
import { isDatabaseUnavailable } from "@cardkeep/db/errors";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { isRuled, type RuledSetting } from "@cardkeep/domain/operations/keys/keyRules";
import { countSealedBy, type KeyState, listKeys } from "@cardkeep/domain/operations/keys/listKeys";
import { checkSetting, type Settings } from "@cardkeep/runtime/settings";
import { uses } from "@cardkeep/runtime/settingUses";
import { CommandError } from "../errors.ts";
import { joinKeys, type ListedKey, listPublicKeys, nameKey, splitKeys } from "./keyList.ts";
import { isCreated, createKey } from "./createKey.ts";
import { replaceSecretFile, requireFree } from "./secretFile.ts";

/** The keys of a setting after a change. */
export interface ChangedKeys {
  readonly setting: string;
  readonly keyId: string;
  /** The names of all keys; the first makes what is new. */
  readonly keys: readonly string[];
  /** What servers publish of the keys of deliveries; null for other settings. */
  readonly publicKeys: string | null;
  /** Whether the action log holds the change. */
  readonly isRecorded: boolean;
}

interface KeyFile {
  readonly setting: RuledSetting;
  readonly path: string;
  readonly before: string;
  readonly keys: readonly ListedKey[];
}

function openKeyFile({ secretFiles }: Settings, name: string): KeyFile {
  const setting = findSetting(name);
  const path = secretFiles.paths[setting];
  if (path === undefined) throw new CommandError(`${setting} is not in a file: set ${setting}_FILE to the path of one`);
  const before = secretFiles.values[setting] ?? "";
  return { setting, path, before, keys: splitKeys(setting, before) };
}

function findSetting(name: string): RuledSetting {
  if (isRuled(name)) return name;
  if (/(RELAYER|OPERATOR|SPENDER|TOP_UP)_PRIVATE_KEY/.test(name))
    throw new CommandError(`${name} is a key of the chain: see "Rotate a key" in apps/cli/RUNBOOK.md`);
  const isSecret = Object.entries(uses).some(([known, { isSecret: is }]) => known === name && is);
  throw new CommandError(
    isSecret
      ? `${name} holds one secret at a time: write the new one into its file`
      : `${name} is no secret setting with several keys. \`cardkeep keys list\` shows which there are`,
  );
}

type KeyChange = "keys.add" | "keys.use" | "keys.remove";

/** Records a change before it is made: the database cannot commit a file. Answers what makes it. */
async function record(
  ctx: OperatorContext,
  verb: KeyChange,
  { settings, file, keys, keyId }: { settings: Settings; file: KeyFile; keys: readonly ListedKey[]; keyId: string },
): Promise<() => ChangedKeys> {
  const { setting, path, before } = file;
  const text = joinKeys(setting, keys, before);
  const nameAll = (list: readonly ListedKey[]) => list.map((key) => key.keyId);
  // A file that a process would refuse, or read otherwise, is never written.
  if (nameAll(splitKeys(setting, text)).join() !== nameAll(keys).join())
    throw new CommandError(`The new secret of ${setting} is empty or holds a comma, which separates secrets`);
  checkSetting(setting, text, settings);
  // Before it is recorded: the log names no change that is not made.
  requireFree(path);
  const action = async () => ({
    output: undefined,
    subject: { kind: "key", id: `${setting}/${keyId}` } as const,
    before: { keys: nameAll(file.keys) },
    after: { keys: nameAll(keys) },
  });
  const isRecorded = await ctx.act(verb, action).then(
    () => true,
    (error: unknown) => {
      // A set of files is filled in before there is a database.
      if (verb === "keys.add" && isDatabaseUnavailable(error)) return false;
      throw error;
    },
  );
  return () => {
    replaceSecretFile(path, (present) => {
      if (present.replace(/[\r\n]+$/, "") === before) return text;
      throw new CommandError(`${path} was changed by another command meanwhile: look at it, and repeat this`);
    });
    const publicKeys = setting === "WEBHOOK_SIGNING_KEYS" ? listPublicKeys(text) : null;
    return { setting, keyId, keys: nameAll(keys), publicKeys, isRecorded };
  };
}

/** Adds a key behind the others: every process accepts it before one uses it. `given` is a partner's secret. */
export async function addKey(
  ctx: OperatorContext,
  settings: Settings,
  { name, given }: { name: string; given: string | null },
): Promise<ChangedKeys> {
  const file = openKeyFile(settings, name);
  const { setting } = file;
  if (given === null && !isCreated(setting))
    throw new CommandError(`A partner makes the secrets of ${setting}: name a file with the new one in --from`);
  const text = given ?? (isCreated(setting) ? createKey(setting) : "");
  const key = { keyId: nameKey(setting, text), text };
  if (file.keys.some(({ keyId }) => keyId === key.keyId)) throw new CommandError(`${setting} holds this key already`);
  const change = await record(ctx, "keys.add", { settings, file, keys: [...file.keys, key], keyId: key.keyId });
  return change();
}

const findKey = ({ setting, keys }: KeyFile, keyId: string): ListedKey => {
  const found = keys.find((key) => key.keyId === keyId);
  if (!found)
    throw new CommandError(`${setting} has no key ${keyId}: it has ${keys.map((key) => key.keyId).join(", ")}`);
  return found;
};

async function findState(ctx: OperatorContext, { setting }: KeyFile, keyId: string): Promise<KeyState | null> {
  return (await listKeys(ctx)).find((key) => key.setting === setting && key.keyId === keyId) ?? null;
}

/** Puts a key first, once every process holds it. The e-money institution is given the new first secret. */
export async function useKey(
  ctx: OperatorContext,
  settings: Settings,
  { name, keyId }: { name: string; keyId: string },
): Promise<ChangedKeys> {
  const file = openKeyFile(settings, name);
  const key = findKey(file, keyId);
  if ((await findState(ctx, file, keyId))?.held !== "everywhere")
    throw new CommandError(
      `Not every running process holds ${keyId} yet. A process takes up a changed file within a minute: repeat this then`,
    );
  const keys = [key, ...file.keys.filter((each) => each !== key)];
  const change = await record(ctx, "keys.use", { settings, file, keys, keyId });
  // Callbacks with either secret count, so the institution may use the new one before the file says so.
  if (file.setting === "EMONEY_CALLBACK_SECRET")
    await ctx.emoney.renewSubscription({ url: ctx.policy.emoney.institutionCallbackUrl, secret: key.text });
  return change();
}

/** Removes a key that nothing depends on. With `isForced`, sealed rows alone keep it. */
export async function removeKey(
  ctx: OperatorContext,
  settings: Settings,
  { name, keyId, isForced }: { name: string; keyId: string; isForced: boolean },
): Promise<ChangedKeys> {
  const file = openKeyFile(settings, name);
  const key = findKey(file, keyId);
  if (file.keys[0] === key)
    throw new CommandError(`${keyId} is the first key: put another one first with \`keys use\``);
  const rows = file.setting === "SECRETS_KEYS" ? await countSealedBy(ctx, keyId) : 0;
  if (rows > 0)
    throw new CommandError(
      `${keyId} stays, sealed rows: ${rows}. The worker seals them anew within a minute, but for changes of partners that wait for a second person`,
    );
  const state = await findState(ctx, file, keyId);
  const hangs = state === null ? "no process has recorded it within the last hour" : state.hangs;
  if (hangs !== null && !isForced)
    throw new CommandError(`${keyId} stays: ${hangs}. With --force what hangs on it is refused from now on`);
  const keys = file.keys.filter((each) => each !== key);
  const change = await record(ctx, "keys.remove", { settings, file, keys, keyId });
  return change();
}
