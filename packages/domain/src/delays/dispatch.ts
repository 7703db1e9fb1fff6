/** From queued on chain to executed: WAITING to EXECUTING to EXECUTED, or FAILED once the chain has given it up. */
import type { Call, OperationType } from "@cardkeep/chain/call";
import { buildDispatch, buildSkipExpired } from "@cardkeep/chain/delay";
import { CallReverted } from "@cardkeep/chain/errors";
import { findOwnerChange } from "@cardkeep/chain/owners";
import type { ChainReceipt } from "@cardkeep/chain/log";
import type { DelayState } from "@cardkeep/chain/port";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import {
  type DelayTransaction,
  findDelay,
  findDelayByQueueNonce,
  moveDelay,
  updateDelay,
} from "@cardkeep/db/queries/delays";
import { hasOpenRelayTransaction, type RelayTransaction } from "@cardkeep/db/queries/relayTransactions";
import { findSafe, lockSafe } from "@cardkeep/db/queries/safes";
import type { RelayPurpose } from "@cardkeep/db/schema/relayers";
import type { Work, WorkerContext } from "../context.ts";
import { generateId } from "../generateId.ts";
import { operationGasMax, pickRelayer, quoteRelay, signRelayTransaction } from "../relay/sign.ts";
import { findEnd, findForeignEntry } from "./chainHistory.ts";
import { settleExecution } from "./settleExecution.ts";
import { failDelay } from "./failDelay.ts";

const dispatchPurposes: readonly RelayPurpose[] = ["delay.dispatch", "delay.skip", "delay.unblock"];
const soonMs = 1_000;
const retryMsMin = 10_000;
/** The chain's clock may run ahead of what was expected of it: no cooldown is trusted for longer than this. */
const cooldownLookMs = 30_000;
const retryMsMax = 300_000;
const inCooldown = "Transaction is still in cooldown";
const innerFailed = "Module transaction failed";

/**
 * Brings one queued operation as far as the chain lets it go now: executes it, waits, skips it, or records its fate.
 *
 * Only the chain's own time and queue decide. A head that the chain refuses is tried again until it expires.
 */
export async function dispatch(ctx: WorkerContext, { delayId }: { delayId: string }): Promise<void> {
  const item = await findDelay(ctx.db, delayId);
  if (item?.queueNonce == null || (item.status !== "WAITING" && item.status !== "EXECUTING")) return;
  if (await hasOpenRelayTransaction(ctx.db, item.id, dispatchPurposes)) return;
  const lookedAt = await ctx.clock.now(ctx.db);
  const state = await ctx.chain.getDelayState(item.delayAddress);
  if (item.queueNonce < state.txNonce) return ctx.commit(await settleFate(ctx, item));
  const { timestamp } = await ctx.chain.getBlock();
  const head = await findHead(ctx, item, state);
  const { requestId } = item;
  // Its own job brings a head of ours on.
  if (!head) return enqueue(ctx.db, "delay.dispatch", { delayId, requestId }, retryMsMin);

  const readyAt = head.createdAt + state.cooldownSeconds;
  const expiresAt = readyAt + state.expirationSeconds;
  if (timestamp > expiresAt) {
    return send(ctx, item, "delay.skip", buildSkipExpired(item.delayAddress));
  }
  // The next block is at least a second later than the latest.
  if (timestamp + 1 < readyAt) {
    return ctx.commit(async ({ tx, now }) => {
      // The sandbox may have moved the clock meanwhile, and the chain with it.
      const passedMs = now.getTime() - lookedAt.getTime();
      const waitMs = Math.min(Math.max(soonMs, (readyAt - timestamp) * 1000 - passedMs), cooldownLookMs);
      await enqueue(tx, "delay.dispatch", { delayId, requestId }, waitMs);
    });
  }
  const keepWaiting = (reason: string) =>
    postpone(ctx, item, reason, {
      sinceReadyMs: (timestamp - readyAt) * 1000,
      untilExpiredMs: (expiresAt + 1 - timestamp) * 1000,
    });
  if (await removesLastOwner(ctx, item, head.call)) return keepWaiting("The last owner cannot be removed");
  const call = buildDispatch({ delay: item.delayAddress, call: head.call, operation: head.operation });
  try {
    await send(ctx, item, head.isOurs ? "delay.dispatch" : "delay.unblock", call);
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    await keepWaiting(await explain(ctx, item, head, error.reason));
  }
}

/**
 * Whether a head would shut out the only owner left, and with it everybody for ever: the contract lets it.
 *
 * Ours are accepted only while others remain, but an owner can get ahead of them without us.
 */
async function removesLastOwner(ctx: WorkerContext, { delayAddress }: DelayTransaction, call: Call): Promise<boolean> {
  if (findOwnerChange(call, delayAddress)?.kind !== "remove") return false;
  return (await ctx.chain.listOwners(delayAddress)).length === 1;
}

/** What the call itself says where the Delay module only says that it failed. */
async function explain(ctx: WorkerContext, item: DelayTransaction, head: Head, reason: string): Promise<string> {
  const safe = await findSafe(ctx.db, item.safeId);
  if (reason !== innerFailed || head.operation !== "CALL" || !safe) return reason;
  try {
    await ctx.chain.simulate({ from: safe.address, call: head.call, blockTag: "pending" });
    return reason;
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    return `${reason}: ${error.reason}`;
  }
}

interface Head {
  call: Call;
  operation: OperationType;
  /** Unix seconds. */
  createdAt: number;
  isOurs: boolean;
}

/** The head of the queue where it is this operation, or somebody else's entry that blocks it; else null. */
async function findHead(ctx: WorkerContext, item: DelayTransaction, state: DelayState): Promise<Head | null> {
  if (!state.head) return null;
  const { createdAt } = state.head;
  if (item.queueNonce === state.txNonce) {
    return {
      call: { to: item.to, value: item.value, data: item.data },
      operation: item.operation,
      createdAt,
      isOurs: true,
    };
  }
  if (await findDelayByQueueNonce(ctx.db, item.delayAddress, state.txNonce)) return null;
  const entry = await findForeignEntry(ctx, item.delayAddress, { queueNonce: state.txNonce, createdAt });
  return (
    entry && {
      call: { to: entry.to, value: entry.value, data: entry.data },
      operation: entry.operation,
      createdAt,
      isOurs: false,
    }
  );
}

async function send(ctx: WorkerContext, item: DelayTransaction, purpose: RelayPurpose, call: Call): Promise<void> {
  const relayer = pickRelayer(ctx, item.safeId);
  const quote = await quoteRelay(ctx, relayer, call, { gasMax: operationGasMax });
  const id = generateId();
  await ctx.commit(async (work) => {
    await lockSafe(work.tx, item.safeId);
    if (await hasOpenRelayTransaction(work.tx, item.id, dispatchPurposes)) return;
    const updatedAt = work.now;
    const moved =
      purpose === "delay.dispatch"
        ? await moveDelay(work.tx, item.id, "EXECUTING", { dispatchTaskId: id, reason: null, updatedAt })
        : await updateDelay(work.tx, item.id, ["WAITING", "EXECUTING"], { updatedAt });
    const { id: subjectId, requestId } = item;
    if (moved) await signRelayTransaction(ctx, work, { id, purpose, subjectId, requestId, relayer, call, quote });
  });
}

/** Keeps a refused head in the queue, with the reason told meanwhile; the older it is, the less often it is tried. */
async function postpone(
  ctx: WorkerContext,
  item: DelayTransaction,
  reason: string,
  { sinceReadyMs, untilExpiredMs }: { sinceReadyMs: number; untilExpiredMs: number },
): Promise<void> {
  const delayMs =
    reason === inCooldown
      ? soonMs
      : Math.min(Math.max(sinceReadyMs, retryMsMin), retryMsMax, Math.max(untilExpiredMs, soonMs));
  await ctx.commit(async ({ tx, now }) => {
    await updateDelay(tx, item.id, ["WAITING", "EXECUTING"], { reason, updatedAt: now });
    await enqueue(tx, "delay.dispatch", { delayId: item.id, requestId: item.requestId }, delayMs);
  });
}

/**
 * What our mined dispatch or skip means: the chain is read again, and its evidence alone decides.
 *
 * A dispatch that reverted lost a race or met a changed balance; the operation's own job finds out which.
 */
export async function settleDispatch(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  _receipt: ChainReceipt,
): Promise<(work: Work) => Promise<void>> {
  const item = await findDelay(ctx.db, transaction.subjectId);
  return item ? settleFate(ctx, item) : async () => {};
}

/** What became of an operation by the chain's evidence: executed by whomever, skipped, or still to be looked at. */
async function settleFate(ctx: WorkerContext, item: DelayTransaction): Promise<(work: Work) => Promise<void>> {
  const end = await findEnd(ctx, item);
  if (end?.executedHash) return settleExecution(ctx, item, { executedHash: end.executedHash, block: end.block });
  return async (work) => {
    if (!end) return enqueue(work.tx, "delay.dispatch", { delayId: item.id, requestId: item.requestId }, soonMs);
    return failDelay(work, item, item.reason ?? "The operation expired before it could be executed", end.block);
  };
}
