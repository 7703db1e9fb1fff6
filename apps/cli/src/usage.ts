/** What there is to type, as text. */
import { type Command, flagNameOf, type Noun } from "./command.ts";
import { isCommand, type Nouns } from "./parse.ts";

const program = "bun run cardkeep";

/** The usage of everything, of a noun, or of one command. */
export function renderUsage(nouns: Nouns, path: readonly string[]): string {
  const [nounName, verbName] = path;
  const entry = nounName === undefined ? undefined : nouns[nounName];
  if (nounName === undefined || !entry) return renderAll(nouns);
  if (isCommand(entry)) return renderCommand(nounName, entry);
  const verb = verbName === undefined ? undefined : entry.verbs[verbName];
  return verb ? renderCommand(`${nounName} ${verbName}`, verb) : renderNoun(nounName, entry);
}

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
};

const signatureOf = (name: string, { takes }: Command): string =>
  [name, ...takes.map((argument) => `<${argument}>`)].join(" ");

const everywhere: readonly (readonly [string, string])[] = [
  ["--json", "One JSON document instead of text"],
  ["--help", "What can be typed here"],
];

function renderAll(nouns: Nouns): string {
  const rows = Object.entries(nouns).map(([name, entry]) => {
    const verbs = isCommand(entry) ? "" : `: ${Object.keys(entry.verbs).join(", ")}`;
    return [name, `${entry.summary}${verbs}`] as const;
  });
  return `Usage: ${program} <noun> <verb> [arguments] [flags]

${columns(rows)}

${columns(everywhere)}

It works on the database and the chain of DATABASE_URL and RPC_URL, or of the \`bun start\` that runs on this machine.
`;
}

function renderNoun(name: string, { summary, verbs }: Noun): string {
  const rows = Object.entries(verbs).map(([verb, command]) => [signatureOf(verb, command), command.summary] as const);
  return `Usage: ${program} ${name} <verb> [arguments] [flags]\n\n${summary}\n\n${columns(rows)}\n\n${columns(everywhere)}\n`;
}

function renderCommand(name: string, command: Command): string {
  const own = Object.entries(command.flags).map(([inputName, flag]) => {
    const left = `--${flagNameOf(inputName, flag)}`;
    return [flag.value === undefined ? left : `${left} ${flag.value}`, flag.summary] as const;
  });
  return `Usage: ${program} ${signatureOf(name, command)} [flags]\n\n${command.summary}\n\n${columns([...own, ...everywhere])}\n`;
}
