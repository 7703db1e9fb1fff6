/**
 * The routes of a person's Safe: deployment, configuration, currency.
 *
 * - account status: integrity of the on-chain account, 0 (Ok) to 8; the first failing test decides; 7 = an operation
 *   is queued.
 */
import { z } from "zod";
import { address, id, instant, tokenAmount } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";
import { accountNotice, tokenSymbol } from "./safes.ts";

const fiatSymbol = z.enum(["EUR", "GBP", "USD"]);
const chainId = z.string().meta({ description: "The chain's id", examples: ["100"] });

export const deploy = defineRoute({
  method: "POST",
  path: "/safe/deploy",
  summary: "Deploys and sets up the user's Safe without a signature; progress by GET",
  access: "user",
  input: z.object({
    dailyLimit: z
      .int()
      .min(1)
      .optional()
      .meta({ description: "Daily limit in whole token units, default 350", examples: [350] }),
  }),
  output: z.object({ status: z.literal("accepted").meta({ description: "The request was accepted" }) }),
  status: 202,
  errors: [
    "request.malformed",
    "safes.signer_required",
    "safes.kyc_required",
    "safes.already_exists",
    "safes.set_up_older",
  ],
  errorStyle: "error",
  unauthorizedStyle: "error",
});

export const deployment = defineRoute({
  method: "GET",
  path: "/safe/deploy",
  summary: "Status of the deployment",
  access: "user",
  output: z.object({
    status: z
      .enum(["ok", "not_deployed", "processing", "failed"])
      .meta({ description: "Status of the deployment", examples: ["ok"] }),
    updatedAt: instant.optional().meta({ description: "Last change; absent before it is requested" }),
  }),
  errors: [],
  errorStyle: "error",
  unauthorizedStyle: "error",
});

export const config = defineRoute({
  method: "GET",
  path: "/safe/config",
  aliases: ["/safe-config"],
  summary: "Address, currency, integrity and daily allowance of the user's Safe",
  access: "user",
  output: z.object({
    hasNoApprovals: z
      .boolean()
      .meta({ description: "Whether the Safe has granted the spender no allowance", examples: [false] }),
    isDeployed: z
      .boolean()
      .meta({ description: "Whether the Safe's contract is on chain, set up or not", examples: [true] }),
    address: address.nullable().meta({ description: "The Safe's address; null before there is one" }),
    tokenSymbol: tokenSymbol.nullable().meta({ description: "The Safe's token; null before it is set" }),
    fiatSymbol: fiatSymbol
      .nullable()
      .meta({ description: "The token's currency; null before it is set", examples: ["EUR"] }),
    accountStatus: z
      .int()
      .min(0)
      .max(8)
      .meta({
        description:
          "Integrity of the account, by the first failing test: 0 ok, 1 Safe not deployed, 2 Safe misconfigured, 3 and 4 Roles module, 5 and 6 Delay module not deployed or misconfigured, 7 an operation is queued, 8 unknown",
        examples: [0],
      }),
    accountAllowance: z
      .object({
        balance: tokenAmount.meta({ description: "What the card may still spend, in the token's base units" }),
        refill: tokenAmount.meta({ description: "The daily limit, in the token's base units" }),
        period: z.string().meta({ description: "Length of a day of the limit in seconds", examples: ["86400"] }),
        nextRefill: z
          .string()
          .nullable()
          .meta({
            description: "When the whole limit is available again, unix seconds; null if never",
            examples: ["1767225600"],
          }),
      })
      .meta({ description: "The daily limit on chain" }),
    notices: z
      .array(accountNotice)
      .optional()
      .meta({ description: "Lasting problems of the account, for its user; absent while there are none" }),
  }),
  errors: [],
  errorStyle: "error",
  unauthorizedStyle: "error",
});

export const setCurrency = defineRoute({
  method: "POST",
  path: "/safe/set-currency",
  summary: "Sets the currency of the user's Safe to that of the user's country, before its set-up",
  access: "user",
  output: z.object({ tokenSymbol }),
  errors: ["safes.kyc_required", "safes.not_found"],
  errorStyle: "error",
  unauthorizedStyle: "error",
  deprecated: { successor: "/safe/deploy" },
});

export const reset = defineRoute({
  method: "DELETE",
  path: "/safe/reset",
  summary: "Forgets a Safe that is no longer usable, so that another can be deployed; the contract stays",
  access: "user",
  output: z.object({
    message: z.literal("Safe account reset successfully").meta({ description: "The result, in words" }),
  }),
  errors: [
    "safes.not_found",
    "safes.reset_under_way",
    "safes.reset_queued",
    "safes.reset_in_service",
    "safes.reset_balance",
    "safes.reset_cards",
  ],
  errorStyle: "message",
  unauthorizedStyle: "error",
  failure: { style: "message", text: "Internal server error" },
});

export const migration = defineRoute({
  method: "GET",
  path: "/safe/migration",
  summary: "Whether the user had another Safe before; nothing is moved from it automatically",
  access: "user",
  input: z.object({
    migrationId: id.optional().meta({ description: "The migration, if its id is known from an earlier answer" }),
  }),
  output: z.object({
    migrationId: id.meta({ description: "The migration's id" }),
    status: z
      .enum(["PENDING", "IN_PROGRESS", "COMPLETED", "FAILED"])
      .optional()
      .meta({ description: "Status; absent if none began", examples: ["COMPLETED"] }),
    hasOldSafe: z.boolean().meta({ description: "Whether there was another Safe before", examples: [false] }),
    newSafe: z
      .object({
        address: address.meta({ description: "Its address" }),
        chainId,
        tokenSymbol: tokenSymbol.optional().meta({ description: "Its token; absent before it is set" }),
      })
      .optional()
      .meta({ description: "The present Safe; absent if there is none" }),
    oldSafe: z
      .object({
        address: address.meta({ description: "Its address" }),
        chainId,
        recordedAt: instant.meta({ description: "When it was abandoned" }),
      })
      .optional()
      .meta({ description: "The previous Safe; absent if there was none" }),
  }),
  errors: ["request.malformed", "safes.unknown_migration"],
  errorStyle: "error",
  unauthorizedStyle: "error",
});
