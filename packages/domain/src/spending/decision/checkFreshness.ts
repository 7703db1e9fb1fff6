import { type Decline, declineFor } from "./decline.ts";

/**
 * Whether chain or relay stand still. An owner could then empty the account before an approved spend moves.
 *
 * @param chainAt time of the block that answered
 * @param oldestHoldAt when the oldest spend was approved that is still to move: of the account, or of any other one where
 *   nothing but the relay can hold it up
 */
export function checkFreshness(
  now: Date,
  { chainAt, oldestHoldAt }: { chainAt: Date; oldestHoldAt: Date | null },
  { cooldownSeconds }: { cooldownSeconds: number },
): Decline | null {
  const oldestMs = Math.min(chainAt.getTime(), oldestHoldAt?.getTime() ?? Infinity);
  return now.getTime() - oldestMs > silenceSecondsMax(cooldownSeconds) * 1000 ? declineFor("chain_stale") : null;
}

/** For how long chain and relay may be silent, in seconds: a third of the cooldown, and no less than a few blocks. */
export const silenceSecondsMax = (cooldownSeconds: number): number => Math.max(cooldownSeconds / 3, 5);
