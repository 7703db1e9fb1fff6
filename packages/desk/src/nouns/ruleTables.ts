/** What one rule's page has as tables: its versions, and what they declined. */
import type { RuleDetails } from "@cardkeep/domain/cards/ruleChanges/getRule";
import { describeRule } from "@cardkeep/domain/core/cardRules/describeRule";
import { formatCents } from "@cardkeep/domain/spending/payments/formatMoney";
import type { PageParts, PartTable } from "../noun.ts";
import { amount, count, id, instant, status, text } from "../value.ts";

const listVersions = ({ versions, counts }: RuleDetails): PartTable => ({
  name: "versions",
  title: "Versions",
  none: "It has no version.",
  columns: ["Version", "State", "What it does", "Declined", "Would have", "In this state since"],
  rows: versions.toReversed().map(({ version, state, definition, stateAt }) => {
    const counted = counts.find((each) => each.version === version);
    return [
      count(version),
      status(state),
      text(describeRule(definition), "stranger"),
      count(counted?.active ?? 0),
      count(counted?.shadow ?? 0),
      instant(stateAt),
    ];
  }),
});

const listHits = ({ hits }: RuleDetails): PartTable => ({
  name: "hits",
  title: "Declined by it",
  none: "No payment was declined by it, or would have been.",
  columns: ["Payment", "Version", "State", "Amount", "At"],
  rows: hits.map(({ paymentId, version, state, amountCents, currency, createdAt }) => [
    id(paymentId, "payments"),
    count(version),
    status(state),
    amount(formatCents(amountCents, currency)),
    instant(createdAt),
  ]),
});

export const pageOfRule = (shown: RuleDetails): PageParts => ({
  without: ["Versions", "Declined", "Newest hits"],
  tables: [listVersions(shown), listHits(shown)],
});
