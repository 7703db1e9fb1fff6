import { fail } from "@cardkeep/contract/core/errors";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type Order, releasePaymentHash, updateOrder } from "@cardkeep/db/queries/cards/orders";
import { findUser, type User } from "@cardkeep/db/queries/users/users";
import { beginChainGuard } from "../../chain/guards/reorgGuard.ts";
import type { Commit, UserContext, Work } from "../../core/context.ts";
import { getOrder, lockOrder } from "./order.ts";
import { isFree } from "./orderPrice.ts";
import { checkPayment, type Payment } from "./payment.ts";
import { completeOrder, makeReady } from "./readyOrders.ts";
import { settlePaid, settleReverted } from "./settlePaid.ts";
import { firstLookMs } from "./watchPayment.ts";

/**
 * Marks an order as paid: a free one, or one whose payment the chain proves. Each order once.
 *
 * A transaction that is not final yet is refused like one that does not pay; the order then moves by itself once it is,
 * and the next confirmation answers that.
 *
 * @throws orders.not_found, orders.wrong_status, orders.no_transaction, orders.no_payment
 */
export async function confirmPayment(
  ctx: UserContext,
  { orderId }: { orderId: string },
): Promise<Commit<{ ok: boolean }>> {
  const { userId } = ctx.actor;
  const guard = await beginChainGuard(ctx);
  const order = await getOrder(ctx.db, userId, orderId);
  const needsPayment = order.status === "PENDINGTRANSACTION" && !isFree(order);
  const payment = needsPayment ? await getPayment(ctx, order) : null;
  return guard(async (work) => {
    const { tx, now } = work;
    const fresh = await lockOrder(tx, userId, orderId);
    if (fresh.status !== "PENDINGTRANSACTION") {
      await acknowledge(work, fresh);
    } else if (isFree(fresh)) {
      await confirmFree(work, fresh, (await findUser(tx, userId)) ?? fail("auth.token_invalid"));
    } else if (!payment || !(await settlePaid(work, fresh, payment, now))) {
      fail("orders.no_payment");
    }
    return { ok: true };
  });
}

/** Makes a free order ready, behind its user's row lock. */
export async function confirmFree(work: Work, order: Order, user: User): Promise<void> {
  const { tx, now, requestId } = work;
  const { id: orderId, transactionHash } = order;
  await makeReady(work, orderId, { ...completeOrder(order, user), confirmedAt: now });
  await releasePaymentHash(tx, orderId);
  // What it brings nevertheless is a case.
  if (transactionHash !== null) await enqueue(tx, "order.payment", { orderId, requestId }, firstLookMs);
}

/** Confirms once an order whose payment was settled without a request. @throws orders.wrong_status */
async function acknowledge({ tx, now }: Work, { id, status, paidAt, confirmedAt }: Order): Promise<void> {
  const isWaiting = status === "CONFIRMATIONREQUIRED" || status === "READY";
  if (!isWaiting || paidAt === null || confirmedAt !== null) fail("orders.wrong_status");
  await updateOrder(tx, id, status, { confirmedAt: now, updatedAt: now });
}

/** @throws orders.no_transaction, orders.no_payment */
async function getPayment(ctx: UserContext, order: Order): Promise<Payment> {
  const hash = order.transactionHash ?? fail("orders.no_transaction");
  const verdict = await checkPayment(ctx, hash, order);
  if (verdict.kind === "mined") return verdict;
  await ctx.prepare(async (work) => {
    const fresh = await lockOrder(work.tx, order.userId, order.id);
    if (fresh.transactionHash !== hash || fresh.status !== order.status) return;
    if (verdict.kind === "reverted") return settleReverted(work, fresh, verdict.receipt);
    await updateOrder(work.tx, order.id, order.status, { askedAt: work.now, updatedAt: work.now });
    await enqueue(work.tx, "order.payment", { orderId: order.id, requestId: work.requestId }, firstLookMs);
  });
  return fail("orders.no_payment");
}
