/** Files that a command line names. */
import { parseJsonText } from "@cardkeep/contract/core/text";
import { describeFileFault } from "@cardkeep/runtime/fileFault";
import { readFileSync } from "node:fs";
import { CommandError, UsageError } from "./errors.ts";

/**
 * The text of a file, without a byte order mark, or with `-` of the standard input.
 * @throws CommandError, or the given error, for one that cannot be read
 */
export function readTextFile(path: string, Fault: typeof CommandError | typeof UsageError = CommandError): string {
  try {
    return new TextDecoder().decode(readFileSync(path === "-" ? 0 : path));
  } catch (error) {
    throw new Fault(`${path} cannot be read: ${describeFileFault(error) ?? String(error)}`);
  }
}

/** The value in a file, or in the standard input. @throws UsageError for one that cannot be read, is no JSON, or holds ill-formed text */
export function readJsonFile(path: string): unknown {
  const text = readTextFile(path, UsageError);
  try {
    return parseJsonText(text);
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
