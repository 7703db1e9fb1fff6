/** The step that disputes a payment. The card network decides it at the desk Disputes. */
import { disputeReasons } from "@cardkeep/contract/core/disputeReasons";
import { markup } from "@cardkeep/html/markup";
import { formatCents } from "../amounts.ts";
import { hrefOf } from "../desk.ts";
import { renderField, renderSelect } from "../parts.ts";
import { listApproved } from "./payments.ts";
import { open, renderButton, renderCommand, type Step } from "./step.ts";

export const dispute: Step = {
  id: "dispute",
  title: "Dispute a payment",
  summary:
    "The service hands the dispute to the issuer once the payment is cleared, and credits the Safe if it is won.",
  after: ["pay"],
  isOptional: true,
  read: () => open,
  render: ({ account }) =>
    markup`${renderCommand(
      "dispute",
      "Dispute a payment",
      markup`<div class="fields">
          ${renderField(
            "Payment",
            renderSelect(
              "threadId",
              listApproved(account).map(({ id, amount, currency, merchant_data: merchant }) => ({
                value: id,
                text: `${merchant.name}, ${formatCents(amount, currency)}`,
              })),
            ),
          )}
          ${renderField(
            "Reason",
            renderSelect(
              "disputeReason",
              Object.entries(disputeReasons).map(([value, text]) => ({ value, text })),
              "wrong_value",
            ),
          )}
          ${renderField("What happened", markup`<input name="explanation" value="The shop charged more than the receipt says" required />`, "wide")}
        </div>
        ${renderButton("Dispute the payment")}`,
    )}
    <p class="muted">Then decide it as the card network, at <a href="${hrefOf("disputes", null)}">Disputes</a>.</p>`,
};
