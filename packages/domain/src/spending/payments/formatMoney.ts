import { centDecimals } from "@cardkeep/contract/core/currencies";
import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { formatUnits, formatUnitsShort } from "../../core/wording.ts";
import { describeCurrency } from "./isoCodes.ts";

/** Cents of a card's currency as people read them, for example `25.50 EUR`. */
export const formatCents = (cents: bigint, currency: string): string => formatFixed(cents, centDecimals, currency);

/** Minor units of any currency, with the decimals that ISO 4217 gives it. */
export const formatMinor = (minor: bigint, currency: string): string =>
  formatFixed(minor, describeCurrency(currency).decimals, currency);

function formatFixed(minor: bigint, decimals: number, currency: string): string {
  const [whole = "0", fraction = ""] = formatUnits(minor, decimals).split(".");
  return decimals === 0 ? `${whole} ${currency}` : `${whole}.${fraction.padEnd(decimals, "0")} ${currency}`;
}

/** Base units of a Safe's token, exactly: `12.5 EURe`. Without a token the base units alone. */
export const formatToken = (amount: bigint, symbol: Safe["tokenSymbol"]): string =>
  symbol === null ? String(amount) : `${toDecimal(amount, tokens[symbol])} ${symbol}`;

/** Decimals of a Safe's token; none while it has no token. */
export const decimalsOfToken = (symbol: Safe["tokenSymbol"]): number => (symbol === null ? 0 : tokens[symbol].decimals);

/** The same with two decimals, cut off; a sign says where that is not the whole amount. */
export const formatTokenShort = (amount: bigint, symbol: Safe["tokenSymbol"]): string =>
  symbol === null ? String(amount) : `${formatUnitsShort(amount, decimalsOfToken(symbol))} ${symbol}`;
