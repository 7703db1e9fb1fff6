import { describeRule } from "@cardkeep/domain/core/cardRules/describeRule";
import type { Backtest } from "@cardkeep/domain/cards/ruleChanges/backtestRule";
import type { RuleDetails, RuleView } from "@cardkeep/domain/cards/ruleChanges/getRule";
import { formatCents } from "@cardkeep/domain/spending/payments/formatMoney";
import { cleanText } from "@cardkeep/domain/core/wording";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts, phrase, type Text } from "./texts.ts";

const subjectOf = ({ scope, subjectId }: RuleView["rule"]): string => [scope, subjectId].filter(Boolean).join(" ");

/** Rules with their versions, a line each. */
export const renderVersions = (views: readonly RuleView[]): Text =>
  renderTable(
    [
      { title: "rule" },
      { title: "name" },
      { title: "of" },
      { title: "owner", optional: true },
      { title: "version", align: "right" },
      { title: "state" },
      { title: "what it does", elastic: true },
    ],
    views.flatMap(({ rule, versions }) =>
      versions.map(({ version, state, definition }) => [
        rule.id,
        cleanText(rule.name),
        subjectOf(rule),
        rule.owner,
        String(version),
        state,
        cleanText(describeRule(definition)),
      ]),
    ),
    "There are no such rules. Create one: `cardkeep rules create --help` shows how.",
  );

/** A rule with what it declined. */
export const renderDetails = (details: RuleDetails): Text =>
  joinTexts(
    renderVersions([details]),
    renderTable(
      [
        { title: "version", align: "right" },
        { title: "declined", align: "right" },
        { title: "would have", align: "right" },
      ],
      details.counts.map(({ version, active, shadow }) => [version, active, shadow].map(String)),
      "",
    ),
    renderTable(
      [
        { title: "payment" },
        { title: "state" },
        { title: "version", align: "right" },
        { title: "amount", align: "right" },
        { title: "at" },
      ],
      details.hits.map(({ paymentId, state, version, amountCents, currency, createdAt }) => [
        paymentId,
        state,
        String(version),
        formatCents(amountCents, currency),
        createdAt,
      ]),
      "No payment was declined by it.",
    ),
  );

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
