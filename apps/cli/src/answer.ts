/** What a command answers, and how it is printed. */
import { buildCommand, type Command, type TypedCommandParameters } from "@stricli/core";
import type { CliContext } from "./context.ts";
import { renderJson } from "./print.ts";

export interface Answer {
  /** Printed with `--json`. */
  readonly data: unknown;
  readonly text: string;
  /** 0 unless the answer itself reports a fault. */
  readonly exitCode?: number;
}

/** The help text of a command. */
export const describe = (verb: { brief: string; details?: string; example: string }) => ({
  brief: verb.brief,
  fullDescription: [
    `${verb.brief}.`,
    ...(verb.details === undefined ? [] : [verb.details]),
    `Example\n  cardkeep ${verb.example}`,
  ].join("\n\n"),
});

type WithJson<F> = F & { json?: boolean };

/**
 * Builds a command that runs `run` and prints its answer as text, or as JSON with `--json`.
 *
 * `example` is a command line without the program's name, for the help text; `details` stand before it.
 */
export const buildVerb = <F extends object, A extends readonly string[]>(verb: {
  brief: string;
  details?: string;
  example: string;
  parameters: NoInfer<TypedCommandParameters<WithJson<F>, A, CliContext>>;
  run: (cli: CliContext, flags: F, ...words: A) => Promise<Answer>;
}): Command<CliContext> =>
  buildCommand<WithJson<F>, A, CliContext>({
    docs: describe(verb),
    parameters: verb.parameters,
    async func(flags, ...words) {
      const { data, text, exitCode = 0 } = await verb.run(this, flags, ...words);
      this.process.stdout.write(flags.json === true ? renderJson(data) : text);
      this.process.exitCode = exitCode;
    },
  });
