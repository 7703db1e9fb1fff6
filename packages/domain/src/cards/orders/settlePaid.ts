/** How a judged payment moves its order, in the caller's commit and behind the user's row lock. */
import { releaseCoupons } from "@cardkeep/db/queries/cards/coupons";
import { moveOrder, type Order, provePaymentHash, releasePaymentHash } from "@cardkeep/db/queries/cards/orders";
import { findUser } from "@cardkeep/db/queries/users/users";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import type { Work } from "../../core/context.ts";
import { openReturnCase } from "./orderReturns.ts";
import { isEnough, type Payment } from "./payment.ts";
import { completeAddress, isComplete } from "./readyOrders.ts";

/**
 * Moves a pending order that is paid: to READY, or through TRANSACTIONCOMPLETE to CONFIRMATIONREQUIRED where something
 * about the person is missing. `confirmedAt` is set where the user's own request settles it. False when the transaction does
 * not pay the order, or pays another one.
 */
export async function settlePaid(
  work: Work,
  order: Order,
  payment: Payment,
  confirmedAt: Date | null,
): Promise<boolean> {
  const { tx, now } = work;
  const { receipt, payer, total } = payment;
  if (payer === null || order.transactionHash !== receipt.transactionHash || !isEnough(payment, order)) return false;
  if (!(await provePaymentHash(tx, { hash: receipt.transactionHash, orderId: order.id, provenAt: now }))) return false;
  restOn(work, receipt);
  const user = await findUser(tx, order.userId);
  const address = user ? completeAddress(order, user) : {};
  const received = { paymentBlock: receipt.blockNumber, paidAt: now, paidAmount: total, paidBy: payer };
  const paid = { ...address, ...received, confirmedAt, updatedAt: now };
  if (user && isComplete(user, { ...order, ...address })) {
    await moveOrder(tx, order.id, "READY", paid);
  } else {
    await moveOrder(tx, order.id, "TRANSACTIONCOMPLETE", paid);
    await moveOrder(tx, order.id, "CONFIRMATIONREQUIRED", {});
  }
  await openReturnCase(work, { ...order, ...received });
  return true;
}

/** Ends a pending order whose transaction reverted; its transaction and coupons are free again. */
export async function settleReverted({ tx, now }: Work, order: Order): Promise<void> {
  if (!(await moveOrder(tx, order.id, "FAILEDTRANSACTION", { updatedAt: now }))) return;
  await releasePaymentHash(tx, order.id);
  await releaseCoupons(tx, order.id);
}
