/** The steps that use a card: at a shop, and its number and PIN in the secure elements. */
import { markup } from "@cardkeep/html/markup";
import { z } from "zod";
import { renderPayments } from "../payments.ts";
import { renderAction, renderField, renderSelect } from "../parts.ts";
import { formatCard, listLiving } from "./cards.ts";
import type { Account } from "./personState.ts";
import { done, open, renderCommand, type Step } from "./step.ts";

const shops = [
  { name: "Corner Shop", mcc: "5411", text: "Corner Shop, groceries" },
  { name: "Café Orange", mcc: "5812", text: "Café Orange, restaurant" },
  { name: "City Trains", mcc: "4111", text: "City Trains, public transport" },
  { name: "Night Casino", mcc: "7995", text: "Night Casino, gambling" },
] as const;

const chooseCard = (account: Account | null) =>
  renderField(
    "Card",
    renderSelect(
      "cardToken",
      listLiving(account).map((each) => ({ value: each.cardToken, text: formatCard(each) })),
    ),
  );

const approvedPayment = z.object({
  id: z.string(),
  approved: z.literal(true),
  amount: z.number(),
  currency: z.string(),
  merchant_data: z.object({ name: z.string() }),
});

/** The person's payments that were approved. */
export const listApproved = (account: Account | null) =>
  (account?.payments ?? []).flatMap(({ data }) => approvedPayment.safeParse(data).data ?? []);

export const pay: Step = {
  id: "pay",
  title: "Pay with the card",
  summary:
    "The shop's terminal asks the issuer, and the issuer asks the service. Then clear the payment, reverse or refund it.",
  after: ["card", "money"],
  read: ({ account }) => {
    const paid = listApproved(account).length;
    return paid > 0 ? done(`${paid} ${paid === 1 ? "payment" : "payments"}`) : open;
  },
  render: async ({ account, runtime }) =>
    markup`${renderAction({
      path: "/issuer/cards/{cardToken}/authorizations",
      label: "Use the card",
      keeps: true,
      content: markup`<div class="fields">
          ${chooseCard(account)}
          ${renderField(
            "Shop",
            renderSelect(
              "merchant",
              shops.map(({ name, text }) => ({ value: name, text })),
            ),
          )}
          ${renderField("Amount in EUR", markup`<input name="amount" inputmode="decimal" data-kind="cents" value="25.50" pattern="[0-9]+([.][0-9]{1,2})?" required />`)}
        </div>
        <div class="row"><button>Tap the card</button></div>`,
    })}
    ${account && account.payments.length > 0 && (await renderPayments(runtime.store, account.payments))}`,
};

export const element: Step = {
  id: "element",
  title: "See number and PIN",
  summary:
    "The secure card element is an iframe of the issuer's own origin. The app gives it a card and tokens, and never sees the number.",
  after: ["card"],
  isOptional: true,
  read: () => open,
  render: ({ account }) =>
    markup`${renderCommand(
      "element",
      "Secure card element",
      markup`<div class="fields">${chooseCard(account)}</div>
        <div class="row">
          <button name="element" value="cardData">Show number and CVC</button>
          <button name="element" value="cardPin" class="plain">Show PIN</button>
          <button name="element" value="setCardPin" class="plain">Set PIN</button>
        </div>`,
    )}
    <div class="element" id="element-frame" data-kept></div>`,
};
