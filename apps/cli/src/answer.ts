/** What a command answers, and how it is printed. */
import { formatNodes, parseDatabaseAddress } from "@cardkeep/db/databaseAddress";
import { ApprovalNeeded, describeRequest } from "@cardkeep/domain/operators/approvals/requireApproval";
import { requireRole } from "@cardkeep/domain/core/operators/requireRole";
import { findVerbRow, type OperatorChange, type OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import { noProgress } from "@cardkeep/terminal/progress";
import { buildCommand, type Command, type TypedCommandParameters } from "@stricli/core";
import { nameVerbs } from "./commandVerbs.ts";
import type { CliContext } from "./context.ts";
import { CommandError } from "./errors.ts";
import { RemoteApproval } from "./remote.ts";
import { renderJson } from "./print.ts";
import { formatText, type Text } from "./texts.ts";

export interface Answer {
  /** Printed with `--json`. */
  readonly data: unknown;
  readonly text: Text;
  /** 0 unless the answer itself reports a fault. */
  readonly exitCode?: number;
}

const renderExamples = (examples: readonly string[]): string =>
  [examples.length === 1 ? "Example" : "Examples", ...examples.map((words) => `  cardkeep ${words}`)].join("\n");

/** The help text of a command. */
export const describe = (verb: { brief: string; details?: string; example: string | readonly string[] }) => ({
  brief: verb.brief,
  fullDescription: [
    `${verb.brief}.`,
    ...(verb.details === undefined ? [] : [verb.details]),
    renderExamples([verb.example].flat()),
  ].join("\n\n"),
});

type WithJson<F> = F & { json?: boolean; exact?: boolean };
type WithReason<F> = WithJson<F> & { reason?: string };

/** What most commands wait for. */
const waitsForDatabase = "waits for database and chain";

interface VerbText {
  readonly brief: string;
  /** What a terminal shows while it runs. */
  readonly waitsFor?: string;
  readonly details?: string;
  /** One or more command lines. */
  readonly example: string | readonly string[];
}

/** Rows of a command whose flags decide what it does. */
interface VerbChoice<F> {
  readonly verbs: readonly OperatorVerb[];
  readonly choose: (flags: F) => OperatorVerb;
}

/** A database at a default address may be another installation's: its address is printed, and nothing is changed there. */
export async function nameTarget(cli: CliContext, isChange: boolean): Promise<void> {
  const { origins, home, databaseUrl } = (await cli.load()).settings;
  if (origins.database !== "guessed" || databaseUrl === undefined) return;
  const guess = `no start runs from ${home}, and DATABASE_URL is not set`;
  if (isChange) throw new CommandError(`${guess}: set DATABASE_URL or CARDKEEP_HOME to say where to change something`);
  const at = formatNodes(parseDatabaseAddress(databaseUrl));
  cli.process.stderr.write(`cardkeep: ${guess}; the database is guessed to be at ${at}\n`);
}

/** Refuses a command that the operator's roles do not allow. A local one works without a service, so it needs no role. */
async function authorize(cli: CliContext, verb: OperatorVerb): Promise<void> {
  const { isLocal, isChange } = findVerbRow(verb);
  // Wrong settings are a finding of the doctor's.
  if (!isLocal || verb === "doctor.run") await nameTarget(cli, isChange);
  if (isLocal) return;
  const operator = await cli.identify();
  requireRole(operator, verb);
  const { settings } = await cli.load();
  if (isChange && operator.proof === "machine" && settings.operatorCli === "person")
    throw new CommandError("changes need a person here (OPERATOR_CLI): run `cardkeep operators sign-in` first");
}

/** With `--server` no command opens a database: the server checks roles, and writes the action log. */
function refuseDatabase(cli: CliContext): CliContext {
  const refuse = async () => {
    throw new CommandError("this command needs the database: the operator's API has no such noun. Leave out --server");
  };
  return { ...cli, load: refuse, open: refuse };
}

/** The context of a command: its service opens only to an operator who may run it. A mistake in the words is found before. */
export function guard(cli: CliContext, verb: OperatorVerb, reason: string | null = null): CliContext {
  if (cli.remote !== null) return refuseDatabase(cli);
  let allowed: Promise<void> | null = null;
  const check = () => (allowed ??= authorize(cli, verb));
  return {
    ...cli,
    load: () => check().then(() => cli.load()),
    open: () => check().then(() => cli.open(reason)),
  };
}

async function print(
  { process, now, terminal }: CliContext,
  { data, text, exitCode = 0 }: Answer,
  { json: isJson = false, exact: isExact = false }: WithJson<object>,
): Promise<void> {
  const { widthMax, colors } = terminal;
  const printed = isJson ? renderJson(data) : formatText(text, { now: await now(), isExact, widthMax, colors });
  process.stdout.write(printed);
  process.exitCode = exitCode;
}

/** Runs a command. A terminal shows after a moment what it waits for. */
async function runShown(
  cli: CliContext,
  { json: isJson = false }: WithJson<object>,
  waitsFor: string,
  run: (cli: CliContext) => Promise<Answer>,
): Promise<Answer> {
  const progress = isJson ? noProgress : cli.terminal.progress;
  progress.begin(waitsFor);
  try {
    return await run({ ...cli, terminal: { ...cli.terminal, progress } });
  } finally {
    progress.end();
  }
}

/** Exit code of a change that waits for a second person. */
const waitsForApproval = 3;

/** A change that another operator has to approve has not failed, and is not done. */
function answerApproval(error: unknown): Answer {
  if (!(error instanceof RemoteApproval) && !(error instanceof ApprovalNeeded)) throw error;
  const data = error instanceof RemoteApproval ? error.request : describeRequest(error.request);
  return {
    data,
    text: `${error.message}\nAnother operator runs \`cardkeep approvals approve ${data.approvalId}\`.\n`,
    exitCode: waitsForApproval,
  };
}

/**
 * Builds a command that runs `run` and prints its answer as text, or as JSON with `--json`. It changes nothing.
 *
 * `verb` is its row in the table of operators' verbs. `example` is a command line without the program's name, for the help
 * text; `details` stand before it.
 */
export const buildVerb = <F extends object, A extends readonly string[]>({
  verb,
  parameters,
  run,
  ...text
}: VerbText & {
  verb: Exclude<OperatorVerb, OperatorChange>;
  parameters: NoInfer<TypedCommandParameters<WithJson<F>, A, CliContext>>;
  run: (cli: CliContext, flags: F, ...words: A) => Promise<Answer>;
}): Command<CliContext> =>
  nameVerbs(
    buildCommand<WithJson<F>, A, CliContext>({
      docs: describe(text),
      parameters,
      async func(flags, ...words) {
        const answer = await runShown(this, flags, text.waitsFor ?? waitsForDatabase, (cli) =>
          run(guard(cli, verb), flags, ...words),
        );
        await print(this, answer, flags);
      },
    }),
    [verb],
  );

/** The same for a command that changes something: it takes `--reason`, which the action log keeps. */
export const buildChange = <F extends object, A extends readonly string[]>({
  verb,
  parameters,
  run,
  ...text
}: VerbText & {
  verb: OperatorChange | VerbChoice<F>;
  parameters: NoInfer<TypedCommandParameters<WithReason<F>, A, CliContext>>;
  run: (cli: CliContext, flags: F, ...words: A) => Promise<Answer>;
}): Command<CliContext> =>
  nameVerbs(
    buildCommand<WithReason<F>, A, CliContext>({
      docs: describe(text),
      parameters,
      async func(flags, ...words) {
        const chosen = typeof verb === "string" ? verb : verb.choose(flags);
        const answer = await runShown(this, flags, text.waitsFor ?? waitsForDatabase, (cli) =>
          run(guard(cli, chosen, flags.reason), flags, ...words).catch(answerApproval),
        );
        await print(this, answer, flags);
      },
    }),
    typeof verb === "string" ? [verb] : verb.verbs,
  );
