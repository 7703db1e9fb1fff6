/** Formats money and durations for people. */
import { type OperationEffect, summariseEffect } from "@cardkeep/domain/delays/describeOperation";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderCopy } from "./parts.ts";

/** The effect of a delayed operation on its Safe, and the recipient. */
export const renderEffect = (effect: OperationEffect): Html =>
  markup`<strong>${summariseEffect(effect)}</strong>
    ${effect.kind === "withdrawal" && effect.recipient !== null && ["to ", renderCopy(effect.recipient)]}`;

const centsPerUnit = 100;

/** Formats minor units of a currency with two decimals. */
export const formatCents = (cents: number, currency: string): string =>
  `${(Math.abs(cents) / centsPerUnit).toFixed(2)} ${currency.toUpperCase()}`;

const [minute, hour] = [60, 3_600];

/** Formats seconds as `2:05`, or as `1:02:05` from one hour on. */
export function formatCountdown(seconds: number): string {
  const pad = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / hour), Math.floor(seconds / minute) % minute];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % minute)}` : `${minutes}:${pad(seconds % minute)}`;
}
