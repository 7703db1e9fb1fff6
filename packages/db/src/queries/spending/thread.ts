import type { Executor } from "../../client.ts";
import { type CardDecision, listDecisions } from "./decisions.ts";
import { type CardPayment, findPaymentByThread } from "./payments.ts";
import { type CardTransfer, listTransfers } from "./transfers.ts";

/** The payment of a thread, with what was decided and planned for it. */
export interface Thread {
  payment: CardPayment;
  /** In the order of the requests. */
  decisions: CardDecision[];
  transfers: CardTransfer[];
}

/** Everything about a thread that the next request of it is decided by; null while it has no payment. */
export async function findThread(on: Executor, threadId: string): Promise<Thread | null> {
  const payment = await findPaymentByThread(on, threadId);
  if (!payment) return null;
  const [decisions, transfers] = await Promise.all([
    listDecisions(on, payment),
    listTransfers(on, payment.userId, [payment.id]),
  ]);
  return { payment, decisions, transfers };
}
