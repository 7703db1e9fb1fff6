/**
 * Operations on the user's Safe that run through the delay relay.
 *
 * - salt, data: the two signed fields of a `ModuleTx`; data is the Delay module's calldata that wraps the operation.
 */
import { z } from "zod";
import { defineMachine, listStates, type StateOf } from "./machine.ts";
import { address, hex, id, instant } from "./primitives.ts";
import { defineRoute } from "./route.ts";

export const delayMachine = defineMachine({
  name: "DelayedTransaction.status",
  initial: "QUEUING",
  states: {
    QUEUING: { means: "Accepted; the transaction that enqueues it is being sent" },
    WAITING: { means: "In the Delay module's queue; executes once `readyAt` has passed and it is the head" },
    EXECUTING: { means: "The transaction that executes it is being sent" },
    EXECUTED: { means: "The Safe's own log proves that it ran", isFinal: true },
    FAILED: { means: "It will never run; the list leaves it out", isFinal: true },
  },
  transitions: [
    { from: "QUEUING", to: "WAITING", when: "`TransactionAdded` is mined, whoever relayed the signed message" },
    { from: "WAITING", to: "EXECUTING", when: "cooled down by the chain's time, and head of the queue" },
    { from: "EXECUTING", to: "EXECUTING", when: "our execution reverted; it is tried again until it expires" },
    { from: "EXECUTING", to: "EXECUTED", when: "our execution is mined" },
    { from: "WAITING", to: "EXECUTED", when: "somebody else executed the queue" },
    { from: "QUEUING", to: "FAILED", when: "the chain refuses the enqueue, or the signer invalidated the message" },
    {
      from: "WAITING",
      to: "FAILED",
      when: "it expired: too late, or refused by the chain until then, whose reason is kept",
    },
    { from: "EXECUTING", to: "FAILED", when: "our execution reverted, and it expired before another try" },
  ],
  undone: [
    { from: "WAITING", to: "QUEUING", when: "the block of its enqueue is gone" },
    { from: "EXECUTING", to: "QUEUING", when: "the block of its enqueue is gone" },
    { from: "EXECUTED", to: "QUEUING", when: "the block of its enqueue is gone, and so that of its execution" },
    { from: "FAILED", to: "QUEUING", when: "the block that refused its enqueue, or held it, is gone" },
    { from: "EXECUTED", to: "WAITING", when: "the block of its execution is gone" },
    { from: "FAILED", to: "WAITING", when: "the block that showed it as expired is gone" },
  ],
});
export type DelayStatus = StateOf<typeof delayMachine>;

export const delayedTransaction = z.object({
  id,
  safeAddress: address,
  transactionData: z.string().meta({ description: "The inner call: its data as hex, or JSON of to, value and data" }),
  enqueueTaskId: id,
  dispatchTaskId: id.nullable(),
  readyAt: instant.nullable().meta({ description: "When it may execute, by the chain's time" }),
  operationType: z.enum(["CALL", "DELEGATECALL"]),
  userId: id,
  status: z.enum(listStates(delayMachine)),
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
