/** The step that gets a card: a virtual one at once, or a physical one by an order. */
import { cardStatusCodes, endedCardStatuses } from "@cardkeep/contract/cards/cards";
import { type Html, markup } from "@cardkeep/html/markup";
import { formatCents } from "../amounts.ts";
import { renderAction, renderBadge, renderField } from "../parts.ts";
import type { Account, PersonState } from "./personState.ts";
import { done, open, renderCommand, renderButton, type Step } from "./step.ts";

type Card = Account["cards"][number];
type Order = Account["orders"][number];

/** A card in a few words. */
export const formatCard = ({ lastFourDigits, virtual }: Card): string =>
  `•••• ${lastFourDigits} ${virtual ? "virtual" : "physical"}`;

/** The cards that may still be used one day. */
export const listLiving = (account: Account | null): readonly Card[] =>
  account?.cards.filter(({ statusCode }) => !endedCardStatuses.some((ended) => ended === String(statusCode))) ?? [];

const isActive = ({ statusCode, activatedAt }: Card): boolean =>
  String(statusCode) === cardStatusCodes.active && activatedAt !== null;

function renderCard(card: Card): Html {
  const isFrozen = String(card.statusCode) === cardStatusCodes.frozen;
  const id = markup`<input type="hidden" name="cardId" value="${card.id}" />`;
  return markup`<li id="own-${card.id}">
    <p class="meta"><strong>${formatCard(card)}</strong>
      ${card.activatedAt === null ? renderBadge("not activated", "warn") : isFrozen ? renderBadge("frozen", "warn") : renderBadge(card.statusName.toLowerCase(), isActive(card) ? "good" : "bad")}</p>
    ${
      card.activatedAt === null
        ? markup`${renderAction({
            path: `/issuer/cards/${card.cardToken}/shipping`,
            label: `Deliver ${formatCard(card)}`,
            done: "The card arrived by post.",
            content: markup`<input type="hidden" name="status" value="delivered" />${renderButton("Have the post deliver it", "plain")}`,
          })}
          ${renderCommand("card.activate", `Activate ${formatCard(card)}`, [id, renderButton("Activate")])}`
        : renderCommand(isFrozen ? "card.unfreeze" : "card.freeze", `Freeze or unfreeze ${formatCard(card)}`, [
            id,
            renderButton(isFrozen ? "Unfreeze" : "Freeze", "plain"),
          ])
    }
  </li>`;
}

const isOpen = ({ status }: Order): boolean => !["CARDCREATED", "FAILEDTRANSACTION", "CANCELLED"].includes(status);

function renderOrder({ id, status, couponCode, totalAmountEUR }: Order, coupon: string): Html {
  const hidden = markup`<input type="hidden" name="orderId" value="${id}" />`;
  const isPending = status === "PENDINGTRANSACTION";
  return markup`<div class="order" id="order-${id}">
    <p class="meta"><strong>Order of a physical card</strong> ${renderBadge(status, status === "READY" ? "good" : "note")}
      ${couponCode ? `coupon ${couponCode}` : formatCents(Number(totalAmountEUR), "EUR")}</p>
    ${
      isPending &&
      !couponCode &&
      renderCommand(
        "order.coupon",
        "Attach a coupon",
        markup`${hidden}<div class="fields">${renderField("Coupon", markup`<input name="couponCode" value="${coupon}" required />`)}</div>
          ${renderButton("Attach the coupon")}`,
      )
    }
    ${isPending && couponCode && renderCommand("order.confirm", "Confirm the payment", [hidden, renderButton("Confirm the payment")])}
    ${status === "READY" && renderCommand("order.card", "Make the card", [hidden, renderButton("Make the card")])}
    ${status !== "READY" && renderCommand("order.cancel", "Cancel the order", [hidden, renderButton("Cancel the order", "plain")])}
  </div>`;
}

function renderCards({ account, runtime }: PersonState): Html {
  const order = account?.orders.find(isOpen);
  return markup`<ul class="rows">${listLiving(account).map(renderCard)}</ul>
    ${
      order
        ? renderOrder(order, runtime.settings.policy.freeCouponCode ?? "")
        : markup`<div class="choices">
            ${renderCommand("card.virtual", "Get a virtual card", renderButton("Get a virtual card"))}
            ${renderCommand("order.create", "Order a physical card", renderButton("Order a physical card", "plain"))}
          </div>`
    }`;
}

export const card: Step = {
  id: "card",
  title: "Get a card",
  summary:
    "A virtual card can be used at once. A physical one is ordered, paid by a coupon, made, delivered by post and activated.",
  after: ["identity", "funds", "phone", "safe"],
  read: ({ account }) => {
    const active = listLiving(account).filter(isActive);
    return active.length > 0 ? done(active.map(formatCard).join(", ")) : open;
  },
  render: renderCards,
};
