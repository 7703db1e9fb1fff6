/** Amounts: comparing and adding them; cents of a currency and base units of a token. */
import type { Token } from "@cardkeep/chain/tokens";

type Decimals = Pick<Token, "decimals">;

/** Cents of a token's currency as base units of the token; each of the currencies has two decimals. */
export const centsToBaseUnits = (cents: bigint, { decimals }: Decimals): bigint => cents * 10n ** BigInt(decimals - 2);

/** Base units as cents of the token's currency; what is less than a cent is left out. */
export const baseUnitsToCents = (amount: bigint, { decimals }: Decimals): bigint =>
  amount / 10n ** BigInt(decimals - 2);

/** The lesser of two amounts. */
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** The greater of two amounts. */
export const greatest = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** An amount, or zero where it is below zero. */
export const atLeastZero = (amount: bigint): bigint => greatest(amount, 0n);

export const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);
