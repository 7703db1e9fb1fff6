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

type WithJson<F> = F & { json?: boolean };

/**
 * Builds a command that runs `run` and prints its answer as text, or as JSON with `--json`.
 *
 * `example` is a command line without the program's name, for the help text.
 */
export const buildVerb = <F extends object, A extends readonly string[]>(verb: {
  brief: string;
  example: string;
  parameters: NoInfer<TypedCommandParameters<WithJson<F>, A, CliContext>>;
  run: (cli: CliContext, flags: F, ...words: A) => Promise<Answer>;
}): Command<CliContext> =>
  buildCommand<WithJson<F>, A, CliContext>({
    docs: { brief: verb.brief, fullDescription: `${verb.brief}.\n\nExample\n  cardkeep ${verb.example}` },
    parameters: verb.parameters,
    async func(flags, ...words) {
      const { data, text, exitCode = 0 } = await verb.run(this, flags, ...words);
      this.process.stdout.write(flags.json === true ? renderJson(data) : text);
      this.process.exitCode = exitCode;
    },
  });
