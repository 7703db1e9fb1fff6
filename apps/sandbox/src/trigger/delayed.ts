/** Operations that pass the account's delay. They advance the clock instead of waiting. */
import { tokens } from "@cardkeep/chain/tokens";
import { type Address, parseUnits } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { burn } from "../burn.ts";
import { advance } from "../chain.ts";
import { type SandboxPerson, waitUntil } from "../people/openAccount.ts";
import { SandboxError } from "../core/route.ts";
import type { Played } from "./journey.ts";

const newLimit = 500;
const withdrawn = parseUnits("25", tokens.EURe.decimals);

const generateAddress = (): Address => privateKeyToAddress(generatePrivateKey());

/** Adds the owner of a new key. */
export async function addOwner(person: SandboxPerson): Promise<{ owner: Address; delayId: string }> {
  const { client, wallet } = person;
  const owner = generateAddress();
  const { data } = await client.owners.addData.query({ newOwner: owner });
  const signature = await wallet.signTypedData(data);
  const added = await client.owners.add.mutate({ newOwner: owner, signature, message: data.message });
  await passDelay(person, added.data.id);
  await untilReached(person, added.data.id, "EXECUTED");
  return { owner, delayId: added.data.id };
}

/** Adds an owner and removes it again. */
export async function removeOwner(person: SandboxPerson): Promise<Played> {
  const { client, wallet } = person;
  const { owner: ownerToRemove } = await addOwner(person);
  const { data } = await client.owners.removeData.query({ ownerToRemove });
  const signature = await wallet.signTypedData(data);
  const removed = await client.owners.remove.mutate({ ownerToRemove, signature, message: data.message });
  await passDelay(person, removed.data.id);
  return { owner: ownerToRemove, delayId: removed.data.id };
}

/** Changes the daily limit. */
export async function changeLimit(person: SandboxPerson): Promise<Played> {
  const { client, wallet } = person;
  const { data } = await client.accounts.dailyLimitData.query({ newLimit: String(newLimit) });
  const signature = await wallet.signTypedData(data);
  const changed = await client.accounts.setDailyLimit.mutate({ newLimit, signature, message: data.message });
  await passDelay(person, changed.data.id);
  return { newLimit: String(newLimit), delayId: changed.data.id };
}

/** Withdraws a part of the balance. */
export async function withdraw(person: SandboxPerson): Promise<Played> {
  const played = await submitWithdrawal(person);
  await passDelay(person, played.delayId);
  return played;
}

/** Withdraws, and redeems all money at the institution before the withdrawal is due, so that it expires. */
export async function loseWithdrawal(person: SandboxPerson): Promise<Played> {
  const { runtime } = person;
  const played = await submitWithdrawal(person);
  await untilReached(person, played.delayId, "WAITING");
  await redeemAll(person);
  const { cooldownSeconds, expirationSeconds } = runtime.settings.policy;
  await advance.run(runtime, { seconds: cooldownSeconds + expirationSeconds + 1 });
  return played;
}

/** Burns all tokens of the person's Safe, as the institution does for an order to a bank. */
export async function redeemAll({ runtime, client }: SandboxPerson): Promise<void> {
  const { address } = await client.safes.config.query();
  if (address === null) throw new SandboxError(422, "The person has no Safe");
  const token = tokens.EURe;
  const amount = await runtime.chain.getTokenBalance(token.address, address);
  await burn(runtime, { account: address, token, amount });
}

async function submitWithdrawal({ client, wallet }: SandboxPerson): Promise<{ to: Address; delayId: string }> {
  const to = generateAddress();
  const transfer = { amount: String(withdrawn), to, tokenAddress: tokens.EURe.address };
  const { data } = await client.accounts.withdrawalData.query(transfer);
  const signature = await wallet.signTypedData(data);
  const submitted = await client.accounts.withdraw.mutate({ ...transfer, signature, message: data.message });
  return { to, delayId: submitted.data.id };
}

async function untilReached({ client }: SandboxPerson, delayId: string, status: "WAITING" | "EXECUTED"): Promise<void> {
  await waitUntil("The delayed operation", async () => {
    const delays = await client.delays.list.query();
    return delays.some((delay) => delay.id === delayId && delay.status === status);
  });
}

/** Waits until an operation is in the account's queue, and advances the clock past its delay. */
async function passDelay(person: SandboxPerson, delayId: string): Promise<void> {
  await untilReached(person, delayId, "WAITING");
  await advance.run(person.runtime, { seconds: person.runtime.settings.policy.cooldownSeconds + 1 });
}
