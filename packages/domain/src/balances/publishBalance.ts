/** Tells partners what a Safe holds, whenever that is not what they were told last. */
import { enqueueAll } from "@cardkeep/db/queue/enqueue";
import { findSafe, hasCurrency, listSubscribedSafes, setPublishedBalance } from "@cardkeep/db/queries/safes";
import type { Address } from "@cardkeep/contract/primitives";
import type { Work, WorkerContext } from "../context.ts";
import { publish } from "../publish.ts";
import { readBalances } from "./balances.ts";

/**
 * Publishes a Safe's balance if it differs from what was told last: what looked like a change and was none, or was taken
 * back by a reorganisation before anybody looked, is not told.
 */
export async function publishBalance(ctx: WorkerContext, { safeId }: { safeId: string }): Promise<void> {
  const safe = await findSafe(ctx.db, safeId);
  if (safe?.status !== "ok" || !hasCurrency(safe)) return;
  const balance = await readBalances(ctx, safe);
  await ctx.commit(async (work) => {
    const isNews = await setPublishedBalance(work.tx, { safeId, ...balance, publishedAt: work.now });
    if (isNews) await publish(work, "account.balance.changed", safe.userId, { userId: safe.userId, ...balance });
  });
}

/** Has the balances of those of these Safes looked at whose users somebody subscribed to. */
export async function enqueueBalanceChecks(
  { tx, requestId }: Pick<Work, "tx" | "requestId">,
  which: { ids: readonly string[] } | { addresses: readonly Address[] } | "published",
): Promise<void> {
  const ids = await listSubscribedSafes(tx, which);
  await enqueueAll(
    tx,
    "balance.publish",
    ids.map((safeId) => ({ payload: { safeId, requestId } })),
  );
}
