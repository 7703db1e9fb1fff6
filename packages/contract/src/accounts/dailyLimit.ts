/** The daily limit of card spending. The allowance of the Safe's Roles module enforces it. */
import { z } from "zod";
import { accounts } from "./accounts.ts";
import { acceptedDelay, authorizationOf, signedData } from "./delays.ts";
import { address, hex, result, unlessMissing } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

/** A limit or its remainder, in whole units of the Safe's token; the chain may hold fractions. */
export const wholeTokens = z
  .number()
  .min(0)
  .meta({ description: "Whole units of the Safe's token", examples: [350] });

const limit = wholeTokens.meta({
  description: "The daily spending limit of the card, in whole units of the Safe's token",
});
const remaining = wholeTokens.meta({ description: "The remaining amount now, in whole units of the Safe's token" });

/** The largest daily limit that a user may set, in whole units. */
export const dailyLimitMax = 8_000;

/** A requested daily limit; in a query it is text. */
const limitWith = (field: string) => {
  const message = `${field} must be an integer between 1 and ${dailyLimitMax}`;
  const error = unlessMissing(message);
  const number = z.int({ error }).min(1, message).max(dailyLimitMax, message);
  return {
    number: number.meta({ description: "The new limit, in whole units of the Safe's token", examples: [500] }),
    text: z
      .codec(z.union([z.string(message).regex(/^[1-9][0-9]{0,3}$/, message), number], { error }), number, {
        decode: Number,
        encode: String,
      })
      .meta({ description: "The new limit, in whole units of the Safe's token", examples: ["500"] }),
  };
};

const newLimit = limitWith("newLimit");
const olderLimit = limitWith("onchainDailyLimit");

/** The older routes will be removed in a future version, not before this instant. */
const sunsetAt = "2028-01-01T00:00:00.000Z";

const limitChangeErrors = [
  "delays.message_mismatch",
  "delays.invalid_signature",
  "delays.signer_leaving",
  "delays.already_submitted",
  "delays.refused",
  "delays.quota_exceeded",
] as const;

export const dailyLimit = defineRoute({
  ...accounts,
  method: "GET",
  path: "/accounts/daily-limit",
  summary: "The card's daily limit and its remainder, read from the chain",
  output: z.object({
    data: z
      .object({ dailyLimit: limit, dailyRemaining: remaining })
      .meta({ description: "The daily limit, in whole units of the Safe's token" }),
  }),
  errors: ["safes.not_found"],
});

export const dailyLimitData = defineRoute({
  ...accounts,
  method: "GET",
  path: "/accounts/daily-limit/transaction-data",
  summary: "The typed data to sign for another daily limit",
  input: z.object({ newLimit: newLimit.text }),
  output: z.object({ data: signedData }),
  errors: ["request.invalid", "safes.not_found"],
});

export const setDailyLimit = defineRoute({
  ...accounts,
  method: "PUT",
  path: "/accounts/daily-limit",
  summary: "Changes the daily limit through the delay relay; afterwards the whole new limit is available",
  input: z.object({ newLimit: newLimit.number, ...authorizationOf(dailyLimitData.path) }),
  output: z.object({ data: acceptedDelay }),
  errors: ["request.invalid", "safes.not_found", ...limitChangeErrors],
});

export const onchainDailyLimit = defineRoute({
  ...accounts,
  method: "GET",
  path: "/accounts/onchain-daily-limit",
  summary: "The card's daily limit and its remainder",
  deprecated: { successor: dailyLimit.path, sunsetAt },
  output: z.object({
    data: z
      .object({ onchainDailyLimit: limit, onchainDailyRemaining: remaining })
      .meta({ description: "The daily limit, in whole units of the Safe's token" }),
  }),
  errors: dailyLimit.errors,
});

export const onchainDailyLimitData = defineRoute({
  ...accounts,
  method: "GET",
  path: "/accounts/onchain-daily-limit/transaction-data",
  summary: "The call that sets another daily limit, before it is wrapped for the Delay module",
  deprecated: { successor: dailyLimitData.path, sunsetAt },
  input: z.object({ onchainDailyLimit: olderLimit.text }),
  output: z.object({
    data: z
      .object({
        transaction: z
          .object({
            to: address.meta({ description: "The contract that holds the limit" }),
            value: z.int().meta({ description: "Amount of the native token, in base units", examples: [0] }),
            data: hex.meta({ description: "Calldata of `setAllowance`" }),
          })
          .meta({ description: "The call" }),
      })
      .meta(result),
  }),
  errors: dailyLimitData.errors,
});

export const setOnchainDailyLimit = defineRoute({
  ...accounts,
  method: "PUT",
  path: "/accounts/onchain-daily-limit",
  summary: "Changes the daily limit through the delay relay",
  deprecated: { successor: setDailyLimit.path, sunsetAt },
  input: z.object({
    onchainDailyLimit: olderLimit.number,
    signature: authorizationOf(onchainDailyLimitData.path).signature.meta({
      description:
        "The output of account-kit's enqueue helpers for the call from `GET /accounts/onchain-daily-limit/transaction-data`: the Delay module's calldata, the salt and an owner's signature",
    }),
  }),
  output: z.object({
    data: z
      .object({
        requestedOnchainDailyLimit: z
          .int()
          .meta({ description: "The requested limit, in whole units of the Safe's token", examples: [500] }),
      })
      .meta(result),
  }),
  errors: setDailyLimit.errors,
});
