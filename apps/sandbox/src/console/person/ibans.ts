/** The steps at the bank: an IBAN, and money that arrives by it. */
import { markup } from "@cardkeep/html/markup";
import { renderAction, renderCopy, renderField } from "../parts.ts";
import { done, open, renderCommand, renderButton, type Step } from "./step.ts";

/** An IBAN in groups of four. */
export const formatIban = (iban: string): string => iban.replaceAll(/(.{4})(?=.)/g, "$1 ");

export const iban: Step = {
  id: "iban",
  title: "Get an IBAN",
  summary: "The wallet signs that it owns the address. The e-money institution then assigns an IBAN to the Safe.",
  after: ["identity", "funds", "phone", "safe"],
  read: ({ account }) => {
    const details = account?.user.bankingDetails;
    if (details?.emoneyIban) return done(formatIban(details.emoneyIban));
    if (!details || details.emoneyIbanStatus === "NOTSTARTED") return open;
    return { state: "waiting", note: "The institution assigns it" };
  },
  render: ({ account }) => {
    const assigned = account?.user.bankingDetails?.emoneyIban;
    return assigned
      ? markup`<p>${renderCopy(assigned, formatIban(assigned))}</p>`
      : renderCommand("iban", "Request an IBAN", renderButton("Sign and request the IBAN"));
  },
};

export const transfer: Step = {
  id: "transfer",
  title: "Receive a bank transfer",
  summary: "The sandbox's bank sends euros to the IBAN. The institution mints them to the Safe.",
  after: ["iban"],
  read: ({ account }) =>
    account !== null && account.transfers > 0
      ? done(`${account.transfers} ${account.transfers === 1 ? "transfer" : "transfers"}`)
      : open,
  render: ({ account }) =>
    renderAction({
      path: "/emoney/incoming",
      label: "Send a bank transfer",
      done: "The transfer is on its way.",
      content: markup`<input type="hidden" name="iban" value="${account?.user.bankingDetails?.emoneyIban ?? ""}" />
        <div class="fields">
          ${renderField("Amount in EUR", markup`<input name="amount" inputmode="decimal" value="1800.00" pattern="[0-9]+([.][0-9]{1,2})?" required />`)}
          ${renderField("Memo", markup`<input name="memo" value="Salary" />`)}
        </div>
        ${renderButton("Send the transfer")}`,
    }),
};
