/** Gives rows to the queue entries that a database has lost. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { deleteForeignEntry } from "@cardkeep/db/queries/chain/comparison";
import { insertDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { findDelayByMessage } from "@cardkeep/db/queries/accounts/delays/queue";
import { insertDiscrepancies } from "@cardkeep/db/queries/sync/reconciliations";
import { lockSafes } from "@cardkeep/db/queries/accounts/safes";
import { enqueueBalanceChecks } from "../../accounts/balances/publishBalance.ts";
import type { Context, Work, WriteStep } from "../../core/context.ts";
import { markEnqueued } from "../../accounts/delays/settleEnqueue.ts";
import { buildDelayId } from "../../accounts/delays/delayId.ts";
import { generateId } from "../../core/generateId.ts";
import { type LostEntry, readLostEnqueue } from "./readLostEnqueue.ts";
import { type MinedTransaction, restoreRelayTransaction } from "./restoreRelayTransaction.ts";

/** How many operations got a row. */
export type Restore = (work: Work) => Promise<number>;

/**
 * Reads what one transaction of ours enqueued, and returns the writes that give each entry its row; null unless a key of
 * ours sent it.
 *
 * A row begins as WAITING. Its own job then finds out whether it was executed meanwhile, and publishes the event.
 */
export async function restoreEntries(ctx: Context, hash: Hex): Promise<Restore | null> {
  const lost = await readLostEnqueue(ctx, hash);
  if (!lost) return null;
  const items = lost.entries.map((each) => {
    const { delay: delayAddress, messageHash } = each.signed;
    return { ...each, id: buildDelayId({ delayAddress, messageHash }), requestId: generateId() };
  });
  const toWaiting = await markEnqueued(
    ctx,
    lost.receipt,
    items.map(({ id, requestId, entry, safe }) => ({
      item: { id, requestId, delayAddress: safe.delayAddress },
      entry,
    })),
  );
  const block = await ctx.chain.getBlockAt(lost.receipt.blockNumber);
  const mined = { ...lost, minedAt: new Date((block?.timestamp ?? 0) * 1000) };
  return (work) => writeEntries(ctx, work, { mined, items, toWaiting });
}

type Item = LostEntry & { id: string; requestId: string };

async function writeEntries(
  ctx: Context,
  work: Work,
  { mined, items, toWaiting }: { mined: MinedTransaction; items: readonly Item[]; toWaiting: WriteStep },
): Promise<number> {
  const { tx, now } = work;
  await lockSafes(
    tx,
    items.map(({ safe }) => safe.id),
  );
  let restored = 0;
  const subjects: { subjectId: string; requestId: string }[] = [];
  for (const item of items) {
    const row = await insertDelay(tx, buildRow(item, mined.minedAt, now));
    const kept = row ?? (await findDelayByMessage(tx, item.signed));
    if (kept) subjects.push({ subjectId: kept.id, requestId: kept.requestId });
    if (!row) continue;
    restored += 1;
    const { delayAddress, userId, kind } = row;
    const { queueNonce } = item.entry;
    ctx.log.warn(
      { delayId: row.id, userId, kind, queueNonce: Number(queueNonce) },
      "restored an operation from the chain",
    );
    const text = `The chain holds a ${kind} of user ${userId} in entry ${queueNonce} of ${delayAddress}`;
    const name = `${delayAddress}:${queueNonce}`;
    await insertDiscrepancies(tx, [{ kind: "entry", name, text, action: "Restored its row", subjectId: row.id }], now);
    await deleteForeignEntry(tx, { delayAddress, queueNonce });
    if (kind === "withdrawal") await enqueueBalanceChecks(work, { ids: [row.safeId] });
  }
  await restoreRelayTransaction(work, mined, { purpose: "delay.enqueue", subjects });
  await toWaiting(work);
  return restored;
}

const buildRow = (
  { id, requestId, safe, signed, operation }: Item,
  createdAt: Date,
  updatedAt: Date,
): Parameters<typeof insertDelay>[1] => ({
  id,
  safeId: safe.id,
  userId: safe.userId,
  ...operation,
  ...signed.call,
  operation: signed.operation,
  delayAddress: signed.delay,
  signer: signed.signer,
  messageHash: signed.messageHash,
  enqueueData: signed.enqueueData,
  status: "QUEUING",
  enqueueTaskId: generateId(),
  requestId,
  createdAt,
  updatedAt,
});
