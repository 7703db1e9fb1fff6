import { orderMachine } from "@cardkeep/contract/orders";
import { listStates } from "@cardkeep/contract/machine";
import { cancelAsOperator } from "@cardkeep/domain/orders/cancel";
import { listAllOrders } from "@cardkeep/domain/orders/listAllOrders";
import { formatInstant } from "@cardkeep/domain/wording";
import { z } from "zod";
import { defineCommand, type Noun } from "./command.ts";
import { limit, limitFlag, formatMoreHint } from "./lists.ts";
import { renderTable } from "./print.ts";

type Orders = Awaited<ReturnType<typeof listAllOrders>>;

/** Cents as decimal EUR. */
const formatEuros = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;

const renderOrders = (orders: Orders): string =>
  renderTable(
    [{ title: "id" }, { title: "status" }, { title: "user" }, { title: "due", align: "right" }, { title: "created" }],
    orders.map((order) => [
      order.id,
      order.status,
      order.userId,
      `${formatEuros(order.totalEurCents - order.discountEurCents)} EUR`,
      formatInstant(order.createdAt),
    ]),
    "There are no such orders.",
  );

export const orders: Noun = {
  summary: "Card orders",
  verbs: {
    list: defineCommand({
      summary: "Orders, newest first",
      flags: {
        user: { kind: "text", value: "USER", summary: "Those of one user only" },
        status: { kind: "text", value: "STATUS", summary: "Those in this state only" },
        limit: limitFlag,
      },
      input: z.object({
        user: z.string().optional(),
        status: z.enum(listStates(orderMachine)).optional(),
        limit,
      }),
      run: async (session, input) => {
        const data = await listAllOrders(await session.open(), input);
        return { data, text: renderOrders(data) + formatMoreHint(data, input.limit) };
      },
    }),
    cancel: defineCommand({
      summary: "Cancels an order for which no card was made yet; what it held is free again, what paid it is not",
      takes: ["order"],
      input: z.object({ order: z.string() }),
      run: async (session, input) => {
        const data = await cancelAsOperator(await session.open(), { orderId: input.order });
        return { data, text: renderOrders([data]) };
      },
    }),
  },
};
