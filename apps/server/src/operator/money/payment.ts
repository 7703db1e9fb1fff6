/** One card payment: its line from the authorization to the settlement, its chain transfers and its bookings. */
import { paymentMachine } from "@cardkeep/contract/spending/spending";
import { payments } from "@cardkeep/desk/nouns/payments";
import { getPaymentDetails, type PaymentDetails } from "@cardkeep/domain/spending/payments/listAllPayments";
import { warnOfReturned } from "@cardkeep/domain/spending/payments/doubles";
import { formatCount } from "@cardkeep/domain/core/wording";
import { formatCents } from "@cardkeep/domain/spending/payments/formatMoney";
import { listPaymentLine } from "@cardkeep/domain/spending/payments/paymentLine";
import { listPaymentSteps } from "@cardkeep/domain/spending/payments/paymentSteps";
import { markup, type Html, prose } from "@cardkeep/html/markup";
import { renderFigure } from "@cardkeep/html/pictures/figure";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { drawPaymentLine, renderPaymentLegend } from "@cardkeep/html/pictures/paymentLine";
import { renderTime } from "@cardkeep/html/time";
import { renderActs } from "../deskForms.ts";
import { buildParts, renderNamed } from "../deskTable.ts";
import { readNames } from "../names.ts";
import { linkTo, type ShowPage } from "../page/page.ts";
import { renderIdLink, renderStatus, renderWords } from "../page/parts.ts";

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

/** One of two charges is back already: a second return would be the operator's loss. */
const renderReturned = ({ returnedDoubles }: PaymentDetails): Html | false =>
  returnedDoubles.length > 0 &&
  markup`<section class="panel">
    <h2>Its double was returned</h2>
    <p>${warnOfReturned(returnedDoubles)}</p>
    <ul>
      ${returnedDoubles.map(({ payment, at }) => markup`<li>${renderIdLink("/operator/payments", payment.id)} returned ${renderTime(at)}</li>`)}
    </ul>
  </section>`;

/** Support asked finance: a second request, and a second refund, are seen before they are made. */
const renderRequest = ({ refundRequest }: PaymentDetails): Html | false =>
  refundRequest !== null &&
  markup`<section class="panel">
    <h2>A refund request is open</h2>
    <p>
      Support asks finance for ${formatCents(refundRequest.amountCents, refundRequest.currency)}: case
      ${renderIdLink("/operator/cases", refundRequest.id)}
    </p>
  </section>`;

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
    summary: `${formatCount(steps.length, "step")}; each branch is a transfer on chain.${rest}`,
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
  const row = payments.describeShown(details);
  const names = await readNames(visit, [row]);
  const parts = buildParts(visit, row, names);
  return {
    title: "Payment",
    body: markup`${renderDecline(details)} ${renderRequest(details)} ${renderDoubles(details)} ${renderReturned(details)} ${renderHits(details)} ${renderNamed(row, names)}
      <p class="pager"><a href="${linkTo("/operator/cases", { payment: row.key })}">Cases of this payment</a>
        <a href="${linkTo("/operator/actions", { subject: row.key })}">What operators did to this payment</a></p>
      ${renderActs(visit, payments, row)}
      <h2>Timeline</h2>
      <div class="charts">${renderPicture(details)} ${await renderMachine(details)}</div>
      ${renderLine(details)} ${parts.map(({ html }) => html)}`,
    tables: parts.map(({ table }) => table),
  };
};
