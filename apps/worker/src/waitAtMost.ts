import type { Runtime } from "@cardkeep/runtime/compose";
import pTimeout from "p-timeout";

/**
 * Waits at most `timeoutMs` for `work` and logs its failure. Answers whether it succeeded in time. A database that is away
 * must not delay a stop.
 */
export async function waitAtMost(
  { log }: Runtime,
  { what, timeoutMs }: { what: string; timeoutMs: number },
  work: Promise<unknown>,
): Promise<boolean> {
  const done = work.then(
    () => true,
    (error: unknown) => {
      log.debug({ err: error }, `could not ${what}`);
      return false;
    },
  );
  return pTimeout(done, { milliseconds: timeoutMs, fallback: () => false });
}
