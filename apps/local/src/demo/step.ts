/** A step of the demo's journey, and what all steps use. */
import type { Person } from "./person.ts";

export interface Step {
  readonly title: string;
  /** Returns what happened. */
  run(person: Person): Promise<string>;
}

const decimals = 18n;
const cents = 100n;

/** An amount to the cent, as `5.00 EURe`. */
export function euros(amount: string): string {
  const all = BigInt(amount) / 10n ** (decimals - 2n);
  return `${all / cents}.${String(all % cents).padStart(2, "0")} EURe`;
}

/** How long an operation may be late before the demo fails. */
export const patienceMs = 60_000;
const everyMs = 100;

/** Waits until `isDone` answers true. */
export async function until(what: string, isDone: () => Promise<boolean>, timeoutMs = patienceMs): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isDone())) {
    if (Date.now() > deadline)
      throw new Error(`${what} took longer than ${timeoutMs / 1000} s. \`cardkeep doctor\` says which part is late.`);
    await Bun.sleep(everyMs);
  }
}
