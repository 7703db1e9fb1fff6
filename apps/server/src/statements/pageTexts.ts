/** What the pages of a statement say, in its language. */
import { entryKinds, type Statement, type StatementEntry } from "@cardkeep/contract/spending/statements";
import type { Language } from "@cardkeep/domain/core/languages/languages";
import { formatCents, isFinerThanCents, toCents } from "./rounded.ts";

export interface PageTexts extends Pick<Language, "say"> {
  /** Cents, with the language's signs. */
  amount(cents: bigint): string;
  /** An amount with all its digits. */
  exact(amount: string): string;
  /** The day of an instant in the statement's zone. */
  day(at: string): string;
  /** A calendar day, such as `2026-11-30`. */
  date(day: string): string;
  /** A month, such as `2026-11`. */
  month(month: string): string;
}

/** The texts of a statement. */
export function createPageTexts({ say, locale }: Language, timeZone: string): PageTexts {
  const amounts = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const exact = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 18 });
  const digits = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const days = new Intl.DateTimeFormat(locale, { timeZone, ...digits });
  const dates = new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...digits });
  const months = new Intl.DateTimeFormat(locale, { timeZone: "UTC", year: "numeric", month: "long" });
  return {
    say,
    // A decimal text keeps every digit, which a number of JavaScript does not.
    amount: (cents) => amounts.format(formatCents(cents) as `${number}`),
    exact: (amount) => exact.format(amount as `${number}`),
    day: (at) => days.format(new Date(at)),
    date: (day) => dates.format(new Date(day)),
    month: (month) => months.format(new Date(`${month}-01`)),
  };
}

/** `Statement November 2026`, with the number of a volume, or with both days of another range. */
export function nameStatement(
  { say, day, month: name }: PageTexts,
  { month, volume, volumes = 0, from }: Statement,
  lastAt: string,
): string {
  if (month === null) return say("statement.range", { from: day(from), to: day(lastAt) });
  const title = say("statement.month", { month: name(month) });
  return volume === undefined ? title : `${title}, ${say("statement.volume", { page: volume, pages: volumes })}`;
}

/** An entry in words: its kind is in the language, the rest as merchants and senders wrote it. */
export function nameEntry({ say }: PageTexts, { kind, description, count }: StatementEntry): string {
  if (count !== undefined) return say("statement.sum", { kind: say("statement.kind", { kind }), count });
  const known = entryKinds[kind];
  return description.startsWith(known)
    ? say("statement.kind", { kind }) + description.slice(known.length)
    : description;
}

/** The second line of an entry: digits behind its cents, currency, rate, mark-up, fee, original and transaction. */
export function listDetails(
  { say, amount, exact, date }: PageTexts,
  entry: StatementEntry,
  currency: string,
): string[] {
  const { card, counterpart, hash } = entry;
  const parts = [
    isFinerThanCents(entry.amount) && `${exact(entry.amount)} ${currency}`,
    card &&
      card.transactionCurrency !== "" &&
      card.rate !== null &&
      `${exact(card.transactionAmount)} ${card.transactionCurrency}`,
    card?.rate && say("statement.rate", { rate: exact(card.rate) }),
    card?.markupPercent &&
      say("statement.markup", {
        percent: exact(card.markupPercent),
        rate: card.referenceRate === null ? "" : exact(card.referenceRate),
        day: card.referenceDay === null ? "" : date(card.referenceDay),
      }),
    card && card.feeAmount !== "0.00" && say("statement.fee", { amount: amount(toCents(card.feeAmount)) }),
    card?.isPending === true && say("statement.pending"),
    counterpart?.iban,
    card?.original && say("statement.original", { code: card.original.threadId }),
    hash !== "" && `${hash.slice(0, 18)}…${hash.slice(-8)}`,
  ];
  return parts.filter((part): part is string => typeof part === "string" && part !== "");
}
