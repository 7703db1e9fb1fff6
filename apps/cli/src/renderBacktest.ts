import type { Backtest } from "@cardkeep/domain/cards/ruleChanges/backtestRule";
import { cleanText } from "@cardkeep/domain/core/wording";
import { formatCents } from "@cardkeep/domain/spending/payments/formatMoney";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts, phrase, type Text } from "./texts.ts";

/** The result of a back-test. */
export const renderBacktest = ({
  since,
  until,
  isComplete,
  payments,
  declined,
  declinedAmounts,
  samples,
}: Backtest): Text =>
  joinTexts(
    renderFields([
      ["Payments", phrase`${payments}, from ${since} to ${until}${isComplete ? "" : ", a part of them"}`],
      ["Would decline", String(declined)],
      ["Amount", declinedAmounts.map(({ currency, cents }) => formatCents(cents, currency)).join(", ") || "-"],
    ]),
    renderTable(
      [
        { title: "payment" },
        { title: "user" },
        { title: "amount", align: "right" },
        { title: "merchant" },
        { title: "at" },
      ],
      samples.map(({ paymentId, userId, amountCents, currency, merchantName, createdAt }) => [
        paymentId,
        userId,
        formatCents(amountCents, currency),
        cleanText(merchantName ?? "-"),
        createdAt,
      ]),
      "",
    ),
  );
