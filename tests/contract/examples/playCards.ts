/** The part of the play about cards: their life, a digital wallet, payments and a dispute. */
import { seal } from "../../support/cards.ts";
import type { Person } from "../../support/person.ts";
import { until } from "../../support/poll.ts";
import type { Stage } from "./stage.ts";

/** No gambling, no magnetic stripe, and limits of a month and of cash. */
const controls = {
  blockedCategories: ["7800-7802", "7995"],
  allowedCountries: null,
  blockedCountries: null,
  channels: { online: true, contactless: true, chip: true, magstripe: false, cashMachine: true },
  perPaymentAmount: null,
  limits: [{ window: "month", amount: "150000" }],
  cashMachineDailyAmount: "20000",
  merchantLock: { enabled: false, merchant: null },
  oneTime: false,
  requireKnownMerchant: false,
};

/** Two physical cards, one of them the older way, and virtual ones that end. */
export async function playCards(ada: Person, { show, alias }: Pick<Stage, "show" | "alias">): Promise<void> {
  const sealFor = async (text: string) => {
    const { publicKey } = (await ada.call("GET", "/user/card-public-key")).body;
    const { encrypted, encryptedKey, iv } = seal(publicKey, text);
    alias(encryptedKey, `${"A".repeat(encryptedKey.length - 2)}==`);
    alias(encrypted, `${"B".repeat(encrypted.length - 2)}==`);
    alias(iv, "Y2Fya2tlZXAtaXYx");
    return { encrypted, encryptedKey, iv };
  };
  const [{ id: orderId }] = (await ada.call("GET", "/order/")).body;
  const { encrypted: encryptedPin, ...ofPin } = await sealFor("1379");
  const { cardToken } = await show(ada, "orders.createCard", { orderId, pinData: { encryptedPin, ...ofPin } });
  const [{ id: cardId }] = (await ada.call("GET", "/cards")).body;
  const { number } = (await ada.sandbox("GET", `/issuer/cards/${cardToken}`)).body;
  const { encrypted: encryptedPan, ...ofPan } = await sealFor(number);
  await show(ada, "cards.verify", { encryptedPan, ...ofPan });
  await show(ada, "cards.activate", { cardId });
  await show(ada, "cards.freeze", { cardId });
  await until(async () => !("pending" in (await ada.call("GET", `/cards/${cardId}/status`)).body));
  await show(ada, "cards.status", { cardId });
  await show(ada, "cards.unfreeze", { cardId });
  await show(ada, "cards.setControls", { cardId, ...controls });
  await show(ada, "cards.controls", { cardId });
  await ada.sandbox("POST", `/issuer/cards/${cardToken}/shipping`, { status: "shipped" });
  const first = await show(ada, "cards.createVirtual");
  await show(ada, "cards.markStolen", { cardId: first.cardId });
  const second = await show(ada, "cards.createVirtual");
  await show(ada, "cards.list");
  await show(ada, "cards.void", { cardId: second.cardId });
  const { id: olderId } = (await ada.call("POST", "/order/create", { personalizationSource: "KYC" })).body;
  await ada.call("POST", `/order/${olderId}/attach-coupon`, { couponCode: "FREECARD" });
  await ada.call("PUT", `/order/${olderId}/confirm-payment`);
  await show(ada, "orders.createCardOlder", { orderId: olderId });
  const [{ id: olderCardId }] = (await ada.call("GET", "/cards")).body;
  await show(ada, "cards.markLost", { cardId: olderCardId });
}

/** The virtual card is added to a wallet, suspended there, resumed and removed. */
export async function playWallet(ada: Person, { show, alias }: Pick<Stage, "show" | "alias">): Promise<void> {
  const [{ id: cardId, cardToken }] = (await ada.call("GET", "/cards?status_code=1000")).body;
  const asked = { wallet: "apple_pay", deviceType: "phone", deviceName: "Ada's phone" };
  const { body: added } = await ada.sandbox("POST", `/issuer/cards/${cardToken}/wallet-tokens`, asked);
  const walletTokenId: string = added.walletTokenId;
  alias(walletTokenId, "intok_5e6f708192a3b4c5d6e7f809");
  const read = async () => (await ada.call("GET", `/cards/${cardId}/wallet-tokens`)).body;
  await until(async () => (await read())[0]?.status === "active");
  await show(ada, "walletTokens.suspend", { cardId, walletTokenId });
  await show(ada, "walletTokens.resume", { cardId, walletTokenId });
  await show(ada, "walletTokens.list", { cardId });
  await show(ada, "walletTokens.remove", { cardId, walletTokenId });
}

const transferFrom = "0x23b872dd";

interface Line {
  clearedAt: string | null;
  transactions: { status: string; data: string }[];
}

/** One purchase is captured and refunded in part, one is reversed, one is declined. */
export async function playSpending(ada: Person, { show, alias }: Pick<Stage, "show" | "alias">): Promise<void> {
  const [{ cardToken }] = (await ada.call("GET", "/cards?status_code=1000")).body;
  const shop = { currency: "EUR", merchant: "Corner Shop", mcc: "5411", country: "DE" };
  const pay = async (amount: number, stable: string): Promise<string> => {
    const { body } = await ada.sandbox("POST", `/issuer/cards/${cardToken}/authorizations`, { amount, ...shop });
    alias(body.threadId, stable);
    return body.threadId;
  };
  const lines = async (): Promise<Line[]> => (await ada.call("GET", "/cards/transactions")).body.results;
  /** Waits until a line's transfer is done, and gives it a later second than that of the next one. */
  const step = async (count: number) => {
    const isDone = ({ transactions }: Line) => transactions.every(({ status }) => status === "ExecSuccess");
    await until(async () => (await lines()).length === count && (await lines()).every(isDone));
    await ada.sandbox("POST", "/chain/advance", { seconds: 95 });
  };
  const claimed = await pay(2_550, "iauth_1a2b3c4d5e6f708192a3b4c5");
  await step(1);
  const givenUp = await pay(1_200, "iauth_2b3c4d5e6f708192a3b4c5d6");
  await step(2);
  await pay(99_999, "iauth_3c4d5e6f708192a3b4c5d6e7");
  await step(3);
  await ada.sandbox("POST", `/issuer/authorizations/${claimed}/clear`, {});
  await until(async () => (await lines()).some(({ clearedAt }) => clearedAt !== null));
  await step(3);
  await ada.sandbox("POST", `/issuer/authorizations/${claimed}/refund`, { amount: 550 });
  await step(4);
  await ada.sandbox("POST", `/issuer/authorizations/${givenUp}/reverse`, {});
  await step(5);
  // What the settlement account returns ends with 32 bytes that name the transfer's row.
  const returned = (await lines()).flatMap(({ transactions }) => transactions.map(({ data }) => data));
  for (const data of returned.filter((each) => each.startsWith(transferFrom)))
    alias(data.slice(-64), transferFrom.slice(2).repeat(8));
  await show(ada, "transactions.list", { limit: "20", offset: "0" });
  await show(ada, "transactions.listAll", { mcc: "5411" });
  await show(ada, "transactions.listDisputeReasons");
  await show(ada, "transactions.addEvidence", { threadId: claimed, explanation: "I paid 20.00 at the till" });
  const file = Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64");
  await show(ada, "transactions.addEvidenceFile", { threadId: claimed, slot: "cashReceipt", file });
  await show(ada, "transactions.dispute", { threadId: claimed, disputeReason: "wrong_value" });
  const dispute = async () => (await ada.call("GET", `/transactions/${claimed}/dispute`)).body;
  await until(async () => (await dispute()).status === "submitted");
  await show(ada, "transactions.showDispute", { threadId: claimed });
}
