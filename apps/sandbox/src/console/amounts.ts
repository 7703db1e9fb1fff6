/** Money and time as people say them. */
import { toDecimal } from "@cardkeep/chain/tokens";
import type { EffectToken, OperationEffect } from "@cardkeep/domain/delays/effect";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderCopy } from "./parts.ts";

const tellAmount = (amount: bigint | null, token: EffectToken | null): Html =>
  amount === null || token?.symbol == null || token.decimals === null
    ? markup`${String(amount ?? "?")} base units`
    : markup`<strong>${toDecimal(amount, { decimals: token.decimals })} ${token.symbol}</strong>`;

/** What a delayed operation does to its Safe. */
export function tellEffect(effect: OperationEffect): Html {
  if (effect.kind === "withdrawal") {
    const { amount, token, recipient } = effect;
    return markup`${tellAmount(amount, token)} to ${recipient === null ? "?" : renderCopy(recipient)}`;
  }
  if (effect.kind === "limit") return markup`daily limit ${tellAmount(effect.dailyLimit, effect.token)}`;
  const { kind, owner } = effect;
  return markup`${kind === "owner.add" ? "add" : "remove"} owner ${owner === null ? "?" : renderCopy(owner)}`;
}

const centsPerUnit = 100;

/** Minor units of a currency with two decimals. */
export const tellCents = (cents: number, currency: string): string =>
  `${(Math.abs(cents) / centsPerUnit).toFixed(2)} ${currency.toUpperCase()}`;

const [minute, hour] = [60, 3_600];

/** Seconds as `2:05`, or `1:02:05` from an hour on. */
export function formatCountdown(seconds: number): string {
  const pad = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / hour), Math.floor(seconds / minute) % minute];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % minute)}` : `${minutes}:${pad(seconds % minute)}`;
}
