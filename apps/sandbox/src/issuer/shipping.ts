/** The shipping of physical cards, and the test helpers that move it. Source: docs.stripe.com/issuing/cards/physical/testing. */
import type { Tx } from "@cardkeep/db/client";
import { type IssuerObject, updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { cardObject } from "./cards.ts";
import { defineIssuerRoute, IssuerError, type IssuerRoute, lockObject } from "./route.ts";

export const shippingStatuses = ["pending", "submitted", "shipped", "delivered", "failure", "returned"] as const;
type ShippingStatus = (typeof shippingStatuses)[number];

/** The statuses before each shipping status. Source: docs.stripe.com/issuing/cards/physical/testing, "Shipping". */
const origins: Readonly<Record<ShippingStatus, readonly string[]>> = {
  pending: [],
  submitted: ["pending"],
  shipped: ["pending", "submitted"],
  delivered: ["shipped"],
  failure: ["pending", "submitted", "shipped"],
  returned: ["shipped", "delivered", "failure"],
};

/** The shortest path to a status, without its start; null without a path. */
export function findShippingWay(from: string, to: ShippingStatus): ShippingStatus[] | null {
  const ways: { at: string; way: ShippingStatus[] }[] = [{ at: from, way: [] }];
  const seen = new Set([from]);
  for (const { at, way } of ways) {
    for (const next of shippingStatuses.filter((status) => origins[status].includes(at) && !seen.has(status))) {
      if (next === to) return [...way, next];
      seen.add(next);
      ways.push({ at: next, way: [...way, next] });
    }
  }
  return null;
}

const shippingData = z.object({ status: z.string() }).loose();

/**
 * Moves a card's shipping forward and returns the card.
 * @throws IssuerError for an unknown card, a virtual one, and a move that does not follow the card's status
 */
export async function moveShipping(tx: Tx, id: string, to: ShippingStatus): Promise<IssuerObject["data"]> {
  const found = await lockObject(tx, cardObject, id);
  const { shipping: way } = found.data;
  const shipping = shippingData.safeParse(way);
  if (!shipping.success) throw new IssuerError(400, "A virtual card is not shipped");
  const { status: from } = shipping.data;
  if (!origins[to].includes(from)) throw new IssuerError(400, `A card whose shipping is ${from} cannot become ${to}`);
  const data = { ...found.data, shipping: { ...shipping.data, status: to } };
  await updateIssuerObject(tx, id, { data });
  return data;
}

/** The status that each test helper sets. */
const helpers: Readonly<Record<string, ShippingStatus>> = {
  submit: "submitted",
  ship: "shipped",
  deliver: "delivered",
  return: "returned",
  fail: "failure",
};

const helpShipping = defineIssuerRoute({
  method: "POST",
  path: "/v1/test_helpers/issuing/cards/{id}/shipping/{move}",
  input: z.object({ id: z.string(), move: z.string() }),
  run: async ({ tx, emit }, { id, move }) => {
    const to = Object.hasOwn(helpers, move) ? helpers[move] : undefined;
    if (to === undefined) throw new IssuerError(404, "Unrecognized request URL");
    const object = await moveShipping(tx, id, to);
    emit({ type: "issuing_card.updated", object });
    return object;
  },
});

export const shippingRoutes: readonly IssuerRoute[] = [helpShipping];
