import { lockUser } from "@cardkeep/db/queries/users/users";
import { tokens } from "@cardkeep/chain/tokens";
import { hourMs, minuteMs } from "@cardkeep/contract/core/durations";
import type { Executor } from "@cardkeep/db/client";
import {
  insertDiscrepancies,
  recordAgain,
  type Reconciliation,
  resolveDiscrepancy,
} from "@cardkeep/db/queries/sync/reconciliations";
import { findSafe, hasCurrency, lockSafe, lockSafes } from "@cardkeep/db/queries/accounts/safes";
import { type CardPayment, findPayment, findThreadPayment } from "@cardkeep/db/queries/spending/payments";
import { findSpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import { listTransfers, listUnknownHashes } from "@cardkeep/db/queries/spending/transfers";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work, WorkerContext } from "../../core/context.ts";
import { createRowCalls, isAnswer } from "../../core/createRowCalls.ts";
import { readEarlierTime } from "../../core/databaseTime.ts";
import { isUnavailable } from "../../core/errors.ts";
import { applyReport } from "../../spending/payments/applyReport.ts";
import { completeTransfer } from "../../spending/payments/endTransfer.ts";
import { buildTransfer, insertPlanned, type NewTransfer } from "../../spending/payments/planTransfer.ts";
import { openPayment } from "../../spending/payments/settleThread.ts";
import { cutReport } from "./cutReport.ts";
import { findFromBlock } from "./reconcileEntries.ts";
import { findSince } from "./reconcileThreads.ts";
import { restoreCredit } from "./restoreCredit.ts";
import { type LostThread, type LostTransfer, readLostTransfers } from "./readLostTransfers.ts";

/** Callbacks come late, and clocks differ. */
const overlapMs = 2 * hourMs;
/** What an issuer that is there has not answered for so long waits for the operator, and no longer for the issuer. */
const silentMs = 10 * minuteMs;
/** What resolves a discrepancy. */
const restoredAction = "Restored their rows";

/**
 * Gives transfers of card money that are on chain without a row their rows, with their payments.
 *
 * They come before anything that compares a payment with its transfers: it would move the money again.
 */
export async function reconcileTransfers(ctx: WorkerContext, reconciliation: Reconciliation): Promise<void> {
  const fromBlock = reconciliation.reason === "daily" ? null : await findFromBlock(ctx, reconciliation);
  if (fromBlock === null) return;
  const since = await findSince(ctx, { fromBlock });
  const listed = since === null ? [] : await ctx.issuer.listThreads(new Date(since.getTime() - overlapMs));
  const kept = [...new Set(listed.map(({ threadId }) => threadId))];
  const all = await readLostTransfers(ctx, { fromBlock, kept });
  const holdThread = async (threadId: string): Promise<void> => {
    for (const lost of all) if (lost.threadId === threadId) await hold(ctx, lost);
  };
  const silent: { threadId: string; error: unknown }[] = [];
  const skip = async (threadId: string, error: unknown): Promise<void> => {
    if (isAnswer(error)) return holdThread(threadId);
    // An issuer that is away throws here, and the step begins again.
    await ctx.issuer.listThreads(reconciliation.startedAt);
    silent.push({ threadId, error });
  };
  for (const lost of all) {
    // Uses in a row without an answer, such as those of one card, do not show that the issuer is away.
    const call = createRowCalls(ctx, skip);
    const report = await call(lost.threadId, () => ctx.issuer.findThread(lost.threadId));
    if (!report) continue;
    try {
      await ctx.commit((work) => restoreTransfers(ctx, work, lost, report));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      ctx.log.error({ err: error, threadId: lost.threadId }, "the transfers of a payment cannot be restored");
      await hold(ctx, lost);
    }
  }
  const [first] = silent;
  if (!first) return;
  const sinceMs = (await readEarlierTime(ctx)).getTime() - reconciliation.startedAt.getTime();
  if (sinceMs < silentMs) throw first.error;
  // No card money of anybody moves until the step passes.
  for (const { threadId } of silent) await holdThread(threadId);
}

/** A payment that cannot be restored holds up no other one. None of its money moves until the operator settled it. */
async function hold(ctx: WorkerContext, { safe, threadId, transfers }: LostThread): Promise<void> {
  const text = `The chain has ${transfers.length} transfers of use ${threadId} of a card, which cannot be restored`;
  const details = Object.fromEntries(transfers.map(({ ordinal, hash }) => [String(ordinal), hash]));
  const found = { kind: "transfer", name: threadId, text, details } as const;
  await ctx.commit(async ({ tx, now }) => {
    await lockSafe(tx, safe.id);
    // Another run may have restored them meanwhile.
    if ((await listUnknownHashes(tx, Object.values(details))).length === 0) return;
    await recordAgain(tx, found, { done: restoredAction, foundAt: now });
  });
}

/** The payment of a thread; `isArchived` where its rows were. */
async function readPayment(
  on: Executor,
  threadId: string,
): Promise<{ known: CardPayment | null; isArchived: boolean }> {
  const key = await findThreadPayment(on, threadId);
  const known = key && (await findPayment(on, key));
  return { known, isArchived: key !== null && known === null };
}

async function restoreTransfers(
  ctx: WorkerContext,
  work: Work,
  { safe, threadId, transfers }: LostThread,
  report: ThreadReport,
): Promise<void> {
  // Transfers of a payment are written behind the lock of its own Safe, wherever they went.
  const before = await readPayment(work.tx, threadId);
  // Holds of a person that end beside a capture are added up over all Safes.
  await lockUser(work.tx, before.known?.userId ?? safe.userId);
  await lockSafes(work.tx, [safe.id, before.known?.safeId ?? safe.id]);
  const owner = await findSpendingCard(work.tx, report.issuerCardId);
  const { known, isArchived } = await readPayment(work.tx, threadId);
  if (isArchived) return;
  if (!known && owner?.safeId !== safe.id) return;
  if (report.currency !== tokens[safe.tokenSymbol].fiat) throw new Error(`Thread ${threadId} is of another currency`);
  if (known && owner && owner.cardId !== known.cardId) throw new Error(`Thread ${threadId} is of another card`);
  const rows = known ? await listTransfers(work.tx, known.userId, [known.id]) : [];
  const taken = new Set(rows.map(({ ordinal }) => ordinal));
  const missing = transfers.filter(({ ordinal }) => !taken.has(ordinal));
  const moved = [...rows, ...missing.map((lost) => ({ ...lost, status: "DONE" as const }))];
  const cardId = known?.cardId ?? owner?.cardId;
  if (cardId === undefined) return;
  const paid = known && known.safeId !== safe.id ? await findSafe(work.tx, known.safeId) : safe;
  if (!paid || !hasCurrency(paid)) throw new Error(`The Safe of thread ${threadId} has no currency`);
  const part = await cutReport(ctx, work, report, { payment: known, cardId, safe: paid, transfers: moved });
  const payment = known ?? (owner && (await openPayment(work, report, owner)));
  if (owner && !payment) throw new Error(`Thread ${threadId} was opened by another commit`);
  if (!payment) return;
  const restored: { transfer: NewTransfer; lost: LostTransfer }[] = [];
  for (const lost of missing) {
    const { direction, amount, ordinal, isByHand } = lost;
    const move = { direction, amount, ordinal, isByHand, clearingId: null, isCollection: false };
    const transfer = buildTransfer(ctx, work, safe, payment, move);
    await insertPlanned(work, transfer);
    restored.push({ transfer, lost });
  }
  // A return may have been a credit's. Nothing is taken from the person again before that is known.
  const isReturned = restored.some(({ lost: { direction, isByHand } }) => direction === "return" && !isByHand);
  await applyReport(ctx, work, paid, payment, part, { isPlanned: !isReturned });
  if (isReturned) await restoreCredit(work, paid, payment, part);
  for (const { transfer, lost } of restored) await completeTransfer(ctx, work, transfer.row, lost);
  // What waits is recorded by the thread's own job, once all transfers have their rows.
  if (part !== report) await enqueue(work.tx, "card.settle", { threadId, requestId: work.requestId });
  if (restored.length === 0) return;
  ctx.log.warn({ threadId, transfers: restored.length }, "restored transfers of card money from the chain");
  const text = `The chain has ${restored.length} transfers of use ${threadId} of a card`;
  const done = { kind: "transfer", name: threadId, action: restoredAction, subjectId: payment.id } as const;
  // An earlier run may have held it.
  if (await resolveDiscrepancy(work.tx, { ...done, resolvedAt: work.now })) return;
  await insertDiscrepancies(work.tx, [{ ...done, text }], work.now);
}
