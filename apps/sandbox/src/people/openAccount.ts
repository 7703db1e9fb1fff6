/** Safe, money, card and IBAN of a person, each through the public API. */
import { tokenList, tokens } from "@cardkeep/chain/tokens";
import type { CardkeepClient } from "@cardkeep/client/client";
import { findIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { listMessages } from "@cardkeep/db/sandbox/messages";
import { randomInt } from "node:crypto";
import { parseUnits } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { faucet } from "../chain.ts";
import { cardObject } from "../issuer/cards.ts";
import { shipCard } from "../issuer/desk.ts";
import { SandboxError } from "../core/route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** A person of the sandbox, with what later steps need. */
export interface SandboxPerson {
  readonly runtime: SandboxRuntime;
  readonly id: string;
  readonly wallet: PrivateKeyAccount;
  readonly client: CardkeepClient;
}

/** Long enough for a busy machine; requests to the sandbox end after 30 s. */
const readyMsMax = 25_000;
const readyEveryMs = 50;

/** Waits for a state of the service. @throws SandboxError 422 where it takes longer than 25 s */
export async function waitUntil(what: string, isReady: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + readyMsMax;
  while (!(await isReady())) {
    if (Date.now() > deadline) throw new SandboxError(422, `${what} was not ready within ${readyMsMax / 1000} s`);
    await Bun.sleep(readyEveryMs);
  }
}

/** Deploys the person's Safe and returns its address. */
export async function openSafe({ client }: SandboxPerson): Promise<string> {
  await client.safes.deploy.mutate({});
  await waitUntil("The Safe", async () => (await client.safes.deployment.query()).status === "ok");
  return (await client.safes.config.query()).address ?? "";
}

/** Mints `balance` whole units of the Safe's token to it. */
export async function fundSafe({ runtime, client }: SandboxPerson, safe: string, balance: string): Promise<void> {
  const { fiatSymbol } = await client.safes.config.query();
  const token = tokenList.find(({ fiat }) => fiat === fiatSymbol) ?? tokens.EURe;
  const amount = parseUnits(balance, token.decimals);
  if (amount > 0n) await faucet.run(runtime, { address: safe, token: token.symbol, amount: String(amount) });
}

/** How far a card is. All but a virtual one are steps of a physical one, which ends active. */
export const cardSteps = ["virtual", "physical", "ordered", "paid", "made", "shipped", "delivered"] as const;
type CardStep = (typeof cardSteps)[number];

/** Gets a card, as far along as asked, for a person with a phone who has answered for the funds. */
export async function openCard(person: SandboxPerson, step: CardStep): Promise<void> {
  if (step === "virtual") await person.client.cards.createVirtual.mutate();
  else if (step === "ordered") await person.client.orders.create.mutate({ personalizationSource: "KYC" });
  else if (step === "paid") await payOrder(person);
  else await orderCard(person, step);
}

/** Answers the questions about the source of funds, each with its first answer. */
export async function answerQuestions({ client }: SandboxPerson): Promise<void> {
  const questions = await client.kyc.questions.query({});
  await client.kyc.answer.mutate(questions.map(({ question, answers: [answer = ""] }) => ({ question, answer })));
}

/** Validates a new phone number. */
export async function verifyPhone({ runtime, client }: SandboxPerson): Promise<void> {
  const phoneNumber = `+49151${randomInt(10_000_000, 100_000_000)}`;
  await client.phone.start.mutate({ phoneNumber });
  const [message] = await listMessages(runtime.store, "phone", phoneNumber);
  await client.phone.check.mutate({ code: message?.code ?? "" });
}

/** Orders and pays a card with the free coupon: the order's id. */
export async function payOrder({ runtime, client }: SandboxPerson): Promise<string> {
  const { id: orderId } = await client.orders.create.mutate({ personalizationSource: "KYC" });
  await client.orders.attachCoupon.mutate({ orderId, couponCode: runtime.settings.policy.freeCouponCode ?? "" });
  await client.orders.confirmPayment.mutate({ orderId });
  return orderId;
}

/** Orders a card and has it made. A physical one is delivered and activated, and the issuer accepts its use in the end. */
async function orderCard(person: SandboxPerson, step: "physical" | "made" | "shipped" | "delivered"): Promise<void> {
  const { runtime, client } = person;
  const { cardToken } = await client.orders.createCard.mutate({ orderId: await payOrder(person) });
  if (step === "made") return;
  await shipCard.run(runtime, { cardToken, status: step === "shipped" ? "shipped" : "delivered" });
  if (step !== "physical") return;
  const card = (await client.cards.list.query({})).find((made) => made.cardToken === cardToken);
  await client.cards.activate.mutate({ cardId: card?.id ?? "" });
  await waitUntil("The card", async () => {
    const found = await findIssuerObject(runtime.store, cardObject, cardToken);
    return found?.data["status"] === "active";
  });
}

/** Opens an account at the e-money institution, and returns its IBAN. */
export async function openIban({ client, wallet }: SandboxPerson): Promise<string> {
  const { data } = await client.ibans.signingMessage.query();
  await client.ibans.createProfile.mutate({ signature: await wallet.signMessage(data) });
  const details = async () => (await client.users.me.query()).bankingDetails;
  await waitUntil("The IBAN", async () => (await details())?.emoneyIbanStatus === "ASSIGNED");
  return (await details())?.emoneyIban ?? "";
}
