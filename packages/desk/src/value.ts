/**
 * Values by their kind, so that each rendering forms them alike.
 *
 * - origin: `stranger` for text that people outside wrote, such as a merchant's name; `person` for names, contacts and numbers of people.
 */
import type { Machine, StateTone } from "@cardkeep/contract/core/machine";
import { formatUnits, padDecimals, shortenDecimal } from "@cardkeep/domain/core/wording";
import {
  decimalsOfToken,
  formatCents,
  formatToken,
  formatTokenShort,
} from "@cardkeep/domain/spending/payments/formatMoney";

export type Origin = "stranger" | "person";

export type Value =
  /** `hasLines`: its line breaks are shown. `isWhole`: it stays on one line. */
  | {
      readonly kind: "text";
      readonly text: string | null;
      readonly origin?: Origin;
      readonly hasLines?: true;
      readonly isWhole?: true;
    }
  /** A word or hash for programs; `meaning` is a sentence about it. */
  | { readonly kind: "code"; readonly text: string | null; readonly meaning?: string }
  /** The id of something, and the noun that shows it. */
  | { readonly kind: "id"; readonly id: string | null; readonly noun: string | null }
  /** `tone`: how its machine has it shown. Without one, pages go by the word alone. */
  | { readonly kind: "status"; readonly word: string | null; readonly tone?: StateTone }
  /** `name` says what it is the amount of, among several under one name. `number` is the exact one without its unit. */
  | {
      readonly kind: "amount";
      readonly rounded: string;
      readonly exact: string;
      readonly name?: string;
      readonly number?: string;
    }
  /** `by` is the name of who did it, where that is known. */
  | { readonly kind: "instant"; readonly at: Date | null; readonly by?: string | null }
  | { readonly kind: "count"; readonly count: number | bigint | null };

export const text = (words: string | null, origin?: Origin): Value => ({
  kind: "text",
  text: words,
  ...(origin && { origin }),
});
/** A date, which breaks at no hyphen. */
export const day = (date: string | null): Value => ({ kind: "text", text: date, isWhole: true });
/** Text of several lines, such as an error. */
export const lines = (words: string | null, origin: Origin): Value => ({
  kind: "text",
  text: words,
  origin,
  hasLines: true,
});
export const code = (word: string | null, meaning?: string): Value => ({
  kind: "code",
  text: word,
  ...(meaning !== undefined && { meaning }),
});
export const id = (key: string | null, noun: string | null = null): Value => ({ kind: "id", id: key, noun });
/** A word that two machines have, such as EXECUTED, needs its own to be shown by its meaning. */
export function status<S extends string>(word: S | null, machine?: Machine<S>): Value {
  const tone = word === null ? undefined : machine?.states[word].tone;
  return { kind: "status", word, ...(tone && { tone }) };
}
export const amount = (
  rounded: string,
  exact = rounded,
  name?: string,
): Extract<Value, { readonly kind: "amount" }> => ({
  kind: "amount",
  rounded,
  exact,
  ...(name !== undefined && { name }),
});
/** Cents of a currency, which has a column of its own. */
export const money = (cents: bigint, currency: string): Value => ({
  ...amount(formatCents(cents, currency)),
  number: formatUnits(cents, 2),
});
/** Base units of a token, which has a column of its own. */
export const tokens = (units: bigint, symbol: Parameters<typeof formatToken>[1]): Value => ({
  ...amount(formatTokenShort(units, symbol), formatToken(units, symbol)),
  number: formatUnits(units, decimalsOfToken(symbol)),
});
/** A decimal number of whole tokens, with the token behind it. */
export const wholeTokens = (exact: string, symbol: string): Value =>
  amount(`${shortenDecimal(exact)} ${symbol}`, `${padDecimals(exact)} ${symbol}`);
export const instant = (at: Date | null, by?: string | null): Value => ({ kind: "instant", at, ...(by && { by }) });
export const count = (number: number | bigint | null): Value => ({ kind: "count", count: number });

/** A value as CSV and programs read it: whole, and null for none. */
export function toPlain(value: Value): string | number | bigint | Date | null {
  switch (value.kind) {
    case "text":
    case "code":
      return value.text;
    case "id":
      return value.id;
    case "status":
      return value.word;
    case "amount":
      return value.number ?? value.exact;
    case "instant":
      return value.at;
    case "count":
      return value.count;
  }
}
