/** Debts of card payments: money that should have left a Safe and did not. */
import { insertEntry, listTransfers } from "@cardkeep/db/queries/spending/transfers";
import { lockPayment, setOwed, sumWrittenOff } from "@cardkeep/db/queries/spending/debts";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { PaymentKey } from "@cardkeep/db/queries/spending/payments";
import type { Work } from "../../core/context.ts";
import { openDebtCase } from "./openDebtCase.ts";
import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import { openCreditCase } from "./openCreditCase.ts";
import { generateId } from "../../core/generateId.ts";
import { openShortfallCase } from "./recordStandIn.ts";
import { chainTargetOf, computeOwed, computeWrittenOff } from "./debtAmounts.ts";

/**
 * Records what a payment owes now, books the change, and enqueues the collection of its user's debts.
 *
 * `disputeId` is the dispute whose credit this commit takes back, or fails to. What the Safe does not give back becomes a case too.
 *
 * Called in every commit that ends or takes back a transfer after a failure, or that changes the payment's target.
 */
export async function recordDebt(work: Work, key: PaymentKey, disputeId: string | null = null): Promise<void> {
  const { tx, now } = work;
  const payment = await lockPayment(tx, key);
  if (!payment) throw new Error(`Payment ${key.id} has no row`);
  const { id: paymentId, owed: before, safeId, userId, requestId } = payment;
  const transfers = await listTransfers(tx, userId, [paymentId]);
  const owed = computeOwed(chainTargetOf(payment, transfers), transfers);
  const givenUp =
    payment.writtenOff > 0n ? computeWrittenOff(payment, transfers) - (await sumWrittenOff(tx, payment)) : 0n;
  if (owed > 0n || before > 0n) await enqueue(tx, "card.collect", { userId, requestId });
  if (owed === before && givenUp === 0n) return;
  await setOwed(tx, payment, owed);
  await enqueueCardholderSync(work, userId);
  if (owed > before) await openShortfallCase(work, payment, owed);
  if (owed > before) await openDebtCase(work, payment, owed);
  const cause = transfers.findLast(({ status }) => status === "FAILED") ?? transfers.at(-1);
  if (!cause) throw new Error(`Payment ${paymentId} is in debt without a transfer`);
  const entry = { id: generateId(), paymentId, ordinal: cause.ordinal, userId, safeId, createdAt: now };
  await insertEntry(tx, entry, { owed: owed - before, writtenOff: givenUp, advanced: before - owed - givenUp });
  if (disputeId !== null && owed > before) await openCreditCase(work, { payment, disputeId, owed: owed - before });
}
