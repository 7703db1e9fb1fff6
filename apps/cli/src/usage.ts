/** The sentences about a command line that is wrong. */
import { suggest } from "@cardkeep/terminal/suggestion";
import {
  type ApplicationText,
  formatMessageForArgumentScannerError,
  ArgumentScannerError,
  text_en,
} from "@stricli/core";

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

/**
 * All texts for one command line. `words` are its words, `findTurned` finds the command of a verb in front of its noun, and
 * `formatThrown` describes what a command threw.
 */
export function buildTexts(
  words: readonly string[],
  findTurned: (words: readonly string[]) => string[] | null,
  formatThrown: (error: unknown) => string,
): ApplicationText {
  const line = (text: string): string => `cardkeep: ${text}`;
  return {
    ...text_en,
    headers: { usage: "Usage", aliases: "Aliases", commands: "Commands", flags: "Flags", arguments: "Arguments" },
    noCommandRegisteredForInput: ({ input, corrections }) => {
      if (input.startsWith("-")) return line(`Unknown flag ${input}.`);
      const nouns = words.slice(0, words.indexOf(input)).filter((word) => !word.startsWith("-"));
      const path = ["cardkeep", ...nouns].join(" ");
      const similar = corrections.slice(0, 1).map((name) => `\`${path} ${name.replaceAll("`", "")}\``);
      const meant = nouns.length === 0 ? (findTurned(words) ?? similar) : similar;
      const next = meant.length > 0 ? suggestNames(meant) : ` \`${path} --help\` lists what there is.`;
      return line(`Unknown ${nouns.length === 0 ? "noun" : "verb"} "${input}".${next}`);
    },
    exceptionWhileParsingArguments: (error) => line(formatArgumentError(error, words)),
    exceptionWhileRunningCommand: (error) => line(formatThrown(error)),
    exceptionWhileRunningIntegrationFlag: ({ integration }) => line(`Unknown flag --${integration}.`),
  };
}
