/**
 * The transaction that pays an order, as the chain has it.
 *
 * - payment: one transfer to the treasury of the token of the order's currency, of at least the due amount. No other token
 *   counts, because the service has no exchange rates. - payer: the sender of the transfer. A payer who is known as another user pays
 *   only their own orders: transfers are public, and any user could claim one.
 */
import type { ChainReceipt } from "@cardkeep/chain/log";
import { tokenOf } from "@cardkeep/chain/tokens";
import { listTransfers, type Transfer } from "@cardkeep/chain/transfers";
import type { Hex } from "@cardkeep/contract/primitives";
import { listOthersAddresses, listOwnAddresses, type Order } from "@cardkeep/db/queries/orders";
import type { Context } from "../context.ts";
import { findFinalInstant } from "../chain/findBlockSince.ts";
import { centsToBaseUnits } from "../spending/checkCard.ts";
import { dueOf, isFree } from "./order.ts";

/** A final transaction that did not revert, and the largest single transfer in it that may pay for the order's user. */
export interface Payment {
  kind: "mined";
  receipt: ChainReceipt;
  amount: bigint;
}

export type Verdict = Payment | { kind: "reverted" } | { kind: "open" };

/** Whether a payment is all that is due; a free order takes none. */
export const isEnough = ({ amount }: Payment, order: Order): boolean =>
  !isFree(order) && amount >= centsToBaseUnits(dueOf(order), tokenOf[order.currency]);

/** Checks an attached transaction. `open`: it is not mined, or not final. */
export async function checkPayment(
  ctx: Context,
  hash: Hex,
  { userId, currency }: Pick<Order, "userId" | "currency">,
): Promise<Verdict> {
  const receipt = await ctx.chain.findReceipt(hash);
  if (!receipt || (await findFinalInstant(ctx, receipt)) === null) return { kind: "open" };
  if (receipt.status === "reverted") return { kind: "reverted" };
  const transfers = listPayments(ctx, receipt, currency);
  const others = await listOthersAddresses(
    ctx.db,
    userId,
    transfers.map(({ from }) => from),
  );
  const amounts = transfers.flatMap(({ from, amount }) => (others.has(from) ? [] : [amount]));
  return { kind: "mined", receipt, amount: amounts.reduce((most, amount) => (amount > most ? amount : most), 0n) };
}

/** Whether a mined transaction has a transfer to the treasury from a wallet or Safe of this user. */
export async function isPaidByUser(
  ctx: Context,
  hash: Hex,
  { userId, currency }: Pick<Order, "userId" | "currency">,
): Promise<boolean> {
  const receipt = await ctx.chain.findReceipt(hash);
  const own = await listOwnAddresses(ctx.db, userId);
  return receipt !== null && listPayments(ctx, receipt, currency).some(({ from }) => own.has(from));
}

const listPayments = ({ rules }: Context, { logs }: ChainReceipt, currency: Order["currency"]): Transfer[] =>
  listTransfers(logs, { token: tokenOf[currency].address, to: rules.treasuryAddress });
