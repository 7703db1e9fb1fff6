/** Resources, their fields, and the shapes of answers. */
import { expect } from "bun:test";
import { decodeFunctionData, erc20Abi, parseAbi } from "viem";
import { eure } from "../../support/tokens.ts";
import { answerOf, fieldRows, type Row } from "./row.ts";
import { destination, withdrawn, type World } from "./world.ts";

const bodyOf = (name: string) => (world: World) => answerOf(world, name).body;
const dataOf = (name: string) => (world: World) => answerOf(world, name).body.data;
const firstIbanOrder = (world: World) => answerOf(world, "ibanOrders").body.data[0];

const orderStatuses =
  "PENDINGTRANSACTION, TRANSACTIONCOMPLETE, CONFIRMATIONREQUIRED, READY, CARDCREATED, FAILEDTRANSACTION, CANCELLED".split(
    ", ",
  );
const delayStatuses = ["QUEUING", "WAITING", "EXECUTING", "EXECUTED", "FAILED"];

const cardOrder = {
  id: "string",
  createdAt: "date-time",
  status: orderStatuses,
  personalizationSource: ["KYC", "ENS"],
  embossedName: "string",
  address1: "string",
  address2: "string",
  city: "string",
  country: "string",
  postalCode: "string",
  couponCode: "string",
  totalAmountEUR: "number",
  totalDiscountEUR: "number",
  virtual: "boolean",
  transactionHash: "string",
};

const delayedTransaction = {
  id: "string",
  safeAddress: "address",
  transactionData: "string",
  enqueueTaskId: "string",
  dispatchTaskId: "string",
  readyAt: "date-time",
  operationType: ["CALL", "DELEGATECALL"],
  userId: "string",
  status: delayStatuses,
  createdAt: "date-time",
};

const delayAbi = parseAbi([
  "function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation)",
]);

const moduleAbi = (data: `0x${string}`) => decodeFunctionData({ abi: delayAbi, data }).args;

const transactionData: Row[] = [
  {
    says: "DelayedTransaction.transactionData: a JSON-encoded string of to/value/data in the withdraw response",
    check: (world) => {
      const { to, value, data } = JSON.parse(answerOf(world, "withdraw").body.data.transactionData);
      expect([to, value]).toEqual([eure, "0"]);
      expect(decodeFunctionData({ abi: erc20Abi, data })).toEqual({
        functionName: "transfer",
        args: [destination, BigInt(withdrawn.amount)],
      });
      expect(JSON.parse(answerOf(world, "withdrawNative").body.data.transactionData)).toEqual({
        to: destination,
        value: withdrawn.nativeAmount,
        data: "0x",
      });
    },
  },
  {
    says: "DelayedTransaction.transactionData: hex string in list, which decodes for a token and for the native one",
    check: (world) => {
      const [ofToken, ofNative] = answerOf(world, "delays").body;
      expect(decodeFunctionData({ abi: erc20Abi, data: ofToken.transactionData })).toEqual({
        functionName: "transfer",
        args: [destination, BigInt(withdrawn.amount)],
      });
      expect(moduleAbi(ofNative.transactionData)).toEqual([destination, BigInt(withdrawn.nativeAmount), "0x", 0]);
    },
  },
  {
    says: "DelayedTransaction.transactionData: hex string in owner-removal responses",
    check: (world) => expect(answerOf(world, "removeOwner").body.data.transactionData).toMatch(/^0xe009cfde/),
  },
];

const signedMessage: Row[] = ["salt", "data"].map((name) => ({
  says: `Signed message object.${name}: string, hex with 0x prefix`,
  check: async ({ ada }) => {
    const query = new URLSearchParams({ tokenAddress: eure, to: destination, amount: "1" });
    const { body } = await ada.call("GET", `/accounts/withdraw/transaction-data?${query}`);
    expect(body.data.message[name]).toMatch(/^0x[0-9a-f]+$/);
  },
}));

export const resources: readonly Row[] = [
  ...fieldRows("CardOrder", bodyOf("order"), cardOrder),
  // It comes with the identity's address, not with another one to ship to.
  ...fieldRows("CardOrder", bodyOf("ownAddressOrder"), { state: "string" }),
  {
    says: "CardOrder: what has no value is absent, never null",
    check: (world) => {
      const created = answerOf(world, "createOrder").body;
      expect(Object.values(created)).not.toContain(null);
      expect("transactionHash" in created || "couponCode" in created).toBe(false);
    },
  },
  ...fieldRows("DelayedTransaction", (world) => answerOf(world, "delays").body[0], delayedTransaction),
  {
    says: "DelayedTransaction: what has no value is absent, never null",
    check: (world) => {
      const queuing = answerOf(world, "withdraw").body.data;
      expect("readyAt" in queuing || "dispatchTaskId" in queuing).toBe(false);
      expect(Object.values(queuing)).not.toContain(null);
    },
  },
  ...transactionData,
  ...signedMessage,
  ...fieldRows("Sign-up result", bodyOf("signUp"), { id: "string", token: "JWT", hasSignedUp: "boolean" }),
  ...fieldRows("Sign-in result", bodyOf("challenge"), { token: "JWT" }),
  ...fieldRows("Account setup result", bodyOf("deployModules"), { transactionHash: "hex", deployed: "boolean" }),
  ...fieldRows("Safe deploy acknowledgement", bodyOf("deploy"), { status: ["accepted"] }),
  ...fieldRows("Daily limit", dataOf("onchainDailyLimit"), {
    onchainDailyLimit: "number",
    onchainDailyRemaining: "number",
  }),
  ...fieldRows("Balances", bodyOf("balances"), {
    total: "decimal string",
    spendable: "decimal string",
    pending: "decimal string",
  }),
  ...fieldRows("IBAN details", dataOf("ibanDetails"), {
    ibanStatus: "string",
    iban: "string",
    bic: "string",
    address: "address",
  }),
  {
    says: "IBAN details: what has no value is absent, never null",
    check: (world) => expect(Object.values(answerOf(world, "ibanPending").body.data)).not.toContain(null),
  },
  ...fieldRows("IBAN availability", dataOf("ibanAvailable"), { available: "boolean" }),
  ...fieldRows("IBAN order", firstIbanOrder, {
    id: "string",
    kind: ["issue", "redeem"],
    currency: ["eur"],
    amount: "decimal string",
    address: "address",
    counterpart: "object",
    state: ["placed", "pending", "processed", "rejected"],
    meta: "object",
    memo: "string",
  }),
  ...fieldRows("IBAN order.counterpart.details", (world) => firstIbanOrder(world).counterpart.details, {
    name: "string",
  }),
  ...fieldRows("IBAN order.counterpart.identifier", (world) => firstIbanOrder(world).counterpart.identifier, {
    standard: ["iban"],
    iban: "string",
  }),
  ...fieldRows("IBAN order.meta", (world) => firstIbanOrder(world).meta, { placedAt: "date-time" }),
  ...fieldRows("KYC web link", bodyOf("webLink"), { type: ["PROVIDER_WEB"], url: "URL" }),
  ...fieldRows("KYC SDK token", bodyOf("sdkToken"), { type: ["PROVIDER_SDK"], token: "string", userId: "string" }),
  ...fieldRows("Webhook subscription result", bodyOf("subscribe"), { success: "boolean", subscriptionId: "string" }),
  ...fieldRows("Webhook subscription status", bodyOf("subscription"), {
    subscribed: "boolean",
    subscriptionId: "string",
  }),
  {
    says: "Webhook subscription status: subscriptionId is absent where there is none, never null",
    check: (world) => expect(answerOf(world, "notSubscribed").body).toEqual({ subscribed: false }),
  },
];
