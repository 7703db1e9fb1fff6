/** Payments of cards: each with its amounts and the merchant's possible next steps. */
import { describeDecline, nameIssuerReason } from "@cardkeep/contract/spending/declineWords";
import type { Db } from "@cardkeep/db/client";
import type { IssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { z } from "zod";
import { listTransactionsOf, sumOf } from "../issuer/authorizations.ts";
import { formatCents } from "./amounts.ts";
import { renderAction, renderBadge, renderEmpty, type Tone } from "./parts.ts";

const shown = z.object({
  id: z.string(),
  amount: z.number(),
  currency: z.string(),
  merchant_amount: z.number(),
  merchant_currency: z.string(),
  approved: z.boolean(),
  status: z.string(),
  card: z.object({ last4: z.string() }),
  merchant_data: z.object({ name: z.string(), country: z.string(), category_code: z.string() }),
  request_history: z.array(z.object({ reason: z.string() })),
  metadata: z.record(z.string(), z.string()),
});

const tones: Readonly<Record<string, Tone>> = { pending: "warn", closed: "good" };

/** Ends of ids differ most; each form has a name of its own. */
const shownIdLength = 6;

/** The merchant's next steps; an empty amount means the whole remaining amount. */
const renderMoves = (
  { id, currency }: { id: string; currency: string },
  can: { isPending: boolean; refund: boolean; return: boolean; take: boolean },
): Html => {
  const move = (to: string, text: string) =>
    markup`<button class="plain" data-path="/issuer/authorizations/${id}/${to}">${text}</button>`;
  return renderAction({
    path: `/issuer/authorizations/${id}/clear`,
    label: `Next step of payment ${id.slice(-shownIdLength)}`,
    done: `Done: {amount:cents} ${currency.toUpperCase()}.`,
    content: markup`<div class="row inline">
      <input name="amount" inputmode="decimal" data-kind="cents" placeholder="all" aria-label="Amount" pattern="[0-9]+([.][0-9]{1,2})?" />
      ${move("clear", "Clear")} ${can.isPending && [move("increment", "Raise"), move("reverse", "Reverse"), move("expire", "Expire"), move("close", "Close")]}
      ${can.refund && move("refund", "Refund")} ${can.take && move("take-back", "Take the refund back")}
      ${can.return && move("return-capture", "Return the capture")}
    </div>`,
  });
};

async function renderPayment(store: Db, { data, createdAt }: IssuerObject): Promise<Html> {
  const authorization = shown.parse(data);
  const { id, amount, currency, approved, status, merchant_data: merchant } = authorization;
  const transactions = await listTransactionsOf(store, id);
  const [captured, refunded] = [sumOf(transactions, "capture"), sumOf(transactions, "refund")];
  const isForeign = authorization.merchant_currency !== currency;
  const code =
    authorization.metadata["reason"] ?? nameIssuerReason(authorization.request_history[0]?.reason ?? "unknown");
  const { happened, user } = describeDecline(code);
  return markup`<li id="payment-${id}">
    <div class="head">
      <div>
        <h3>${merchant.name} ${approved ? renderBadge(status, tones[status]) : renderBadge("declined", "bad")}</h3>
        <p class="meta">•••• ${authorization.card.last4} · ${merchant.country} · ${merchant.category_code} ${renderTime(createdAt)}</p>
        ${!approved && markup`<p class="meta">${happened} <code>${code}</code></p><p class="meta">The user reads: ${user}</p>`}
      </div>
      <p class="sum">
        <strong>${formatCents(amount, currency)}</strong>
        ${isForeign && markup`<small>${formatCents(authorization.merchant_amount, authorization.merchant_currency)}</small>`}
        ${captured > 0 && markup`<small>cleared ${formatCents(captured, currency)}</small>`}
        ${refunded > 0 && markup`<small>refunded ${formatCents(refunded, currency)}</small>`}
      </p>
    </div>
    ${approved && renderMoves(authorization, { isPending: status === "pending", refund: captured > refunded, return: captured > 0, take: refunded > 0 })}
  </li>`;
}

/** Authorizations of the issuer, each with its next steps. */
export const renderPayments = async (store: Db, payments: readonly IssuerObject[]): Promise<Html> =>
  payments.length === 0
    ? renderEmpty("No card payment yet.")
    : markup`<ol class="rows">${await Promise.all(payments.map((payment) => renderPayment(store, payment)))}</ol>`;
