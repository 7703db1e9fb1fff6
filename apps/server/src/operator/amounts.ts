/** Amounts of money on pages: short in the cell, exact on hover. */
import { tokens } from "@cardkeep/chain/tokens";
import type { Safe } from "@cardkeep/db/queries/safes";
import { formatCents, formatToken } from "@cardkeep/domain/spending/formatMoney";
import { formatUnits } from "@cardkeep/domain/wording";
import { markup, type Html } from "@cardkeep/html/markup";

/** Cents of a currency. */
export const renderCents = (cents: bigint, currency: string): Html =>
  markup`<span class="amount">${formatCents(cents, currency)}</span>`;

const shownDecimals = 2;

/** Base units of a token with two decimals; smaller amounts show that they are not zero. */
export function renderToken(amount: bigint, symbol: Safe["tokenSymbol"]): Html {
  if (symbol === null) return markup`<span class="amount">${String(amount)}</span>`;
  const unit = 10n ** BigInt(tokens[symbol].decimals - shownDecimals);
  const rounded = amount / unit;
  const [whole = "0", fraction = ""] = formatUnits(rounded, shownDecimals).split(".");
  const isExact = rounded * unit === amount;
  const text = `${isExact ? "" : "≈ "}${whole}.${fraction.padEnd(shownDecimals, "0")} ${symbol}`;
  return markup`<span class="amount" title="${formatToken(amount, symbol)}">${text}</span>`;
}

/** A number for charts, in whole units; beyond 15 digits only approximate. */
export const toUnits = (amount: bigint, symbol: NonNullable<Safe["tokenSymbol"]>): number =>
  Number(formatUnits(amount, tokens[symbol].decimals));
