/** A step of the demo's journey, and what all steps use. */
import { formatUnits } from "viem";
import type { Person } from "./person.ts";

export interface Step {
  readonly title: string;
  run(person: Person): Promise<string>;
}

/** An amount in words, as `5 EURe`. */
export const euros = (amount: string): string => `${formatUnits(BigInt(amount), 18)} EURe`;

/** How long an operation may be late before the demo fails. */
export const patienceMs = 60_000;
const everyMs = 100;

/** Waits until `isDone` answers true. */
export async function until(what: string, isDone: () => Promise<boolean>, timeoutMs = patienceMs): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error(`${what} took longer than ${timeoutMs / 1000} s`);
    await Bun.sleep(everyMs);
  }
}
