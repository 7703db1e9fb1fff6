/** The card terminal: uses a card and plays the merchant's next steps. */
import { cardStatusCodes, cardStatusWords, endedCardStatuses } from "@cardkeep/contract/cards/cards";
import { listIssuerObjectsById } from "@cardkeep/db/sandbox/issuerObjects";
import type { Card } from "@cardkeep/db/queries/cards/cards";
import { type IssuerObject, listIssuerObjects } from "@cardkeep/db/sandbox/issuerObjects";
import { sandboxOperator } from "@cardkeep/domain/core/actor";
import { listAllCards } from "@cardkeep/domain/cards/cards/listAllCards";
import { type Html, markup } from "@cardkeep/html/markup";
import { shippingStatuses } from "../issuer/shipping.ts";
import { authorizationObject } from "../issuer/authorizations.ts";
import { scriptNames, scripts } from "../issuer/scripts.ts";
import { type Desk, nameOf, renderWayOn, type View } from "./desk.ts";
import { renderPaymentPicture } from "./paymentPicture.ts";
import { renderPayments } from "./payments.ts";
import {
  renderAction,
  renderBadge,
  renderCopy,
  renderCut,
  renderEmpty,
  renderField,
  renderPanel,
  renderSelect,
} from "./parts.ts";

const cardsMax = 30;
const paymentsMax = 20;

const merchants: Readonly<Record<string, string>> = {
  "5411": "groceries",
  "5812": "restaurant",
  "5541": "petrol station",
  "4111": "public transport",
  "6011": "cash machine",
  "7995": "gambling",
};

const uses = [
  { value: "00", text: "purchase" },
  { value: "01", text: "cash" },
];

const formatCard = (card: Card): string => `•••• ${card.lastFourDigits} ${card.virtual ? "virtual" : "physical"}`;

function holderOf({ people, person }: View, card: Card): string {
  const holder = [...people, person].find((each) => each?.id === card.userId);
  return holder ? nameOf(holder) : card.userId;
}

const renderTap = (view: View, cards: readonly Card[]): Html =>
  renderAction({
    path: "/issuer/cards/{cardToken}/authorizations",
    label: "Use a card",
    keeps: true,
    content: markup`<div class="fields">
        ${renderField(
          "Card",
          renderSelect(
            "cardToken",
            cards.map((card) => ({ value: card.cardToken, text: `${holderOf(view, card)} ${formatCard(card)}` })),
          ),
          "wide",
        )}
        ${renderField("Amount", markup`<input name="amount" inputmode="decimal" data-kind="cents" value="25.50" pattern="[0-9]+([.][0-9]{1,2})?" required />`)}
        ${renderField("Currency", markup`<input name="currency" value="EUR" maxlength="3" required />`)}
        ${renderField("Merchant", markup`<input name="merchant" value="Corner Shop" required />`)}
        ${renderField("Category (MCC)", markup`<input name="mcc" value="5411" list="categories" inputmode="numeric" />`)}
        ${renderField("Country", markup`<input name="country" value="DE" maxlength="2" required />`)}
        ${renderField("Use", renderSelect("type", uses))}
      </div>
      <datalist id="categories">
        ${Object.entries(merchants).map(([mcc, name]) => markup`<option value="${mcc}">${name}</option>`)}
      </datalist>
      <div class="row"><button>Tap</button></div>`,
  });

const renderScripts = (view: View, cards: readonly Card[]): Html =>
  renderAction({
    path: "/issuer/cards/{cardToken}/scripts/{script}",
    label: "Play a story",
    keeps: true,
    content: markup`<div class="fields">
        ${renderField(
          "Card",
          renderSelect(
            "cardToken",
            cards.map((card) => ({ value: card.cardToken, text: `${holderOf(view, card)} ${formatCard(card)}` })),
          ),
          "wide",
        )}
        ${renderField(
          "Story",
          renderSelect(
            "script",
            scriptNames.map((value) => ({ value, text: scripts[value].title })),
          ),
          "wide",
        )}
      </div>
      <div class="row"><button>Play</button></div>`,
  });

function renderCard(view: View, card: Card, atIssuer: IssuerObject | undefined): Html {
  const { number = "", cvc = "", pin = "" } = atIssuer?.hidden ?? {};
  const isEnded = endedCardStatuses.includes(card.statusCode);
  return markup`<li id="card-${card.id}">
    <div class="head">
      <div>
        <h3>${holderOf(view, card)} ${renderBadge(cardStatusWords[card.statusCode].toLowerCase(), card.statusCode === cardStatusCodes.active ? "good" : isEnded ? "bad" : "warn")}
          ${card.activatedAt === null && renderBadge("not activated", "warn")}</h3>
        <p class="meta">${formatCard(card)} ${card.shippingStatus !== null && renderBadge(card.shippingStatus, "note")}
          <span>card token ${renderCopy(card.cardToken)}</span></p>
      </div>
      ${
        card.shippingStatus !== null &&
        !isEnded &&
        renderAction({
          path: `/issuer/cards/${card.cardToken}/shipping`,
          label: `Ship ${formatCard(card)}`,
          done: "The service received the request.",
          content: markup`<div class="row inline">
            ${renderSelect(
              "status",
              shippingStatuses.map((value) => ({ value, text: value })),
              "delivered",
              "Shipping status",
            )}
            <button class="plain">Ship</button>
          </div>`,
        })
      }
    </div>
    <details>
      <summary>Number and PIN</summary>
      <dl>
        <dt>Number</dt><dd>${renderCopy(number, number.replaceAll(/(.{4})(?=.)/g, "$1 "))}</dd>
        <dt>Expires</dt><dd>${String(atIssuer?.data["exp_month"])}/${String(atIssuer?.data["exp_year"])}</dd>
        <dt>Security code</dt><dd>${renderCopy(cvc)}</dd>
        <dt>PIN</dt><dd>${renderCopy(pin)}</dd>
      </dl>
    </details>
  </li>`;
}

/** The newest authorizations of some cards, or of all. */
async function listPayments({ runtime, person }: View, cards: readonly Card[]): Promise<IssuerObject[]> {
  const parts = person === null ? [{}] : cards.map(({ cardToken }) => ({ card: { id: cardToken } }));
  const page = { object: authorizationObject, startingAfter: null, limit: paymentsMax };
  const found = await Promise.all(parts.map((part) => listIssuerObjects(runtime.store, { ...page, part })));
  return found
    .flat()
    .toSorted((a, b) => Number(b.sequence - a.sequence))
    .slice(0, paymentsMax);
}

export const terminal: Desk = {
  id: "terminal",
  title: "Card terminal",
  summary: "Use a card at any merchant. Then capture, reverse or refund the authorization.",
  render: async (view) => {
    const { store, services } = view.runtime;
    const cards = await listAllCards(
      { ...services, actor: sandboxOperator },
      { user: view.person?.id, limit: cardsMax },
    );
    if (cards.length === 0) {
      return renderEmpty("No card yet.", renderWayOn("Get one at the Person desk", view.person));
    }
    const atIssuer = await listIssuerObjectsById(
      store,
      cards.map(({ cardToken }) => cardToken),
    );
    const ofCard = (card: Card) => atIssuer.find(({ id }) => id === card.cardToken);
    const payments = await listPayments(view, cards);
    const [newest] = payments;
    return markup`${renderPanel("Use a card", renderTap(view, cards))}
    ${renderPanel("Play a story", renderScripts(view, cards))}
    ${renderPanel("Payments", [newest && (await renderPaymentPicture(view.runtime, newest.id)), await renderPayments(store, payments), renderCut(payments.length, paymentsMax)])}
    ${renderPanel("Cards", [
      markup`<ol class="rows">${cards.map((card) => renderCard(view, card, ofCard(card)))}</ol>`,
      renderCut(cards.length, cardsMax),
    ])}`;
  },
};
