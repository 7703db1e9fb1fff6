import { type CurrencySafe, lockSafes } from "@cardkeep/db/queries/accounts/safes";
import { findPayment } from "@cardkeep/db/queries/spending/payments";
import {
  type CardTransfer,
  listTransfers,
  lockPlannedTransfer,
  moveTransfer,
} from "@cardkeep/db/queries/spending/transfers";
import type { WorkerContext } from "../../core/context.ts";
import { buildTransfer, computeNextOrdinal, insertPlanned } from "./planTransfer.ts";

/** Ends a return that is not signed yet, and plans another one of the same money to the Safe `to`. */
export async function redirectReturn(ctx: WorkerContext, transfer: CardTransfer, to: CurrencySafe): Promise<void> {
  const { paymentId, userId, direction, amount, clearingId, disputeId, isCollection, isByHand } = transfer;
  await ctx.commit(async (work) => {
    const { tx, now } = work;
    const payment = await findPayment(tx, { id: paymentId, userId });
    if (!payment) throw new Error(`Payment ${paymentId} has no row`);
    // Transfers of a payment are planned behind the lock of its own Safe.
    await lockSafes(tx, [payment.safeId, transfer.safeId, to.id]);
    if (!(await lockPlannedTransfer(tx, transfer))) return;
    await moveTransfer(tx, transfer, "FAILED", { reason: "Its Safe was changed and given up", updatedAt: now });
    const ordinal = computeNextOrdinal(await listTransfers(tx, userId, [paymentId]));
    const move = { direction, amount, ordinal, clearingId, disputeId, isCollection, isByHand };
    await insertPlanned(work, buildTransfer(ctx, work, to, payment, move));
    ctx.log.warn({ paymentId, userId }, "a return goes to the person's new Safe: the one that paid was changed");
  });
}
