/** People who used everything in the published document, and their answers. */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { becomeEligible, createVirtual, seal } from "../../support/cards.ts";
import { type Answer, Person } from "../../support/person.ts";
import { until } from "../../support/poll.ts";
import type { RunningService } from "../../support/service.ts";
import { eure } from "../../support/tokens.ts";

export const nativeToken = "0x0000000000000000000000000000000000000000";
export const destination = "0x000000000000000000000000000000000000bEEF";
export const withdrawn = { amount: "25", nativeAmount: "7" };

export interface World {
  service: RunningService;
  /** Has a Safe, cards, an IBAN and a subscription. */
  ada: Person;
  /** Signed up, and nothing more. */
  bob: Person;
  /** Approved, and nothing more. */
  cleo: Person;
  /** Has no token. */
  stranger: Person;
  /** By the request. */
  answers: Record<string, Answer>;
  ids: { order: string; physicalCard: string; virtualCard: string };
}

/** Plays everything once. */
export async function playWorld(service: RunningService): Promise<World> {
  const [ada, bob, cleo] = [new Person(service), new Person(service), new Person(service)];
  const world: World = {
    service,
    ada,
    bob,
    cleo,
    stranger: new Person(service),
    answers: {},
    ids: { order: "", physicalCard: "", virtualCard: "" },
  };
  await Promise.all([playSignUp(world), cleo.becomeApproved(), becomeEligible(ada)]);
  await Promise.all([playSafe(world), playOlderSafe(world), playKnownProfile(world)]);
  await playOrder(world);
  await Promise.all([playCards(world), playIban(world), playSubscription(world)]);
  return world;
}

const keep = async (world: World, name: string, answer: Promise<Answer>): Promise<Answer> =>
  (world.answers[name] = await answer);

async function playSignUp(world: World): Promise<void> {
  const { bob } = world;
  const signed = { ...(await bob.signMessage()), ttlInSeconds: 600 };
  const { body } = await keep(world, "challenge", bob.call("POST", "/auth/challenge", signed));
  bob.token = body.token;
  const fields = {
    authEmail: "bob@example.org",
    referralCouponCode: "FRIEND",
    marketingCampaign: "spring",
    partnerId: "sandbox",
  };
  const signedUp = await keep(world, "signUp", bob.call("POST", "/auth/signup", fields));
  [bob.token, bob.userId] = [signedUp.body.token, signedUp.body.id];
  await keep(world, "webLink", bob.call("GET", "/kyc/integration?language=de"));
  await keep(world, "sdkToken", bob.call("GET", "/kyc/integration/sdk?language=de"));
  const deployer = await new Person(world.service).becomeApproved();
  await keep(world, "deploy", deployer.call("POST", "/safe/deploy"));
  await keep(world, "deployment", deployer.call("GET", "/safe/deploy"));
}

async function playSafe(world: World): Promise<void> {
  const { ada, answers } = world;
  const { address } = (await ada.call("GET", "/safe/config")).body;
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000000000000000000000" });
  await ada.sandbox("POST", "/chain/faucet", { address, token: "native", amount: "1000000000000000000" });
  const ofToken = { tokenAddress: eure, to: destination, amount: withdrawn.amount };
  const ofNative = { tokenAddress: nativeToken, to: destination, amount: withdrawn.nativeAmount };
  await keep(world, "withdraw", ada.call("POST", "/accounts/withdraw", await ada.signWithdrawal(ofToken)));
  await keep(world, "withdrawNative", ada.call("POST", "/accounts/withdraw", await ada.signWithdrawal(ofNative)));
  const owner = privateKeyToAccount(generatePrivateKey()).address;
  const added = await ada.call("POST", "/owners", await ada.signNewOwner(owner));
  await until(async () => (await ada.findDelay(added.body.data.id))?.status === "WAITING", { timeoutMs: 60_000 });
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(async () => (await ada.findDelay(added.body.data.id))?.status === "EXECUTED", { timeoutMs: 60_000 });
  await keep(world, "delays", ada.call("GET", "/delay-relay"));
  await keep(world, "removeOwner", ada.call("DELETE", "/owners", await ada.signRemoval(owner)));
  const wallet = await ada.call("POST", "/eoa-accounts", { address: owner });
  await keep(world, "removeWallet", ada.call("DELETE", `/eoa-accounts/${wallet.body.id}`));
  answers["removedWallet"] = wallet;
  await keep(world, "balances", ada.call("GET", "/account-balances"));
  await keep(world, "onchainDailyLimit", ada.call("GET", "/accounts/onchain-daily-limit"));
  const question = await ada.call("GET", "/source-of-funds");
  const chosen = question.body.map((asked: { question: string; answers: string[] }) => ({
    question: asked.question,
    answer: asked.answers[0],
  }));
  await keep(world, "sourceOfFunds", ada.call("POST", "/source-of-funds", chosen));
}

async function playOlderSafe(world: World): Promise<void> {
  const owner = new Person(world.service);
  await owner.becomeSafeOwner();
  const body = { signature: await owner.signSetUp() };
  await keep(world, "deployModules", owner.call("PATCH", "/account/deploy-safe-modules", body));
}

/** An existing customer of the e-money institution. */
async function playKnownProfile(world: World): Promise<void> {
  const known = new Person(world.service);
  await known.becomeAccountHolder();
  const { email } = (await known.call("GET", "/user")).body;
  await known.sandbox("POST", "/emoney/profiles", { email });
  const { message } = (await known.call("GET", "/ibans/signing-message")).body.data;
  const signature = await known.account.signMessage({ message });
  await keep(world, "knownProfile", known.call("POST", "/ibans/emoney-profile", { signature }));
}

async function playOrder(world: World): Promise<void> {
  const { ada, ids } = world;
  const shippingAddress = {
    address1: "Unter den Linden 1",
    address2: "2. OG",
    city: "Berlin",
    postalCode: "10117",
    country: "DE",
  };
  const ownAddress = { personalizationSource: "KYC", virtual: false };
  const { body } = await keep(world, "ownAddressOrder", ada.call("POST", "/order/create", ownAddress));
  await ada.call("POST", `/order/${body.id}/cancel`);
  const input = { personalizationSource: "KYC", shippingAddress, virtual: false };
  const created = await keep(world, "createOrder", ada.call("POST", "/order/create", input));
  ids.order = created.body.id;
  await keep(world, "secondOrder", ada.call("POST", "/order/create", input));
  const transactionHash = `0x${"f".repeat(64)}`;
  await ada.call("PUT", `/order/${ids.order}/attach-transaction`, { transactionHash });
  const coupon = { couponCode: "freecard" };
  await keep(world, "attachCoupon", ada.call("POST", `/order/${ids.order}/attach-coupon`, coupon));
  await keep(world, "order", ada.call("GET", `/order/${ids.order}`));
  await keep(world, "confirmPayment", ada.call("PUT", `/order/${ids.order}/confirm-payment`));
  await keep(world, "confirmAgain", ada.call("PUT", `/order/${ids.order}/confirm-payment`));
}

async function playCards(world: World): Promise<void> {
  const { ada, ids } = world;
  const { cardToken } = (await keep(world, "createCard", ada.call("POST", `/order/${ids.order}/create-card`, {}))).body;
  ids.physicalCard = (await ada.call("GET", "/cards")).body[0].id;
  ids.virtualCard = await createVirtual(ada);
  const verify = async (token: string) => {
    const { number } = (await ada.sandbox("GET", `/issuer/cards/${token}`)).body;
    const { publicKey } = (await ada.call("GET", "/user/card-public-key")).body;
    const { encrypted, ...envelope } = seal(publicKey, number);
    return ada.call("POST", "/cards/verify", { encryptedPan: encrypted, ...envelope });
  };
  await keep(world, "verify", verify(cardToken));
  const virtual = (await ada.call("GET", "/cards")).body.find(({ id }: { id: string }) => id === ids.virtualCard);
  await keep(world, "verifyVirtual", verify(virtual.cardToken));
  await keep(world, "voidPhysical", ada.call("POST", `/cards/${ids.physicalCard}/void`));
  await keep(world, "void", ada.call("POST", `/cards/${ids.virtualCard}/void`));
}

async function playIban(world: World): Promise<void> {
  const { ada } = world;
  await keep(world, "ibanAvailable", ada.call("GET", "/ibans/available"));
  await keep(world, "redirectUrl", ada.call("GET", "/ibans/oauth/redirect_url?callbackUrl=http://localhost:5173/iban"));
  const { message } = (await ada.call("GET", "/ibans/signing-message")).body.data;
  const signature = await ada.account.signMessage({ message });
  await keep(world, "createProfile", ada.call("POST", "/ibans/emoney-profile", { signature }));
  await keep(world, "ibanPending", ada.call("GET", "/ibans/details"));
  await until(async () => (await ada.call("GET", "/ibans/details")).body.data.ibanStatus === "ASSIGNED", {
    timeoutMs: 60_000,
  });
  const { iban } = (await keep(world, "ibanDetails", ada.call("GET", "/ibans/details"))).body.data;
  const money = { iban, amount: "25.50", counterpart: { name: "Grace", iban: "DE89370400440532013000" }, memo: "Rent" };
  await ada.sandbox("POST", "/emoney/incoming", money);
  await until(async () => (await ada.call("GET", "/ibans/orders")).body.data.length > 0, { timeoutMs: 60_000 });
  await keep(world, "ibanOrders", ada.call("GET", "/ibans/orders"));
}

async function playSubscription(world: World): Promise<void> {
  const { ada } = world;
  await keep(world, "notSubscribed", ada.call("GET", "/webhooks/subscription/sandbox"));
  const { message } = (await ada.call("GET", "/webhooks/message/sandbox")).body;
  const signature = await ada.account.signMessage({ message });
  await keep(world, "subscribe", ada.call("POST", "/webhooks/subscribe/sandbox", { message, signature }));
  await keep(world, "subscription", ada.call("GET", "/webhooks/subscription/sandbox"));
}
