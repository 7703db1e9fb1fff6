import { orderMachine } from "@cardkeep/contract/cards/orders";
import { canMove, listStates } from "@cardkeep/contract/core/machine";
import type { Order } from "@cardkeep/db/queries/cards/orders";
import { cancelAsOperator } from "@cardkeep/domain/cards/orders/cancelOrder";
import { getOrderDetails, type OrderDetails } from "@cardkeep/domain/cards/orders/getOrderDetails";
import { listAllOrders } from "@cardkeep/domain/cards/orders/order";
import { dueOf } from "@cardkeep/domain/cards/orders/orderPrice";
import { returnPayment } from "@cardkeep/domain/cards/orders/orderReturns";
import { formatCents, formatToken, formatTokenShort } from "@cardkeep/domain/spending/payments/formatMoney";
import { formatInstant } from "@cardkeep/domain/core/wording";
import { defineNoun } from "../defineNoun.ts";
import { amount, code, count, id, instant, money, status, text } from "../value.ts";

/** One order knows too what is left over of its payment. */
type OrderRow = Order & Partial<Pick<OrderDetails, "returnable" | "tokenSymbol">>;

const nameKind = ({ virtual }: Order): string => (virtual ? "virtual" : "physical");

const listOrder = ({ order, card }: Pick<OrderDetails, "order" | "card">) =>
  [
    ["Order", code(order.id)],
    ["Status", [status(order.status), text(orderMachine.states[order.status].means)]],
    ["User", id(order.userId, "users")],
    ["Card", id(card?.id ?? null, "cards")],
    ["Kind", text(nameKind(order))],
    ["Name on the card", text(order.embossedName, "person")],
    ["Country", text(order.country)],
    ["Request", code(order.requestId)],
  ] as const;

export const orders = defineNoun({
  name: "orders",
  title: "Orders",
  group: "People",
  brief: "Card orders",
  argument: { name: "order", brief: "Id of the order" },
  keyOf: (row: OrderRow) => row.id,
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
      { name: "Due", of: (row) => money(dueOf(row), row.currency), isRight: true },
      { name: "Currency", of: (row) => text(row.currency), terminal: "hidden", page: "never" },
      { name: "Coupon", of: (row) => code(row.couponCode), terminal: "hidden" },
      { name: "User", of: (row) => id(row.userId, "users"), terminal: "optional" },
      { name: "Ordered", of: (row) => instant(row.createdAt) },
    ],
    read: (ctx, choice): Promise<readonly OrderRow[]> => listAllOrders(ctx, choice),
  },
  show: {
    verb: "orders.show",
    brief: "Shows one order with its steps, its payment, its coupons and its card",
    example: "orders show 3f1c9a52",
    title: "Order",
    read: (ctx, key) => getOrderDetails(ctx, { reference: key }),
    rowOf: ({ order, returnable, tokenSymbol }) => ({ ...order, returnable, tokenSymbol }),
    page: ({ order, steps }) => ({
      steps,
      state: {
        machine: orderMachine,
        current: order.status,
        history: order.status === orderMachine.initial ? [] : [{ state: orderMachine.initial, at: order.createdAt }],
      },
    }),
    fields: ({ discountCents, returnable, tokenSymbol: symbol, ...shown }) => [
      ...listOrder(shown),
      ["Price", amount(formatCents(shown.order.totalCents, shown.order.currency))],
      ["Discount", amount(formatCents(discountCents, shown.order.currency))],
      ["Due", amount(formatCents(shown.dueCents, shown.order.currency))],
      ["Coupons", shown.redemptions.map((redemption) => code(redemption.code))],
      ["Transaction", code(shown.order.transactionHash)],
      ["Transaction named", instant(shown.paidBy?.claimedAt ?? null)],
      ["Seen to pay", instant(shown.paidBy?.provenAt ?? null)],
      ["Block", count(shown.order.paymentBlock)],
      [
        "Paid",
        shown.order.paidAmount === null
          ? text(null)
          : amount(formatTokenShort(shown.order.paidAmount, symbol), formatToken(shown.order.paidAmount, symbol)),
      ],
      ["Paid by", code(shown.order.paidBy)],
      ["To return", amount(formatTokenShort(returnable, symbol), formatToken(returnable, symbol))],
      [
        "Returned",
        shown.returns.map(({ amount: back, paidAt }) =>
          text(`${formatToken(back, symbol)}  ${paidAt === null ? "on its way" : formatInstant(paidAt)}`),
        ),
      ],
      ["Confirmation asked for", instant(shown.order.askedAt)],
      ["Confirmed", instant(shown.order.confirmedAt)],
      ["Ordered", instant(shown.order.createdAt)],
      [
        "Steps",
        shown.steps.map(({ name, state, text: words }) => text([name, state, words].filter(Boolean).join("  "))),
      ],
    ],
  },
  acts: {
    cancel: {
      verb: "orders.cancel",
      brief: "Cancels a card order: its coupon is free again, and a case returns its payment",
      example: "orders cancel 3f1c9a52",
      offer: (row) =>
        canMove(orderMachine, row.status, "CANCELLED", "operator")
          ? {
              label: "Cancel this order",
              consequence: "The order ends and its coupon is free again. If it was paid, a case returns its payment.",
              isDanger: true,
            }
          : null,
      run: (ctx, key): Promise<OrderRow> => cancelAsOperator(ctx, { orderId: key }),
    },
    return: {
      verb: "orders.return",
      brief: "Sends back from the treasury to the payer what a payment brought beyond its use; give --reason",
      example: "orders return 3f1c9a52 --reason paid-twice",
      offer: ({ returnable = 0n, tokenSymbol, paidBy }) =>
        returnable > 0n && tokenSymbol !== undefined
          ? {
              label: "Return what is left over",
              consequence: `The worker sends ${formatToken(returnable, tokenSymbol)} from the treasury to the payer ${paidBy}. It cannot be undone.`,
              isDanger: true,
            }
          : null,
      run: async (ctx, key): Promise<OrderRow> => {
        await returnPayment(ctx, { orderId: key });
        return (await getOrderDetails(ctx, { reference: key })).order;
      },
    },
  },
});
