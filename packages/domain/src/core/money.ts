/** Cents of a currency and base units of a token. */
import type { Token } from "@cardkeep/chain/tokens";

type Decimals = Pick<Token, "decimals">;

/** Cents of a token's currency as base units of the token; each of the currencies has two decimals. */
export const centsToBaseUnits = (cents: bigint, { decimals }: Decimals): bigint => cents * 10n ** BigInt(decimals - 2);

/** Base units as cents of the token's currency; what is less than a cent is left out. */
export const baseUnitsToCents = (amount: bigint, { decimals }: Decimals): bigint =>
  amount / 10n ** BigInt(decimals - 2);
