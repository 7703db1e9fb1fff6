/** The settings of each process as text: with every description, empty where production requires a value. */
import { environment } from "@cardkeep/runtime/environment";
import { isRequired, listSettings, type Role, type SettingName, uses } from "@cardkeep/runtime/roles";
import { z } from "zod";
import { wrap } from "../print.ts";
import { type Installation, nameOf, ports } from "./installation.ts";

const widthMax = 110;

/** Values that follow from the manifests themselves, and the key without which `/metrics` is public. */
const givenValues = ({ drainSeconds }: Installation): Partial<Record<SettingName, string>> => ({
  NODE_ENV: "production",
  PORT: String(ports.server),
  WORKER_PORT: String(ports.worker),
  DRAIN_SECONDS: String(drainSeconds),
  OPERATOR_API_KEY: "",
});

interface Entry {
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

function buildEntry(name: SettingName, role: Role, installation: Installation): Entry {
  const schema: z.ZodType = environment.shape[name];
  const given = givenValues(installation)[name];
  const parsed = schema.safeParse(undefined);
  const fallback = parsed.success && parsed.data !== undefined ? String(parsed.data) : "";
  const required = isRequired(name, role);
  const choice = required ? findOnlyChoice(schema) : null;
  return {
    name,
    description: `${schema.description ?? ""}${required && choice === null ? ". Required" : ""}`,
    isActive: required || given !== undefined,
    value: given ?? choice ?? (required ? "" : fallback),
  };
}

const listEntries = (role: Role, isSecret: boolean, installation: Installation): Entry[] =>
  listSettings(role)
    .filter((name) => uses[name].isSecret === isSecret)
    .map((name) => buildEntry(name, role, installation));

const renderEntries = (entries: readonly Entry[], indent: string, line: (entry: Entry) => string): string =>
  entries
    .map((entry) => {
      const comments = wrap(entry.description, widthMax).map((text) => `${indent}# ${text}\n`);
      return `${comments.join("")}${indent}${entry.isActive ? "" : "# "}${line(entry)}\n`;
    })
    .join("");

const yamlLine = ({ name, value }: Entry): string => `${name}: ${JSON.stringify(value)}`;

/** The ConfigMap of a process, as YAML with comments. */
export const renderConfigMap = (role: Role, installation: Installation): string =>
  `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${nameOf(role)}
  namespace: ${installation.namespace}
data:
${renderEntries(listEntries(role, false, installation), "  ", yamlLine)}`;

/** The Secret of a process, as YAML with comments. */
export const renderSecret = (role: Role, installation: Installation): string =>
  `apiVersion: v1
kind: Secret
metadata:
  name: ${nameOf(role)}
  namespace: ${installation.namespace}
type: Opaque
stringData:
${renderEntries(listEntries(role, true, installation), "  ", yamlLine)}`;

/** All settings of a process, as a file of environment variables. */
export const renderEnvFile = (role: Role, installation: Installation): string =>
  renderEntries(
    [...listEntries(role, false, installation), ...listEntries(role, true, installation)],
    "",
    ({ name, value }) => `${name}=${value}`,
  );
