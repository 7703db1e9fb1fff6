import { getClockOffsetSeconds, holdClockOffsetSeconds } from "@cardkeep/db/queries/core/clock";
import type { Clock } from "@cardkeep/domain/core/ports";

/** The wall clock. */
export const wallClock: Clock = {
  now: async () => new Date(),
  hold: async () => new Date(),
  getOffsetSeconds: async () => 0,
};

/** The wall clock plus the offset that the sandbox's advance adds to. */
export const sandboxClock: Clock = {
  now: async (on) => new Date(Date.now() + (await getClockOffsetSeconds(on)) * 1000),
  hold: async (tx) => new Date(Date.now() + (await holdClockOffsetSeconds(tx)) * 1000),
  getOffsetSeconds: getClockOffsetSeconds,
};
