/** The settings of each process as text: with every description, empty where production requires a value. */
import { environment } from "@cardkeep/runtime/environment";
import { isRequired, substitutes } from "@cardkeep/runtime/requiredSettings";
import { listSettingsOf, type ProcessRole, type SettingName, uses } from "@cardkeep/runtime/settingUses";
import { z } from "zod";
import { wrap } from "../print.ts";
import { type Installation, nameOf, ports, secretsFolder } from "./installation.ts";

const widthMax = 110;

/** Values that follow from the manifests themselves, and the key without which `/metrics` is public. */
const givenValues = ({ drainSeconds }: Installation): Partial<Record<SettingName, string>> => ({
  NODE_ENV: "production",
  PORT: String(ports.server),
  WORKER_PORT: String(ports.worker),
  DRAIN_SECONDS: String(drainSeconds),
  OPERATOR_API_KEY: "",
});

/** A setting of a process, as a line of its file. */
export interface Entry {
  readonly name: SettingName;
  readonly description: string;
  /** A line that is active; others are comments. */
  readonly isActive: boolean;
  readonly value: string;
}

/** The only choice of a setting beside the sandbox, which production refuses. */
function findOnlyChoice(schema: z.ZodType): string | null {
  const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  const choices = inner instanceof z.ZodEnum ? inner.options.filter((choice) => choice !== "sandbox") : [];
  return inner instanceof z.ZodEnum && choices.length === 1 && inner.options.length === 2 ? String(choices[0]) : null;
}

function buildEntry(name: SettingName, role: ProcessRole, installation: Installation): Entry {
  const schema: z.ZodType = environment.shape[name];
  const given = givenValues(installation)[name];
  const parsed = schema.safeParse(undefined);
  const fallback = parsed.success && parsed.data !== undefined ? String(parsed.data) : "";
  const required = isRequired(name, role);
  const choice = required ? findOnlyChoice(schema) : null;
  const others = (substitutes[name] ?? []).filter((other) => uses[other].roles.includes(role));
  const need = ["Required", ...others].join(", or ");
  return {
    name,
    description: `${schema.description ?? ""}${required && choice === null ? `. ${need}` : ""}`,
    isActive: required || given !== undefined || uses[name].isSecret,
    value: given ?? choice ?? (required ? "" : fallback),
  };
}

/** The settings of a process that are secrets, or those that are none. */
export const listEntries = (role: ProcessRole, isSecret: boolean, installation: Installation): Entry[] =>
  listSettingsOf(role)
    .filter((name) => uses[name].isSecret === isSecret)
    .map((name) => buildEntry(name, role, installation));

const renderComment = (text: string, indent: string): string =>
  wrap(text, widthMax)
    .map((line) => `${indent}# ${line}\n`)
    .join("");

/** Lines with the description before each. */
export const renderEntries = (entries: readonly Entry[], indent: string, line: (entry: Entry) => string): string =>
  entries
    .map((entry) => `${renderComment(entry.description, indent)}${indent}${entry.isActive ? "" : "# "}${line(entry)}\n`)
    .join("");

const yamlLine = ({ name, value }: Entry): string => `${name}: ${JSON.stringify(value)}`;

/** The secrets of a process. */
export const listSecrets = (role: ProcessRole): SettingName[] =>
  listSettingsOf(role).filter((name) => uses[name].isSecret);

const pathOf = (name: SettingName): string => `${secretsFolder}/${name}`;

const fileComment = "Files of the secrets. An empty file is a secret that is not set";

/** The ConfigMap of a process, as YAML with comments. */
export const renderConfigMap = (role: ProcessRole, installation: Installation): string =>
  [
    renderHead("ConfigMap", role, installation),
    "data:\n",
    renderEntries(listEntries(role, false, installation), "  ", yamlLine),
    `  # ${fileComment}\n`,
    ...listSecrets(role).map((name) => `  ${name}_FILE: ${JSON.stringify(pathOf(name))}\n`),
  ].join("");

/** The Secret of a process, as YAML with comments. */
export const renderSecret = (role: ProcessRole, installation: Installation): string =>
  [
    renderHead("Secret", role, installation),
    "type: Opaque\nstringData:\n",
    renderEntries(listEntries(role, true, installation), "  ", yamlLine),
  ].join("");

/** All settings of a process, as a file of environment variables. Secrets are named by their files. */
export const renderEnvFile = (role: ProcessRole, installation: Installation): string =>
  [
    renderEntries(listEntries(role, false, installation), "", ({ name, value }) => `${name}=${value}`),
    `# ${fileComment}\n\n`,
    renderEntries(listEntries(role, true, installation), "", ({ name }) => `${name}_FILE=${pathOf(name)}`),
  ].join("");

const renderHead = (kind: string, role: ProcessRole, { namespace }: Installation): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${nameOf(role)}\n  namespace: ${namespace}\n`;
