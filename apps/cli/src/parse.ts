/** From the words of a command line to the command they mean and its input. */
import { parseArgs } from "node:util";
import { type Command, flagNameOf, type Noun, type RawInput } from "./command.ts";
import { UsageError } from "./usageError.ts";

export type Nouns = Readonly<Record<string, Noun | Command>>;

export const isCommand = (entry: Noun | Command): entry is Command => "run" in entry;

/** What a command line asks for. */
export type Request =
  | { kind: "usage"; path: readonly string[] }
  | { kind: "command"; command: Command; input: RawInput; isJson: boolean };

/** @throws UsageError for unknown words, and for arguments and flags that the command does not take */
export function parseCommandLine(nouns: Nouns, words: readonly string[]): Request {
  const [nounName, verbName] = words.filter((word) => !word.startsWith("-"));
  if (nounName === undefined) {
    const [unknown] = words.filter((word) => word !== "--help" && word !== "-h" && word !== "--json");
    if (unknown !== undefined) throw new UsageError(`unknown flag ${unknown}`);
    return { kind: "usage", path: [] };
  }
  const entry = Object.hasOwn(nouns, nounName) ? nouns[nounName] : undefined;
  if (!entry) throw new UsageError(`there is no ${nounName}; there are ${Object.keys(nouns).join(", ")}`);
  if (isCommand(entry)) return parseInput(entry, [nounName], words);
  if (verbName === undefined) return { kind: "usage", path: [nounName] };
  const verb = Object.hasOwn(entry.verbs, verbName) ? entry.verbs[verbName] : undefined;
  if (!verb) throw new UsageError(`${nounName} cannot ${verbName}; it can ${Object.keys(entry.verbs).join(", ")}`);
  return parseInput(verb, [nounName, verbName], words);
}

/** The flags that every command has. */
const common = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

function parseInput(command: Command, path: readonly string[], words: readonly string[]): Request {
  const flags = new Map(Object.entries(command.flags).map(([name, flag]) => [flagNameOf(name, flag), { name, flag }]));
  const own = [...flags].map(
    ([flagName, { flag }]) => [flagName, { type: flag.kind === "switch" ? "boolean" : "string" }] as const,
  );
  const { tokens } = parseArgs({
    args: [...words],
    options: { ...common, ...Object.fromEntries(own) },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const input: Record<string, string | number | boolean | string[]> = {};
  const places: string[] = [];
  let isJson = false;
  for (const token of tokens) {
    if (token.kind === "positional") places.push(token.value);
    if (token.kind !== "option") continue;
    if (token.name === "help") return { kind: "usage", path };
    if (token.name === "json") {
      isJson = true;
      continue;
    }
    const known = flags.get(token.name);
    if (!known) throw new UsageError(`${path.join(" ")} does not know ${token.rawName}`);
    const { name, flag } = known;
    const value = readValue(token.rawName, flag.kind, token.value);
    const former = input[name];
    if (flag.kind === "list") input[name] = [...(Array.isArray(former) ? former : []), String(value)];
    else if (former !== undefined) throw new UsageError(`${token.rawName} is given twice`);
    else input[name] = value;
  }
  const given = places.slice(path.length);
  const wanted = command.takes.map((name) => `<${name}>`).join(" ") || "no arguments";
  if (given.length !== command.takes.length) throw new UsageError(`${path.join(" ")} takes ${wanted}`);
  for (const [index, name] of command.takes.entries()) input[name] = given[index] ?? "";
  return { kind: "command", command, input, isJson };
}

function readValue(rawName: string, kind: string, value: string | undefined): string | number | boolean {
  if (kind === "switch") {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return true;
  }
  if (value === undefined || value === "") throw new UsageError(`${rawName} needs a value`);
  if (kind !== "number") return value;
  if (!/^-?\d+(\.\d+)?$/.test(value)) throw new UsageError(`${rawName} needs a number`);
  return Number(value);
}
