/** A statement's amounts in whole cents, for forms that have no more digits: every balance is rounded, and entries follow. */
import type { Statement, StatementEntry } from "@cardkeep/contract/spending/statements";
import { parseAmount } from "@cardkeep/domain/spending/statements/cardFacts";

const digits = 18;
const unit = 10n ** 16n;

/** A decimal amount in cents, rounded half away from zero. */
export function toCents(text: string): bigint {
  const value = parseAmount(text, digits);
  return value < 0n ? -((-value + unit / 2n) / unit) : (value + unit / 2n) / unit;
}

/** Whether an amount has further digits than cents. */
export const isFinerThanCents = (text: string): boolean => parseAmount(text, digits) % unit !== 0n;

export const formatCents = (cents: bigint): string => {
  const text = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${text.slice(0, -2)}.${text.slice(-2)}`;
};

export interface RoundedEntry {
  readonly entry: StatementEntry;
  readonly cents: bigint;
  readonly balanceCents: bigint;
}

/** The entries with what each changes of the rounded balance: their sum is that of the rounded balances. */
export function roundEntries({ openingBalance, entries }: Statement): RoundedEntry[] {
  let before = toCents(openingBalance);
  return entries.map((entry) => {
    const balanceCents = toCents(entry.balance);
    const cents = balanceCents - before;
    before = balanceCents;
    return { entry, cents, balanceCents };
  });
}

/** The last instant of which a statement says something: of a range that is not over, the one at which it was made. */
export function findLastInstant({ from, to, createdAt }: Statement): string {
  const lastMs = Math.min(Date.parse(to) - 1, Date.parse(createdAt));
  return new Date(Math.max(lastMs, Date.parse(from))).toISOString();
}

/** The month, or both days of another range, with the number of a volume. */
export function nameRange(statement: Statement): string {
  const { month, from, timeZone, volume } = statement;
  const dayOf = createDay(timeZone);
  const range = month ?? `${dayOf(from)}-${dayOf(findLastInstant(statement))}`;
  return volume === undefined ? range : `${range}-${volume}`;
}

/** The day of an instant in a statement's zone. */
export function createDay(timeZone: string): (at: string) => string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  return (at) => format.format(new Date(at));
}
