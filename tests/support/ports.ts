import { findFreePort } from "@cardkeep/local/ports";

/** Different ports that nobody listens on, and that nobody else takes: what ends and comes back finds its port free again. */
export const findFreePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, findFreePort));
