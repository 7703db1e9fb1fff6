import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type Order, updateOrder } from "@cardkeep/db/queries/cards/orders";
import type { User } from "@cardkeep/db/queries/users/users";
import type { Work } from "../../core/context.ts";
import { confirmFree } from "./confirmPayment.ts";
import { isFree } from "./orderPrice.ts";
import { completeOrder, makeReady } from "./readyOrders.ts";

/**
 * Ends an order whose card a restore gave back, behind its user's row lock and with the card's row written. The card shows that the
 * person had paid or confirmed the order: one whose payment is lost ends once that is known again.
 */
export async function endMadeOrder(work: Work, order: Order, user: User): Promise<void> {
  const { tx, now, requestId } = work;
  const { id: orderId, status } = order;
  if (status !== "PENDINGTRANSACTION") return makeReady(work, orderId, completeOrder(order, user));
  if (isFree(order)) return confirmFree(work, order, user);
  await updateOrder(tx, orderId, status, { askedAt: now, updatedAt: now });
  if (order.transactionHash !== null) await enqueue(tx, "order.payment", { orderId, requestId });
}
