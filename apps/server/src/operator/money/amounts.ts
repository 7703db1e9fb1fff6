/** Amounts of money on pages: short in the cell, exact on hover. */
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import {
  decimalsOfToken,
  formatCents,
  formatToken,
  formatTokenShort,
} from "@cardkeep/domain/spending/payments/formatMoney";
import { formatUnits, padDecimals, shortenDecimal } from "@cardkeep/domain/core/wording";
import { markup, type Html } from "@cardkeep/html/markup";

/** Cents of a currency. */
export const renderCents = (cents: bigint, currency: string): Html =>
  markup`<span class="amount">${formatCents(cents, currency)}</span>`;

/** Base units of a token. */
export const renderToken = (amount: bigint, symbol: Safe["tokenSymbol"]): Html =>
  markup`<span class="amount" title="${formatToken(amount, symbol)}">${formatTokenShort(amount, symbol)}</span>`;

/** A decimal number that programs read, with two decimals at least; its unit behind it where it has no column of its own. */
export const renderDecimal = (exact: string | number | null | undefined, unit?: string): Html =>
  markup`<span class="amount">${formatDecimal(exact, unit)}</span>`;

/** The same as text. */
export const formatDecimal = (exact: string | number | null | undefined, unit?: string): string =>
  `${exact === null || exact === undefined ? "?" : padDecimals(String(exact))}${unit === undefined ? "" : ` ${unit}`}`;

/** The same with two decimals, for pictures: a stranger may send the millionth part of a cent. */
export const formatDecimalShort = (exact: string | null, unit: string): string =>
  `${exact === null ? "?" : shortenDecimal(exact)} ${unit}`;

/** An approximate amount of a chart, in the form of all others: `1234.50 EUR`. */
export const formatApproximate = (units: number, symbol: string): string => `${units.toFixed(2)} ${symbol}`;

/** A number for charts, in whole units; beyond 15 digits only approximate. */
export const toUnits = (amount: bigint, symbol: Safe["tokenSymbol"]): number =>
  Number(formatUnits(amount, decimalsOfToken(symbol)));
