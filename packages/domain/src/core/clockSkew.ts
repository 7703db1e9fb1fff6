/**
 * How far two clocks may differ, by whose they are and what a wrong value costs. A signature's age is bounded by the adapters,
 * a reading of one clock by the health check.
 */
import { hourMs, minuteMs } from "@cardkeep/contract/core/durations";

/** A partner's clock and ours, where an instant decides. Less refuses a true callback; more lets a later or an older instant count. */
export const partnerSkewMs = 5 * minuteMs;

/** The chain's blocks and our clock, where an instant decides. More lets a transfer from before an order pay it. */
export const chainSkewMs = 5 * minuteMs;

/** The same where a reading of the chain begins. Less misses a log; more reads blocks in vain. */
export const chainSearchSkewMs = hourMs;

/** Two of our machines, or the issuer's and ours. Less forgets a removed wallet early, or misses a top-up; more costs little. */
export const machineSkewMs = 10 * minuteMs;
