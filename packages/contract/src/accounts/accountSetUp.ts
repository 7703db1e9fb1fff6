/**
 * The older way to an account, in which the user owns the Safe until it is set up. The steps are: create it, set a
 * currency, sign the set-up, send it. `POST /safe/deploy` does all of them at once.
 */
import { z } from "zod";
import {
  address,
  hex,
  id,
  instant,
  nativeToken,
  signatureWith,
  transactionHash as hashText,
  unlessMissing,
} from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

const older = {
  access: "user",
  errorStyle: "error",
  unauthorizedStyle: "error",
  deprecated: { successor: "/safe/deploy" },
} as const;

const transactionHash = hashText
  .optional()
  .meta({ description: "The transaction of this step; absent before there is one" });

export const create = defineRoute({
  ...older,
  method: "POST",
  path: "/account",
  summary: "Creates the user's Safe, or answers the existing one; waits for the chain up to 10 seconds",
  input: z.object({
    chainId: z
      .literal("100", { error: unlessMissing('chainId must be "100"') })
      .meta({ description: "The chain's id, as a string" }),
  }),
  output: z.object({
    id: id.meta({ description: "The Safe record's id" }),
    address: address.meta({ description: "The Safe's address" }),
    userId: id.meta({ description: "The user" }),
    chainId: z.string().meta({ description: "The chain's id", examples: ["100"] }),
    salt: hex.meta({ description: "Salt of the Safe's address" }),
    createdAt: instant.meta({ description: "When it was requested" }),
    deployed: z.boolean().meta({ description: "Whether the Safe's contract is on chain", examples: [true] }),
    transactionHash,
  }),
  errors: ["request.malformed", "safes.kyc_required", "safes.key_required"],
});

const gas = z.int().meta({ description: "Not used, 0", examples: [0] });
const refund = address.meta({ description: "Unused, the zero address", examples: [nativeToken] });

const safeTypedData = z
  .object({
    domain: z
      .object({
        verifyingContract: address.meta({ description: "The Safe" }),
        chainId: z.int().meta({ description: "The chain's id", examples: [100] }),
      })
      .meta({ description: "EIP-712 domain" }),
    primaryType: z.literal("SafeTx").meta({ description: "EIP-712 primary type" }),
    types: z
      .object({
        SafeTx: z
          .array(
            z.object({
              type: z.string().meta({ description: "Solidity type", examples: ["address"] }),
              name: z.string().meta({ description: "Field of the message", examples: ["to"] }),
            }),
          )
          .meta({ description: "The signed fields" }),
      })
      .meta({ description: "EIP-712 types" }),
    message: z
      .object({
        to: address.meta({ description: "The contract that runs several calls in one (MultiSend)" }),
        value: z.int().meta({ description: "Amount of the native token, in base units", examples: [0] }),
        data: hex.meta({ description: "The calls that set the account up" }),
        operation: z.int().meta({ description: "1, a delegate call", examples: [1] }),
        safeTxGas: gas,
        baseGas: gas,
        gasPrice: gas,
        gasToken: refund,
        refundReceiver: refund,
        nonce: z.int().meta({ description: "The Safe's own transaction nonce", examples: [0] }),
      })
      .meta({ description: "The message to sign" }),
  })
  .meta({ id: "SafeTypedData", description: "EIP-712 typed data of a Safe transaction, to sign unchanged" });

const preconditions = [
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
    signature: signatureWith("signature is missing").meta({
      description: "EIP-712 signature of the typed data from `GET /account/signature-payload`, by the Safe's owner",
    }),
  }),
  output: z.object({
    transactionHash,
    deployed: z.boolean().meta({ description: "False while the chain has not confirmed it", examples: [true] }),
  }),
  errors: [
    "request.malformed",
    "safes.kyc_required",
    ...preconditions,
    "safes.invalid_signature",
    "safes.set_up_failed",
  ],
});
