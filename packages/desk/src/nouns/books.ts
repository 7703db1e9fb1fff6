import { type BookCurrency, decimalsOf } from "@cardkeep/domain/books/postings/chart";
import type { CloseAccount } from "@cardkeep/domain/books/closes/closeDocument";
import { type Close, closeAsOperator, getClose, listCloses } from "@cardkeep/domain/books/closes/closes";
import { formatUnits, formatUnitsShort } from "@cardkeep/domain/core/wording";
import { defineNoun } from "../defineNoun.ts";
import { amount, code, count, id, instant, text, type Value } from "../value.ts";

/** An amount of a close, with its currency. */
function money(units: string, currency: string): Value {
  // A close names currencies of the chart alone.
  const decimals = decimalsOf(currency as BookCurrency);
  const value = BigInt(units);
  return amount(`${formatUnitsShort(value, decimals)} ${currency}`, `${formatUnits(value, decimals)} ${currency}`);
}

/** What all open items of a currency come to, each currency in turn. */
function describeDifferences({ comparisons }: Close): string {
  const differing = comparisons.filter(({ difference }) => difference !== "0");
  if (differing.length === 0) return "none";
  return differing
    .map(({ witness, account, currency, difference }) => {
      const shown = formatUnits(BigInt(difference), decimalsOf(currency as BookCurrency));
      return `${witness} ${account}: ${shown}`;
    })
    .join(", ");
}

const isMoved = ({ opening, movement, closing }: CloseAccount): boolean =>
  [opening, movement, closing].some((units) => units !== "0");

/** In place of a day: the last one that is over. */
export const latestDay = "latest";

export const books = defineNoun({
  name: "books",
  title: "Books",
  group: "Money",
  brief: "Books of the firm: closed days, each with a root that anybody can check",
  argument: { name: "day", label: "Last day to close", brief: "Day, such as 2026-11-30" },
  keyOf: (row: Close) => row.day,
  list: {
    verb: "books.list",
    brief: "Lists the closed days, newest first",
    example: "books list",
    lead: "Each day that is over is closed once: its postings have a root, and what differs from chain, issuer and institution is an item.",
    none: "No day is closed.",
    hint: "A worker closes yesterday at the set hour; `cardkeep books close` does it now.",
    filters: {},
    columns: [
      { name: "Day", of: (row) => id(row.day, "books") },
      { name: "Postings", of: (row) => count(row.postings), isRight: true },
      { name: "Items", of: (row) => count(row.items.length), isRight: true },
      { name: "Differences", of: (row) => text(describeDifferences(row)), terminal: "elastic" },
      { name: "Root", of: (row) => code(row.root), terminal: "hidden" },
      { name: "Closed", of: (row) => instant(new Date(row.closedAt)) },
    ],
    read: listCloses,
  },
  show: {
    verb: "books.show",
    brief: "Shows the close of a day: root, balances, comparisons and open items",
    example: "books show 2026-11-30",
    title: "Close",
    read: (ctx, key) => getClose(ctx, { day: key }),
    rowOf: (row) => row,
    fields: (close) => [
      ["Day", code(close.day)],
      ["Root", code(close.root)],
      ["Digest", code(close.digest)],
      ["Digest of the day before", code(close.previousDigest)],
      ["Postings", count(close.postings)],
      ["Lines", count(close.lines)],
      ["Closed", instant(new Date(close.closedAt))],
      ...close.accounts
        .filter(isMoved)
        .map(({ account, currency, closing }) => [account, money(closing, currency)] as const),
      ...close.comparisons.map(
        ({ witness, account, currency, difference }) =>
          [`${witness} beyond the books, ${account}`, money(difference, currency)] as const,
      ),
      ...close.items.map(
        ({ cause, owner, reference, amount: units, currency, ageDays }) =>
          [`Item of ${owner}, ${ageDays} days old`, [text(cause), code(reference), money(units, currency)]] as const,
      ),
    ],
  },
  acts: {
    close: {
      verb: "books.close",
      endsAfterCommit: true,
      label: "Close days",
      brief: "Closes every open day up to one that is over",
      example: "books close 2026-11-30",
      run: (ctx, key) => closeAsOperator(ctx, { day: key === latestDay ? null : key }),
    },
  },
});
