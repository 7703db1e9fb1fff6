/** Cards, as the issuer keeps them. Source: docs.stripe.com/api/issuing/cards. */
import type { Tx } from "@cardkeep/db/client";
import {
  insertIssuerObject,
  type IssuerObject,
  listIssuerObjects,
  updateIssuerObject,
} from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { cardholderObject } from "./cardholders.ts";
import { chooseExpiry } from "./chooseExpiry.ts";
import { generateDigits, generateNumber } from "./generateNumber.ts";
import { readPin } from "./pinKey.ts";
import {
  buildList,
  createdRange,
  defineIssuerRoute,
  generateIssuerId,
  getObject,
  IssuerError,
  type IssuerRoute,
  type IssuerWork,
  lockObject,
  mergeMetadata,
  metadata,
  pageOf,
  raise,
  toUnixSeconds,
  wholeNumber,
} from "./route.ts";
import { mergeControls, spendingControls } from "./spendingControls.ts";
import { requireDesign } from "./personalizationDesigns.ts";
import { deleteTokensOfCard } from "./walletTokens.ts";

export const cardObject = "issuing.card";
const path = "/v1/issuing/cards";

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
    personalization_design: z.string().optional(),
    replacement_for: z.string().optional(),
    replacement_reason: z.enum(["damaged", "expired", "lost", "stolen"]).optional(),
    second_line: z.string().max(24).optional(),
    shipping: shipping.optional(),
    spending_controls: spendingControls.optional(),
    pin: pin.optional(),
    exp_month: wholeNumber.pipe(z.int().min(1).max(12)).optional(),
    exp_year: wholeNumber.optional(),
    metadata,
  }),
  run: async (work, input) => {
    const { tx, now } = work;
    const cardholder = await getObject(tx, cardholderObject, input.cardholder, "cardholder");
    if (input.type === "physical" && !input.shipping) {
      throw new IssuerError(400, "A physical card needs a shipping address", { param: "shipping" });
    }
    requirePerson(cardholder.data, input);
    const id = generateIssuerId("ic");
    if (input.replacement_for !== undefined) await replaceCard(tx, id, input);
    if (input.personalization_design !== undefined) await requireDesign(tx, input.personalization_design);
    const number = generateNumber();
    const data = {
      id,
      object: cardObject,
      brand: "Visa",
      cancellation_reason: null,
      cardholder: cardholder.data,
      created: toUnixSeconds(now),
      currency: input.currency,
      ...chooseExpiry(input, now),
      last4: number.slice(-4),
      livemode: false,
      latest_fraud_warning: null,
      metadata: input.metadata ?? {},
      personalization_design: input.personalization_design ?? null,
      replaced_by: null,
      replacement_for: input.replacement_for ?? null,
      replacement_reason: input.replacement_reason ?? null,
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
    work.emit({ type: "issuing_card.created", object: data });
    return data;
  },
});

const namedPerson = z.object({ individual: z.object({ first_name: z.string(), last_name: z.string() }) });

/**
 * Source: docs.stripe.com/api/issuing/cardholders: names are "required before activating cards", and a phone number "for all
 * cardholders who will be creating EU cards".
 * @throws IssuerError where the issuer knows too little of a person
 */
function requirePerson(cardholder: IssuerObject["data"], { currency, status }: { currency: string; status: string }) {
  if (currency === "eur" && cardholder["phone_number"] === null)
    throw new IssuerError(400, "The cardholder needs a phone number", { param: "cardholder" });
  const isActive = status === "active" && cardholder["type"] === "individual";
  if (isActive && !namedPerson.safeParse(cardholder).success)
    throw new IssuerError(400, "The cardholder needs a first and last name", { param: "cardholder" });
}

/** Names a new card at the card that it replaces. @throws IssuerError */
async function replaceCard(
  tx: Tx,
  id: string,
  input: { cardholder: string; replacement_for?: string | undefined; replacement_reason?: string | undefined },
): Promise<void> {
  const [former = "", param] = [input.replacement_for, "replacement_for"];
  const found = await lockObject(tx, cardObject, former, param);
  if (input.replacement_reason === undefined)
    throw new IssuerError(400, "A replacement needs a reason", { param: "replacement_reason" });
  if (z.object({ id: z.string() }).parse(found.data["cardholder"]).id !== input.cardholder)
    throw new IssuerError(400, "The replaced card has another cardholder", { param });
  await updateIssuerObject(tx, former, { data: { ...found.data, replaced_by: id } });
}

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
    const found = await lockObject(tx, cardObject, id);
    if (found.data["status"] === "canceled" && change.status !== undefined) {
      throw new IssuerError(400, "A canceled card cannot be updated", { param: "status" });
    }
    if (change.cancellation_reason && change.status !== "canceled") {
      throw new IssuerError(400, "A cancellation reason needs a canceled card", { param: "cancellation_reason" });
    }
    const { spending_controls: known, currency } = found.data;
    const controls = mergeControls(known, spending_controls, String(currency));
    const merged = mergeMetadata(found.data["metadata"], change.metadata);
    const data = { ...found.data, ...change, spending_controls: controls, metadata: merged };
    await updateIssuerObject(tx, id, { data, ...(given && { hidden: { ...found.hidden, pin: openPin(given) } }) });
    if (change.status === "canceled") await deleteTokensOfCard(work, id);
    work.emit({ type: "issuing_card.updated", object: data });
    return data;
  },
});

const cardsMax = 100;

/** Cancels the cards of a person that the issuer blocks. */
export async function cancelCardsOf(work: IssuerWork, cardholder: string): Promise<void> {
  const part = { cardholder: { id: cardholder } };
  const all = await listIssuerObjects(work.tx, { object: cardObject, part, startingAfter: null, limit: cardsMax });
  for (const { id, data: known } of all.filter(({ data }) => data["status"] !== "canceled")) {
    const data = { ...known, status: "canceled" };
    await updateIssuerObject(work.tx, id, { data });
    await deleteTokensOfCard(work, id);
    work.emit({ type: "issuing_card.updated", object: data });
  }
}

const retrieve = defineIssuerRoute({
  method: "GET",
  path: `${path}/{id}`,
  input: z.object({ id: z.string(), expand: z.array(z.string()).default([]) }),
  run: async ({ tx }, { id, expand }) => {
    const { data, hidden } = await getObject(tx, cardObject, id);
    // The numbers of physical cards are on the cards alone, also for the operator.
    const names = data["type"] === "virtual" ? ["number", "cvc"].filter((name) => expand.includes(name)) : [];
    return { ...data, ...Object.fromEntries(names.map((name) => [name, hidden[name]])) };
  },
});

const list = defineIssuerRoute({
  method: "GET",
  path,
  input: pageOf({
    cardholder: z.string().optional(),
    status: status.optional(),
    type: z.enum(["virtual", "physical"]).optional(),
    last4: z.string().optional(),
    exp_month: wholeNumber.optional(),
    exp_year: wholeNumber.optional(),
    personalization_design: z.string().optional(),
    created: createdRange,
  }),
  run: async ({ tx }, { cardholder, created, limit, starting_after, ending_before, expand: _, ...filters }) =>
    buildList(path, { limit, starting_after, ending_before }, (page) => {
      const part = { ...filters, ...(cardholder !== undefined && { cardholder: { id: cardholder } }) };
      return listIssuerObjects(tx, { object: cardObject, part, ...created, ...page });
    }),
});

export const cardRoutes: readonly IssuerRoute[] = [create, update, retrieve, list];
