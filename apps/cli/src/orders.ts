import { orderMachine } from "@cardkeep/contract/cards/orders";
import { listStates } from "@cardkeep/contract/core/machine";
import { cancelAsOperator } from "@cardkeep/domain/cards/orders/cancelOrder";
import { getOrderDetails, type OrderDetails } from "@cardkeep/domain/cards/orders/getOrderDetails";
import { dueOf, listAllOrders } from "@cardkeep/domain/cards/orders/order";
import { returnPayment } from "@cardkeep/domain/cards/orders/orderReturns";
import { formatCents } from "@cardkeep/domain/spending/payments/formatMoney";
import { buildRouteMap } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalText, textArgument, withJson, withReason } from "./parameters.ts";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts, phrase, type Text, tokenAmount } from "./texts.ts";

type Orders = Awaited<ReturnType<typeof listAllOrders>>;

const renderOrders = (orders: Orders): Text =>
  renderTable(
    [
      { title: "id" },
      { title: "status" },
      { title: "user", optional: true },
      { title: "due", align: "right" },
      { title: "created" },
    ],
    orders.map((order) => [
      order.id,
      order.status,
      order.userId,
      formatCents(dueOf(order), order.currency),
      order.createdAt,
    ]),
    "There are no such orders. A person orders a card in your app.",
  );

const renderOrder = ({
  order,
  steps,
  dueCents,
  paidBy,
  redemptions,
  card,
  returns,
  returnable,
  tokenSymbol: symbol,
}: OrderDetails): Text => {
  return renderFields([
    ["Order", order.id],
    ["Status", order.status],
    ["User", order.userId],
    ["Kind", order.virtual ? "virtual" : "physical"],
    ["Price", formatCents(order.totalCents, order.currency)],
    ["Due", formatCents(dueCents, order.currency)],
    ["Coupons", redemptions.map(({ code }) => code)],
    ["Transaction", order.transactionHash ?? "-"],
    ["Seen to pay", paidBy?.provenAt ?? null],
    ["Paid", order.paidAmount === null ? "-" : phrase`${tokenAmount(order.paidAmount, symbol)} by ${order.paidBy}`],
    ["To return", tokenAmount(returnable, symbol)],
    [
      "Returned",
      returns.map(({ amount, paidAt }) => phrase`${tokenAmount(amount, symbol)}  ${paidAt ?? "on its way"}`),
    ],
    ["Card", card === null ? "-" : `${card.id}  … ${card.lastFourDigits}`],
    ["Steps", steps.map(({ name, state, text }) => [name, state, text].filter((part) => part !== null).join("  "))],
  ]);
};

export const orders = buildRouteMap({
  docs: { brief: "Card orders" },
  routes: {
    list: buildVerb({
      verb: "orders.list",
      brief: "Lists orders, newest first",
      example: ["orders list --status READY", "orders list --user ada@example.org"],
      parameters: {
        flags: withJson({
          user: optionalText("USER", "Only orders of this user"),
          status: {
            kind: "enum",
            values: listStates(orderMachine),
            optional: true,
            placeholder: "STATUS",
            brief: "Only orders with this status",
          },
          limit,
        }),
      },
      run: async (cli: CliContext, flags: { user?: string; status?: Orders[number]["status"]; limit: number }) => {
        const data = await listAllOrders(await cli.open(), flags);
        return { data, text: joinTexts(renderOrders(data), formatMoreHint(data, flags.limit)) };
      },
    }),
    show: buildVerb({
      verb: "orders.show",
      brief: "Shows one order with its steps, its payment, its coupons and its card",
      example: "orders show 01J8Z2",
      parameters: { flags: withJson({}), positional: textArgument("order", "Id of the order") },
      run: async (cli: CliContext, _: object, reference: string) => {
        const data = await getOrderDetails(await cli.open(), { reference });
        return { data, text: renderOrder(data) };
      },
    }),
    cancel: buildChange({
      verb: "orders.cancel",
      brief: "Cancels an order that has no card yet. Its coupon is free again; a case returns its payment",
      example: "orders cancel 01J8Z2",
      parameters: { flags: withReason({}), positional: textArgument("order", "Id of the order") },
      run: async (cli: CliContext, _: object, orderId: string) => {
        const data = await cancelAsOperator(await cli.open(), { orderId });
        return { data, text: renderOrders([data]) };
      },
    }),
    return: buildChange({
      verb: "orders.return",
      brief: "Returns what an order's payment brought beyond its use, from the treasury to the payer; give --reason",
      example: "orders return 01J8Z2 --reason overpaid",
      parameters: { flags: withReason({}), positional: textArgument("order", "Id of the order") },
      run: async (cli: CliContext, _: object, orderId: string) => {
        const data = await returnPayment(await cli.open(), { orderId });
        return { data, text: `The worker returns ${data.tokens} ${data.tokenSymbol} to ${data.recipient}.\n` };
      },
    }),
  },
});
