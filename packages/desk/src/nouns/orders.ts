import { orderMachine } from "@cardkeep/contract/cards/orders";
import { listStates } from "@cardkeep/contract/core/machine";
import type { Order } from "@cardkeep/db/queries/cards/orders";
import { cancelAsOperator } from "@cardkeep/domain/cards/orders/cancelOrder";
import { getOrderDetails } from "@cardkeep/domain/cards/orders/getOrderDetails";
import { dueOf, listAllOrders } from "@cardkeep/domain/cards/orders/order";
import { returnPayment } from "@cardkeep/domain/cards/orders/orderReturns";
import { formatCents, formatToken, formatTokenShort } from "@cardkeep/domain/spending/payments/formatMoney";
import { formatInstant } from "@cardkeep/domain/core/wording";
import { defineNoun } from "../defineNoun.ts";
import { amount, code, id, instant, status, text } from "../value.ts";

const nameKind = ({ virtual }: Order): string => (virtual ? "virtual" : "physical");

export const orders = defineNoun({
  name: "orders",
  title: "Orders",
  group: "People",
  brief: "Card orders",
  hasOwnPages: true,
  argument: { name: "order", brief: "Id of the order" },
  keyOf: (row: Order) => row.id,
  list: {
    verb: "orders.list",
    brief: "Lists card orders, newest first",
    example: ["orders list --status READY", "orders list --user ada@example.org"],
    lead: "Orders of cards.",
    none: "There are no such orders.",
    hint: "A person orders a card in your app.",
    filters: {
      status: {
        label: "Status",
        brief: "Only orders with this status",
        placeholder: "STATUS",
        values: listStates(orderMachine),
        isTab: true,
      },
      user: { label: "User, wallet or Safe", brief: "Only orders of this user", placeholder: "USER" },
    },
    columns: [
      { name: "Order", of: (row) => id(row.id, "orders") },
      { name: "Status", of: (row) => status(row.status) },
      { name: "Kind", of: (row) => text(nameKind(row)), terminal: "hidden" },
      { name: "Due", of: (row) => amount(formatCents(dueOf(row), row.currency)), isRight: true },
      { name: "Coupon", of: (row) => code(row.couponCode), terminal: "hidden" },
      { name: "User", of: (row) => id(row.userId, "users"), terminal: "optional" },
      { name: "Ordered", of: (row) => instant(row.createdAt) },
    ],
    read: listAllOrders,
  },
  show: {
    verb: "orders.show",
    brief: "Shows one order with its steps, its payment, its coupons and its card",
    example: "orders show 3f1c9a52",
    title: "Order",
    read: (ctx, key) => getOrderDetails(ctx, { reference: key }),
    rowOf: ({ order }) => order,
    fields: ({ order, steps, dueCents, paidBy, redemptions, card, returns, returnable, tokenSymbol: symbol }) => [
      ["Order", code(order.id)],
      ["Status", status(order.status)],
      ["User", id(order.userId, "users")],
      ["Kind", text(nameKind(order))],
      ["Price", amount(formatCents(order.totalCents, order.currency))],
      ["Due", amount(formatCents(dueCents, order.currency))],
      ["Coupons", redemptions.map((redemption) => code(redemption.code))],
      ["Transaction", code(order.transactionHash)],
      ["Seen to pay", instant(paidBy?.provenAt ?? null)],
      [
        "Paid",
        order.paidAmount === null
          ? text(null)
          : amount(formatTokenShort(order.paidAmount, symbol), formatToken(order.paidAmount, symbol)),
      ],
      ["Paid by", code(order.paidBy)],
      ["To return", amount(formatTokenShort(returnable, symbol), formatToken(returnable, symbol))],
      [
        "Returned",
        returns.map(({ amount: back, paidAt }) =>
          text(`${formatToken(back, symbol)}  ${paidAt === null ? "on its way" : formatInstant(paidAt)}`),
        ),
      ],
      ["Card", id(card?.id ?? null, "cards")],
      ["Ordered", instant(order.createdAt)],
      ["Steps", steps.map(({ name, state, text: words }) => text([name, state, words].filter(Boolean).join("  ")))],
    ],
  },
  acts: {
    cancel: {
      verb: "orders.cancel",
      brief: "Cancels a card order: its coupon is free again, and a case returns its payment",
      example: "orders cancel 3f1c9a52",
      offer: () => ({
        label: "Cancel this order",
        consequence: "No card is made of it. Its coupon is free again, and a case returns its payment.",
        isDanger: true,
      }),
      run: (ctx, key) => cancelAsOperator(ctx, { orderId: key }),
    },
    return: {
      verb: "orders.return",
      brief: "Sends back from the treasury to the payer what a payment brought beyond its use; give --reason",
      example: "orders return 3f1c9a52 --reason paid-twice",
      offer: () => ({
        label: "Return the money",
        consequence: "The worker sends it back to the payer.",
        isDanger: true,
      }),
      run: async (ctx, key) => {
        await returnPayment(ctx, { orderId: key });
        return (await getOrderDetails(ctx, { reference: key })).order;
      },
    },
  },
});
