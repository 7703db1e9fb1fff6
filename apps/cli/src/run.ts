/** Runs one command line, from its words to what it prints. */
import { findIllFormedText } from "@cardkeep/contract/core/text";
import { version } from "@cardkeep/contract/version";
import type { Runtime } from "@cardkeep/runtime/compose";
import { buildApplication, help, run, version as versionFlag } from "@stricli/core";
import { createCommandLine, type Streams } from "./context.ts";
import { formatError, UsageError } from "./errors.ts";
import { createRemoteSource, takeServer } from "./remote.ts";
import { nouns, remoteNouns } from "./nouns.ts";
import { buildTexts } from "./usage.ts";

const refused = 1;
const misused = 2;

/** `--json` and `--exact` may stand before the noun too. */
function moveFlags(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => word !== "--json" && word !== "--exact");
  return first === -1 ? words : [...words.slice(first), ...words.slice(0, first)];
}

/** The words of a command, and the server of `--server`, which every command takes. */
function splitWords(given: readonly string[]) {
  try {
    const { words, server } = takeServer(given);
    return { words: moveFlags(words), server, fault: null };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { words: [], server: null, fault: error.message };
  }
}

/** Letters that a word may differ by to be suggested. */
const similarity = { threshold: 4, weights: { insertion: 1, deletion: 2, substitution: 2, transposition: 1 } };

/** What a command line prints on its two streams, and its exit code. */
export interface Output {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs one command line; never throws. Exit code 2 is a wrong command line, 1 everything else that failed.
 *
 * `load` opens the service when a command needs it. It runs at most once, and its runtime is closed in the end. `streams` gets
 * each text as it is printed.
 */
export async function runCommandLine(
  given: readonly string[],
  load: () => Promise<Runtime>,
  streams?: Streams,
): Promise<Output> {
  if (findIllFormedText(given)) {
    const err = "cardkeep: A word holds a null character or an unpaired surrogate.\n";
    streams?.err(err);
    return { code: misused, out: "", err };
  }
  const { words, server, fault } = splitWords(given);
  if (fault !== null) {
    const err = `cardkeep: ${fault}\n`;
    streams?.err(err);
    return { code: misused, out: "", err };
  }
  const remote = server === null ? null : createRemoteSource(server);
  const { context, printed, runtime } = createCommandLine(load, { streams, remote });
  const formatting = {
    caseStyle: "convert-camel-to-kebab",
    useAliasInUsageLine: false,
    onlyRequiredInUsageLine: false,
  } as const;
  const application = buildApplication(
    remote !== null && remoteNouns.getRoutingTargetForInput(words[0] ?? "") ? remoteNouns : nouns,
    {
      name: "cardkeep",
      scanner: {
        caseStyle: "allow-kebab-for-camel",
        allowArgumentEscapeSequence: true,
        distanceOptions: similarity,
      },
      documentation: { ...formatting, disableAnsiColor: true },
      localization: { text: buildTexts(words, (error) => formatError(error, runtime())) },
      determineExitCode: (error) => (error instanceof UsageError ? misused : refused),
    },
    {
      help: help({ brief: "Print what can be typed here", defaultForRouteMap: true, formatting }),
      version: versionFlag({ brief: "Print the version", info: { currentVersion: version } }),
    },
  );
  try {
    await run(application, words, context);
  } finally {
    await runtime()?.close();
  }
  const code = Number(context.process.exitCode);
  // The library's own codes are below 0, each for a command line that it could not read.
  return { code: code < 0 ? misused : code, ...printed };
}
