import type { Currency } from "@cardkeep/contract/core/currencies";
import { type Address, type Hex, nativeToken } from "@cardkeep/contract/core/primitives";
import {
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  formatUnits,
  getAbiItem,
  parseUnits,
  slice,
  toFunctionSelector,
} from "viem";
import type { Call } from "./call.ts";
import { encodeAddress, encodeNumber } from "./hex.ts";

export type TokenSymbol = "EURe" | "GBPe" | "USDCe";

export interface Token {
  symbol: TokenSymbol;
  fiat: Currency;
  address: Address;
  /** Decimals: one whole token is `10n ** BigInt(decimals)` base units. */
  decimals: number;
}

/** The tokens that accounts can use, at their addresses on Gnosis Chain (source: the issuers' token lists). */
export const tokens: Readonly<Record<TokenSymbol, Token>> = {
  EURe: { symbol: "EURe", fiat: "EUR", address: "0xcB444e90D8198415266c6a2724b7900fb12FC56E", decimals: 18 },
  GBPe: { symbol: "GBPe", fiat: "GBP", address: "0x5Cb9073902F2035222B9749F8fB0c9BFe5527108", decimals: 18 },
  USDCe: { symbol: "USDCe", fiat: "USD", address: "0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0", decimals: 6 },
};

/** The same, as a list. */
export const tokenList: readonly Token[] = Object.values(tokens);

/** The token of a currency. */
export const tokenOf: Readonly<Record<Currency, Token>> = { EUR: tokens.EURe, GBP: tokens.GBPe, USD: tokens.USDCe };

/** The token for a country's users (ISO 3166-1 alpha-2): GBPe in Great Britain, USDCe in Brazil, EURe elsewhere. */
export function findTokenForCountry(country: string): Token {
  if (country === "GB") return tokens.GBPe;
  return country === "BR" ? tokens.USDCe : tokens.EURe;
}

/** Whole units of a token as base units. */
export const toBaseUnits = (units: number, { decimals }: Token): bigint => BigInt(units) * 10n ** BigInt(decimals);

/** Base units as whole units, with a fraction if needed; beyond 15 digits only approximate. */
export const toWholeUnits = (amount: bigint, { decimals }: Token): number => Number(formatUnits(amount, decimals));

/** Base units as whole units in decimal, without loss and without trailing zeros. */
export const toDecimal = (amount: bigint, { decimals }: Pick<Token, "decimals">): string =>
  formatUnits(amount, decimals);

/** Whole units in decimal as base units; null for another text, and for more decimals than the token has. */
export function fromDecimal(text: string, { decimals }: Pick<Token, "decimals">): bigint | null {
  const [, fraction = ""] = /^\d{1,15}(?:\.(\d+))?$/.exec(text) ?? [null, null];
  return fraction === null || fraction.length > decimals ? null : parseUnits(text, decimals);
}

/** The call by which a Safe sends `amount` base units of a token; the zero address stands for the native token. */
export function buildTransfer(input: { token: Address; to: Address; amount: bigint }): Call {
  const { token, to, amount } = input;
  if (token === nativeToken) return { to, value: amount, data: "0x" };
  return { to: token, value: 0n, data: `${transferSelector}${encodeAddress(to)}${encodeNumber(amount)}` };
}

/** The call by which an account lets a spender move `amount` base units of its tokens, in place of what it allowed before. */
export function buildApproval({ token, spender, amount }: { token: Address; spender: Address; amount: bigint }): Call {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] });
  return { to: token, value: 0n, data };
}

/** A test compares the calldata with the general encoder's. */
const transferSelector = toFunctionSelector(getAbiItem({ abi: erc20Abi, name: "transfer" }));

/** The receiver in a call of `buildTransfer`; null for any other call. */
export function findRecipient({ to, data }: Call): Address | null {
  if (data === "0x") return to;
  try {
    const decoded = decodeFunctionData({ abi: erc20Abi, data });
    return decoded.functionName === "transfer" ? decoded.args[0] : null;
  } catch {
    return null;
  }
}

/** The amount in a call of `buildTransfer`; null for any other call. */
export function findTransferredAmount({ value, data }: Pick<Call, "value" | "data">): bigint | null {
  if (data === "0x") return value;
  try {
    const decoded = decodeFunctionData({ abi: erc20Abi, data });
    return decoded.functionName === "transfer" ? decoded.args[1] : null;
  } catch {
    return null;
  }
}

/**
 * Whether a token's answer to `transfer` means success: empty data, as from older tokens, or true.
 *
 * A token that answers false without a revert moved nothing, but the Safe counts such a call as a success.
 */
export const isTransferred = (answer: Hex): boolean => answer === "0x" || BigInt(slice(answer, 0, 32)) !== 0n;
