/** Files that a command line names. */
import { parseJsonText } from "@cardkeep/contract/core/text";
import { describeFileFault } from "@cardkeep/runtime/fileFault";
import { readFileSync } from "node:fs";
import { CommandError, UsageError } from "./errors.ts";

/** The text of a file, or with `-` of the standard input. @throws CommandError for one that cannot be read */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${describeFileFault(error) ?? String(error)}`);
  }
}

/** The value in a file, or in the standard input. @throws CommandError; UsageError for one that is no JSON, or holds ill-formed text */
export function readJsonFile(path: string): unknown {
  const text = readTextFile(path);
  try {
    return parseJsonText(text);
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
