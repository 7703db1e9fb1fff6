import type { Runtime } from "@cardkeep/runtime/compose";
import pTimeout from "p-timeout";

const stopMsMax = 6_000;

/** Waits at most 6 s for `work` and logs its failure. A database that is away must not delay a stop. */
export async function waitAtMost({ log }: Runtime, what: string, work: Promise<unknown>): Promise<void> {
  const ended = work.catch((error: unknown) => log.debug({ err: error }, `could not ${what}`));
  await pTimeout(ended, { milliseconds: stopMsMax, fallback: () => undefined });
}
