import {
  dropPlannedReturns,
  forgetRemovedPayments,
  listUnpaid,
  rollBackOrders,
} from "@cardkeep/db/queries/cards/orderRollBacks";
import { endCaseOf } from "@cardkeep/db/queries/spending/cases";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Work } from "../../core/context.ts";
import { openReturnCase } from "./orderReturns.ts";
import { heldMsMax } from "./watchPayment.ts";

/**
 * Rolls back the payments of orders whose block is behind `after` and gone, with the cases and the planned
 * returns of what they brought beyond need.
 *
 * Each transaction is looked at again, as is one of an order that went on unpaid within a day: it may be mined in another block.
 */
export async function rollBackPayments(work: Work, after: bigint): Promise<void> {
  const { tx, now } = work;
  // The operator who planned a return closed its case. Open again, it ends below with the payment, and comes back with it.
  for (const order of await dropPlannedReturns(tx, after)) await openReturnCase(work, order, { isChanged: true });
  const lost = [...(await rollBackOrders(tx, after, now)), ...(await forgetRemovedPayments(tx, after, now))];
  const ended = { at: now, why: "The block of its payment is gone" };
  for (const { id: subjectId } of lost) await endCaseOf(tx, { kind: "order_return", subjectId }, ended);
  const unpaid = await listUnpaid(tx, new Date(now.getTime() - heldMsMax));
  for (const { id: orderId, requestId } of [...lost, ...unpaid])
    await enqueue(tx, "order.payment", { orderId, requestId });
}
