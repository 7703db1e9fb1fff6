/** One card payment: its line from the authorization to the settlement, its chain transfers and its bookings. */
import { paymentMachine } from "@cardkeep/contract/spending/spending";
import { ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import { decimalsOf, formatMinor, formatToken } from "@cardkeep/domain/spending/payments/formatMoney";
import { getPaymentDetails, type PaymentDetails } from "@cardkeep/domain/spending/payments/listAllPayments";
import { listPaymentLine } from "@cardkeep/domain/spending/payments/paymentLine";
import { listPaymentSteps } from "@cardkeep/domain/spending/payments/paymentSteps";
import { formatUnits } from "@cardkeep/domain/core/wording";
import { markup, type Html, prose } from "@cardkeep/html/markup";
import { renderFigure } from "@cardkeep/html/pictures/figure";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { drawPaymentLine, renderPaymentLegend } from "@cardkeep/html/pictures/paymentLine";
import { renderTime } from "@cardkeep/html/time";
import { renderCents, renderToken } from "./amounts.ts";
import { renderPaymentActions } from "./paymentActions.ts";
import { renderForeign } from "../page/foreignText.ts";
import { linkTo, type ShowPage, type Table, type Visit } from "../page/page.ts";
import { renderCode, renderDigits, renderFields, renderIdLink, renderStatus, renderWords } from "../page/parts.ts";
import { buildTable } from "../page/table.ts";

const renderDecline = ({ decline }: PaymentDetails): Html | false =>
  decline !== null &&
  markup`<section class="panel decline">
    <h2>Declined: <code>${decline.code}</code></h2>
    <p>${prose(decline.happened)}</p>
    <p>${prose(decline.remedy)}</p>
    <p class="none">The cardholder reads: ${decline.user}</p>
  </section>`;

const renderHits = ({ hits }: PaymentDetails): Html | false =>
  hits.length > 0 &&
  markup`<h2>Card rules</h2>
    <ul>
      ${hits.map(
        ({ ruleId, version, state }) =>
          markup`<li>
            Version ${version} of ${renderIdLink("/operator/rules", ruleId)}
            ${state === "ACTIVE" ? "declined it." : "would have declined it."}
          </li>`,
      )}
    </ul>`;

/** What a cardholder calls about: one purchase that was charged twice. */
const renderDoubles = ({ doubles }: PaymentDetails): Html | false =>
  doubles.length > 0 &&
  markup`<section class="panel">
    <h2>Possible double charge</h2>
    <p>The same card paid the same amount at the same merchant within ten minutes.</p>
    <ul>
      ${doubles.map(({ id, createdAt, status }) => markup`<li>${renderIdLink("/operator/payments", id)} ${renderTime(createdAt)} ${renderStatus(status)}</li>`)}
    </ul>
  </section>`;

function renderAmounts({ payment, safe }: PaymentDetails): Html {
  const { billingCurrency: currency, merchantCurrency, merchantMinor } = payment;
  return renderFields([
    ["Authorized", renderCents(payment.authorizedCents, currency)],
    ["At the merchant", markup`<span class="amount">${formatMinor(merchantMinor, merchantCurrency)}</span>`],
    ["Reversed", renderCents(payment.reversedCents, currency)],
    ["Captured", renderCents(payment.capturedCents, currency)],
    ["Refunded", renderCents(payment.refundedCents, currency)],
    ["Captured beyond the approval", renderCents(payment.excessCents, currency)],
    ["Shall leave the Safe", renderToken(payment.target, safe.tokenSymbol)],
    ["Owed", renderToken(payment.owed, safe.tokenSymbol)],
    ["Set off", renderToken(payment.setOff, safe.tokenSymbol)],
    ["Written off", renderToken(payment.writtenOff, safe.tokenSymbol)],
  ]);
}

const buildTransfers = (visit: Visit, { transfers, safe }: PaymentDetails): Table =>
  buildTable(visit, {
    name: "transfers",
    none: "No money moves on chain for it.",
    rows: transfers.flatMap((transfer) =>
      (transfer.relayed.length === 0 ? [null] : transfer.relayed).map((relayed) => ({ transfer, relayed })),
    ),
    columns: [
      { name: "Transfer", text: ({ transfer }) => transfer.ordinal },
      {
        name: "Direction",
        text: ({ transfer: { direction, isCollection, isByHand } }) =>
          `${direction}${isCollection ? ", for a debt" : ""}${isByHand ? ", by hand" : ""}`,
      },
      {
        name: "Amount",
        text: ({ transfer }) => formatToken(transfer.amount, safe.tokenSymbol),
        cell: ({ transfer }) => renderToken(transfer.amount, safe.tokenSymbol),
      },
      {
        name: "Status",
        text: ({ transfer }) => transfer.status,
        cell: ({ transfer }) => markup`${renderStatus(transfer.status)} ${transfer.reason}`,
      },
      {
        name: "Relay transaction",
        text: ({ relayed }) => relayed?.transaction.status,
        cell: ({ relayed }) => relayed && renderStatus(relayed.transaction.status),
      },
      { name: "Block", text: ({ transfer, relayed }) => relayed?.transaction.blockNumber ?? transfer.endedBlock },
      {
        name: "Hash",
        text: ({ transfer, relayed }) =>
          relayed?.transaction.minedHash ?? relayed?.attempts.at(-1)?.hash ?? transfer.hash,
        cell: ({ transfer, relayed }) =>
          renderCode(relayed?.transaction.minedHash ?? relayed?.attempts.at(-1)?.hash ?? transfer.hash),
      },
    ],
  });

/** Double entry: each row sums to zero, and so do the sums. */
function buildBookings(visit: Visit, { entries, sums, safe }: PaymentDetails): Table {
  const decimals = decimalsOf(safe.tokenSymbol);
  const total = { at: null, ordinal: null, amounts: sums };
  return buildTable(visit, {
    name: "bookings",
    none: "Nothing is booked for it.",
    rows: [
      ...entries.map((entry) => ({ at: entry.createdAt, ordinal: entry.ordinal, amounts: entry })),
      ...(entries.length === 0 ? [] : [total]),
    ],
    columns: [
      {
        name: "Booked",
        text: ({ at }) => at,
        cell: ({ at }) => (at === null ? markup`<strong>Sum</strong>` : renderTime(at)),
      },
      { name: "Transfer", text: ({ ordinal }) => ordinal },
      ...ledgerAccounts.map((account) => ({
        name: account,
        text: ({ amounts }: { amounts: PaymentDetails["sums"] }) => formatUnits(amounts[account], decimals),
        cell: ({ amounts }: { amounts: PaymentDetails["sums"] }) =>
          amounts[account] === 0n
            ? markup`<span class="none">0</span>`
            : renderToken(amounts[account], safe.tokenSymbol),
      })),
    ],
  });
}

const renderLine = (details: PaymentDetails): Html =>
  markup`<ol class="timeline">
    ${listPaymentSteps(details).map(
      ({ at, word, facts }) =>
        markup`<li>${renderTime(at)} <strong>${word}</strong> ${facts.map((fact) => markup`<p>${renderWords(fact)}</p>`)}</li>`,
    )}
  </ol>`;

/** Steps of the newest payments have an end; of one with more, the first are drawn. */
const drawnMax = 60;

function renderPicture(details: PaymentDetails): Html {
  const steps = listPaymentLine(details);
  const rest = steps.length > drawnMax ? ` The first ${drawnMax} are drawn; the tables below have all.` : "";
  const picture = {
    name: "payment-line",
    title: "From the tap to the settlement",
    summary: `${steps.length} steps; each branch is a transfer on chain.${rest}`,
  };
  const drawn = steps.slice(0, drawnMax);
  return renderFigure(picture, {
    svg: drawPaymentLine({ ...picture, steps: drawn }),
    legend: renderPaymentLegend(drawn),
  });
}

/** The first decision is the only change of the status whose instant is kept. */
function renderMachine({ payment: { status, createdAt }, decisions: [first] }: PaymentDetails): Promise<Html> {
  const began = first && (first.isApproved ? "AUTHORIZED" : "DECLINED");
  const history = began === undefined || began === status ? [] : [{ state: began, at: createdAt }];
  return renderMachineState({ machine: paymentMachine, title: "Payment", current: status, history });
}

export const showPayment: ShowPage = async (visit) => {
  const details = await getPaymentDetails(visit.ctx, { reference: visit.params["id"] ?? "" });
  const { payment, card, safe, dispute, standIn } = details;
  const transfers = buildTransfers(visit, details);
  const bookings = buildBookings(visit, details);
  return {
    title: "Payment",
    body: markup`${renderDecline(details)} ${renderDoubles(details)} ${renderHits(details)}
      ${renderFields([
        ["Id", renderCode(payment.id)],
        ["Status", renderStatus(payment.status)],
        [
          "Merchant",
          renderForeign(
            [payment.merchantName, payment.merchantCity, payment.merchantCountry]
              .filter((text) => text !== null)
              .join(", "),
          ),
        ],
        ["Category and kind", `MCC ${payment.mcc}, type ${payment.transactionType}`],
        ["3-D Secure", payment.threeDSecure ?? payment.authenticationExemption],
        ["Wallet token", renderCode(payment.walletTokenId)],
        ["Thread at the issuer", renderCode(payment.threadId)],
        ["Card", markup`${renderIdLink("/operator/cards", card.id)} ${renderDigits(card.lastFourDigits)}`],
        ["User", renderIdLink("/operator/users", payment.userId)],
        ["Safe", renderCode(safe.address)],
        ["Request", renderCode(payment.requestId)],
        ["Decided without us", standIn && markup`${renderStatus(standIn.decision)} ${standIn.reason}`],
        [
          "Dispute",
          dispute && markup`${renderStatus(dispute.status)} ${renderIdLink("/operator/disputes", dispute.id)}`,
        ],
        ["Cleared", renderTime(payment.clearedAt)],
      ])}
      <p class="pager"><a href="${linkTo("/operator/cases", { payment: payment.id })}">Cases of this payment</a></p>
      <h2>Amounts</h2>
      ${renderAmounts(details)}
      ${renderPaymentActions(visit, details)}
      <h2>Timeline</h2>
      <div class="charts">${renderPicture(details)} ${await renderMachine(details)}</div>
      ${renderLine(details)}
      <h2>Chain transfers</h2>
      ${transfers}
      <h2>Ledger</h2>
      <p class="lead">Each row books on several accounts and sums to zero.</p>
      ${bookings}`,
    tables: [transfers, bookings],
  };
};
