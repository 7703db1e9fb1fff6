/** How a judged payment moves its order, in the caller's commit and behind the user's row lock. */
import { releaseCoupons } from "@cardkeep/db/queries/cards/coupons";
import type { Hex } from "@cardkeep/contract/core/primitives";
import {
  findPaymentHash,
  forgetUnusedPayments,
  isOfOtherOrder,
  lockPaymentHash,
  moveOrder,
  type Order,
  provePaymentHash,
  releasePaymentHash,
  updateOrder,
} from "@cardkeep/db/queries/cards/orders";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { closeCaseOf } from "@cardkeep/db/queries/spending/cases";
import { findUser } from "@cardkeep/db/queries/users/users";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import type { Work } from "../../core/context.ts";
import { openReturnCase } from "./orderReturns.ts";
import { isEnough, type Payment } from "./payment.ts";
import { completeOrder, isComplete, makeReady } from "./readyOrders.ts";

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
  await lockPaymentHash(tx, receipt.transactionHash);
  if (!(await provePaymentHash(tx, { hash: receipt.transactionHash, orderId: order.id, provenAt: now }))) return false;
  restOn(work, receipt);
  await dropUnused(work, order.id, receipt.transactionHash);
  const user = await findUser(tx, order.userId);
  const completed = user ? completeOrder(order, user) : {};
  const received = { paymentBlock: receipt.blockNumber, paidAt: now, paidAmount: total, paidBy: payer };
  const paid = { ...completed, ...received, confirmedAt, updatedAt: now };
  if (user && isComplete(user, { ...order, ...completed })) {
    await makeReady(work, order.id, paid);
  } else {
    await moveOrder(tx, order.id, "TRANSACTIONCOMPLETE", paid);
    await moveOrder(tx, order.id, "CONFIRMATIONREQUIRED", {});
  }
  await openReturnCase(work, { ...order, ...received });
  return true;
}

/**
 * Keeps what arrived for an order that does not need it, as a case; nothing where the transaction paid an order, or is kept
 * for another one.
 */
export async function keepUnused(work: Work, order: Order, { receipt, payer, total }: Payment): Promise<void> {
  const { tx, now } = work;
  const { transactionHash: hash } = receipt;
  // In another block it may bring money.
  restOn(work, receipt);
  if (payer === null || total === 0n) return;
  await lockPaymentHash(tx, hash);
  if ((await findPaymentHash(tx, hash))?.provenAt || (await isOfOtherOrder(tx, { orderId: order.id, hash }))) return;
  const received = { paymentBlock: receipt.blockNumber, paidAt: now, paidAmount: total, paidBy: payer };
  await updateOrder(tx, order.id, order.status, { ...received, updatedAt: now });
  await openReturnCase(work, { ...order, ...received });
}

/** A transaction that pays an order is not to be returned for another one that it was kept for. */
async function dropUnused({ tx, now }: Work, orderId: string, hash: Hex): Promise<void> {
  const closed = { closedAt: now, closedBy: "cardkeep", closeReason: "Its transaction paid another order" };
  for (const subjectId of await forgetUnusedPayments(tx, { orderId, hash, now }))
    await closeCaseOf(tx, { kind: "order_return", subjectId }, closed);
}

/** Ends a pending order whose transaction reverted; its transaction and coupons are free again. */
export async function settleReverted(work: Work, order: Order, receipt: SeenBlock): Promise<void> {
  const { tx, now } = work;
  // That block may not be seen yet. Once it is gone, the transaction may pay in another one.
  restOn(work, receipt);
  if (!(await moveOrder(tx, order.id, "FAILEDTRANSACTION", { updatedAt: now }))) return;
  await releasePaymentHash(tx, order.id);
  await releaseCoupons(tx, order.id);
}
