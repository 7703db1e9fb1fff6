import { formatAge } from "@cardkeep/contract/core/durations";
import { describeKey, listKeys } from "@cardkeep/domain/operations/keys/listKeys";
import { buildRouteMap } from "@stricli/core";
import { z } from "zod";
import { type Answer, buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { readTextFile } from "./inputFile.ts";
import { addKey, type ChangedKeys, removeKey, useKey } from "./keys/changeKeys.ts";
import { generateKeys } from "./keys/generateKeys.ts";
import { renderKeySet } from "./keys/renderKeySet.ts";
import { keySafes } from "./keySafes.ts";
import { optionalSwitch, optionalText, parseBy, parseText, textArgument, withJson, withReason } from "./parameters.ts";
import { renderTable } from "./print.ts";

const relayersMax = 100;
const signers = ["web3signer", "aws-kms"] as const;

const columns = [
  { title: "setting" },
  { title: "key" },
  { title: "first seen" },
  { title: "age", align: "right" as const },
  { title: "state", elastic: true },
];

const renderChange = ({ setting, keys, publicKeys, isRecorded }: ChangedKeys, next: string): string =>
  [
    `${setting} holds ${keys.join(", ")}. Processes take it up within a minute.`,
    ...(publicKeys === null ? [] : [`Set WEBHOOK_PUBLIC_KEYS of the servers to ${publicKeys} and restart them.`]),
    ...(isRecorded ? [] : ["No database answers, so the action log does not hold this change."]),
    `${next}\n`,
  ].join("\n");

const settingAndKey = {
  kind: "tuple",
  parameters: [
    { parse: parseText, placeholder: "setting", brief: "Name of the setting" },
    { parse: parseText, placeholder: "key", brief: "Name of the key, from `keys list`" },
  ],
} as const;

export const keys = buildRouteMap({
  docs: { brief: "Keys of the service: a first set for production, their replacement, and what depends on each" },
  routes: {
    generate: buildVerb({
      verb: "keys.generate",
      brief: "Writes every secret that production needs and the settings of each process",
      details:
        "It writes into a new folder and prints addresses, not secrets. What partners give you stays empty and is listed. With\n" +
        "--signers the keys of the chain are elsewhere, and none is made.",
      waitsFor: "generates the keys",
      example: "keys generate --out production --relayers 3",
      parameters: {
        flags: withJson({
          out: optionalText("folder", "Folder to write; default production"),
          relayers: {
            kind: "parsed",
            parse: parseBy(z.coerce.number<string>().int().min(1).max(relayersMax)),
            optional: true,
            placeholder: "number",
            brief: "Relayer keys to make; default 2",
          } as const,
          signers: {
            kind: "enum",
            values: signers,
            optional: true,
            brief: "Where the keys of the chain are",
          } as const,
        }),
      },
      run: async (
        _: CliContext,
        {
          out = "production",
          relayers = 2,
          signers: kind,
        }: { out?: string; relayers?: number; signers?: (typeof signers)[number] },
      ): Promise<Answer> => {
        const data = generateKeys({ out, relayers, isRemote: kind !== undefined });
        return { data, text: renderKeySet(data) };
      },
    }),
    list: buildVerb({
      verb: "keys.list",
      brief: "Lists each key that running processes hold, its age and what hangs on it",
      example: "keys list",
      parameters: { flags: withJson({}) },
      run: async (cli: CliContext) => {
        const data = await listKeys(await cli.open());
        const rows = data.map((key) => [
          key.setting,
          key.keyId,
          key.firstSeenAt,
          formatAge(key.ageSeconds),
          describeKey(key) || "-",
        ]);
        return { data, text: renderTable(columns, rows, "No process has recorded its keys.") };
      },
    }),
    add: buildChange({
      verb: "keys.add",
      brief: "Adds a new key behind the others of its setting, so that every process accepts it",
      example: "keys add ACCESS_TOKEN_KEYS",
      parameters: {
        flags: withReason({
          from: optionalText("file", "File with a secret that a partner made; - for the standard input"),
        }),
        positional: textArgument("setting", "Name of the setting"),
      },
      run: async (cli: CliContext, { from }: { from?: string }, name: string) => {
        const { settings } = await cli.load();
        const given = from === undefined ? null : readTextFile(from).trim();
        const data = await addKey(await cli.open(), settings, { name, given });
        return { data, text: renderChange(data, `Then run \`cardkeep keys use ${name} ${data.keyId}\`.`) };
      },
    }),
    use: buildChange({
      verb: "keys.use",
      brief: "Puts a key first in its setting, so that it makes what is new",
      example: "keys use ACCESS_TOKEN_KEYS VfBsY9Gl5Tq2",
      parameters: { flags: withReason({}), positional: settingAndKey },
      run: async (cli: CliContext, _: object, name: string, keyId: string) => {
        const { settings } = await cli.load();
        const data = await useKey(await cli.open(), settings, { name, keyId });
        return { data, text: renderChange(data, "`cardkeep keys list` says when an older key may go.") };
      },
    }),
    remove: buildChange({
      verb: "keys.remove",
      brief: "Removes a key on which nothing hangs",
      example: "keys remove ACCESS_TOKEN_KEYS 3xkPmL0aQwEr",
      parameters: {
        flags: withReason({
          force: optionalSwitch("Remove it although something hangs on it, except for sealed rows"),
        }),
        positional: settingAndKey,
      },
      run: async (cli: CliContext, { force = false }: { force?: boolean }, name: string, keyId: string) => {
        const { settings } = await cli.load();
        const data = await removeKey(await cli.open(), settings, { name, keyId, isForced: force });
        return {
          data,
          text: renderChange(data, "Backups from before may need the removed key: keep it as long as them."),
        };
      },
    }),
    safes: keySafes,
  },
});
