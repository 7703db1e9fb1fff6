/** What a statement says about a card payment: merchant, currency, rate, and the mark-up over the day's reference rate. */
import type { CardItem } from "@cardkeep/contract/spending/statements";
import type { CardClearing, CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { ReferenceRate } from "@cardkeep/db/queries/spending/referenceRates";
import { addDays } from "../../core/calendar.ts";
import { formatUnits, padDecimals } from "../../core/wording.ts";
import { describeCurrency } from "../payments/isoCodes.ts";

type Facts = Pick<
  CardItem,
  | "threadId"
  | "cardToken"
  | "merchant"
  | "transactionAmount"
  | "transactionCurrency"
  | "rate"
  | "referenceRate"
  | "referenceDay"
  | "markupPercent"
  | "feeAmount"
>;

export type PaymentOfCard = CardPayment & { cardToken: string };

/** A reference rate of the business day before counts, over a long weekend too. */
export const referenceDaysMax = 4;
/** Digits of rates, and of the calculation behind them. */
const rateDigits = 6;
const scale = 10n ** 12n;

/** A number of `decimals` implied decimals as text, with at least two of them. */
export const formatAmount = (value: bigint, decimals: number): string => padDecimals(formatUnits(value, decimals));

/** A text of `formatAmount`, or of a numeric column, as a number of `decimals` implied decimals; further digits are cut. */
export function parseAmount(text: string, decimals: number): bigint {
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const value = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  return text.startsWith("-") ? -value : value;
}

/** Rounds half up, to `digits` decimals, from a value times `scale`. */
function formatScaled(value: bigint, digits: number): string {
  const step = scale / 10n ** BigInt(digits);
  const rounded = (value < 0n ? value - step / 2n : value + step / 2n) / step;
  return formatAmount(rounded, digits);
}

/** Units of a currency for one of the account's by the newest reference rates up to a day; null where one of them is missing. */
function findReference(
  rates: readonly ReferenceRate[],
  { from, to, day }: { from: string; to: string; day: string },
): { rate: bigint; day: string } | null {
  const earliest = addDays(day, -referenceDaysMax);
  const find = (currency: string, on: (of: string) => boolean) =>
    currency === "EUR" ? null : rates.find((rate) => rate.currency === currency && on(rate.day));
  const isNear = (of: string) => of <= day && of >= earliest;
  const found = find(to, isNear);
  if (found === undefined) return null;
  const base = find(from, found === null ? isNear : (of) => of === found.day);
  if (base === undefined) return null;
  const referenceDay = found?.day ?? base?.day;
  if (referenceDay === undefined) return null;
  const units = (rate: ReferenceRate | null) => (rate === null ? scale : parseAmount(rate.rate, 12));
  return { rate: (units(found) * scale) / units(base), day: referenceDay };
}

/** The facts of a payment, or of one of its clearings with that one's amounts. */
export function buildCardFacts(
  payment: PaymentOfCard,
  clearings: readonly CardClearing[],
  { cents, minor, day, rates }: { cents: bigint; minor: bigint; day: string; rates: readonly ReferenceRate[] },
): Facts {
  const { decimals } = describeCurrency(payment.merchantCurrency);
  const isForeign = payment.merchantCurrency !== payment.billingCurrency && cents > 0n && minor > 0n;
  const rate = isForeign ? (minor * 100n * scale) / (cents * 10n ** BigInt(decimals)) : null;
  const reference =
    rate === null ? null : findReference(rates, { from: payment.billingCurrency, to: payment.merchantCurrency, day });
  return {
    threadId: payment.threadId,
    cardToken: payment.cardToken,
    merchant: {
      name: payment.merchantName ?? "",
      city: payment.merchantCity ?? "",
      country: payment.merchantCountry ?? "",
      mcc: payment.mcc,
    },
    transactionAmount: formatAmount(minor, decimals),
    transactionCurrency: payment.merchantCurrency,
    rate: rate === null ? null : formatScaled(rate, rateDigits),
    referenceRate: reference === null ? null : formatScaled(reference.rate, rateDigits),
    referenceDay: reference?.day ?? null,
    markupPercent:
      rate === null || reference === null
        ? null
        : formatScaled(((reference.rate * scale) / rate) * 100n - 100n * scale, 2),
    feeAmount: formatAmount(
      clearings.reduce((sum, { feeCents }) => sum + feeCents, 0n),
      2,
    ),
  };
}
