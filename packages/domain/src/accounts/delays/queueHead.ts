/** The head of a Delay module's queue: the one entry that can run next. */
import type { Call, OperationType } from "@cardkeep/chain/call";
import { CallReverted } from "@cardkeep/chain/errors";
import { findOwnerChange } from "@cardkeep/chain/owners";
import type { DelayState } from "@cardkeep/chain/accountState";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import { findDelayByQueueNonce } from "@cardkeep/db/queries/accounts/delays/queue";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import { NodeBehind, requireFollowed } from "../../chain/guards/readHead.ts";
import { operationGasMax } from "../../chain/relay/gasLimits.ts";
import type { WorkerContext } from "../../core/context.ts";
import { findForeignEntry } from "./chainHistory.ts";

const innerFailed = "Module transaction failed";

export interface QueueHead {
  queueNonce: bigint;
  call: Call;
  operation: OperationType;
  /** Unix seconds. */
  createdAt: number;
  /** Whether it is the asked operation; otherwise it is an entry that blocks the operation. */
  isOurs: boolean;
}

/** The head where it is this operation, or an entry that is no open one of ours; null where it is another open operation. */
export async function findHead(
  ctx: WorkerContext,
  item: DelayTransaction,
  state: DelayState,
): Promise<QueueHead | null> {
  if (!state.head) return null;
  const { createdAt } = state.head;
  const queueNonce = state.txNonce;
  if (item.queueNonce === queueNonce) {
    const { to, value, data, operation } = item;
    return { queueNonce, call: { to, value, data }, operation, createdAt, isOurs: true };
  }
  const own = await findDelayByQueueNonce(ctx.db, item.delayAddress, queueNonce);
  if (own && !(await isLeftBehind(ctx, own, state))) return null;
  const entry = await findForeignEntry(ctx, item.delayAddress, { queueNonce, createdAt });
  if (!entry) return null;
  const { to, value, data, operation } = entry;
  return { queueNonce, call: { to, value, data }, operation, createdAt, isOurs: false };
}

/** Whether an operation of ours failed and is still the head: the expired entries behind it are too many to skip. */
async function isLeftBehind(
  ctx: WorkerContext,
  { delayAddress, status }: DelayTransaction,
  { txNonce }: DelayState,
): Promise<boolean> {
  if (status !== "FAILED") return false;
  // A node that does not know the end of one that was skipped shows it as the head, too.
  const { number } = await requireFollowed(ctx);
  return (await ctx.chain.getDelayState(delayAddress, number)).txNonce === txNonce;
}

/**
 * Whether a head would remove the only owner left. The contract allows it, and the Safe would have no owner for ever.
 *
 * Ours are accepted only while others remain, but an owner can enqueue another removal directly on chain. A node that lags shows
 * the owners before it, so they are those of a block that has this head.
 *
 * @throws ChainUnavailable where the node lacks it
 */
export async function removesLastOwner(
  ctx: WorkerContext,
  { delayAddress }: DelayTransaction,
  { call, queueNonce }: QueueHead,
): Promise<boolean> {
  if (findOwnerChange(call, delayAddress)?.kind !== "remove") return false;
  const { number } = await requireFollowed(ctx);
  const { txNonce } = await ctx.chain.getDelayState(delayAddress, number);
  if (txNonce !== queueNonce) throw new NodeBehind(`At block ${number} another entry is the head`);
  return (await ctx.chain.listOwners(delayAddress, number)).length === 1;
}

/** The reason of the inner call where the Delay module only reports that the call failed. */
export async function explainRefusal(
  ctx: WorkerContext,
  item: DelayTransaction,
  head: QueueHead,
  reason: string,
): Promise<string> {
  const safe = await findSafe(ctx.db, item.safeId);
  if (reason !== innerFailed || head.operation !== "CALL" || !safe) return reason;
  try {
    await ctx.chain.simulate({ from: safe.address, call: head.call, blockTag: "pending", gasMax: operationGasMax });
    return reason;
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    return `${reason}: ${error.reason}`;
  }
}
