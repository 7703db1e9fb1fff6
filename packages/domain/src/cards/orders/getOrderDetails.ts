/** One order as the operator sees it. */
import { tokenOf, type TokenSymbol } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { type Card, findCardByOrder } from "@cardkeep/db/queries/cards/cards";
import { findOpenCardIssue } from "@cardkeep/db/queries/cards/issues";
import { type CouponRedemption, listOrderRedemptions } from "@cardkeep/db/queries/cards/coupons";
import { findPaymentHashOf, findOrder, type Order, type PaymentHash } from "@cardkeep/db/queries/cards/orders";
import { listOrderReturns, type OrderReturn } from "@cardkeep/db/queries/cards/orderReturns";
import { findUser } from "@cardkeep/db/queries/users/users";
import type { OperatorContext } from "../../core/context.ts";
import { type ProgressStep, step } from "../../core/progressStep.ts";
import { hideName } from "../../users/users/listUsers.ts";
import { hideReceiver } from "./order.ts";
import { discountOf, dueOf, isFree } from "./orderPrice.ts";
import { computeReturnable } from "./orderReturns.ts";

export interface OrderDetails {
  order: Order;
  /** What is left to pay, and the discount, in cents of the order's currency. */
  dueCents: bigint;
  discountCents: bigint;
  /** The transaction that it names; `provenAt` is null until that was seen to pay it. */
  paidBy: PaymentHash | null;
  redemptions: CouponRedemption[];
  /** What was returned of its payment, and base units that are still to be. */
  returns: OrderReturn[];
  returnable: bigint;
  tokenSymbol: TokenSymbol;
  card: Card | null;
  /** Its states as steps. */
  steps: ProgressStep[];
}

/** One order with payment, coupons and card, as its reader may see it. @throws orders.not_found */
export async function getOrderDetails(
  { db, actor }: Pick<OperatorContext, "db" | "actor">,
  { reference }: { reference: string },
): Promise<OrderDetails> {
  const order = (await findOrder(db, reference)) ?? fail("orders.not_found");
  const [paidBy, redemptions, card, user, issue, returns] = await Promise.all([
    findPaymentHashOf(db, order.id),
    listOrderRedemptions(db, order.id),
    findCardByOrder(db, order.id),
    findUser(db, order.userId),
    findOpenCardIssue(db, order.userId),
    listOrderReturns(db, order.id),
  ]);
  const missing = [
    ...(user?.isPhoneValidated ? [] : ["the phone"]),
    ...(user?.isSourceOfFundsAnswered ? [] : ["the source of funds"]),
    ...(order.virtual || order.address1 !== null ? [] : ["the address"]),
  ];
  return {
    order: hideReceiver(actor, order),
    dueCents: dueOf(order),
    discountCents: discountOf(order),
    paidBy,
    redemptions,
    returns,
    returnable: computeReturnable(order, returns),
    tokenSymbol: tokenOf[order.currency].symbol,
    card: card && hideName(actor, card),
    steps: listSteps(order, { paidBy, card, missing, isBeingMade: issue?.orderId === order.id }),
  };
}

interface Facts {
  paidBy: PaymentHash | null;
  card: Card | null;
  /** What the person still has to give. */
  missing: readonly string[];
  isBeingMade: boolean;
}

const paidStatuses: readonly Order["status"][] = [
  "TRANSACTIONCOMPLETE",
  "CONFIRMATIONREQUIRED",
  "READY",
  "CARDCREATED",
];

function listSteps(order: Order, { paidBy, card, missing, isBeingMade }: Facts): ProgressStep[] {
  const { status } = order;
  const isOver = status === "CANCELLED" || status === "FAILEDTRANSACTION";
  const isPaid = paidStatuses.includes(status) || order.paidAt !== null;
  const isReady = status === "READY" || status === "CARDCREATED";
  const end = status === "CANCELLED" ? "The order was cancelled." : "The attached transaction reverted.";
  const created = step("Ordered", "done", { at: order.createdAt });
  if (isOver) {
    const paid = order.paidAt === null ? [] : [step("Paid", "done", { at: order.paidAt })];
    return [created, ...paid, step("Ended", "failed", { at: order.updatedAt, text: end })];
  }
  return [
    created,
    isPaid
      ? step("Paid", "done", { at: order.paidAt, text: order.paidAt ? null : "It is free." })
      : unpaid(order, paidBy),
    isReady
      ? step("Data complete", "done")
      : step("Data complete", isPaid ? "open" : "blocked", {
          text: missing.length === 0 ? null : `Missing: ${missing.join(", ")}.`,
        }),
    isReady ? step("Ready", "done", { at: order.confirmedAt }) : step("Ready", "blocked"),
    cardStep(order, card, isBeingMade),
  ];
}

function unpaid(order: Order, paidBy: PaymentHash | null): ProgressStep {
  if (isFree(order)) return step("Paid", "open", { text: "It is free; its user has to confirm it." });
  if (order.transactionHash === null) return step("Paid", "open", { text: "No transaction is attached." });
  const text = paidBy
    ? "The attached transaction is not final yet, or its user has not asked for the confirmation."
    : "The attached transaction was not found in a day. Its user may attach it again.";
  return step("Paid", paidBy ? "waiting" : "open", { text });
}

function cardStep(order: Order, card: Card | null, isBeingMade: boolean): ProgressStep {
  if (card) return step("Card made", "done", { at: card.createdAt });
  if (isBeingMade) return step("Card made", "waiting", { text: "The issuer is asked for it." });
  return step("Card made", order.status === "READY" ? "open" : "blocked");
}
