/** Formats money for people. */
import { type OperationEffect, summariseEffect } from "@cardkeep/domain/accounts/delays/describeOperation";
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
