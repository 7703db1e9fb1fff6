/**
 * One person's journey in steps. Each step uses REST or the typed client, as a real client would.
 *
 * A step returns a line for the terminal. The next step continues with the same person.
 */
import { once } from "@cardkeep/client/client";
import { z } from "zod";
import { type Person, Refused } from "./person.ts";
import { proveMore, signIn, signUp, verify } from "./registration.ts";
import { euros, patienceMs, type Step, until } from "./step.ts";

const eure = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";
const destination = "0x000000000000000000000000000000000000bEEF";
const gift = "75000000000000000000";
const salary = "25.00";
const withdrawn = "40000000000000000000";
/** Every sandbox has this partner. */
const partnerId = "sandbox";
/** Enough of an id for the eye. */
const shownLetters = 8;

const deploySafe: Step = {
  title: "Get a Safe on chain",
  run: async (person) => {
    await person.rest("POST", "/safe/deploy");
    await until("The deployment", async () => (await person.cardkeep.safes.deployment.query()).status === "ok");
    const { address } = await person.cardkeep.safes.config.query();
    return String(address);
  },
};

const receive: Step = {
  title: "Receive money",
  run: async (person) => {
    const { address } = await person.cardkeep.safes.config.query();
    await person.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: gift });
    const { total } = await person.cardkeep.accounts.balances.query();
    return euros(total);
  },
};

const receiveByBank: Step = {
  title: "Get an IBAN, receive a salary",
  run: async (person) => {
    const { data: declaration } = await person.cardkeep.ibans.signingMessage.query();
    const signature = await person.account.signMessage(declaration);
    await person.cardkeep.ibans.createProfile.mutate({ signature });
    const details = async () => (await person.cardkeep.users.me.query()).bankingDetails;
    await until("The IBAN", async () => (await details())?.emoneyIbanStatus === "ASSIGNED");
    const iban = (await details())?.emoneyIban ?? "";
    await person.sandbox("POST", "/emoney/incoming", { iban, amount: salary, memo: "Salary" });
    const { total } = await person.cardkeep.accounts.balances.query();
    return `${salary} EUR to ${iban}; ${euros(total)} in all`;
  },
};

const orderCard: Step = {
  title: "Order a card",
  run: async (person) => {
    const { id, totalAmountEUR } = await person.cardkeep.orders.create.mutate({ personalizationSource: "KYC" });
    const { couponCode } = await person.cardkeep.orders.attachCoupon.mutate({ orderId: id, couponCode: "freecard" });
    await person.cardkeep.orders.confirmPayment.mutate({ orderId: id });
    const { status, embossedName } = await person.cardkeep.orders.get.query({ orderId: id });
    person.made.push({ name: "Order", path: `orders/${id}` });
    return `for ${embossedName}: ${totalAmountEUR} EUR less coupon ${couponCode}; ${status}`;
  },
};

const makeCard: Step = {
  title: "Get the card, activate it",
  run: async (person) => {
    const [order] = await person.cardkeep.orders.list.query();
    const { cardToken } = await person.cardkeep.orders.createCard.mutate({ orderId: order?.id ?? "" }, once("card"));
    const [card] = await person.cardkeep.cards.list.query({});
    if (card?.cardToken !== cardToken) throw new Error("The list does not contain the new card");
    const shipping = `/issuer/cards/${cardToken}/shipping`;
    for (const status of ["shipped", "delivered"]) await person.sandbox("POST", shipping, { status });
    const { status } = await person.cardkeep.cards.activate.mutate({ cardId: card.id });
    person.made.push({ name: "Card", path: `cards/${card.id}` });
    return `ends in ${card.lastFourDigits}: ${status}`;
  },
};

const pay: Step = {
  title: "Pay, get a part refunded",
  run: async (person) => {
    const [card] = await person.cardkeep.cards.list.query({});
    const path = `/issuer/cards/${card?.cardToken}/authorizations`;
    const authorization = z.object({ approved: z.boolean(), reason: z.string(), threadId: z.string() });
    let used = { approved: false, reason: "", threadId: "" };
    // The issuer declines a fresh card until a job has synced its status.
    await until("The authorization", async () => {
      const shop = { amount: 2_550, currency: "EUR", merchant: "Corner Shop", mcc: "5411", country: "DE" };
      used = authorization.parse(await person.sandbox("POST", path, shop));
      return used.approved || !["card_inactive", "unavailable"].includes(used.reason);
    });
    if (!used.approved) throw new Error(`The card was declined: ${used.reason}`);
    const after = `/issuer/authorizations/${used.threadId}`;
    await person.sandbox("POST", `${after}/clear`, {});
    await person.sandbox("POST", `${after}/refund`, { amount: 550 });
    const settled = async () => {
      const { results } = await person.cardkeep.transactions.list.query({});
      const lines = results.filter(({ threadId }) => threadId === used.threadId);
      const transactions = lines.flatMap((line) => line.transactions);
      return lines.length === 2 && transactions.every(({ status }) => status === "ExecSuccess");
    };
    await until("The settlement on chain", settled);
    const { total } = await person.cardkeep.accounts.balances.query();
    const { data: limit } = await person.cardkeep.accounts.dailyLimit.query();
    person.made.push({ name: "Payment", path: `payments/${used.threadId}` });
    return `25.50 EUR, 5.50 back: ${euros(total)} left, ${Number(limit.dailyRemaining).toFixed(2)} EURe of the limit`;
  },
};

const withdraw: Step = {
  title: "Sign a withdrawal",
  run: async (person) => {
    const transfer = { amount: withdrawn, to: destination, tokenAddress: eure } as const;
    const { data } = await person.cardkeep.accounts.withdrawalData.query(transfer);
    const signature = await person.account.signTypedData(data);
    const input = { ...transfer, signature, message: data.message };
    const accepted = await person.cardkeep.accounts.withdraw.mutate(input, once("demo"));
    const again = await person.cardkeep.accounts.withdraw.mutate(input, once("demo"));
    if (again.data.id !== accepted.data.id) throw new Error("The same request was executed twice");
    await until("The queue", async () => (await statusesOf(person))[0] === "WAITING");
    const { pending, spendable } = await person.cardkeep.accounts.balances.query();
    person.made.push({ name: "Withdrawal", path: `delays/${accepted.data.id}` });
    return `queued on chain; ${euros(pending)} pending, ${euros(spendable)} spendable`;
  },
};

const raiseLimit: Step = {
  title: "Sign a higher daily limit",
  run: async (person) => {
    const { data } = await person.cardkeep.accounts.dailyLimitData.query({ newLimit: "500" });
    const signature = await person.account.signTypedData(data);
    const input = { newLimit: 500, signature, message: data.message };
    const { data: accepted } = await person.cardkeep.accounts.setDailyLimit.mutate(input);
    person.made.push({ name: "Daily limit", path: `delays/${accepted.id}` });
    await until("The queue", async () => (await statusesOf(person)).every((status) => status === "WAITING"));
    const { data: before } = await person.cardkeep.accounts.dailyLimit.query();
    return `queued behind the withdrawal; ${before.dailyLimit} EURe a day until then`;
  },
};

const waitForDelay: Step = {
  title: "Wait for the delay",
  run: async (person) => {
    const operation = (await person.cardkeep.delays.list.query()).at(-1);
    // By the chain's clock, which the sandbox may have advanced before.
    const { timestamp } = z.object({ timestamp: z.number() }).parse(await person.sandbox("GET", "/chain"));
    const remainingMs = Date.parse(operation?.readyAt ?? "") - timestamp * 1000;
    const seconds = Math.max(1, Math.ceil(remainingMs / 1000) + 1);
    const moved = await person.sandbox("POST", "/chain/advance", { seconds }).catch((error: unknown) => {
      // The sandbox cannot advance an operator's own chain.
      if (error instanceof Refused && error.status === 409) return null;
      throw error;
    });
    const isDone = async () => (await statusesOf(person)).every((status) => status === "EXECUTED");
    await until("The execution", isDone, remainingMs + patienceMs);
    const { total } = await person.cardkeep.accounts.balances.query();
    const { data: limit } = await person.cardkeep.accounts.dailyLimit.query();
    return `${moved === null ? "waited" : "moved the clock by 3 min"}; executed: ${euros(total)} left, ${limit.dailyLimit} EURe a day`;
  },
};

const consent: Step = {
  title: "Subscribe a partner",
  run: async (person) => {
    const { message } = await person.cardkeep.webhooks.message.query({ partnerId });
    const signature = await person.account.signMessage({ message });
    const { subscriptionId } = await person.cardkeep.webhooks.subscribe.mutate({ partnerId, message, signature });
    return `${partnerId}, subscription ${subscriptionId.slice(0, shownLetters)}…`;
  },
};

const attempts = z.array(z.object({ body: z.string(), verified: z.boolean() }));

const receiveEvents: Step = {
  title: "Receive events as the partner",
  run: async (person) => {
    const events = z.object({ eventType: z.string(), data: z.object({ userId: z.string().optional() }) });
    let received: string[] = [];
    await until("The webhook", async () => {
      const arrived = attempts.parse(await person.sandbox("GET", `/inbox/${partnerId}`));
      const ofPerson = arrived.filter(({ body, verified }) => verified && body.includes(person.userId));
      received = ofPerson.map(({ body }) => events.parse(JSON.parse(body)).eventType);
      return received.includes("account.limit.changed") && received.includes("account.withdrawal.completed");
    });
    return `webhook received: ${received.length} signed events`;
  },
};

const statusesOf = async (person: Person): Promise<string[]> =>
  (await person.cardkeep.delays.list.query()).map(({ status }) => status);

/** From a wallet to money at its destination. */
export const journey: readonly Step[] = [
  signIn,
  signUp,
  verify,
  proveMore,
  deploySafe,
  consent,
  receive,
  receiveByBank,
  orderCard,
  makeCard,
  pay,
  withdraw,
  raiseLimit,
  waitForDelay,
  receiveEvents,
];
