import { parseRefill } from "@cardkeep/chain/allowance";
import { findOwnerChange } from "@cardkeep/chain/owners";
import { findRecipient, tokenList, tokens } from "@cardkeep/chain/tokens";
import { type Address, nativeToken, nativeDecimals } from "@cardkeep/contract/core/primitives";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { formatUnits, shorten } from "../../core/wording.ts";

/** What an operation does to its Safe once it is executed. */
export type OperationEffect =
  | { kind: "withdrawal"; token: EffectToken; amount: bigint; recipient: Address | null }
  | { kind: "owner.add" | "owner.remove"; owner: Address | null }
  /** The limit is per day. */
  | { kind: "limit"; token: EffectToken | null; dailyLimit: bigint | null };

/** The token that an amount beside it is in base units of. */
export interface EffectToken {
  address: Address;
  /** Null for a token that we know nothing of. */
  symbol: string | null;
  decimals: number | null;
}

function describeToken(address: Address): EffectToken {
  if (address === nativeToken) return { address, symbol: "native", decimals: nativeDecimals };
  const token = tokenList.find((known) => known.address === address);
  return { address, symbol: token?.symbol ?? null, decimals: token?.decimals ?? null };
}

/** Reads what an operation does out of its row; a limit is in its Safe's token. */
export function describeOperation(row: DelayTransaction, tokenSymbol: Safe["tokenSymbol"]): OperationEffect {
  const { kind } = row;
  if (kind === "withdrawal") {
    const token = describeToken(row.tokenAddress ?? nativeToken);
    return { kind, token, amount: row.amount ?? 0n, recipient: findRecipient(row) };
  }
  if (kind === "limit") {
    const token = tokenSymbol === null ? null : describeToken(tokens[tokenSymbol].address);
    return { kind, token, dailyLimit: parseRefill(row.data) };
  }
  return { kind, owner: findOwnerChange(row, row.delayAddress)?.owner ?? null };
}

/** An amount as people say it; in base units of an address where the token is unknown. */
const formatAmount = (amount: bigint | null, token: EffectToken | null, format = formatUnits): string => {
  if (amount === null || token === null) return "?";
  const { address, symbol, decimals } = token;
  return symbol === null || decimals === null
    ? `${amount} of ${shorten(address)}`
    : `${format(amount, decimals)} ${symbol}`;
};

/** In a few words, for tables. `format` may round the amounts. */
export function summariseEffect(effect: OperationEffect, format = formatUnits): string {
  if (effect.kind === "withdrawal") return formatAmount(effect.amount, effect.token, format);
  if (effect.kind === "limit") return `limit ${formatAmount(effect.dailyLimit, effect.token, format)}`;
  return `${effect.kind === "owner.add" ? "add" : "remove"} ${effect.owner === null ? "?" : shorten(effect.owner)}`;
}

/** Names and values, in full. */
export function describeEffect(effect: OperationEffect): (readonly [string, string])[] {
  if (effect.kind === "withdrawal") {
    return [
      ["Withdraws", `${formatAmount(effect.amount, effect.token)} (${effect.amount} base units)`],
      ["Token", effect.token.address],
      ["Recipient", effect.recipient ?? "?"],
    ];
  }
  if (effect.kind === "limit") {
    const { dailyLimit, token } = effect;
    return [["Daily limit", `${formatAmount(dailyLimit, token)} (${dailyLimit ?? "?"} base units)`]];
  }
  return [[effect.kind === "owner.add" ? "Adds owner" : "Removes owner", effect.owner ?? "?"]];
}
