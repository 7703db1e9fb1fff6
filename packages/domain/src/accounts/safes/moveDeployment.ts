/** What a deployment that was looked at writes: it moves on, or is tried again. */
import type { SafeStatus } from "@cardkeep/contract/accounts/safes";
import { lockSafe, moveSafe, type Safe, updateSafe } from "@cardkeep/db/queries/accounts/safes";
import { selectOrderReturnsOfReset } from "@cardkeep/db/queries/cards/orderReturns";
import { selectReturnsOfReset } from "@cardkeep/db/queries/spending/liveTransfers";
import { enqueue, enqueueQuietly } from "@cardkeep/db/queue/enqueue";
import type { Work, WorkerContext } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { saltOf } from "../../core/safeAccount.ts";

type SafeEvent = "safe.created" | "safe.currency.updated" | "safe.modules.deployed";

/** Strangers who deploy the four contracts just before us make four of our transactions fail, and no more. */
const attemptsMax = 6;

/** Moves a Safe on that the chain shows, and publishes it. `change` is written besides. */
export async function advance(
  ctx: WorkerContext,
  work: Work,
  safe: Safe,
  {
    status,
    published,
    ...change
  }: { status: SafeStatus; published: readonly SafeEvent[] } & Partial<Pick<Safe, "setUpBlock">>,
): Promise<void> {
  // Another commit may have moved the Safe on since the chain was read.
  if ((await lockSafe(work.tx, safe.id))?.status !== safe.status) return;
  const moved = await moveSafe(work.tx, safe.id, status, { ...change, reason: null, updatedAt: work.now });
  if (!moved) return;
  // A reorganisation took the creation back behind a set-up that was signed already: that goes on from here.
  if (status === "created" && moved.setUpData) {
    await moveSafe(work.tx, safe.id, "settingUp", { updatedAt: work.now });
    await enqueue(work.tx, "safe.deploy", { safeId: safe.id, requestId: safe.requestId });
  }
  const data = { ...moved, salt: saltOf(moved), chainId: String(ctx.policy.chainId) };
  // Safes that share a transaction go back to different requests.
  const own = { ...work, requestId: moved.requestId };
  // What comes back of payments and orders of a former Safe may wait for this one.
  if (status === "ok") {
    const { userId, requestId } = moved;
    const ofCards = { subjects: selectReturnsOfReset(userId), requestId };
    if (await enqueueQuietly(work.tx, "card.transfer", ofCards)) work.wake("jobs");
    const ofOrders = { subjects: selectOrderReturnsOfReset(userId), requestId };
    if (await enqueueQuietly(work.tx, "order.return", ofOrders)) work.wake("jobs");
  }
  for (const eventType of published) await publish(own, eventType, moved.userId, data);
}

/**
 * Another try of a deployment that the chain refused, until there were too many.
 *
 * A set-up that its owner signed fits one state of the chain: refused once it is void, and the owner signs another. One that
 * ran after an approval or another transaction of the Safe is of no use either: its owner resets the Safe.
 */
export async function retryOrGiveUp({ tx, now }: Work, safe: Safe, reason: string): Promise<void> {
  const locked = await lockSafe(tx, safe.id);
  if (locked?.status !== safe.status) return;
  if (locked.status === "settingUp") {
    await moveSafe(tx, safe.id, "created", { reason, setUpHash: null, setUpData: null, updatedAt: now });
    return;
  }
  const attempts = locked.attempts + 1;
  if (attempts >= attemptsMax) {
    await moveSafe(tx, safe.id, "failed", { attempts, reason, updatedAt: now });
  } else {
    await updateSafe(tx, safe.id, { attempts, reason, updatedAt: now });
    const { id: safeId, requestId } = safe;
    await enqueue(tx, "safe.deploy", { safeId, requestId }, 1000 * 2 ** locked.attempts);
  }
}
