/**
 * Operations on the user's Safe that run through the delay relay.
 *
 * - salt, data: the two signed fields of a `ModuleTx`; data is the Delay module's calldata that wraps the operation.
 */
import { z } from "zod";
import { address, hex, id, instant } from "./primitives.ts";
import { defineRoute } from "./route.ts";

/** Every status, in the order an operation passes them; FAILED may follow any but EXECUTED. */
export const delayStatuses = ["QUEUING", "WAITING", "EXECUTING", "EXECUTED", "FAILED"] as const;
export type DelayStatus = (typeof delayStatuses)[number];

export const delayedTransaction = z.object({
  id,
  safeAddress: address,
  transactionData: z.string().meta({ description: "The inner call: its data as hex, or JSON of to, value and data" }),
  enqueueTaskId: id,
  dispatchTaskId: id.nullable(),
  readyAt: instant.nullable().meta({ description: "When it may execute, by the chain's time" }),
  operationType: z.enum(["CALL", "DELEGATECALL"]),
  userId: id,
  status: z.enum(delayStatuses),
  createdAt: instant,
});

/** The signature fields of every delayed operation, in the order their faults are told. */
export const authorization = {
  signature: hex
    .refine((value) => value.length > 2, "signature is missing")
    .meta({ description: "EIP-712 signature of the message" }),
  message: z.object({
    salt: hex.refine((value) => value.length === 66, "message.salt must be 32 bytes"),
    data: hex,
  }),
  smartWalletAddress: address.optional().meta({ description: "The owner, where it is a smart contract wallet" }),
};

/** EIP-712 typed data of a Delay module's `ModuleTx`, to be signed as it stands. */
export const moduleTypedData = z.object({
  domain: z.object({ verifyingContract: address, chainId: z.int() }),
  primaryType: z.literal("ModuleTx"),
  types: z.object({
    ModuleTx: z.tuple([
      z.object({ type: z.literal("bytes"), name: z.literal("data") }),
      z.object({ type: z.literal("bytes32"), name: z.literal("salt") }),
    ]),
  }),
  message: z.object({ data: hex, salt: hex }),
});

export const list = defineRoute({
  method: "GET",
  path: "/delay-relay",
  summary: "The user's delayed operations in execution order: all open ones and the last 100 executed",
  access: "user",
  output: z.array(delayedTransaction),
  errors: ["auth.unauthorized"],
  errorStyle: "error",
  unauthorizedStyle: "error",
});
