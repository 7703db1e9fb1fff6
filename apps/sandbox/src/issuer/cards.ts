/** Cards, as the issuer keeps them. Source: docs.stripe.com/api/issuing/cards. */
import type { Tx } from "@cardkeep/db/client";
import {
  findIssuerObject,
  insertIssuerObject,
  type IssuerObject,
  listIssuerObjects,
  lockIssuerObject,
  updateIssuerObject,
} from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { cardholderObject, raise } from "./cardholders.ts";
import { generateDigits, generateNumber } from "./generateNumber.ts";
import { readPin } from "./pinKey.ts";
import {
  buildList,
  createdRange,
  defineIssuerRoute,
  generateIssuerId,
  IssuerError,
  type IssuerRoute,
  metadata,
  missing,
  pageOf,
  toUnixSeconds,
} from "./route.ts";
import { mergeControls, spendingControls } from "./spendingControls.ts";
import { deleteTokensOfCard } from "./walletTokens.ts";

export const cardObject = "issuing.card";
const path = "/v1/issuing/cards";
const yearsValid = 3;

const status = z.enum(["active", "inactive", "canceled"]);
const pin = z.object({ encrypted_number: z.string() });
const shipping = z.object({
  name: z.string().min(1),
  phone_number: z.string().optional(),
  address: z.object({
    line1: z.string().min(1),
    line2: z.string().optional(),
    city: z.string().min(1),
    postal_code: z.string().min(1),
    state: z.string().optional(),
    country: z.string().regex(/^[A-Z]{2}$/, "Country should be a two-letter code"),
  }),
});

const create = defineIssuerRoute({
  method: "POST",
  path,
  input: z.object({
    cardholder: z.string(),
    currency: z.enum(["eur", "gbp", "usd"]),
    type: z.enum(["virtual", "physical"]),
    status: z.enum(["active", "inactive"]).default("inactive"),
    second_line: z.string().max(24).optional(),
    shipping: shipping.optional(),
    spending_controls: spendingControls.optional(),
    pin: pin.optional(),
    metadata,
  }),
  run: async ({ tx, now }, input) => {
    const cardholder =
      (await findIssuerObject(tx, cardholderObject, input.cardholder)) ??
      raise(missing("cardholder", input.cardholder, "cardholder", 400));
    if (input.type === "physical" && !input.shipping) {
      throw new IssuerError(400, "A physical card needs a shipping address", { param: "shipping" });
    }
    const id = generateIssuerId("ic");
    const number = generateNumber();
    const data = {
      id,
      object: cardObject,
      brand: "Visa",
      cancellation_reason: null,
      cardholder: cardholder.data,
      created: toUnixSeconds(now),
      currency: input.currency,
      exp_month: now.getUTCMonth() + 1,
      exp_year: now.getUTCFullYear() + yearsValid,
      last4: number.slice(-4),
      livemode: false,
      metadata: input.metadata ?? {},
      personalization_design: null,
      replaced_by: null,
      replacement_for: null,
      replacement_reason: null,
      second_line: input.second_line ?? null,
      shipping: input.shipping
        ? {
            carrier: null,
            eta: null,
            service: "standard",
            status: "pending",
            tracking_number: null,
            type: "individual",
            ...input.shipping,
          }
        : null,
      spending_controls: mergeControls(null, input.spending_controls, input.currency),
      status: input.status,
      type: input.type,
      wallets: { apple_pay: { eligible: false }, google_pay: { eligible: false }, primary_account_identifier: null },
    };
    const hidden = { number, cvc: generateDigits(3), pin: input.pin ? openPin(input.pin) : generateDigits(4) };
    await insertIssuerObject(tx, { id, object: cardObject, data, hidden, createdAt: now });
    return data;
  },
});

const openPin = (given: z.output<typeof pin>): string =>
  readPin(given.encrypted_number) ??
  raise(new IssuerError(400, "The PIN could not be decrypted", { param: "pin[encrypted_number]" }));

const update = defineIssuerRoute({
  method: "POST",
  path: `${path}/{id}`,
  input: z.object({
    id: z.string(),
    status: status.optional(),
    cancellation_reason: z.enum(["lost", "stolen"]).optional(),
    pin: pin.optional(),
    spending_controls: spendingControls.optional(),
    metadata,
  }),
  run: async (work, { id, pin: given, spending_controls, ...change }) => {
    const { tx } = work;
    const found = (await lockIssuerObject(tx, cardObject, id)) ?? raise(missing("card", id));
    if (found.data["status"] === "canceled" && change.status !== undefined) {
      throw new IssuerError(400, "A canceled card cannot be updated", { param: "status" });
    }
    if (change.cancellation_reason && change.status !== "canceled") {
      throw new IssuerError(400, "A cancellation reason needs a canceled card", { param: "cancellation_reason" });
    }
    const { spending_controls: known, currency } = found.data;
    const controls = mergeControls(known, spending_controls, String(currency));
    const data = { ...found.data, ...change, spending_controls: controls };
    await updateIssuerObject(tx, id, { data, ...(given && { hidden: { ...found.hidden, pin: openPin(given) } }) });
    if (change.status === "canceled") await deleteTokensOfCard(work, id);
    return data;
  },
});

const retrieve = defineIssuerRoute({
  method: "GET",
  path: `${path}/{id}`,
  input: z.object({ id: z.string(), expand: z.array(z.string()).default([]) }),
  run: async ({ tx }, { id, expand }) => {
    const { data, hidden } = (await findIssuerObject(tx, cardObject, id)) ?? raise(missing("card", id));
    const shown = Object.entries(hidden).filter(([name]) => name !== "pin" && expand.includes(name));
    return { ...data, ...Object.fromEntries(shown) };
  },
});

const list = defineIssuerRoute({
  method: "GET",
  path,
  input: pageOf({
    cardholder: z.string().optional(),
    status: status.optional(),
    last4: z.string().optional(),
    created: createdRange,
  }),
  run: async ({ tx }, { cardholder, created, limit, starting_after, expand: _, ...filters }) =>
    buildList(path, { limit, starting_after }, (page) => {
      const part = { ...filters, ...(cardholder !== undefined && { cardholder: { id: cardholder } }) };
      return listIssuerObjects(tx, { object: cardObject, part, createdFrom: created?.gte ?? 0, ...page });
    }),
});

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
  const found = (await lockIssuerObject(tx, cardObject, id)) ?? raise(missing("card", id));
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

export const cardRoutes: readonly IssuerRoute[] = [create, update, retrieve, list, helpShipping];
