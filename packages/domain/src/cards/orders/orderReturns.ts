/**
 * Money of an order's payment that is to go back: what was paid beyond the due amount, and all of it once the order ended.
 *
 * One case for each order names the whole sum; it is open again when that grows. An operator returns what is left of it.
 */
import { toDecimal, tokenOf } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { type Address, nativeToken } from "@cardkeep/contract/core/primitives";
import type { Tx } from "@cardkeep/db/client";
import { findSafeByAddress, hasCurrency } from "@cardkeep/db/queries/accounts/safes";
import { findOrder, findPaymentHash, type Order, provePaymentHash } from "@cardkeep/db/queries/cards/orders";
import { insertOrderReturn, listOrderReturns, type OrderReturn } from "@cardkeep/db/queries/cards/orderReturns";
import { closeCaseOf } from "@cardkeep/db/queries/spending/cases";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findReturnSafe } from "../../accounts/safes/returnSafe.ts";
import { requireApproval, requireSame } from "../../operators/approvals/requireApproval.ts";
import { openCase } from "../../core/openCase.ts";
import type { OperatorContext, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { atLeastZero, baseUnitsToCents, centsToBaseUnits, sumOf } from "../../core/money.ts";
import { lockOrder } from "./order.ts";
import { dueOf } from "./orderPrice.ts";

type Paid = Pick<Order, "status" | "currency" | "paidAmount" | "totalCents" | "totalEurCents" | "discountEurCents">;

/** An order that ended so uses nothing of its payment. */
export const endedStatuses: readonly Order["status"][] = ["CANCELLED", "FAILEDTRANSACTION"];

/** Base units of a payment that the order does not use. */
function computeExcess(order: Paid): bigint {
  const used = endedStatuses.includes(order.status) ? 0n : centsToBaseUnits(dueOf(order), tokenOf[order.currency]);
  return atLeastZero((order.paidAmount ?? 0n) - used);
}

/** Base units that are to go back and are neither returned nor on their way. */
export const computeReturnable = (order: Paid, returns: readonly Pick<OrderReturn, "amount">[]): bigint =>
  atLeastZero(computeExcess(order) - sumOf(returns.map(({ amount }) => amount)));

/** Opens the case of an order that was paid with more than it uses. Less than a cent is none. */
export async function openReturnCase(
  work: Work,
  order: Paid & Pick<Order, "id" | "userId">,
  { isChanged = false } = {},
): Promise<void> {
  const { id: orderId, userId, currency } = order;
  const amountCents = baseUnitsToCents(computeExcess(order), tokenOf[currency]);
  if (amountCents === 0n) return;
  const note = endedStatuses.includes(order.status)
    ? "The order was paid, and ended without a card. Return its payment: `cardkeep orders return`, or on the order's page."
    : "More was paid than was due. Return the rest: `cardkeep orders return`, or on the order's page.";
  await openCase(work, { kind: "order_return", userId, orderId, amountCents, currency, note, isChanged });
}

/** Keeps a transaction for the order that its money goes back for; false when it pays another order by now. */
async function keepPaymentHash(
  tx: Tx,
  { id: orderId, transactionHash: hash }: Order,
  provenAt: Date,
): Promise<boolean> {
  if (hash === null) return false;
  const reserved = await findPaymentHash(tx, hash);
  if (reserved?.orderId === orderId && reserved.provenAt !== null) return true;
  return provePaymentHash(tx, { hash, orderId, provenAt });
}

/** Who gets money back that an address paid: in place of a Safe that its user has given up, the next one. @throws orders.no_payer */
async function findReceiver(tx: Tx, paidBy: Address): Promise<Address> {
  // Minted tokens came from the zero address, to which nothing can go back.
  if (paidBy === nativeToken) fail("orders.no_payer");
  const safe = await findSafeByAddress(tx, paidBy);
  if (!safe || !hasCurrency(safe)) return paidBy;
  const text = "The Safe that paid was changed and given up: its user first has to set up another one with its token";
  return (await findReturnSafe(tx, safe))?.address ?? fail("orders.no_payer", { text });
}

const describeAmount = (amount: bigint, { currency }: Paid): string =>
  `${toDecimal(amount, tokenOf[currency])} ${tokenOf[currency].symbol}`;

/** A return on its way to the payer. */
export interface AskedReturn extends OrderReturn {
  /** Whole tokens as text. */
  tokens: string;
  tokenSymbol: string;
}

/**
 * Returns what an order's payment brought beyond its use, from the treasury to the payer, and closes the case. A worker
 * carries it out within the treasury's approval for the spender. A second person approves the amount of the request, and no
 * other one: an order that ends meanwhile has more to return.
 *
 * @throws orders.not_found, orders.nothing_to_return, orders.no_payer, operators.reason_required, operators.approval_needed,
 *   approvals.changed
 */
export async function returnPayment(ctx: OperatorContext, { orderId }: { orderId: string }): Promise<AskedReturn> {
  const closeReason = ctx.reason ?? fail("operators.reason_required");
  const known = (await findOrder(ctx.db, orderId)) ?? fail("orders.not_found");
  const { userId } = known;
  const returnable = computeReturnable(known, await listOrderReturns(ctx.db, orderId));
  const subject = { kind: "order", id: orderId } as const;
  await requireApproval(ctx, "orders.return", {
    input: { orderId, amount: describeAmount(returnable, known) },
    subject,
  });
  return ctx.act("orders.return", async ({ tx, now, requestId }) => {
    const order = await lockOrder(tx, userId, orderId);
    const returns = await listOrderReturns(tx, orderId);
    const amount = computeReturnable(order, returns);
    const { paidBy, currency } = order;
    if (amount === 0n || paidBy === null) return fail("orders.nothing_to_return");
    const recipient = await findReceiver(tx, paidBy);
    requireSame(ctx, { amount: describeAmount(amount, order) });
    if (!(await keepPaymentHash(tx, order, now))) return fail("orders.nothing_to_return");
    const ordinal = returns.length;
    const row = { id: generateId(), orderId, userId, ordinal, recipient, amount, requestId, createdAt: now };
    const planned = await insertOrderReturn(tx, row);
    await enqueue(tx, "order.return", { returnId: planned.id, requestId });
    const closed = { closedAt: now, closedBy: ctx.actor.name, closeReason };
    await closeCaseOf(tx, { kind: "order_return", subjectId: orderId }, closed);
    const token = tokenOf[currency];
    const output = { ...planned, tokens: toDecimal(amount, token), tokenSymbol: token.symbol };
    const before = { returnable: output.tokens, token: token.symbol };
    return { output, subject, before, after: { returnable: "0", returned: output.tokens, returnId: planned.id } };
  });
}
