import { CardkeepError } from "@cardkeep/contract/core/errors";
import { sandboxOperator } from "@cardkeep/domain/core/actor";
import { getPaymentDetails } from "@cardkeep/domain/spending/payments/listAllPayments";
import { listPaymentLine } from "@cardkeep/domain/spending/payments/paymentLine";
import { cleanText } from "@cardkeep/domain/core/wording";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderFigure } from "@cardkeep/html/pictures/figure";
import { renderTable } from "@cardkeep/html/table";
import { cut } from "@cardkeep/html/pictures/picture";
import { drawPaymentLine, renderPaymentLegend } from "@cardkeep/html/pictures/paymentLine";
import { renderTime } from "@cardkeep/html/time";
import { renderCopy } from "./parts.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const drawnMax = 40;
const nameLengthMax = 40;

/** What the service made of an authorization of the issuer; null while it knows nothing of it. */
export async function renderPaymentPicture({ services }: SandboxRuntime, id: string): Promise<Html | null> {
  const details = await getPaymentDetails({ ...services, actor: sandboxOperator }, { reference: id }).catch(
    (error: unknown) => {
      if (error instanceof CardkeepError && error.code === "transactions.not_found") return null;
      throw error;
    },
  );
  if (details === null) return null;
  const { merchantName } = details.payment;
  const all = listPaymentLine(details);
  const steps = all.slice(0, drawnMax);
  const picture = {
    name: "payment-line",
    title: `Newest payment${merchantName === null ? "" : `: ${cut(cleanText(merchantName), nameLengthMax)}`}`,
    summary: `${all.length === 1 ? "One step" : `${all.length} steps`} at the service${all.length > drawnMax ? `, the first ${drawnMax} drawn` : ""}; each branch is a transfer on chain.`,
  };
  return markup`<div class="narrow-picture">${renderFigure(picture, {
    svg: drawPaymentLine({ ...picture, steps }),
    legend: renderPaymentLegend(steps),
    numbers: renderTable(
      ["Time", "Step", "Amount", "Transfer"],
      steps.map(({ at, word, amount, transfer }) => [
        renderTime(at),
        word,
        amount,
        transfer === null ? "" : String(transfer),
      ]),
    ),
  })}</div>
  <p class="meta">Payment ${renderCopy(details.payment.id)}</p>`;
}
