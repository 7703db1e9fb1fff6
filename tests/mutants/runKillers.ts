import { allocator } from "@cardkeep/local/part";
import { engineSettings } from "../support/engine.ts";

/** A mutant may wait for ever. Nothing that these tests do takes so long. */
const timeoutMs = 240_000;

/** What the setup of a file leaves where the machine is too full to do it in time: no test has judged the mutant. */
const setupTimeout = "hook timed out";

/** `begun`: whether the tests began. */
export interface Outcome {
  isKilled: boolean;
  begun: boolean;
  said: string;
}

/** Runs test files in a copy until the first failure. A mutant that never ends is killed, too. */
export async function runKillers(
  folder: string,
  files: readonly string[],
  { env, signal }: { env: Record<string, string>; signal: AbortSignal },
): Promise<Outcome> {
  const child = Bun.spawn([process.execPath, "--no-orphans", "test", "--bail", "--timeout", "60000", ...files], {
    cwd: folder,
    env: { ...allocator, ...engineSettings, ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: timeoutMs,
    signal,
  });
  const said = await new Response(child.stderr).text();
  const code = await child.exited;
  if (code === 0 && !/^ *[1-9]\d* pass/m.test(Bun.stripANSI(said))) throw new Error(`No test ran:\n${said}`);
  const begun = !said.includes(setupTimeout);
  return { isKilled: code !== 0 && begun, begun, said };
}
