/**
 * The older way to an account, in which the user owns the Safe until it is set up: create it, give it a currency, sign
 * the set-up, have it sent. `POST /safe/deploy` does all of it at once.
 */
import { z } from "zod";
import { address, hex, id, instant } from "./primitives.ts";
import { defineRoute } from "./route.ts";

const older = {
  access: "user",
  errorStyle: "error",
  unauthorizedStyle: "error",
  deprecated: { successor: "/safe/deploy" },
} as const;

const transactionHash = hex.optional().meta({ description: "The transaction that did it, or that is to do it" });

export const create = defineRoute({
  ...older,
  method: "POST",
  path: "/account",
  summary: "Creates the user's Safe, or answers the one there is; waits for the chain up to 10 seconds",
  input: z.object({
    chainId: z.literal("100", 'chainId must be "100"').meta({ description: "The chain, as a string" }),
  }),
  output: z.object({
    id,
    address,
    userId: id,
    chainId: z.string(),
    salt: hex,
    createdAt: instant,
    deployed: z.boolean().meta({ description: "Whether the Safe's contract is on chain" }),
    transactionHash,
  }),
  errors: ["request.malformed", "auth.unauthorized", "safes.kyc_required", "safes.key_required"],
});

const safeTypedData = z.object({
  domain: z.object({ verifyingContract: address, chainId: z.int() }),
  primaryType: z.literal("SafeTx"),
  types: z.object({ SafeTx: z.array(z.object({ type: z.string(), name: z.string() })) }),
  message: z.object({
    to: address,
    value: z.int(),
    data: hex,
    operation: z.int(),
    safeTxGas: z.int(),
    baseGas: z.int(),
    gasPrice: z.int(),
    gasToken: address,
    refundReceiver: address,
    nonce: z.int(),
  }),
});

const preconditions = [
  "auth.unauthorized",
  "safes.not_found",
  "safes.already_set_up",
  "safes.not_deployed",
  "safes.currency_missing",
  "safes.already_used",
] as const;

export const signaturePayload = defineRoute({
  ...older,
  method: "GET",
  path: "/account/signature-payload",
  summary: "The Safe transaction that sets the account up, as EIP-712 typed data for its owner to sign",
  output: safeTypedData,
  errors: preconditions,
});

export const deployModules = defineRoute({
  ...older,
  method: "PATCH",
  path: "/account/deploy-safe-modules",
  summary: "Sends the signed set-up; waits for the chain up to 10 seconds",
  input: z.object({
    signature: hex
      .refine((value) => value.length > 2, "signature is missing")
      .meta({ description: "EIP-712 signature of the payload" }),
  }),
  output: z.object({
    transactionHash,
    deployed: z.boolean().meta({ description: "False when the chain has not confirmed it yet" }),
  }),
  errors: ["request.malformed", ...preconditions, "safes.invalid_signature", "safes.set_up_failed"],
});
