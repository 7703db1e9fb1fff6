/** Plays a plan in a process of its own. */
import { fileURLToPath } from "node:url";
import { getServerUrl, serverVariable } from "../support/postgres.ts";
import type { Happened } from "./shrink.ts";

export interface Said {
  readonly digest: string;
  readonly steps: number;
  /** Of people. */
  readonly acts: number;
  /** That the service took. */
  readonly callbacks: number;
  readonly broken: readonly string[];
  readonly happened: Happened;
  /** The planted faults that would have acted otherwise, in a run without one. */
  readonly reached: readonly { fault: string; step: number }[];
}

/** No play of a seed takes so long, also on a busy machine. */
const playMsMax = 1_800_000;

/** @param options as `main.ts` takes them */
export async function playApart(options: readonly string[]): Promise<Said> {
  const child = Bun.spawn([process.execPath, "tests/simulate/main.ts", ...options, "--json"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, [serverVariable]: await getServerUrl() },
    stdout: "pipe",
    stderr: "pipe",
    timeout: playMsMax,
  });
  const [said = "", complained = ""] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
  );
  const lines = said.trim().split("\n");
  const last = lines.at(-1) ?? "";
  if (last.startsWith("{")) {
    const { reached, ...happened } = JSON.parse(lines.at(-3) ?? "");
    return {
      ...JSON.parse(last),
      acts: count(lines, "acts"),
      callbacks: count(lines, "callbacks"),
      happened,
      reached,
    };
  }
  return {
    digest: "",
    steps: 0,
    acts: 0,
    callbacks: 0,
    happened: { acts: [], faults: [] },
    reached: [],
    broken: [`it ended with ${await child.exited}: ${complained.trim().slice(-300)}`],
  };
}

/** The number before a word in the line before the last one. */
const count = (lines: readonly string[], word: string): number =>
  Number(new RegExp(String.raw`(\d+) ${word}`).exec(lines.at(-2) ?? "")?.[1] ?? 0);
