import { findFreePort } from "@cardkeep/local/ports";

/** Ports that nobody listened on a moment ago. */
export const findFreePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, findFreePort));
