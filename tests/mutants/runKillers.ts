import { allocator } from "@cardkeep/local/part";
import { engineSettings } from "../support/engine.ts";

/** A mutant may wait for ever. Nothing that these tests do takes so long. */
const timeoutMs = 240_000;

/** Runs test files in a copy until the first failure. A mutant that never ends is killed, too. */
export async function runKillers(
  folder: string,
  files: readonly string[],
  { env, signal }: { env: Record<string, string>; signal: AbortSignal },
): Promise<{ isKilled: boolean; said: string }> {
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
  return { isKilled: code !== 0, said };
}
