/** The balance sheet from sums of accounts. Pure. */
import type { AccountSums } from "@cardkeep/db/queries/books/reports";
import { accountKinds, kindOf } from "../postings/chart.ts";

export interface SheetLine {
  readonly section: "asset" | "liability" | "equity" | "memo";
  readonly account: string;
  readonly text: string;
  readonly currency: string;
  /** Base units: of assets and memos what is there, of liabilities and equity what is owed. */
  readonly amount: bigint;
  readonly witness: string;
}

const sections = ["asset", "liability", "equity", "memo"] as const;
const results: readonly string[] = ["income", "expense"];

function toLine({ account, currency, opening }: AccountSums): SheetLine | null {
  const kind = kindOf(account);
  const { group, text, witness } =
    kind === null
      ? ({ group: "equity", text: "An account that this version does not know", witness: "none" } as const)
      : accountKinds[kind];
  const section = sections.find((each) => each === group);
  if (section === undefined) return null;
  const amount = section === "liability" || section === "equity" ? -opening : opening;
  return { section, account, text, currency, amount, witness };
}

/** What was earned so far, in each currency: income less expenses. */
function listResults(accounts: readonly AccountSums[]): SheetLine[] {
  const sums = new Map<string, bigint>();
  for (const { account, currency, opening } of accounts) {
    const kind = kindOf(account);
    if (kind !== null && results.includes(accountKinds[kind].group))
      sums.set(currency, (sums.get(currency) ?? 0n) - opening);
  }
  return [...sums].map(([currency, amount]) => ({
    section: "equity",
    account: `result:${currency}`,
    text: "Income less expenses so far",
    currency,
    amount,
    witness: accountKinds["order-income"].witness,
  }));
}

/** Lines with what is on each account, by section. Assets are liabilities and equity in each currency; memos come to nothing. */
export function buildBalanceSheet(accounts: readonly AccountSums[]): SheetLine[] {
  const lines = [...accounts.flatMap((sums) => toLine(sums) ?? []), ...listResults(accounts)];
  return sections.flatMap((section) => lines.filter((line) => line.section === section && line.amount !== 0n));
}
