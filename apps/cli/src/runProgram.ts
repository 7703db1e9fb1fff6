/** Runs a program of its own in this process, so that signals and exit codes are the program's. */
import { type ProgramName, programs } from "@cardkeep/terminal/programs";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** The root of the program, from the file that runs: a source, or a bundle in the same place. */
const root = join(dirname(Bun.main), "../../..");

/** Gives the words of the command line that follow the program's name to the program. */
export async function runProgram(name: ProgramName): Promise<void> {
  const path = ["ts", "js"].map((ending) => join(root, `${programs[name].file}.${ending}`)).find(existsSync);
  if (path === undefined) {
    process.stderr.write(`cardkeep: ${name} is not part of this image, which runs server, worker and migrate\n`);
    process.exitCode = 1;
    return;
  }
  process.argv.splice(1, 2, path);
  await import(pathToFileURL(path).href);
}
