/** The issuer's test helpers for authorizations. Source: docs.stripe.com/api/issuing/authorizations/test_mode_create. */
import { findMcc } from "@cardkeep/providers/issuer/merchantCategories";
import { insertIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import type { SandboxRuntime } from "../core/openStore.ts";
import { authorizationObject, showAuthorization } from "./authorizations.ts";
import { finalizeAmount } from "./endAuthorization.ts";
import { cardObject } from "./cards.ts";
import { addRequest, answerIncrement, answerPending } from "./increments.ts";
import { defineIssuerRoute, generateIssuerId, getObject, type IssuerRoute, wholeNumber } from "./route.ts";
import { buildAuthorization, usedCard } from "./buildAuthorization.ts";

const helpers = "/v1/test_helpers/issuing/authorizations";
const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((word) => word === "true");
const otherCategory = "5999";

const text = z.string().optional();
const merchantData = z
  .object({ category: text, name: text, city: text, country: text })
  .default({})
  .transform(({ category, name = "Rocket Rides", city = "Berlin", country = "DE" }) => ({
    name,
    city,
    country,
    mcc: (category === undefined ? null : findMcc(category)) ?? otherCategory,
  }));

/** The answer to a helper that asks the service: the authorization as it is then. */
const showAnswered =
  (answer: typeof answerPending) =>
  async (runtime: SandboxRuntime, asked: unknown): Promise<unknown> => {
    const { id } = z.object({ id: z.string() }).parse(asked);
    return showAuthorization(runtime.store, await answer(runtime, id));
  };

const create = defineIssuerRoute({
  method: "POST",
  path: helpers,
  input: z.object({
    card: z.string(),
    amount: wholeNumber.default(0),
    amount_details: z
      .object({ atm_fee: wholeNumber.default(0), cashback_amount: wholeNumber.default(0) })
      .default({ atm_fee: 0, cashback_amount: 0 }),
    authorization_method: z.enum(["chip", "contactless", "keyed_in", "online", "swipe"]).default("online"),
    currency: text,
    is_amount_controllable: flag,
    merchant_amount: wholeNumber.optional(),
    merchant_currency: text,
    merchant_data: merchantData,
    verification_data: z
      .object({ cvc_check: z.enum(["match", "mismatch", "not_provided"]).default("match") })
      .default({ cvc_check: "match" }),
  }),
  run: async ({ tx, now }, { card: cardId, amount, ...given }) => {
    const { data } = await getObject(tx, cardObject, cardId, "card");
    const id = generateIssuerId("iauth");
    const currency = given.currency ?? String(data["currency"]);
    const use = {
      cardId,
      amount,
      currency,
      merchantAmount: given.merchant_amount ?? amount,
      merchantCurrency: given.merchant_currency ?? currency,
      merchant: given.merchant_data,
      type: "00",
      cvc: given.verification_data.cvc_check,
      method: given.authorization_method,
      partial: given.is_amount_controllable,
      fee: given.amount_details.atm_fee,
      cashback: given.amount_details.cashback_amount,
    };
    const pending = buildAuthorization(id, now, use, usedCard.parse(data));
    await insertIssuerObject(tx, { id, object: authorizationObject, data: pending, hidden: {}, createdAt: now });
    return pending;
  },
  finish: showAnswered(answerPending),
});

const increment = defineIssuerRoute({
  method: "POST",
  path: `${helpers}/{id}/increment`,
  input: z.object({ id: z.string(), increment_amount: wholeNumber, is_amount_controllable: flag }),
  run: (work, { id, increment_amount: amount, is_amount_controllable: partial }) =>
    addRequest(work, id, { amount, partial }),
  finish: showAnswered(answerIncrement),
});

const finalize = defineIssuerRoute({
  method: "POST",
  path: `${helpers}/{id}/finalize_amount`,
  input: z.object({
    id: z.string(),
    final_amount: wholeNumber,
    fuel: z.record(z.string(), z.unknown()).optional(),
    fleet: z.record(z.string(), z.unknown()).optional(),
  }),
  run: async (work, { id, final_amount: amount, ...details }) =>
    showAuthorization(work.tx, await finalizeAmount(work, id, { amount, details })),
});

export const authorizationSteps: readonly IssuerRoute[] = [create, increment, finalize];
