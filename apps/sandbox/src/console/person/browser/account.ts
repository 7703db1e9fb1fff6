/** Safe, withdrawals, daily limit, owners, IBAN: what the wallet's owner decides about money. */
import type { PrivateKeyAccount } from "viem/accounts";
import { type Command, pollUntil, textOf } from "./command.ts";
import { keepPerson } from "./keys.ts";

type Hex = `0x${string}`;
const addressOf = (fields: Readonly<Record<string, unknown>>, name: string): Hex => textOf(fields, name) as Hex;

/** An address from a form; a new key of this page where the form names none. */
const addressOrNew = (fields: Readonly<Record<string, unknown>>, name: string): Hex =>
  fields[name] === undefined ? (keepPerson().address as Hex) : addressOf(fields, name);

type TypedData = Parameters<PrivateKeyAccount["signTypedData"]>[0];

const safe: Command = async (actor, fields) => {
  await actor.api("safes", "deploy", { dailyLimit: Number(fields["dailyLimit"]) });
  actor.say("The worker deploys the Safe…");
  const startedAt = performance.now();
  await pollUntil("The deployment", async () => {
    const { status } = await actor.api("safes", "deployment");
    if (status === "failed") throw new Error("The chain rejected the deployment");
    return status === "ok";
  });
  return `The Safe is on chain after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`;
};

const accepted = "Accepted. It executes after three minutes in the Delay module.";

const withdraw: Command = async (actor, fields) => {
  const transfer = {
    amount: textOf(fields, "amount"),
    to: addressOf(fields, "to"),
    tokenAddress: addressOf(fields, "tokenAddress"),
  };
  const { data } = await actor.api("accounts", "withdrawalData", transfer);
  const signature = await actor.signData(data as TypedData);
  await actor.api("accounts", "withdraw", { ...transfer, signature, message: data.message });
  return accepted;
};

const limit: Command = async (actor, fields) => {
  const newLimit = Number(fields["newLimit"]);
  const { data } = await actor.api("accounts", "dailyLimitData", { newLimit: String(newLimit) });
  const signature = await actor.signData(data as TypedData);
  await actor.api("accounts", "setDailyLimit", { newLimit, signature, message: data.message });
  return accepted;
};

const addOwner: Command = async (actor, fields) => {
  const newOwner = addressOrNew(fields, "newOwner");
  const { data } = await actor.api("owners", "addData", { newOwner });
  const signature = await actor.signData(data as TypedData);
  await actor.api("owners", "add", { newOwner, signature, message: data.message });
  return accepted;
};

const removeOwner: Command = async (actor, fields) => {
  const ownerToRemove = addressOf(fields, "ownerToRemove");
  const { data } = await actor.api("owners", "removeData", { ownerToRemove });
  const signature = await actor.signData(data as TypedData);
  await actor.api("owners", "remove", { ownerToRemove, signature, message: data.message });
  return accepted;
};

const iban: Command = async (actor) => {
  const { data } = await actor.api("ibans", "signingMessage");
  const signature = await actor.signText(data.message);
  await actor.api("ibans", "createProfile", { signature });
  actor.say("The institution assigns the IBAN…");
  await pollUntil("The IBAN", async () => {
    const { bankingDetails } = await actor.api("users", "me");
    return bankingDetails?.emoneyIbanStatus === "ASSIGNED";
  });
  return "The IBAN is assigned.";
};

const addWallet: Command = async (actor, fields) => {
  const { address } = await actor.api("signInWallets", "add", { address: addressOrNew(fields, "address") });
  return `${address} may sign in now.`;
};

const removeWallet: Command = async (actor, fields) => {
  await actor.api("signInWallets", "remove", { id: textOf(fields, "id") });
  return "The wallet may not sign in any more.";
};

const subscribe: Command = async (actor, fields) => {
  const partnerId = textOf(fields, "partnerId");
  const { message } = await actor.api("webhooks", "message", { partnerId });
  const signature = await actor.signText(message);
  await actor.api("webhooks", "subscribe", { partnerId, message, signature });
  return "The partner receives this person's events.";
};

const unsubscribe: Command = async (actor, fields) => {
  await actor.api("webhooks", "unsubscribe", { partnerId: textOf(fields, "partnerId") });
  return "The partner receives no further event.";
};

export const account: Readonly<Record<string, Command>> = {
  safe,
  withdraw,
  limit,
  "owner.add": addOwner,
  "owner.remove": removeOwner,
  iban,
  "wallet.add": addWallet,
  "wallet.remove": removeWallet,
  subscribe,
  unsubscribe,
};
