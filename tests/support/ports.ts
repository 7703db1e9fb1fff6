import { findFreePort } from "@cardkeep/local/ports";

/** Different free ports that no other process takes: a process that restarts finds its port free again. */
export const findFreePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, findFreePort));
