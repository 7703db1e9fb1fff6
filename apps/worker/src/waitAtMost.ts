import type { Runtime } from "@cardkeep/runtime/compose";

const stopMsMax = 6_000;

/** Waits 6 s at most for `work`, and logs its failure: a database that is away must not hold up a stop. */
export async function waitAtMost({ log }: Runtime, what: string, work: Promise<unknown>): Promise<void> {
  const ended = work.catch((error: unknown) => log.debug({ err: error }, `could not ${what}`));
  await Promise.race([ended, Bun.sleep(stopMsMax)]);
}
