/** The programs as commands: their help texts and their flags. `main.ts` runs them before any command is loaded. */
import { type ProgramName, programs } from "@cardkeep/terminal/programs";
import { buildCommand, type Command, type TypedCommandParameters } from "@stricli/core";
import { describe } from "./answer.ts";
import { nameVerbs } from "./commandVerbs.ts";
import type { CliContext } from "./context.ts";
import { CommandError } from "./errors.ts";
import { optionalSwitch, optionalText } from "./parameters.ts";

const buildProgram = <F extends Readonly<Record<string, unknown>>>(
  name: ProgramName,
  parameters: NoInfer<TypedCommandParameters<F, [], CliContext>>,
): Command<CliContext> =>
  nameVerbs(
    buildCommand<F, [], CliContext>({
      docs: describe({ ...programs[name], example: name }),
      parameters,
      func: () => {
        throw new CommandError(`${name} is a program of its own: run it on a terminal`);
      },
    }),
    [`${name}.run`],
  );

type StartFlags = { ephemeral?: boolean; json?: boolean; watch?: boolean; portBase?: string };

const { ephemeral, json, watch, "port-base": portBase } = programs.start.flags;

export const programCommands = {
  start: buildProgram<StartFlags>("start", {
    flags: {
      ephemeral: optionalSwitch(ephemeral.brief),
      json: optionalSwitch(json.brief),
      watch: optionalSwitch(watch.brief),
      portBase: optionalText("N", portBase.brief),
    },
  }),
  demo: buildProgram("demo", { flags: {} }),
  server: buildProgram("server", { flags: {} }),
  worker: buildProgram("worker", { flags: {} }),
  migrate: buildProgram("migrate", { flags: {} }),
};
