/**
 * The transaction that pays an order, as the chain has it.
 *
 * - payment: one transfer to the treasury of the token of the order's currency, of at least the due amount. No other token
 *   counts, because the service has no exchange rates. What the payer sends beside it in the same transaction is overpaid.
 * - payer: the sender of the transfer. A payer who is known as another user pays
 *   only their own orders: transfers are public, and any user could name one. For the same reason a transfer from before the order, or
 *   of the service's own accounts, pays nothing. Nor does a mint in production: there it is the operator's own money that the
 *   e-money institution brings to the treasury.
 */
import type { ChainReceipt } from "@cardkeep/chain/log";
import { tokenOf } from "@cardkeep/chain/tokens";
import { listTransfers, type Transfer } from "@cardkeep/chain/transfers";
import { type Address, type Hex, nativeToken } from "@cardkeep/contract/core/primitives";
import { listOrders, listOthersAddresses, listOwnAddresses, type Order } from "@cardkeep/db/queries/cards/orders";
import { chainSkewMs } from "../../core/clockSkew.ts";
import type { Context } from "../../core/context.ts";
import { findFinalInstant } from "../../chain/guards/findBlockSince.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { listServiceAddresses } from "../../core/policy.ts";
import { dueOf, isFree } from "./orderPrice.ts";

/** A final transaction that did not revert, and the largest single transfer in it that may pay for the order's user. */
export interface Payment {
  kind: "mined";
  receipt: ChainReceipt;
  amount: bigint;
  /** Who sent it; null where nothing was sent. */
  payer: Address | null;
  /** All that the payer sent to the treasury in this transaction. */
  total: bigint;
}

export type Verdict = Payment | { kind: "reverted"; receipt: ChainReceipt } | { kind: "open" };

/** Whether a payment is all that is due; a free order takes none. */
export const isEnough = ({ amount }: Payment, order: Order): boolean =>
  !isFree(order) && amount >= centsToBaseUnits(dueOf(order), tokenOf[order.currency]);

/** Checks an attached transaction. `open`: it is not mined, or not final. */
export async function checkPayment(
  ctx: Context,
  hash: Hex,
  order: Pick<Order, "userId" | "currency" | "createdAt">,
): Promise<Verdict> {
  const receipt = await ctx.chain.findReceipt(hash);
  const minedAt = receipt && (await findFinalInstant(ctx, receipt));
  if (!receipt || minedAt === null) return { kind: "open" };
  if (receipt.status === "reverted") return { kind: "reverted", receipt };
  const possible = await listPossible(ctx, receipt, minedAt, order);
  const best = possible.reduce<Transfer | null>(
    (most, each) => (most && most.amount >= each.amount ? most : each),
    null,
  );
  const total = possible.reduce((sum, { from, amount }) => (from === best?.from ? sum + amount : sum), 0n);
  return { kind: "mined", receipt, amount: best?.amount ?? 0n, payer: best?.from ?? null, total };
}

/**
 * The transfers of a mined transaction that may pay an order: none of the service's own accounts or of another user, and none
 * from before the order. The user's own money may be from before, where an earlier order of the user was not paid by it.
 */
async function listPossible(
  ctx: Context,
  receipt: ChainReceipt,
  minedAt: Date,
  { userId, currency, createdAt }: Pick<Order, "userId" | "currency" | "createdAt">,
): Promise<Transfer[]> {
  const transfers = listPayments(ctx, receipt, currency);
  const senders = transfers.map(({ from }) => from);
  const others = await listOthersAddresses(ctx.db, userId, senders);
  const own = await listOwnAddresses(ctx.db, userId);
  const ofService = listServiceAddresses(ctx.policy);
  const firstOrder = (await listOrders(ctx.db, userId)).at(-1);
  const isSince = (from: Date) => minedAt.getTime() >= from.getTime() - chainSkewMs;
  return transfers.filter(
    ({ from }) =>
      !others.has(from) &&
      !ofService.includes(from) &&
      (from !== nativeToken || ctx.policy.mintedPayments) &&
      isSince(own.has(from) ? (firstOrder?.createdAt ?? createdAt) : createdAt),
  );
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

const listPayments = ({ policy }: Context, { logs }: ChainReceipt, currency: Order["currency"]): Transfer[] =>
  listTransfers(logs, { token: tokenOf[currency].address, to: policy.treasuryAddress });
