/** The issuer's desk: actions of a person at the issuer. */
import { findIssuerObject, lockIssuerObject, updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { defineSandboxRoute, SandboxError } from "../core/route.ts";
import { actAtIssuer, findCardholderId } from "./authorizations.ts";
import { findCardholder } from "./cardholders.ts";
import { cardObject } from "./cards.ts";
import { findShippingWay, moveShipping, shippingStatuses } from "./shipping.ts";
import { deliverIssuerEvent } from "./events.ts";
import { IssuerError, toUnixSeconds } from "./route.ts";
import { devices, insertWalletToken, wallets } from "./walletTokens.ts";

export const showIssuerCard = defineSandboxRoute({
  method: "GET",
  path: "/issuer/cards/{cardToken}",
  summary: "The card issuer's data of a card, with its test number and PIN",
  input: z.object({ cardToken: z.string() }),
  example: {},
  run: async ({ store }, { cardToken }) => {
    const found = await findIssuerObject(store, cardObject, cardToken);
    if (!found) throw new SandboxError(404, "No such card");
    const { last4, status, type, currency, cancellation_reason, exp_month, exp_year, shipping, metadata } = found.data;
    const cardholder = await findCardholder(store, findCardholderId(found.data["cardholder"]));
    return {
      cardToken,
      ...found.hidden,
      pan: found.hidden["number"],
      lastFourDigits: last4,
      expMonth: exp_month,
      expYear: exp_year,
      status,
      cardholder: cardholder && {
        name: cardholder["name"],
        phoneNumber: cardholder["phone_number"],
        email: cardholder["email"],
        status: cardholder["status"],
      },
      cancellationReason: cancellation_reason,
      type,
      currency,
      shipping,
      metadata,
    };
  },
});

export const shipCard = defineSandboxRoute({
  method: "POST",
  path: "/issuer/cards/{cardToken}/shipping",
  summary:
    "Moves the shipping of a physical card forward. The service receives each step as the card issuer's signed callback",
  input: z.object({ cardToken: z.string(), status: z.enum(shippingStatuses) }),
  example: { status: "shipped" },
  run: async (runtime, { cardToken, status }) => {
    const found = await findIssuerObject(runtime.store, cardObject, cardToken);
    const from = shipped.safeParse(found?.data["shipping"]).data?.status ?? "";
    for (const step of findShippingWay(from, status) ?? [status]) {
      const object = await runtime.store.transaction((tx) => moveShipping(tx, cardToken, step)).catch(toSandboxError);
      await deliverIssuerEvent(runtime, { type: "issuing_card.updated", object });
    }
    return { cardToken, status };
  },
});

/** Source: docs.stripe.com/api/issuing/cards/object, `latest_fraud_warning.type`. */
const fraudWarnings = [
  "card_testing_exposure",
  "fraud_dispute_filed",
  "third_party_reported",
  "user_indicated_fraud",
] as const;

export const warnOfFraud = defineSandboxRoute({
  method: "POST",
  path: "/issuer/cards/{cardToken}/fraud-warning",
  summary: "The card issuer warns that a card's details are in other hands. The service receives its signed callback",
  input: z.object({ cardToken: z.string(), type: z.enum(fraudWarnings).default("third_party_reported") }),
  example: { type: "third_party_reported" },
  run: async (runtime, { cardToken, type }) => {
    const now = await runtime.clock.now(runtime.db);
    const warning = { type, started_at: toUnixSeconds(now) };
    const object = await runtime.store.transaction(async (tx) => {
      const found = await lockIssuerObject(tx, cardObject, cardToken);
      if (!found) throw new SandboxError(404, "No such card");
      const data = { ...found.data, latest_fraud_warning: warning };
      await updateIssuerObject(tx, cardToken, { data });
      return data;
    });
    await deliverIssuerEvent(runtime, { type: "issuing_card.updated", object });
    return { cardToken, type };
  },
});

/** Adds a card to a digital wallet: the wallet asks the card network for a token, and the issuer approves it. */
export const addToWallet = defineSandboxRoute({
  method: "POST",
  path: "/issuer/cards/{cardToken}/wallet-tokens",
  summary: "Adds a card to a digital wallet. The service receives the card issuer's signed callbacks",
  input: z.object({
    cardToken: z.string(),
    wallet: z.enum(wallets).default("apple_pay"),
    deviceType: z.enum(devices).default("phone"),
    deviceName: z.string().min(1).max(100).default("Ada's phone"),
    /** Without it the wallet token stays requested. */
    isApproved: z.boolean().default(true),
  }),
  example: { wallet: "apple_pay", deviceType: "phone", deviceName: "Ada's phone" },
  run: async (runtime, { cardToken, ...input }) => {
    const found = await findIssuerObject(runtime.store, cardObject, cardToken);
    if (!found) throw new SandboxError(404, "No such card");
    if (found.data["status"] !== "active") throw new SandboxError(422, "The card is not active at the card issuer");
    const { id, status } = await actAtIssuer(runtime, (work) => insertWalletToken(work, cardToken, input));
    return { cardToken, walletTokenId: id, status };
  },
});

const shipped = z.object({ status: z.string() });

function toSandboxError(error: unknown): never {
  throw error instanceof IssuerError ? new SandboxError(error.status === 404 ? 404 : 422, error.message) : error;
}
