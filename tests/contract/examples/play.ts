/**
 * The play that yields the examples of the reference page: every route answers once, with success.
 *
 * A route without input, or with input only before a Safe is in service, needs no line here.
 */
import { readFollowState } from "@cardkeep/db/queries/chain/followState";
import { cardDebts, events } from "@cardkeep/db/schema/tables";
import { eq, gt } from "drizzle-orm";
import { until } from "../../support/poll.ts";
import { openNode } from "../../support/node.ts";
import { Person } from "../../support/person.ts";
import type { Service } from "../../support/service.ts";
import { setHolding, untilSettled } from "../../support/spending.ts";
import { eure } from "../../support/tokens.ts";
import { publishEvents, registerPartner, untilDelivered } from "../../support/webhooks.ts";
import { playCards, playSpending, playWallet } from "./playCards.ts";
import type { Stage } from "./stage.ts";

const destination = "0x000000000000000000000000000000000000bEEF";
const phoneNumber = "+4915112345678";
const secondWallet = "0x00000000000000000000000000000000000A11cE";

/** Otherwise the wallet, which is random, decides who the person is. */
const applicant = {
  firstName: "Ada",
  lastName: "Lovelace",
  address1: "Unter den Linden 1",
  address2: "2nd floor",
  city: "Berlin",
  postalCode: "10117",
  state: "Berlin",
};

/** The day of every example, in unix seconds. */
const midnight = 1_767_225_600;

/** Plays everything that needs a line of its own. The returned person has a Safe in service, and a token. */
export async function play({ service, show, alias }: Stage): Promise<Person> {
  const ada = new Person(service);
  const nonce = await show(ada, "auth.nonce");
  alias(nonce, "k7Q2mB9xT4vW8zL1pR6sN3cH5jF0dG2a");
  const signed = await ada.signMessage({ nonce });
  ada.token = (await show(ada, "auth.challenge", { ...signed, ttlInSeconds: 3600 })).token;

  await show(ada, "auth.sendOtp", { email: "ada@example.org" });
  const { body: letters } = await ada.sandbox("GET", "/mailbox?to=ada@example.org");
  const otp: string = letters[0].code;
  alias(otp, "482917");
  const signedUp = await show(ada, "auth.signUp", { authEmail: "ada@example.org", otp, partnerId: "sandbox" });
  [ada.token, ada.userId] = [signedUp.token, signedUp.id];
  alias((await show(ada, "users.referrerCode")).referrerCode, "DPVW5L4UL5SX");
  await show(ada, "users.referrals");
  await show(ada, "users.acceptTerms", { terms: "general-tos", version: "TOS_GENERAL_VERSION_1" });
  await ada.acceptTerms();
  await show(ada, "users.setLanguage", { language: "en" });
  await show(ada, "users.messages");
  await show(ada, "users.setMessages", { payments: "sms", refunds: "none" });

  await show(ada, "kyc.webLink", { language: "de" });
  await show(ada, "kyc.sdkToken", { language: "de" });
  await ada.sandbox("POST", `/kyc/${ada.userId}/review`, { outcome: "approved", applicant });

  await show(ada, "kyc.importPartnerApplicant", { forClientId: "example-partner", ttlInSecs: 600 });
  const questions: { question: string; answers: string[] }[] = await show(ada, "kyc.questions", { locale: "BR" });
  const answers = questions.map((asked) => ({ question: asked.question, answer: asked.answers[0] }));
  await show(ada, "kyc.answer", answers);

  await show(ada, "phone.start", { phoneNumber });
  const { body: messages } = await ada.sandbox("GET", `/phones?to=${encodeURIComponent(phoneNumber)}`);
  alias(messages[0].code, "731604");
  await show(ada, "phone.check", { code: messages[0].code });

  await show(ada, "safes.deploy", { dailyLimit: 350 });
  await until(async () => (await ada.call("GET", "/safe/deploy")).body.status === "ok");
  const { address } = await show(ada, "safes.config");

  const added = await show(ada, "signInWallets.add", { address: secondWallet });
  await show(ada, "signInWallets.list");
  await show(ada, "signInWallets.remove", { id: added.id });

  const made = await show(ada, "tokens.create", {
    name: "Bookkeeping",
    scopes: ["transactions", "statements"],
    expiresAt: "2030-01-01T00:00:00.000Z",
  });
  alias(made.token, "ck_8Zr1Qm0xT4vW7yL2pN6sK3cH5jF9dGbA2kQ7Hx");
  await show(ada, "tokens.list");
  await show(ada, "tokens.remove", { id: made.id });
  await show(ada, "tokens.report", { token: made.token });

  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "100000000000000000000" });
  await show(ada, "accounts.balances");
  const transfer = { amount: "25000000000000000000", to: destination, tokenAddress: eure };
  const { data } = await show(ada, "accounts.withdrawalData", transfer);
  const signature = await ada.account.signTypedData(data);
  const withdrawn = await show(ada, "accounts.withdraw", { ...transfer, signature, message: data.message });
  await until(async () => (await ada.findDelay(withdrawn.data.id))?.status === "WAITING");
  await show(ada, "delays.list");
  await playOrders(ada, show);
  await playCards(ada, { show, alias });
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(async () => (await ada.findDelay(withdrawn.data.id))?.status === "EXECUTED");
  await playIban(ada, { show, alias });
  const received = () => service.runtime.db.$count(events, eq(events.eventType, "iban.order.received"));
  await until(async () => (await received()) > 0);
  await playWallet(ada, { show, alias });
  await playSpending(ada, { show, alias });
  await playStatements(ada, show);
  await playWebhooks(ada, { service, show, alias });
  await playOlderWay(await new Person(service).becomeApproved(), show);
  await playChanges(new Person(service), { show, alias });
  await playFailures(ada, { service, alias });
  return ada;
}

/** The months, and a statement that holds still: nothing of the play moves money while it is made. */
async function playStatements(ada: Person, show: Stage["show"]): Promise<void> {
  const [{ month }] = await show(ada, "statements.list");
  await until(async () => (await ada.call("GET", `/statements/${month}`)).body.entries.length > 0);
  await show(ada, "statements.get", { month });
}

/** Owners and daily limit; signed bytes contain the day and random bytes inside longer ones. */
async function playChanges(dora: Person, { show, alias }: Pick<Stage, "show" | "alias">): Promise<void> {
  await dora.becomeAccountHolder();
  const inner = await show(dora, "accounts.onchainDailyLimitData", { onchainDailyLimit: "500" });
  alias(inner.data.transaction.data.slice(-64), midnight.toString(16).padStart(64, "0"));
  const older = await dora.signLimit(500);
  alias(older.message.salt.slice(2), "5a".repeat(32));
  alias(older.signature.slice(2), `${"51".repeat(64)}1b`);
  const signature = `${older.message.data}${older.message.salt.slice(2)}${older.signature.slice(2)}`;
  await show(dora, "accounts.setOnchainDailyLimit", { onchainDailyLimit: 500, signature });

  const limit = await show(dora, "accounts.dailyLimitData", { newLimit: "500" });
  const ofLimit = { signature: await dora.account.signTypedData(limit.data), message: limit.data.message };
  await show(dora, "accounts.setDailyLimit", { newLimit: 500, ...ofLimit });

  const addition = await show(dora, "owners.addData", { newOwner: secondWallet });
  const ofAddition = { signature: await dora.account.signTypedData(addition.data), message: addition.data.message };
  const { data } = await show(dora, "owners.add", { newOwner: secondWallet, ...ofAddition });
  await until(async () => (await dora.findDelay(data.id))?.status === "WAITING");
  await dora.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(async () => (await dora.findDelay(data.id))?.status === "EXECUTED");
  await show(dora, "owners.list");
  const removal = await show(dora, "owners.removeData", { ownerToRemove: secondWallet });
  const ofRemoval = { signature: await dora.account.signTypedData(removal.data), message: removal.data.message };
  const removed = await show(dora, "owners.remove", { ownerToRemove: secondWallet, ...ofRemoval });
  await until(async () => (await dora.findDelay(removed.data.id))?.status === "WAITING");
  await dora.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(async () => (await dora.findDelay(removed.data.id))?.status === "EXECUTED");
}

/** An approved payment fails on chain: the Safe's money was removed, against its own rules. */
async function playFailures(ada: Person, { service, alias }: Pick<Stage, "service" | "alias">): Promise<void> {
  const { client } = openNode(service.rpcUrl);
  const { address } = (await ada.call("GET", "/safe/config")).body;
  const [{ cardToken }] = (await ada.call("GET", "/cards?status_code=1000")).body;
  await client.setAutomine(false);
  await client.setIntervalMining({ interval: 0 });
  const use = { amount: 100, currency: "EUR" };
  const { body: used } = await ada.sandbox("POST", `/issuer/cards/${cardToken}/authorizations`, use);
  alias(used.threadId, "iauth_4d5e6f708192a3b4c5d6e7f8");
  // Signed and sent before the money goes, so that the failure has a transaction.
  await until(async () => (await client.getTxpoolStatus()).pending === 1);
  await setHolding(service, address, 0n);
  await client.setAutomine(true);
  await client.setIntervalMining({ interval: 1 });
  await untilSettled(service);
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "5000000000000000000" });
  // The deposit pays the debt of the failed payment.
  await until(async () => (await service.runtime.db.$count(cardDebts, gt(cardDebts.owed, 0n))) === 0);
  const withdrawal = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "3000000000000000000" });
  const { id } = (await ada.call("POST", "/accounts/withdraw", withdrawal)).body.data;
  await until(async () => (await ada.findDelay(id))?.status === "WAITING");
  await setHolding(service, address, 0n);
  // After its expiration.
  await ada.sandbox("POST", "/chain/advance", { seconds: 3_600 });
  const reported = () => service.runtime.db.$count(events, eq(events.eventType, "account.withdrawal.failed"));
  await until(async () => (await reported()) > 0, { timeoutMs: 30_000 });
}

/** One order is cancelled, the next one is paid. */
async function playOrders(ada: Person, show: Stage["show"]): Promise<void> {
  const { id } = (await ada.call("POST", "/order/create", { personalizationSource: "KYC" })).body;
  await show(ada, "orders.cancel", { orderId: id });
  const shippingAddress = { address1: "Unter den Linden 1", city: "Berlin", postalCode: "10117", country: "DE" };
  const order = await show(ada, "orders.create", { personalizationSource: "KYC", shippingAddress, virtual: false });
  const orderId: string = order.id;
  await ada.sandbox("POST", "/coupons", { code: "WELCOME", percent: 50 });
  await show(ada, "orders.attachCoupon", { orderId, couponCode: "welcome" });
  const { treasury } = (await ada.sandbox("GET", "/chain")).body;
  const money = { address: treasury, token: "EURe", amount: "15110000000000000000" };
  const { transactionHash } = (await ada.sandbox("POST", "/chain/faucet", money)).body;
  await show(ada, "orders.attachTransaction", { orderId, transactionHash });
  await show(ada, "orders.confirmPayment", { orderId });
  await show(ada, "orders.list");
  await show(ada, "orders.get", { orderId });
}

async function playOlderWay(bea: Person, show: Stage["show"]): Promise<void> {
  await show(bea, "accounts.create", { chainId: "100" });
  await show(bea, "safes.setCurrency");
  const typedData = await show(bea, "accounts.signaturePayload");
  await show(bea, "accounts.deployModules", { signature: await bea.account.signTypedData(typedData) });
  const cleo = await new Person(bea.service).becomeApproved();
  await cleo.call("POST", "/account", { chainId: "100" });
  await show(cleo, "safes.reset");
  await show(cleo, "safes.migration");
}

/** Random values with a form of their own: the IBAN, and the secrets in the consent's address. */
async function playIban(ada: Person, { show, alias }: Pick<Stage, "show" | "alias">): Promise<void> {
  const { data } = await show(ada, "ibans.signingMessage");
  const { redirectUrl } = (await show(ada, "ibans.redirectUrl", { callbackUrl: "http://localhost:5173/iban" })).data;
  const query = new URL(redirectUrl).searchParams;
  alias(new URL(redirectUrl).origin, "https://partner.example");
  alias(query.get("state") ?? "", "kR3mZ8vB1nC6xT0qW5yL2pH7sD4fG9jA8uE3iO6bV1c");
  alias(query.get("code_challenge") ?? "", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  const signature = await ada.account.signMessage({ message: data.message });
  await show(ada, "ibans.createProfile", { signature, callbackUrl: "http://localhost:5173/iban" });
  const details = async () => (await ada.call("GET", "/ibans/details")).body.data;
  await until(async () => (await details()).ibanStatus === "ASSIGNED");
  const { iban } = await details();
  alias(iban, "DE89370400440532013000");
  const counterpart = { name: "Charles Babbage", iban: "GB29NWBK60161331926819" };
  await ada.sandbox("POST", "/emoney/incoming", { iban, amount: "25.50", counterpart, memo: "Thank you" });
  await show(ada, "ibans.integrate", {});
  await show(ada, "ibans.details");
  await show(ada, "ibans.orders");
  await show(ada, "ibans.reset");
}

/** Waits until transfers have ended, the worker has read the newest block, and all events are out: a new subscription gets none of these. */
async function untilQuiet(service: Service): Promise<void> {
  const { client } = openNode(service.rpcUrl);
  const { db, settings } = service.runtime;
  await untilSettled(service);
  await until(async () => {
    const { checkedBlock } = await readFollowState(db, settings.policy.chainId);
    return checkedBlock !== null && checkedBlock >= (await client.getBlockNumber({ cacheTime: 0 }));
  });
  await untilDelivered(service.runtime);
}

/** The partner receives its user's events from here on, and sends its own requests with its own key. */
async function playWebhooks(ada: Person, { service, show, alias }: Stage): Promise<void> {
  await untilQuiet(service);
  const partner = await registerPartner(ada, "example");
  const issued = await show(ada, "webhooks.message", { partnerId: "example" });
  alias(issued.nonce, "0f1e2d3c4b5a69788796a5b4c3d2e1f0");
  const signature = await ada.account.signMessage({ message: issued.message });
  const signed = { partnerId: "example", message: issued.message, signature };
  await show(ada, "webhooks.subscribe", signed);
  await show(ada, "webhooks.subscription", { partnerId: "example" });
  await publishEvents(service.runtime, ada.userId, 1);
  const asked = new Person(ada.service);
  asked.token = partner.apiKey;
  const pulled = async () => (await asked.call("GET", "/partners/events")).body.events;
  await until(async () => (await pulled()).length === 1);
  alias((await pulled())[0].id, "msg_3f1c0d9e8b7a46529180f7e6d5c4b3a2");
  await show(asked, "partners.events", { after: "0", limit: "10" });
  await playRules(asked, show);
  const { address } = (await ada.call("GET", "/safe/config")).body;
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "5000000000000000000" });
  await until(async () => (await pulled()).length === 2);
  await show(ada, "webhooks.unsubscribe", { partnerId: "example" });
}

/** A rule of the partner from its first version to its activation. */
async function playRules(partner: Person, show: Stage["show"]): Promise<void> {
  const cash = { type: "channel", operator: "in", values: ["cash_machine"] };
  const definition = { conditions: [cash] };
  const { id: ruleId } = await show(partner, "partners.createRule", { scope: "partner", name: "No cash", definition });
  const sum = { type: "sum", window: "day", per: "card", aboveCents: 20_000 };
  await show(partner, "partners.addRuleVersion", { ruleId, definition: { conditions: [cash, sum] } });
  await show(partner, "partners.backtestRule", { ruleId, version: "2", days: 30 });
  await show(partner, "partners.setRuleState", { ruleId, version: "2", state: "SHADOW" });
  await show(partner, "partners.rule", { ruleId });
  await show(partner, "partners.rules", { limit: "10" });
  await show(partner, "partners.deleteRule", { ruleId });
}
