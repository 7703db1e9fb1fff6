import type { Call } from "@cardkeep/chain/call";
import { type DelayTransaction, moveDelay, updateDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import type { RelayPurpose } from "@cardkeep/db/schema/chain/relayers";
import type { WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { pickRelayer } from "../../chain/relay/pickRelayer.ts";
import { foreignEntryGasMax, operationGasMax, skipGasMax } from "../../chain/relay/gasLimits.ts";
import { quoteRelay, signRelayTransaction } from "../../chain/relay/signRelayTransaction.ts";

/** The purposes of relay transactions that move the head of a queue. */
export const dispatchPurposes: readonly RelayPurpose[] = ["delay.dispatch", "delay.skip", "delay.unblock"];

const gasMaxOf = {
  "delay.dispatch": operationGasMax,
  "delay.skip": skipGasMax,
  "delay.unblock": foreignEntryGasMax,
} as const satisfies Partial<Record<RelayPurpose, bigint>>;

/**
 * Signs a relay transaction that executes or skips the head of an operation's queue, unless one is open.
 *
 * @throws CallReverted when the chain refuses the call now, LaneFull, ChainUnavailable
 */
export async function signDispatch(
  ctx: WorkerContext,
  item: DelayTransaction,
  purpose: keyof typeof gasMaxOf,
  call: Call,
): Promise<void> {
  const relayer = await pickRelayer(ctx, item.safeId);
  const quote = await quoteRelay(ctx, relayer, call, { gasMax: gasMaxOf[purpose] });
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
