import { formatDuration } from "@cardkeep/contract/core/durations";
import { markup, type Html } from "../markup.ts";

/** The time that is left, to the second; none is left of a span that has passed. */
export const formatLeft = (seconds: number): string => formatDuration(Math.max(0, Math.round(seconds)));

/** Seconds from one instant to a later one. */
export const secondsUntil = (at: Date, now: Date): number => (at.getTime() - now.getTime()) / 1_000;

/**
 * The time until an instant by the service's clock, inside a picture. `tickCountdowns` counts it down between two readings of the
 * page; the browser's own clock may differ from the service's.
 */
export const renderCountdown = (at: Date, now: Date): Html =>
  markup`<tspan data-left="${Math.max(0, Math.round(secondsUntil(at, now)))}">${formatLeft(secondsUntil(at, now))}</tspan>`;
