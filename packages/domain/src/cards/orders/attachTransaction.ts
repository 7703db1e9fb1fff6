import { fail } from "@cardkeep/contract/core/errors";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { reservePaymentHash, findPaymentHash, updateOrder } from "@cardkeep/db/queries/cards/orders";
import type { Commit, UserContext } from "../../core/context.ts";
import { getOrder, lockOrder, requirePending } from "./order.ts";
import { isPaidByUser } from "./payment.ts";
import { firstLookMs } from "./watchPayment.ts";

/**
 * Names the transaction that pays an order, instead of any earlier one; it need not be mined yet.
 *
 * A transaction is for one order only. Another order's reservation of it gives way to the user who sent the money.
 *
 * @throws orders.not_found, orders.wrong_status, orders.transaction_used
 */
export async function attachTransaction(
  ctx: UserContext,
  { orderId, transactionHash: hash }: { orderId: string; transactionHash: Hex },
): Promise<Commit<{ ok: boolean }>> {
  const { userId } = ctx.actor;
  const own = await getOrder(ctx.db, userId, orderId);
  requirePending(own);
  const reserved = await findPaymentHash(ctx.db, hash);
  const isOthers = reserved !== null && reserved.orderId !== orderId;
  const takesOver = isOthers && reserved.provenAt === null && (await isPaidByUser(ctx, hash, own));
  return async ({ tx, now, requestId }) => {
    const order = await lockOrder(tx, userId, orderId);
    requirePending(order);
    if (!(await reservePaymentHash(tx, { hash, orderId, claimedAt: now, takesOver }))) fail("orders.transaction_used");
    await updateOrder(tx, orderId, order.status, { transactionHash: hash, askedAt: null, updatedAt: now });
    await enqueue(tx, "order.payment", { orderId, requestId }, firstLookMs);
    return { ok: true };
  };
}
