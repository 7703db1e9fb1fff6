/** The guides of the reference pages, and the programs in them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./runCommand.ts";

const root = new URL("../..", import.meta.url).pathname;
const folder = join(root, "apps/server/src/docs/guides");

/** A fenced block of a guide. */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** Blocks with nothing between them show the same in several languages. An answer is in a group of its own. */
  readonly group: number;
}

export interface Guide {
  readonly slug: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** In reading order: values that one guide shows how to get are used by the later ones. */
const slugs = [
  "quick-start",
  "accounts-and-keys",
  "sign-in",
  "typed-data",
  "withdrawals",
  "cards",
  "card-elements",
  "ibans",
  "statements",
  "tokens",
  "bookkeeping",
  "books",
  "money",
  "webhooks",
  "idempotency",
  "errors",
  "pagination",
  "sandbox",
  "strictness",
  "testing",
  "assistants",
  "support",
  "programme",
  "production",
  "upgrading",
];

/** Languages of answers, and of nothing else in a guide. */
const answerLanguages: ReadonlySet<string> = new Set(["json", "text"]);

export const guides: readonly Guide[] = slugs.map((slug) => {
  const text = readFileSync(join(folder, `${slug}.md`), "utf8");
  return { slug, text, blocks: parseBlocks(text) };
});

/** Documents of the repository that are guides too; their samples are tested where they stand. */
const documents: readonly string[] = ["changelog.md", "handbook.md", "runbook.md"];

/** The guides in the folder, but for the repository's own documents. */
export const listGuideFiles = (): string[] =>
  readdirSync(folder).filter((file) => file.endsWith(".md") && !documents.includes(file));

/** Every answer that a guide shows. */
export const listAnswers = ({ blocks }: Guide): Block[] =>
  blocks.filter(({ language }) => answerLanguages.has(language));

function parseBlocks(text: string): Block[] {
  let end = -1;
  let group = -1;
  return [...text.matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```$/gm)].map(
    ({ index, 0: whole, 1: language = "", 2: code = "" }) => {
      // An answer may follow its program at once.
      if (end === -1 || text.slice(end, index).trim() !== "" || answerLanguages.has(language)) group += 1;
      end = index + whole.length;
      return { language, code, group };
    },
  );
}

/** Languages whose blocks run, in this order. */
export const languages = ["sh", "ts", "python", "go"] as const;
export type Language = (typeof languages)[number];

/** Commands for a terminal call no address: they start a program. Their words are checked; they do not run here. */
export const isCommand = ({ language, code }: Block): boolean => language === "sh" && !code.includes("curl ");

/** A program with an instance of its own. It stands in the page of `@cardkeep/testing` too, whose examples another test runs. */
export const isOfTestingPage = ({ language, code }: Block): boolean =>
  language === "ts" && code.includes("startCardkeep");

/** The blocks of a guide that run, in a language. Those of `sh` run by themselves; others are one program. */
export const listRunnable = ({ blocks }: Guide, language: Language): Block[] =>
  blocks.filter((block) => block.language === language && !isCommand(block) && !isOfTestingPage(block));

/** The answer that a guide shows for a block: the next block if that is `json` or `text`; null without one. */
export function findAnswer({ blocks }: Guide, { group }: Block): Block | null {
  const next = blocks.find((block) => block.group === group + 1);
  return next && answerLanguages.has(next.language) ? next : null;
}

const interpreters: Readonly<Record<Language, string>> = { sh: "bash", ts: "bun", python: "python3", go: "go" };

export const hasInterpreter = (language: Language): boolean =>
  language === "ts" || Bun.which(interpreters[language]) !== null;

/** Stands between the output of two blocks of a program. */
const mark = "--- end of block ---";

/** Shows objects as JSON, so that they can be compared with the answers in the guide. */
const tsPrelude = `console.log = (...values) =>
  process.stdout.write(values.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join(" ") + "\\n");`;

/** Runs blocks as one program, and returns what each printed. @throws Error with the output where the program fails */
export async function runBlocks(
  language: Language,
  blocks: readonly Block[],
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const codes = blocks.map(({ code }) => code);
  if (language === "sh") return [await run(["bash", "-euo", "pipefail", "-c", codes.join("\n")], env)];
  if (language === "go") return [await runGo(codes.join("\n"), env)];
  const markLine = language === "ts" ? `console.log("${mark}");` : `print("${mark}")`;
  const program = codes.map((code) => `${code}\n${markLine}\n`).join("\n");
  const command = language === "ts" ? [process.execPath, "-e", `${tsPrelude}\n${program}`] : ["python3", "-c", program];
  return (await run(command, env)).split(mark).slice(0, -1);
}

async function runGo(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), "cardkeep-guide-"));
  try {
    await Bun.write(join(scratch, "main.go"), program);
    return await run(["go", "run", join(scratch, "main.go")], { ...env, GO111MODULE: "off" });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** The packages are found from here, as from an app that installed them. */
const run = (command: string[], env: Readonly<Record<string, string>>): Promise<string> =>
  runCommand(command, { cwd: join(root, "tests"), env: { ...process.env, ...env } });
