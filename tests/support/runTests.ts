/** One run of `bun test`, shown as it goes on. */
import { allocator } from "@cardkeep/local/part";
import { runnerSettings } from "./engine.ts";
import { readResults, type TestResult } from "./failures.ts";

const root = new URL("../..", import.meta.url).pathname;

/** How a run ended. */
export interface Run {
  code: number;
  passed: number;
  failed: number;
  said: string;
  results: TestResult[];
}

/** A process that a failed test left behind may hold the run's output open: its end is not waited for longer. */
const leftBehindMs = 5_000;

/** Forwards a stream as it arrives, until it or `exited` has ended, and returns its text. */
async function relay(stream: ReadableStream<Uint8Array>, exited: Promise<number>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  const forward = async () => {
    for await (const chunk of stream) {
      process.stderr.write(chunk);
      text += decoder.decode(chunk, { stream: true });
    }
  };
  const left = exited.then(() => Bun.sleep(leftBehindMs));
  await Promise.race([forward(), left]);
  return text;
}

/** The runner's own closing count: the last match, because a test may print anything before it. */
const countOf = (word: string, text: string): number =>
  Number([...Bun.stripANSI(text).matchAll(new RegExp(`^ *(\\d+) ${word}s?$`, "gm"))].at(-1)?.[1] ?? 0);

/** Runs `bun test` with further arguments and variables; an ended signal ends it. */
export async function runTests(
  given: readonly string[],
  { env, signal }: { env: Record<string, string>; signal: AbortSignal },
): Promise<Run> {
  // This timeout covers the hooks and tests of every file; those of bunfig.toml and of the preload do not.
  const child = Bun.spawn([process.execPath, "test", "--timeout", "60000", ...given], {
    cwd: root,
    env: { ...allocator, ...runnerSettings, ...process.env, ...env },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "pipe",
  });
  const end = () => child.kill(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  const said = await relay(child.stderr, child.exited);
  const code = await child.exited;
  signal.removeEventListener("abort", end);
  const passed = countOf("pass", said);
  const failed = countOf("fail", said) + countOf("error", said);
  const isGood = code === 0 && failed === 0 && passed > 0;
  return { code, passed, failed: isGood ? 0 : Math.max(1, failed), said, results: readResults(said) };
}
