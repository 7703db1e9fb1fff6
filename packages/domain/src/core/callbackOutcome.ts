import { partnerSkewMs } from "./clockSkew.ts";

/**
 * The outcome of a callback. A `refused` one changed nothing and deserves an alarm. An `unknown` one has a type that this
 * version does not know.
 */
export type CallbackOutcome = "applied" | "duplicate" | "stale" | "ignored" | "unknown" | "refused";

/** Whether a partner's callback names an instant that has not come yet, by more than clocks differ, or one behind the last date. */
export const isAhead = (at: Date, now: Date): boolean => !(at.getTime() - now.getTime() <= partnerSkewMs);
