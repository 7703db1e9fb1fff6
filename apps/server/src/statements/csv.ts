import type { Statement } from "@cardkeep/contract/spending/statements";
import { formatRecord } from "@cardkeep/domain/core/csv";
import { createDay, findLastInstant } from "./rounded.ts";

const titles = [
  "date",
  "at",
  "kind",
  "description",
  "amount",
  "currency",
  "balance",
  "merchant",
  "city",
  "country",
  "mcc",
  "transaction amount",
  "transaction currency",
  "rate",
  "reference rate",
  "markup percent",
  "fee",
  "issuer's date",
  "pending",
  "thread",
  "original thread",
  "original transaction",
  "counterpart",
  "counterpart iban",
  "reference",
  "transaction",
  "address",
  "count",
];

/** The entries of a statement between its two balances, with all their digits. A spreadsheet runs nothing in it. */
export function buildStatementCsv(statement: Statement): string {
  const { currency, entries, from, openingBalance, closingBalance, timeZone } = statement;
  const dayOf = createDay(timeZone);
  const balance = (at: string, name: string, amount: string) =>
    formatRecord([dayOf(at), at, name, "", "", currency, amount, ...titles.slice(7).map(() => "")]);
  const records = entries.map((entry) => {
    const { card, counterpart } = entry;
    return formatRecord([
      dayOf(entry.statedAt),
      entry.at,
      entry.kind,
      entry.description,
      entry.amount,
      currency,
      entry.balance,
      card?.merchant.name,
      card?.merchant.city,
      card?.merchant.country,
      card?.merchant.mcc,
      card?.transactionAmount,
      card?.transactionCurrency,
      card?.rate,
      card?.referenceRate,
      card?.markupPercent,
      card?.feeAmount,
      card?.clearedAt,
      card?.isPending,
      card?.threadId,
      card?.original?.threadId,
      card?.original?.hash,
      counterpart?.name,
      counterpart?.iban,
      counterpart?.memo,
      entry.hash,
      entry.party,
      entry.count,
    ]);
  });
  return [
    formatRecord(titles),
    balance(from, "opening_balance", openingBalance),
    ...records,
    balance(findLastInstant(statement), "closing_balance", closingBalance),
  ].join("");
}
