import { minuteMs } from "@cardkeep/contract/core/durations";

/** Instants of two machines, or of a partner, are compared with this much room. */
export const skewMsMax = 10 * minuteMs;
