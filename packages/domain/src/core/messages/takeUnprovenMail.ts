import type { WorkerContext } from "../context.ts";
import { takeOrWait } from "../limits/rateLimits.ts";

/** Takes a mail from those that an unproven address may get; answers how long none is left, in ms, or 0. */
export async function takeUnprovenMail(
  { rateLimits, policy }: Pick<WorkerContext, "rateLimits" | "policy">,
  userId: string,
): Promise<number> {
  for (const { count, withinMs } of policy.codeSends.email) {
    const quota = { name: `mails-to-unproven-${withinMs}`, count, withinSeconds: withinMs / 1000 };
    const waitMs = await takeOrWait(rateLimits, quota, userId);
    if (waitMs > 0) return waitMs;
  }
  return 0;
}
