/** Cards and their orders, disputes, and the secure element that shows a card's number. */
import { disputeReasonKeys } from "@cardkeep/contract/core/disputeReasons";
import { type Command, textOf } from "./command.ts";
import { openElement } from "./elements.ts";

const createVirtual: Command = async (actor) => {
  await actor.api("cards", "createVirtual");
  return "The card is ready.";
};

const createOrder: Command = async (actor) => {
  await actor.api("orders", "create", { personalizationSource: "KYC" });
  return "The card is ordered. It needs its payment now.";
};

const attachCoupon: Command = async (actor, fields) => {
  const { orderId, couponCode } = { orderId: textOf(fields, "orderId"), couponCode: textOf(fields, "couponCode") };
  const attached = await actor.api("orders", "attachCoupon", { orderId, couponCode });
  return `Coupon ${attached.couponCode} is attached.`;
};

const confirmPayment: Command = async (actor, fields) => {
  await actor.api("orders", "confirmPayment", { orderId: textOf(fields, "orderId") });
  return "The payment is confirmed.";
};

const cancelOrder: Command = async (actor, fields) => {
  await actor.api("orders", "cancel", { orderId: textOf(fields, "orderId") });
  return "The order is cancelled.";
};

const createCard: Command = async (actor, fields) => {
  await actor.api("orders", "createCard", { orderId: textOf(fields, "orderId") });
  return "The card is made. The post has to deliver it.";
};

const statusOf = ({ status, pendingText }: { status: string; pendingText?: string | undefined }): string =>
  pendingText === undefined ? `${status}.` : `${status}. ${pendingText}`;

const activate: Command = async (actor, fields) =>
  statusOf(await actor.api("cards", "activate", { cardId: textOf(fields, "cardId") }));
const freeze: Command = async (actor, fields) =>
  statusOf(await actor.api("cards", "freeze", { cardId: textOf(fields, "cardId") }));
const unfreeze: Command = async (actor, fields) =>
  statusOf(await actor.api("cards", "unfreeze", { cardId: textOf(fields, "cardId") }));

const showElement: Command = async (actor, fields) => {
  await openElement(actor, { element: textOf(fields, "element"), cardToken: textOf(fields, "cardToken") });
  return "The element is open. This page cannot read it.";
};

const dispute: Command = async (actor, fields) => {
  const threadId = textOf(fields, "threadId");
  const disputeReason = disputeReasonKeys.find((reason) => reason === fields["disputeReason"]);
  if (disputeReason === undefined) throw new Error("Choose a reason.");
  await actor.api("transactions", "addEvidence", { threadId, explanation: textOf(fields, "explanation") });
  const { message } = await actor.api("transactions", "dispute", { threadId, disputeReason });
  const { status, missing } = await actor.api("transactions", "showDispute", { threadId });
  const needs = missing.length > 0 ? ` It still needs ${missing.join(", ")}.` : "";
  return `${message}. Its status is ${status}.${needs}`;
};

export const cards: Readonly<Record<string, Command>> = {
  "card.virtual": createVirtual,
  "card.activate": activate,
  "card.freeze": freeze,
  "card.unfreeze": unfreeze,
  "order.create": createOrder,
  "order.coupon": attachCoupon,
  "order.confirm": confirmPayment,
  "order.cancel": cancelOrder,
  "order.card": createCard,
  dispute,
  element: showElement,
};
