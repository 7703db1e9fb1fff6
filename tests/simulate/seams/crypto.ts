/** `node:crypto` of a simulated world: its random numbers come from the seed. */
import { drawBytes } from "../entropy.ts";

export * from "node:crypto";

/** @public */
export const randomBytes = (count: number): Buffer => Buffer.from(drawBytes(count));

/** @public */
export const randomUUID = (): string => crypto.randomUUID();

/** @public */
export function randomInt(first: number, second?: number): number {
  const [from, to] = second === undefined ? [0, first] : [first, second];
  return from + (Buffer.from(drawBytes(6)).readUIntBE(0, 6) % (to - from));
}
