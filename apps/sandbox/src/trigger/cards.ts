/** Uses of a card, and changes of a card. */
import { holdRelayers } from "@cardkeep/db/sandbox/deliveries";
import { z } from "zod";
import { addToWallet as addCardToWallet } from "../issuer/desk.ts";
import { clear, refund, reverse } from "../issuer/terminalRoutes.ts";
import { useCard } from "../issuer/useCard.ts";
import { answerQuestions, payOrder, type SandboxPerson, verifyPhone, waitUntil } from "../people/openAccount.ts";
import { sealPin } from "../people/sealPin.ts";
import { SandboxError } from "../core/route.ts";
import { redeemAll } from "./delayed.ts";
import type { Played } from "./journey.ts";

const priceCents = 2_550;
/** Above the balance of every journey. */
const highPriceCents = 99_999;
const pin = "1379";
const triesMax = 20;
const triesEveryMs = 100;

const answer = z.object({ approved: z.boolean(), reason: z.string(), threadId: z.string() });

const inWallet = z.object({ walletTokenId: z.string() });

async function use({ runtime, client }: SandboxPerson, amount: number): Promise<z.output<typeof answer>> {
  const [card] = await client.cards.list.query({});
  return answer.parse(await useCard.run(runtime, { cardToken: card?.cardToken, amount }));
}

/** Pays at a shop. It repeats a use that was declined because the machine was too slow to decide in time. */
export async function pay(person: SandboxPerson): Promise<Played & { threadId: string }> {
  for (let tries = 1; ; tries++) {
    const { approved, reason, threadId } = await use(person, priceCents);
    if (approved) return { threadId };
    if (tries === triesMax) throw new SandboxError(422, `The card was declined: ${reason}`);
    await Bun.sleep(triesEveryMs);
  }
}

/** Pays more than there is. */
export async function payTooMuch(person: SandboxPerson): Promise<Played> {
  const { threadId, reason } = await use(person, highPriceCents);
  return { threadId, reason };
}

/** Pays, and redeems all money at the institution before the service collects it. */
export const payAndRedeem = (person: SandboxPerson): Promise<Played> =>
  holdRelayers(person.runtime.db, async () => {
    const played = await pay(person);
    await redeemAll(person);
    return played;
  });

/** Pays, and the merchant reverses the payment. */
export async function payAndReverse(person: SandboxPerson): Promise<Played> {
  const played = await pay(person);
  await reverse.run(person.runtime, played);
  return played;
}

/** Pays, and the merchant captures the payment. */
export async function payAndClear(person: SandboxPerson): Promise<Played & { threadId: string }> {
  const played = await pay(person);
  await clear.run(person.runtime, played);
  return played;
}

/** Pays, and the merchant captures the payment and refunds it. */
export async function payAndRefund(person: SandboxPerson): Promise<Played> {
  const played = await payAndClear(person);
  await refund.run(person.runtime, { threadId: played.threadId });
  return played;
}

/** Pays, and disputes the payment when the merchant has captured it. */
export async function payAndDispute(person: SandboxPerson): Promise<Played> {
  const played = await payAndClear(person);
  await person.client.transactions.dispute.mutate({ threadId: played.threadId, disputeReason: "wrong_value" });
  return played;
}

/** Freezes the person's card. */
export async function freeze({ client }: SandboxPerson): Promise<Played> {
  const [card] = await client.cards.list.query({});
  const { status } = await client.cards.freeze.mutate({ cardId: card?.id ?? "" });
  return { cardToken: card?.cardToken ?? "", status };
}

/** Blocks gambling with the person's card. */
export async function blockGambling({ client }: SandboxPerson): Promise<Played> {
  const [card] = await client.cards.list.query({});
  const cardId = card?.id ?? "";
  const { version: _, changedAt: __, ...controls } = await client.cards.controls.query({ cardId });
  await client.cards.setControls.mutate({ ...controls, cardId, blockedCategories: ["7800-7802", "7995"] });
  return { cardToken: card?.cardToken ?? "" };
}

/** Adds the person's card to a digital wallet, and waits until the service knows it. */
export async function addToWallet({ runtime, client }: SandboxPerson): Promise<Played & { cardId: string }> {
  const [card] = await client.cards.list.query({});
  const { id: cardId = "", cardToken = "" } = card ?? {};
  const { walletTokenId } = inWallet.parse(await addCardToWallet.run(runtime, { cardToken }));
  await waitUntil("The wallet token", async () =>
    (await client.walletTokens.list.query({ cardId })).some(({ status }) => status === "active"),
  );
  return { cardId, walletTokenId };
}

/** Adds the person's card to a digital wallet, and suspends it there. */
export async function suspendInWallet(person: SandboxPerson): Promise<Played> {
  const { cardId, walletTokenId = "" } = await addToWallet(person);
  await person.client.walletTokens.suspend.mutate({ cardId, walletTokenId });
  return { cardId, walletTokenId };
}

/** Orders a card with a PIN of the person's choice. */
export async function orderWithPin(person: SandboxPerson): Promise<Played> {
  const { client } = person;
  await verifyPhone(person);
  await answerQuestions(person);
  const orderId = await payOrder(person);
  const { publicKey } = await client.cards.publicKey.query();
  const { cardToken } = await client.orders.createCard.mutate({ orderId, pinData: sealPin(publicKey, pin) });
  return { orderId, cardToken, pin };
}
