/** `cardkeep <program>` and `cardkeep <noun> <verb>`: the one command line of all that Cardkeep is. */
import { findProgram } from "@cardkeep/terminal/programs";
import { runProgram } from "./runProgram.ts";

const words = process.argv.slice(2);
const program = findProgram(words);
// A server loads none of the commands, and a command none of the programs.
if (program === null) await import("./terminalLine.ts").then(({ runOnTerminal }) => runOnTerminal(words));
else await runProgram(program);
