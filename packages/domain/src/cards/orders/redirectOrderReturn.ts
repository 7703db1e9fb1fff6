/** A return of an order's payment to a Safe that was changed and given up since it was planned: who changed it could take the money. */
import { tokenOf } from "@cardkeep/chain/tokens";
import { type CurrencySafe, findSafeByAddress, hasCurrency, lockSafes } from "@cardkeep/db/queries/accounts/safes";
import { lockPlannedReturn, type OrderReturn, setReturnTransfer } from "@cardkeep/db/queries/cards/orderReturns";
import type { Order } from "@cardkeep/db/queries/cards/orders";
import { endCaseOf } from "@cardkeep/db/queries/spending/cases";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findReturnSafe } from "../../accounts/safes/returnSafe.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import { baseUnitsToCents } from "../../core/money.ts";
import { openCase } from "../../core/openCase.ts";

const kind = "return_waiting";
/** How soon one without a receiver is looked at again. A new Safe of the person wakes it. */
const againMs = 30_000;

const note =
  "The Safe that paid the order was changed from outside and given up, so who changed it could take the money. The return goes to " +
  "the person's new Safe with the same token by itself, once there is one. Ask the person to set it up.";

/** The Safe of ours that gets a return; null where it goes to another address. */
export async function findRecipientSafe(
  { db }: Pick<WorkerContext, "db">,
  { recipient }: Pick<OrderReturn, "recipient">,
): Promise<CurrencySafe | null> {
  const safe = await findSafeByAddress(db, recipient);
  return safe && hasCurrency(safe) ? safe : null;
}

/**
 * Gives a planned return the Safe that its person has now, or has it wait as a case until there is one. False where it goes where it
 * was planned to. It is looked for on chain at its new receiver before it is signed.
 */
export async function redirectOrderReturn(
  ctx: WorkerContext,
  row: OrderReturn,
  planned: CurrencySafe | null,
  { currency }: Pick<Order, "currency">,
): Promise<boolean> {
  const receiver = planned && (await findReturnSafe(ctx.db, planned));
  if (planned === null || receiver?.id === planned.id) return false;
  const { id: returnId, orderId, userId, amount, requestId } = row;
  await ctx.commit(async (work) => {
    const { tx } = work;
    await lockSafes(tx, receiver === null ? [planned.id] : [planned.id, receiver.id]);
    if (!(await lockPlannedReturn(tx, returnId))) return;
    if (receiver !== null) {
      await setReturnTransfer(tx, returnId, { recipient: receiver.address });
      return enqueue(tx, "order.return", { returnId, requestId });
    }
    const amountCents = baseUnitsToCents(amount, tokenOf[currency]);
    await openCase(work, { kind, userId, orderId, amountCents, currency, note });
    await enqueue(tx, "order.return", { returnId, requestId }, againMs);
  });
  return true;
}

/** Closes the case of a return that went back. */
export const closeWaitingOrderReturn = (
  { tx, now }: Pick<Work, "tx" | "now">,
  { orderId }: OrderReturn,
): Promise<void> => endCaseOf(tx, { kind, subjectId: orderId }, { at: now, why: "The money went back" });
