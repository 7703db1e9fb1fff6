/** The sentences about a command line that is wrong. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { suggest } from "@cardkeep/terminal/suggestion";
import {
  type ApplicationText,
  formatMessageForArgumentScannerError,
  ArgumentScannerError,
  text_en,
} from "@stricli/core";
import { findCommandPath, guessCommand, listVerbs } from "./command.ts";

const suggestNames = (names: readonly string[]): string =>
  names.length === 0 ? "" : ` Did you mean ${names.join(" or ")}?`;

const reasonOf = (exception: unknown): string => (exception instanceof Error ? exception.message : String(exception));

/** What is wrong with the flags and arguments of a command. */
function formatArgumentError(error: unknown, words: readonly string[]): string {
  if (!(error instanceof ArgumentScannerError)) return reasonOf(error);
  const isGiven = (flag: string): boolean =>
    words.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) =>
      `Unknown flag --${input}.${suggestNames(corrections.map((name) => `--${name}`))}`,
    AliasNotFoundError: ({ input }) => `Unknown flag -${input}.`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, input, exception }) =>
      `Invalid value "${input}" for ${isGiven(name) ? `--${name}` : `<${name}>`}: ${reasonOf(exception)}`,
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `Invalid value "${input}" for --${externalFlagName}.${suggest(input, values)} Choose one of ${values.join(", ")}.`,
    UnsatisfiedFlagError: ({ externalFlagName }) => `Give a value for --${externalFlagName}.`,
    UnexpectedFlagError: ({ externalFlagName }) => `Give --${externalFlagName} only once.`,
    UnsatisfiedPositionalError: ({ placeholder }) => `Give a value for <${placeholder}>.`,
    UnexpectedPositionalError: ({ input, expectedCount }) =>
      `Unexpected argument "${input}": the command takes ${expectedCount === 0 ? "none" : expectedCount}.`,
  });
}

/** Where the objects are listed, behind an error about one that does not exist. */
function formatListHint(error: unknown, [noun = ""]: readonly string[]): string {
  const isMissing = error instanceof CardkeepError && error.code.endsWith("not_found");
  return isMissing && listVerbs(noun).includes("list") ? `. \`cardkeep ${noun} list\` lists what there is` : "";
}

/** All texts for one command line; `words` are its words, `formatThrown` describes what a command threw. */
export function buildTexts(words: readonly string[], formatThrown: (error: unknown) => string): ApplicationText {
  const line = (text: string): string => `cardkeep: ${text}`;
  return {
    ...text_en,
    headers: { usage: "Usage", aliases: "Aliases", commands: "Commands", flags: "Flags", arguments: "Arguments" },
    noCommandRegisteredForInput: ({ input }) => {
      if (input.startsWith("-")) return line(`Unknown flag ${input}.`);
      const path = findCommandPath(words);
      const meant = guessCommand(words.filter((word) => !word.startsWith("-")));
      const next = meant === null ? `\`${path} --help\` lists what there is.` : `Did you mean \`${meant}\`?`;
      return line(`Unknown ${path === "cardkeep" ? "noun" : "verb"} "${input}". ${next}`);
    },
    exceptionWhileParsingArguments: (error) => {
      const text = formatArgumentError(error, words);
      return line(
        text.endsWith(".") && !text.includes("Choose one") ? `${text} See \`${findCommandPath(words)} --help\`.` : text,
      );
    },
    exceptionWhileRunningCommand: (error) => line(`${formatThrown(error)}${formatListHint(error, words)}`),
    exceptionWhileRunningIntegrationFlag: ({ integration }) => line(`Unknown flag --${integration}.`),
  };
}
