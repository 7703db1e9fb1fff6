/**
 * Operations on the user's Safe that run through the delay relay.
 *
 * - salt, data: the two signed fields of a `ModuleTx`; data is the Delay module's calldata that wraps the operation.
 */
import { z } from "zod";
import { defineMachine, listStates, type StateOf } from "../core/machine.ts";
import { address, hex, id, instant, omitNull, signatureWith } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

export const delayMachine = defineMachine({
  name: "DelayedTransaction.status",
  initial: "QUEUING",
  states: {
    QUEUING: { means: "Accepted; the transaction that enqueues it is being sent" },
    WAITING: { means: "In the Delay module's queue; executes after `readyAt`, once it is first in the queue" },
    EXECUTING: { means: "The transaction that executes it is being sent" },
    EXECUTED: { means: "The Safe's own log proves that it ran", isFinal: true },
    FAILED: { means: "It will never run; the list excludes it", isFinal: true },
  },
  transitions: [
    {
      from: "QUEUING",
      to: "WAITING",
      when: "`TransactionAdded` is mined, whichever account relayed the signed message",
    },
    {
      from: "WAITING",
      to: "EXECUTING",
      when: "its cooldown has passed by the chain's time, and it is first in the queue",
    },
    { from: "EXECUTING", to: "EXECUTING", when: "our execution reverted; it is retried until it expires" },
    { from: "EXECUTING", to: "EXECUTED", when: "our execution is mined" },
    { from: "WAITING", to: "EXECUTED", when: "another account executed the queue" },
    { from: "QUEUING", to: "FAILED", when: "the chain rejects the enqueue, or the signer invalidated the message" },
    {
      from: "WAITING",
      to: "FAILED",
      when: "it expired, late or rejected by the chain, whose reason is kept",
    },
    { from: "EXECUTING", to: "FAILED", when: "our execution reverted, and it expired before the next attempt" },
  ],
  undone: [
    { from: "WAITING", to: "QUEUING", when: "the block of its enqueue was removed" },
    { from: "EXECUTING", to: "QUEUING", when: "the block of its enqueue was removed" },
    { from: "EXECUTED", to: "QUEUING", when: "the block of its enqueue was removed, and so was that of its execution" },
    { from: "FAILED", to: "QUEUING", when: "the block that rejected or held its enqueue was removed" },
    { from: "EXECUTED", to: "WAITING", when: "the block of its execution was removed" },
    { from: "FAILED", to: "WAITING", when: "the block that showed it as expired was removed" },
  ],
});
export type DelayStatus = StateOf<typeof delayMachine>;

/** `transfer` of 25 tokens of 18 decimals. */
const exampleTransfer =
  "0xa9059cbb000000000000000000000000000000000000000000000000000000000000beef0000000000000000000000000000000000000000000000015af1d78b58c40000";
/** `execTransactionFromModule` of 25 of the native token. */
const exampleNativeTransfer =
  "0x468721a7000000000000000000000000000000000000000000000000000000000000beef0000000000000000000000000000000000000000000000015af1d78b58c40000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000";
const exampleJsonTransfer = JSON.stringify({
  to: "0xcB444e90D8198415266c6a2724b7900fb12FC56E",
  value: "0",
  data: exampleTransfer,
});
const ofType = { description: "Solidity type" };
const ofName = { description: "Field of the message" };

export const delayedTransaction = z
  .object({
    id: id.meta({ description: "The operation's id" }),
    safeAddress: address.meta({ description: "The Safe of the operation" }),
    transactionData: z.string().meta({
      description:
        "The inner call. As hex: its data, `transfer(address,uint256)` for a token; a call without data, a native transfer, is the whole `execTransactionFromModule(address,uint256,bytes,uint8)`. As JSON: a text of `to`, `value` (base units) and `data`, always in the answer of a withdrawal, elsewhere by the operator's setting",
      examples: [exampleTransfer, exampleNativeTransfer, exampleJsonTransfer],
    }),
    enqueueTaskId: id.meta({ description: "The task that enqueues it on chain" }),
    dispatchTaskId: omitNull(id).meta({ description: "The task that executes it; absent before there is one" }),
    readyAt: omitNull(instant).meta({
      description: "When it may execute, by the chain's time; absent until it is in the Delay module's queue",
    }),
    operationType: z
      .enum(["CALL", "DELEGATECALL"])
      .meta({ description: "How the Safe runs the inner call", examples: ["CALL"] }),
    userId: id.meta({ description: "The user who requested it" }),
    status: z.enum(listStates(delayMachine)).meta({ description: "Status", examples: ["WAITING"] }),
    createdAt: instant.meta({ description: "When it was accepted" }),
  })
  .meta({ id: "DelayedTransaction", description: "An operation on the Safe that runs through the delay relay" });

const signedMessage = z
  .object({
    salt: hex
      .refine((value) => value.length === 66, "message.salt must be 32 bytes")
      .meta({ description: "32 bytes that make the message unique", examples: [`0x${"5a".repeat(32)}`] }),
    data: hex.meta({ description: "The Delay module's calldata", examples: [exampleNativeTransfer] }),
  })
  .meta({ id: "SignedMessage", description: "The message of the typed data that was signed" });

/**
 * The signature fields of a delayed operation, in the order in which errors are reported. `source` is the path that answers the
 * typed data to sign.
 */
export const authorizationOf = (source: string) => ({
  signature: signatureWith("signature is missing").meta({
    description: `EIP-712 signature of the typed data from \`GET ${source}\`, by a key from \`GET /owners\``,
  }),
  message: signedMessage.meta({ description: `\`data.message\` from \`GET ${source}\`, unchanged` }),
  smartWalletAddress: address
    .optional()
    .meta({ description: "The signing owner from `GET /owners`, if it is a contract wallet (ERC-1271)" }),
});

/** EIP-712 typed data of a Delay module's `ModuleTx`, to be signed unchanged. */
const moduleTypedData = z
  .object({
    domain: z
      .object({
        verifyingContract: address.meta({ description: "The Safe's Delay module" }),
        chainId: z.int().meta({ description: "The chain's id", examples: [100] }),
      })
      .meta({ description: "EIP-712 domain" }),
    primaryType: z.literal("ModuleTx").meta({ description: "EIP-712 primary type" }),
    types: z
      .object({
        ModuleTx: z
          .tuple([
            z.object({ type: z.literal("bytes").meta(ofType), name: z.literal("data").meta(ofName) }),
            z.object({ type: z.literal("bytes32").meta(ofType), name: z.literal("salt").meta(ofName) }),
          ])
          .meta({ description: "The two signed fields" }),
      })
      .meta({ description: "EIP-712 types" }),
    message: z
      .object({
        data: hex.meta({ description: "The Delay module's calldata", examples: [exampleNativeTransfer] }),
        salt: hex.meta({ description: "32 bytes that make the message unique", examples: [`0x${"5a".repeat(32)}`] }),
      })
      .meta({ description: "The message to sign; send it back as `message`" }),
  })
  .meta({
    id: "ModuleTypedData",
    description: "EIP-712 typed data of a Delay module's `ModuleTx`, to sign unchanged",
  });

/** The answer of `transaction-data`. */
export const signedData = moduleTypedData.meta({ description: "The typed data that an owner of the Safe signs" });
/** The answer to a signed operation. */
export const acceptedDelay = delayedTransaction.meta({ description: "The accepted operation" });

export const list = defineRoute({
  method: "GET",
  path: "/delay-relay",
  scope: "transactions",
  summary: "The user's delayed operations in execution order: all open ones and the last 100 executed",
  access: "user",
  output: z.array(delayedTransaction),
  errors: [],
  errorStyle: "error",
  unauthorizedStyle: "error",
});
