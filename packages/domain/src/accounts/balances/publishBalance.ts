/** Publishes a Safe's balance to partners whenever it differs from the one published last. */
import { enqueueQuietly } from "@cardkeep/db/queue/enqueue";
import {
  type BalancesLookedAt,
  findSafe,
  hasCurrency,
  hasPublishedBalance,
  selectReceivedSafes,
  setPublishedBalance,
} from "@cardkeep/db/queries/accounts/safes";
import { readFollowState } from "@cardkeep/db/queries/chain/followState";
import type { Work, WorkerContext } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { NodeBehind } from "../../chain/guards/readHead.ts";
import { readBalancesBy, readReservations } from "./getBalances.ts";

/**
 * Publishes a Safe's balance if it differs from the one published last. A change that a reorganisation rolled back before
 * this job ran is not published. Nothing corrects it later, so a node is not believed that lacks a block that was seen.
 *
 * @throws NodeBehind
 */
export async function publishBalance(ctx: WorkerContext, { safeId }: { safeId: string }): Promise<void> {
  const safe = await findSafe(ctx.db, safeId);
  if (safe?.status !== "ok" || !hasCurrency(safe)) return;
  const rows = await readReservations(ctx, safe);
  // After the rows: they leave out what moved in the blocks that were seen.
  const { newest } = await readFollowState(ctx.db, ctx.policy.chainId);
  const { balances: balance, block } = await readBalancesBy(ctx, safe, rows);
  if (newest !== null && block < newest.blockNumber) throw new NodeBehind("The node lags behind what was seen");
  // A Safe that has had no money yet has no change to report.
  if (balance.total === 0n && !(await hasPublishedBalance(ctx.db, safeId))) return;
  await ctx.commit(async (work) => {
    const isNews = await setPublishedBalance(work.tx, { safeId, ...balance, publishedAt: work.now });
    if (isNews) await publish(work, "account.balance.changed", safe.userId, { userId: safe.userId, ...balance });
  });
}

/** Enqueues `balance.publish` for those of these Safes whose users have receivers of their events. */
export async function enqueueBalanceChecks(
  { tx, requestId, wake }: Pick<Work, "tx" | "requestId" | "wake">,
  which: BalancesLookedAt,
): Promise<void> {
  const selected = { subjects: selectReceivedSafes(which), requestId };
  if (await enqueueQuietly(tx, "balance.publish", selected)) wake("jobs");
}
