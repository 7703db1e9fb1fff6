/** Records as bookings on accounts, for programs of double entry. Accounts have Beancount's names. */
import { toDecimal } from "@cardkeep/chain/tokens";
import { accountKinds, type BookCurrency, decimalsOf, kindOf } from "../../books/postings/chart.ts";

export interface BookingLine {
  readonly account: string;
  readonly amount: string;
  readonly currency: string;
}

/** A record whose lines sum to zero in each currency. */
export interface Booking {
  readonly title: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly lines: readonly BookingLine[];
}

/** The columns of the ledger of card money. */
export const ledgerAccounts = {
  safe: "Assets:Customers:Safes",
  held: "Assets:Customers:Held",
  settlement: "Assets:Settlement",
  owed: "Assets:Customers:Debts",
  advanced: "Liabilities:Customers:Advanced",
  writtenOff: "Expenses:Customers:Debts",
} as const;

/** Memo accounts are money of customers, and sum to zero among themselves. */
const groups = {
  memo: "Assets:Customers",
  asset: "Assets",
  liability: "Liabilities",
  equity: "Equity",
  income: "Income",
  expense: "Expenses",
} as const;

/** `gas-funds` is `Assets:Gas-Funds`. */
const nameKind = (kind: keyof typeof accountKinds): string =>
  `${groups[accountKinds[kind].group]}:${kind.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())}`;

/** An account of the books by its id; one that this version does not know is named by it. */
export function nameBookAccount(id: string): string {
  const kind = kindOf(id);
  return kind === null ? `Equity:Unknown:X${id.replaceAll(/[^\w-]/g, "-")}` : nameKind(kind);
}

// The keys of a literal are exactly those of its type.
const kinds = Object.keys(accountKinds) as (keyof typeof accountKinds)[];

/** Every account of the chart. */
export const bookAccountNames: readonly string[] = kinds.map(nameKind);

/** Whole units of a line's amount. */
export const formatLine = (amount: bigint, currency: string): string =>
  // Books have these currencies alone.
  toDecimal(amount, { decimals: decimalsOf(currency as BookCurrency) });
