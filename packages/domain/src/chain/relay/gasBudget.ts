/**
 * The budget of reverted gas: what the operations and set-ups of one person may cost in transactions that blocks refuse, and in
 * dear entries that the person queued past the service.
 *
 * An owner's contract can behave in every estimate and burn the gas of every block. A used-up budget delays the person's
 * further transactions; it ends no operation. A Safe has one person, so the budget holds for each Safe too.
 */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { listRevertedGas, type Revert } from "@cardkeep/db/queries/chain/relay/revertedGas";
import type { Context } from "../../core/context.ts";
import type { GasBudget } from "../../core/policy.ts";

const pauseMsMin = 5_000;
const pauseMsMax = 320_000;
/** How much longer the pause is after each further transaction that a block refused within an hour. */
const pauseGrowth = 4;

/**
 * The instant from which a person's next transaction may be tried; null where none of the last day was refused.
 *
 * @param reverts the person's refused transactions of the last day, the newest first
 */
export function findNextTry(reverts: readonly Revert[], { perHourMax, perDayMax }: GasBudget): Date | null {
  const [newest] = reverts;
  if (!newest) return null;
  const newestMs = newest.createdAt.getTime();
  const recent = reverts.filter(({ createdAt }) => newestMs - createdAt.getTime() < hourMs);
  const pauseMs = Math.min(pauseMsMin * pauseGrowth ** (recent.length - 1), pauseMsMax);
  const instants = [
    newestMs + pauseMs,
    findRelease(reverts, { max: perHourMax, windowMs: hourMs }),
    findRelease(reverts, { max: perDayMax, windowMs: dayMs }),
  ];
  return new Date(Math.max(...instants));
}

/** When what was spent within a window falls below a maximum, in milliseconds; 0 where it is below it always. */
function findRelease(reverts: readonly Revert[], { max, windowMs }: { max: bigint; windowMs: number }): number {
  let spent = 0n;
  for (const { cost, createdAt } of reverts) {
    spent += cost;
    if (spent >= max) return createdAt.getTime() + windowMs;
  }
  return 0;
}

/** In milliseconds: how long a person's transactions wait, 0 where they do not, and since when none was refused. */
export async function readHold(
  ctx: Pick<Context, "db" | "clock" | "policy">,
  userId: string,
): Promise<{ waitMs: number; calmMs: number }> {
  const now = await ctx.clock.now(ctx.db);
  const reverts = await listRevertedGas(ctx.db, { since: new Date(now.getTime() - dayMs), userId });
  const since = (instant: Date | null | undefined) => (instant ? now.getTime() - instant.getTime() : dayMs);
  const nextTryAt = findNextTry(reverts, ctx.policy.gasBudget);
  return { waitMs: Math.max(0, -since(nextTryAt)), calmMs: since(reverts[0]?.createdAt) };
}
