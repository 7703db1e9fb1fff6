/** Card orders: the list, and one order with its steps, payment, coupons and card. */
import { listStates } from "@cardkeep/contract/core/machine";
import { orderMachine } from "@cardkeep/contract/cards/orders";
import type { Order } from "@cardkeep/db/queries/cards/orders";
import { cancelAsOperator } from "@cardkeep/domain/cards/orders/cancelOrder";
import { getOrderDetails, type OrderDetails } from "@cardkeep/domain/cards/orders/getOrderDetails";
import { dueOf, listAllOrders } from "@cardkeep/domain/cards/orders/order";
import { returnPayment } from "@cardkeep/domain/cards/orders/orderReturns";
import { formatUnits } from "@cardkeep/domain/core/wording";
import { canMove } from "@cardkeep/contract/core/machine";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { renderCents, renderToken } from "../money/amounts.ts";
import { renderConfirm } from "../page/confirm.ts";
import { orNone, renderFilters } from "../page/filters.ts";
import { renderForeign } from "../page/foreignText.ts";
import { type Action, linkTo, may, readChoice, readText, type ShowPage, type Visit } from "../page/page.ts";
import { renderCode, renderDigits, renderFields, renderIdLink, renderStatus, renderTabs } from "../page/parts.ts";
import { renderSteps } from "../page/steps.ts";
import { buildList, type Column } from "../page/table.ts";

const centDecimals = 2;

/** The table of orders, as data. */
export const orderTable = {
  name: "orders",
  none: "There are no such orders.",
  columns: [
    { name: "Order", text: ({ id }) => id, cell: ({ id }) => renderIdLink("/operator/orders", id) },
    { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
    { name: "Kind", text: ({ virtual }) => (virtual ? "virtual" : "physical") },
    {
      name: "Due",
      text: (order) => formatUnits(dueOf(order), centDecimals),
      cell: (order) => renderCents(dueOf(order), order.currency),
    },
    { name: "Currency", text: ({ currency }) => currency },
    { name: "Coupon", text: ({ couponCode }) => couponCode },
    { name: "User", text: ({ userId }) => userId, cell: ({ userId }) => renderIdLink("/operator/users", userId) },
    { name: "Ordered", text: ({ createdAt }) => createdAt },
  ] satisfies readonly Column<Order>[],
};

const states = listStates(orderMachine);

export const showOrders: ShowPage = async (visit) => {
  const status = readChoice(visit, "status", states);
  const user = readText(visit, "user");
  const orders = await buildList(visit, {
    ...orderTable,
    keyOf: ({ id }) => id,
    read: (position) => orNone(listAllOrders(visit.ctx, { user, status, ...position })),
  });
  return {
    title: "Orders",
    body: markup`${renderTabs(visit, "status", states, status)}
      ${status !== null && markup`<p class="lead">${orderMachine.states[status].means}.</p>`}
      ${renderFilters(visit, [{ name: "user", label: "User, wallet or Safe" }])} ${orders}`,
    tables: [orders],
  };
};

const renderCancel = (visit: Visit, { id, status }: Order): Html | false =>
  canMove(orderMachine, status, "CANCELLED", "operator") &&
  may(visit, "orders.cancel") &&
  renderConfirm({
    action: `/operator/orders/${id}/cancel`,
    label: "Cancel this order",
    consequence: "The order ends and its coupon is free again. If it was paid, a case returns its payment.",
    isDanger: true,
  });

const renderReturn = (visit: Visit, { order: { id, paidBy }, returnable, tokenSymbol }: OrderDetails): Html | false =>
  returnable > 0n &&
  may(visit, "orders.return") &&
  renderConfirm({
    action: `/operator/orders/${id}/return`,
    label: "Return what is left over",
    consequence: markup`The worker sends ${renderToken(returnable, tokenSymbol)} from the treasury to the payer
      ${renderCode(paidBy)}. It cannot be undone.`,
    isDanger: true,
  });

export const showOrder: ShowPage = async (visit) => {
  const details = await getOrderDetails(visit.ctx, { reference: visit.params["id"] ?? "" });
  const { order, steps, paidBy, redemptions, card, dueCents, discountCents, returns, tokenSymbol } = details;
  return {
    title: "Order",
    body: markup`${renderSteps(steps)}
      ${renderFields([
        ["Id", renderCode(order.id)],
        ["Status", markup`${renderStatus(order.status)} ${orderMachine.states[order.status].means}`],
        ["User", renderIdLink("/operator/users", order.userId)],
        ["Card", card && markup`${renderIdLink("/operator/cards", card.id)} ${renderDigits(card.lastFourDigits)}`],
        ["Kind", order.virtual ? "virtual" : "physical"],
        ["Name on the card", renderForeign(order.embossedName)],
        ["Country", order.country],
        ["Request", renderCode(order.requestId)],
      ])}
      ${await renderMachineState({
        machine: orderMachine,
        title: "Order",
        current: order.status,
        history: order.status === orderMachine.initial ? [] : [{ state: orderMachine.initial, at: order.createdAt }],
      })}
      <h2>Payment</h2>
      ${renderFields([
        ["Price", renderCents(order.totalCents, order.currency)],
        ["Discount", renderCents(discountCents, order.currency)],
        ["Due", renderCents(dueCents, order.currency)],
        [
          "Coupons",
          redemptions.map(({ code, redeemedAt }) => markup`<p>${renderCode(code)} ${renderTime(redeemedAt)}</p>`),
        ],
        ["Transaction", renderCode(order.transactionHash)],
        ["Transaction named", renderTime(paidBy?.claimedAt ?? null)],
        ["Seen to pay", renderTime(paidBy?.provenAt ?? null)],
        ["Block", order.paymentBlock === null ? null : String(order.paymentBlock)],
        ["Paid", order.paidAmount !== null && renderToken(order.paidAmount, tokenSymbol)],
        ["Payer", renderCode(order.paidBy)],
        [
          "Returned",
          returns.map(
            ({ amount, hash, paidAt }) =>
              markup`<p>${renderToken(amount, tokenSymbol)} ${paidAt === null ? "on its way" : renderTime(paidAt)} ${renderCode(hash)}</p>`,
          ),
        ],
        ["Confirmation asked for", renderTime(order.askedAt)],
        ["Confirmed", renderTime(order.confirmedAt)],
      ])}
      <p class="pager"><a href="${linkTo("/operator/actions", { subject: order.id })}">What operators did to this order</a></p>
      <div class="actions">${renderReturn(visit, details)} ${renderCancel(visit, order)}</div>`,
  };
};

export const cancel: Action = async ({ ctx, params }) => {
  const { id } = await cancelAsOperator(ctx, { orderId: params["id"] ?? "" });
  return linkTo(`/operator/orders/${id}`, { done: "done" });
};

export const returnMoney: Action = async ({ ctx, params }) => {
  const { orderId } = await returnPayment(ctx, { orderId: params["id"] ?? "" });
  return linkTo(`/operator/orders/${orderId}`, { done: "done" });
};
