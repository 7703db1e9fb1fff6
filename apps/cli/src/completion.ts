/** `cardkeep completion`: the words of every command, as a function of a shell. */
import type { Command, RouteMap } from "@stricli/core";
import { buildVerb } from "./answer.ts";
import { listCommandWords } from "./commandWords.ts";
import type { CliContext } from "./context.ts";
import { parseChoice, withJson } from "./parameters.ts";
import { renderCompletion, shells } from "./shells.ts";

/** The command over a table of commands, which holds it too: it is read when it is whole. */
export const buildCompletion = (readTree: () => RouteMap<CliContext>): Command<CliContext> =>
  buildVerb({
    verb: "completion.print",
    brief: "Prints the completion of a shell: bash, zsh or fish",
    details:
      "Load it where the shell starts:\n" +
      '  bash  eval "$(cardkeep completion bash)" in ~/.bashrc\n' +
      '  zsh   eval "$(cardkeep completion zsh)" in ~/.zshrc, after compinit\n' +
      "  fish  cardkeep completion fish > ~/.config/fish/completions/cardkeep.fish",
    waitsFor: "lists the commands",
    example: ["completion bash", "completion fish"],
    parameters: {
      flags: withJson({}),
      positional: {
        kind: "tuple",
        parameters: [{ parse: parseChoice(shells), placeholder: "shell", brief: `One of ${shells.join(", ")}` }],
      },
    },
    run: async (_: CliContext, __: object, shell: (typeof shells)[number]) => {
      const script = renderCompletion(shell, listCommandWords(readTree()));
      return { data: { shell, script }, text: script };
    },
  });
