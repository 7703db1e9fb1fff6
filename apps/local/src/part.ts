/** One part of the program as a child process, with its log in a file. */
import { mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

export interface Part {
  readonly name: string;
  /** Resolves with the exit code once it has ended. */
  readonly ended: Promise<number>;
  /** The last lines it said. */
  describeEnd(): string;
  /** Asks it to stop, and ends it when it does not within the time. */
  stop(): Promise<void>;
}

const stopMsMax = 8_500;
const linesMax = 15;

/** Starts a part; it ends with this process, because the other end of its standard input is here. */
export function startPart(input: { name: string; main: string; env: Record<string, string | undefined>; logFile: string }): Part {
  mkdirSync(dirname(input.logFile), { recursive: true });
  const log = openSync(input.logFile, "a");
  const child = Bun.spawn([process.execPath, input.main], {
    env: { ...input.env, CARDKEEP_CHILD: "1" },
    stdin: "pipe",
    stdout: log,
    stderr: log,
  });
  const killWithUs = () => child.kill("SIGKILL");
  process.once("exit", killWithUs);
  return {
    name: input.name,
    ended: child.exited,
    describeEnd: () => readFileSync(input.logFile, "utf8").trim().split("\n").slice(-linesMax).join("\n"),
    stop: async () => {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopMsMax);
      await child.exited;
      clearTimeout(timer);
      process.off("exit", killWithUs);
    },
  };
}
