/** The sentences about a command line that is wrong. */
import {
  type ApplicationText,
  formatMessageForArgumentScannerError,
  ArgumentScannerError,
  text_en,
} from "@stricli/core";

const suggest = (names: readonly string[]): string =>
  names.length === 0 ? "" : ` Did you mean ${names.join(" or ")}?`;

const reasonOf = (exception: unknown): string => (exception instanceof Error ? exception.message : String(exception));

/** What is wrong with the flags and arguments of a command. */
function formatArgumentError(error: unknown, words: readonly string[]): string {
  if (!(error instanceof ArgumentScannerError)) return reasonOf(error);
  const isGiven = (flag: string): boolean =>
    words.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) =>
      `Unknown flag --${input}.${suggest(corrections.map((name) => `--${name}`))}`,
    AliasNotFoundError: ({ input }) => `Unknown flag -${input}.`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, input, exception }) =>
      `Invalid value "${input}" for ${isGiven(name) ? `--${name}` : `<${name}>`}: ${reasonOf(exception)}`,
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `Invalid value "${input}" for --${externalFlagName}. Choose one of ${values.join(", ")}.`,
    UnsatisfiedFlagError: ({ externalFlagName }) => `Give a value for --${externalFlagName}.`,
    UnexpectedFlagError: ({ externalFlagName }) => `Give --${externalFlagName} only once.`,
    UnsatisfiedPositionalError: ({ placeholder }) => `Give a value for <${placeholder}>.`,
    UnexpectedPositionalError: ({ input, expectedCount }) =>
      `Unexpected argument "${input}": the command takes ${expectedCount === 0 ? "none" : expectedCount}.`,
  });
}

/** All texts for one command line; `words` are its words, `formatThrown` describes what a command threw. */
export function buildTexts(words: readonly string[], formatThrown: (error: unknown) => string): ApplicationText {
  const line = (text: string): string => `cardkeep: ${text}`;
  return {
    ...text_en,
    headers: { usage: "Usage", aliases: "Aliases", commands: "Commands", flags: "Flags", arguments: "Arguments" },
    noCommandRegisteredForInput: ({ input, corrections }) => {
      if (input.startsWith("-")) return line(`Unknown flag ${input}.`);
      const nouns = words.slice(0, words.indexOf(input)).filter((word) => !word.startsWith("-"));
      const path = ["cardkeep", ...nouns].join(" ");
      const similar = corrections.slice(0, 1).map((name) => `\`${path} ${name.replaceAll("`", "")}\``);
      const next = similar.length > 0 ? suggest(similar) : ` \`${path} --help\` lists what there is.`;
      return line(`Unknown ${nouns.length === 0 ? "noun" : "verb"} "${input}".${next}`);
    },
    exceptionWhileParsingArguments: (error) => line(formatArgumentError(error, words)),
    exceptionWhileRunningCommand: (error) => line(formatThrown(error)),
    exceptionWhileRunningIntegrationFlag: ({ integration }) => line(`Unknown flag --${integration}.`),
  };
}
