/** Helpers for tests of card orders: people with complete data, and money for the treasury. */
import { tokens, type TokenSymbol } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { encodeFunctionData, erc20Abi, type PrivateKeyAccount } from "viem";
import { openNode } from "./node.ts";
import type { Person } from "./person.ts";
import type { RunningService } from "./service.ts";

/** The price of a card, in EURe's base units. */
export const fullPrice = 3_023n * 10n ** 16n;

let phones = 0;

/** A number that no other person of this process has. */
export const nextPhone = (): string => `+49152${String(10_000_000 + ++phones)}`;

export async function validatePhone(person: Person): Promise<void> {
  const phoneNumber = nextPhone();
  await person.call("POST", "/verification", { phoneNumber });
  const { body } = await person.sandbox("GET", `/phones?to=${encodeURIComponent(phoneNumber)}`);
  await person.call("POST", "/verification/check", { code: body[0].code });
}

export async function answerSourceOfFunds(person: Person): Promise<void> {
  const { body } = await person.call("GET", "/source-of-funds");
  const answers = (body as { question: string; answers: string[] }[]).map((asked) => ({
    question: asked.question,
    answer: asked.answers[0],
  }));
  await person.call("POST", "/source-of-funds", answers);
}

/** Orders a card and answers the order's id. */
export async function order(person: Person, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await person.call("POST", "/order/create", { personalizationSource: "KYC", ...fields });
  if (status !== 200) throw new Error(`order/create: ${status} ${JSON.stringify(body)}`);
  return body.id;
}

export async function statusOf(person: Person, orderId: string): Promise<string> {
  return (await person.call("GET", `/order/${orderId}`)).body.status;
}

interface Payment {
  to?: Address;
  token?: TokenSymbol;
  amount?: bigint;
}

/** Money without a known sender: minted to its receiver. Returns the transaction's hash. */
export async function payFromNowhere(
  service: RunningService,
  { to = service.runtime.settings.policy.treasuryAddress, token = "EURe", amount = fullPrice }: Payment = {},
): Promise<Hex> {
  const response = await fetch(`${service.sandboxUrl}/chain/faucet`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ address: to, token, amount: String(amount) }),
  });
  return ((await response.json()) as { transactionHash: Hex }).transactionHash;
}

/**
 * A transfer that a wallet signs and sends; by default the wallet gets the money first. Returns the hash, mined or not.
 */
export async function sendFromWallet(
  service: RunningService,
  account: PrivateKeyAccount,
  {
    to = service.runtime.settings.policy.treasuryAddress,
    token = "EURe",
    amount = fullPrice,
    holds = amount,
  }: Payment & { holds?: bigint } = {},
): Promise<Hex> {
  const { client } = openNode(service.rpcUrl);
  if (holds > 0n) await payFromNowhere(service, { to: account.address, token, amount: holds });
  await client.setBalance({ address: account.address, value: 10n ** 18n });
  return client.sendTransaction({
    account,
    chain: null,
    gas: 200_000n,
    to: tokens[token].address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] }),
  });
}

/** The same, mined, reverted or not. */
export async function payFromWallet(...[service, account, payment]: Parameters<typeof sendFromWallet>): Promise<Hex> {
  const hash = await sendFromWallet(service, account, payment);
  await openNode(service.rpcUrl).waitForReceipt(hash);
  return hash;
}
