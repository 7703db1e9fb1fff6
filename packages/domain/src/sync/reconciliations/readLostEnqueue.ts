/**
 * Queue entries that this service enqueued and that have no row: the database went back, the chain did not.
 *
 * The transaction that enqueued an entry proves both: one of our keys sent it, and it carries the owner's signature.
 * An entry that its owner enqueued without us proves neither.
 */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { classifyEntry, type EntryKind } from "@cardkeep/chain/entryPolicy";
import { findEnqueueLog, type QueueEntry } from "@cardkeep/chain/delayLogs";
import { listEnqueues, type SignedEnqueue } from "@cardkeep/chain/enqueues";
import type { ChainCall, ChainReceipt } from "@cardkeep/chain/log";
import { findTransferredAmount } from "@cardkeep/chain/tokens";
import { type Hex, nativeToken } from "@cardkeep/contract/core/primitives";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import { listSafesByDelay } from "@cardkeep/db/queries/accounts/integrity";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { findLoggedCall } from "../../chain/guards/findLoggedCall.ts";
import type { Context } from "../../core/context.ts";
import { policyOf } from "../../accounts/integrity/readEntries.ts";
import { listRelayerKeys } from "./listRelayerKeys.ts";

/** An entry with the message that became it. */
export interface LostEntry {
  safe: Safe;
  entry: QueueEntry;
  signed: SignedEnqueue;
  operation: Pick<DelayTransaction, "kind" | "tokenAddress" | "amount">;
}

/** A transaction of ours that enqueued entries without rows. */
export interface LostEnqueue {
  transaction: ChainCall;
  receipt: ChainReceipt;
  entries: readonly LostEntry[];
}

/**
 * What one transaction enqueued for Safes of ours; null unless a key of ours sent it.
 *
 * @throws ChainUnavailable while the node lacks the transaction or its receipt
 */
export async function readLostEnqueue(ctx: Context, hash: Hex): Promise<LostEnqueue | null> {
  const transaction = await findLoggedCall(ctx, hash);
  if (!transaction || !(await listRelayerKeys(ctx)).has(transaction.from)) return null;
  const receipt = await ctx.chain.findReceipt(hash);
  if (!receipt) throw new ChainUnavailable("The node lacks the receipt of an enqueue");
  const enqueues = await listEnqueues(transaction, ctx.policy.chainId);
  const safes = await listSafesByDelay(ctx.db, [...new Set(enqueues.map(({ delay }) => delay))]);
  const entries = enqueues.flatMap((signed): LostEntry[] => {
    const safe = safes.find(({ delayAddress }) => delayAddress === signed.delay);
    const entry = findEnqueueLog(receipt.logs, signed);
    const operation = safe && entry && describe(ctx, safe, entry);
    return safe && entry && operation ? [{ safe, entry, signed, operation }] : [];
  });
  return { transaction, receipt, entries };
}

/** The kind of an operation of ours; null for a call that this service would not have accepted. */
function describe(ctx: Context, safe: Safe, entry: QueueEntry): LostEntry["operation"] | null {
  const kind = classifyEntry(entry, entry.operation, policyOf(ctx, safe));
  if (kind === null || kind === "allowed") return null;
  if (!isTransfer(kind)) return { kind, tokenAddress: null, amount: null };
  const tokenAddress = kind === "native" ? nativeToken : entry.to;
  return { kind: "withdrawal", tokenAddress, amount: findTransferredAmount(entry) };
}

const isTransfer = (kind: EntryKind): kind is "native" | "token" => kind === "native" || kind === "token";
