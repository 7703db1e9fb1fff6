/** What an operation does to its Safe, in words. */
import { formatUnits, shorten } from "../wording.ts";
import type { EffectToken, OperationEffect } from "./describeOperation.ts";

/** An amount as people say it; in base units of an address where the token is unknown. */
const formatAmount = (amount: bigint | null, token: EffectToken | null): string => {
  if (amount === null || token === null) return "?";
  const { address, symbol, decimals } = token;
  return symbol === null || decimals === null
    ? `${amount} of ${shorten(address)}`
    : `${formatUnits(amount, decimals)} ${symbol}`;
};

/** In a few words, for tables. */
export function summariseEffect(effect: OperationEffect): string {
  if (effect.kind === "withdrawal") return formatAmount(effect.amount, effect.token);
  if (effect.kind === "limit") return `limit ${formatAmount(effect.dailyLimit, effect.token)}`;
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
