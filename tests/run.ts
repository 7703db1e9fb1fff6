/**
 * `bun run test`: Postgres, bundled programs and compiled contracts for the whole run, then `bun test` with the given
 * arguments.
 */
import { allocator } from "@cardkeep/local/part";
import { availableParallelism } from "node:os";
import { bundleApps, bundlesVariable } from "./support/bundles.ts";
import { compileTestContracts } from "./support/contracts.ts";
import { engineSettings } from "./support/engine.ts";
import { findFailures } from "./support/failures.ts";
import { serverVariable, startTestServer } from "./support/postgres.ts";
import { startTestChain } from "./support/chain.ts";

const root = new URL("..", import.meta.url).pathname;
/** Files run in parallel, the slowest first; one more than there are cores, because tests mostly wait. */
const sideBySide = [`--parallel=${availableParallelism() + 1}`, "--no-isolate", "--timings=tests/timings.json"];

/** Forwards a stream as it arrives and returns all of its text. */
async function relay(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    process.stderr.write(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/** The runner's own closing count: the last match, because a test may print anything before it. */
const countOf = (word: string, text: string): number =>
  Number([...Bun.stripANSI(text).matchAll(new RegExp(`^ *(\\d+) ${word}s?$`, "gm"))].at(-1)?.[1] ?? 0);

async function run(given: Record<string, string>): Promise<number> {
  // This timeout covers the hooks and tests of every file; those of bunfig.toml and of the preload do not.
  const child = Bun.spawn([process.execPath, "test", "--timeout", "60000", ...sideBySide, ...process.argv.slice(2)], {
    cwd: root,
    env: { ...allocator, ...engineSettings, ...process.env, ...given },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "pipe",
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  const said = await relay(child.stderr);
  const code = await child.exited;
  const passed = countOf("pass", said);
  const failed = countOf("fail", said) + countOf("error", said);
  const isGood = code === 0 && failed === 0 && passed > 0;
  // Repeated at the end, because some tools show only the end of a run.
  for (const failure of findFailures(said)) process.stdout.write(`\n${failure}\n`);
  process.stdout.write(`${passed} passed, ${isGood ? 0 : Math.max(1, failed)} failed\n`);
  return isGood ? 0 : code || 1;
}

const [server, bundles, chain] = await Promise.all([
  startTestServer(),
  bundleApps(),
  startTestChain(),
  compileTestContracts(),
]);
await chain.stop();
let code = 1;
try {
  code = await run({ [serverVariable]: server.url, [bundlesVariable]: bundles.folder });
} finally {
  await Promise.all([server.stop(), bundles.remove()]);
}
process.exit(code);
