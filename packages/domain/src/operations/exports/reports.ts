/**
 * Reports of finance, each from postings of the books alone: they are the same once the rows that were posted are gone.
 *
 * A report without a last day ends today, and without a first day begins with the books.
 */
import {
  type OpenAmount,
  pageOpenAmounts,
  pageSettlement,
  pageTax,
  type ReportRange,
  type SettlementColumn,
  sumAccounts,
  type TaxColumn,
} from "@cardkeep/db/queries/books/reports";
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { dayOf, daysBetween, nextDay } from "../../core/calendar.ts";
import { buildBalanceSheet } from "../../books/reports/balanceSheet.ts";
import { accountKinds, kindOf } from "../../books/postings/chart.ts";
import { nameAge } from "./ages.ts";
import { formatLine } from "./bookkeeping.ts";
import type { ExportKind, ExportSetting, ExportValue } from "./exportKind.ts";

const rangeOf = ({ from, to, now, zone }: ExportSetting): ReportRange => ({ from, to: to ?? dayOf(now, zone) });

/** What all reports have in common. */
const report = { isByTime: false, isReport: true } as const;

/** A row of a report: it counts for the whole range. */
const toRecord = (key: readonly string[], day: string, values: Readonly<Record<string, ExportValue>>) => ({
  key,
  day,
  recordedAt: null,
  values,
});

/** Rows of a report that is read at once: those behind a key. */
const listBehind = <R extends { readonly key: readonly string[] }>(rows: R[], after: readonly string[] | null): R[] =>
  after === null ? rows : rows.slice(rows.findIndex(({ key }) => key.join("~") === after.join("~")) + 1);

const groupOf = (account: string): string => {
  const kind = kindOf(account);
  return kind === null ? "unknown" : accountKinds[kind].group;
};

const trialBalance: ExportKind = {
  ...report,
  brief: "Trial balance: each account before the first day, its debits and credits, and after the last day",
  day: "of the books",
  keyLength: 1,
  amounts: ["opening", "debit", "credit", "closing"],
  read: async (on, { after }, setting) => {
    const range = rangeOf(setting);
    const rows = (await sumAccounts(on, range)).map(({ account, currency, opening, debit, credit }) =>
      toRecord([account], range.to, {
        account,
        group: groupOf(account),
        currency,
        opening: formatLine(opening, currency),
        debit: formatLine(debit, currency),
        credit: formatLine(-credit, currency),
        closing: formatLine(opening + debit + credit, currency),
      }),
    );
    return listBehind(rows, after);
  },
};

const balanceSheet: ExportKind = {
  ...report,
  brief:
    "Balance sheet at the end of the last day, each line with its outside witness, or with the reason that it has none",
  day: "of the books; only the last day counts",
  keyLength: 2,
  amounts: ["amount"],
  read: async (on, { after }, setting) => {
    const { to } = rangeOf(setting);
    const rows = buildBalanceSheet(await sumAccounts(on, { from: nextDay(to), to })).map((line) =>
      toRecord([line.account, line.currency], to, {
        section: line.section,
        account: line.account,
        text: line.text,
        currency: line.currency,
        amount: formatLine(line.amount, line.currency),
        witness: line.witness,
      }),
    );
    return listBehind(rows, after);
  },
};

const settlementColumns: Readonly<Record<SettlementColumn, 1n | -1n>> = {
  opening: 1n,
  spent: 1n,
  returned: -1n,
  swept: -1n,
  unannounced: 1n,
  captured: -1n,
  captureReversed: 1n,
  refunded: 1n,
  refundReversed: -1n,
  disputes: 1n,
  interchange: 1n,
  fees: -1n,
  toppedUp: 1n,
};

/** Columns in whole units, above zero in the usual case. */
const formatSums = <N extends string>(
  signs: Readonly<Record<N, 1n | -1n>>,
  sums: Readonly<Record<N, bigint>>,
  currency: string,
): Record<string, string> =>
  Object.fromEntries(
    (Object.entries(signs) as [N, bigint][]).map(([name, sign]) => [name, formatLine(sign * sums[name], currency)]),
  );

const settlement: ExportKind = {
  ...report,
  brief:
    "What each day settled: opening, spends, returns, sweeps and unannounced money on chain; captures, refunds, fees and top-ups at the issuer",
  day: "of the books",
  keyLength: 2,
  amounts: keysOf(settlementColumns),
  read: async (on, page, setting) => {
    const range = rangeOf(setting);
    return (await pageSettlement(on, range, page)).map(({ span: day, currency, sums }) =>
      toRecord([day, currency], range.to, { day, currency, ...formatSums(settlementColumns, sums, currency) }),
    );
  },
};

const taxColumns: Readonly<Record<TaxColumn, 1n | -1n>> = {
  income: -1n,
  tax: -1n,
  coupons: 1n,
  returnedIncome: 1n,
  returnedTax: 1n,
};

const tax: ExportKind = {
  ...report,
  brief: "Value added tax on card orders by month: income without tax, tax, coupons, and what returns took back",
  day: "of the books",
  keyLength: 2,
  amounts: [...keysOf(taxColumns), "payable"],
  read: async (on, page, setting) => {
    const range = rangeOf(setting);
    return (await pageTax(on, range, page)).map(({ span: month, currency, sums }) =>
      toRecord([month, currency], range.to, {
        month,
        currency,
        ...formatSums(taxColumns, sums, currency),
        payable: formatLine(-(sums.tax + sums.returnedTax), currency),
      }),
    );
  },
};

const showOpen =
  (to: string) =>
  ({ account, currency, of, amount, since }: OpenAmount) => {
    const days = daysBetween(since, to);
    return toRecord([account, of], to, {
      account,
      of,
      currency,
      amount: formatLine(amount, currency),
      since,
      days,
      age: nameAge(days),
    });
  };

const aging: ExportKind = {
  ...report,
  brief: "Debts, provisional credits and what is payable to customers at the end of the last day, each with its age",
  day: "of the books; only the last day counts",
  keyLength: 2,
  amounts: ["amount"],
  read: async (on, page, setting) => {
    const { to } = rangeOf(setting);
    return (await pageOpenAmounts(on, to, page)).map(showOpen(to));
  },
};

/** The reports by their names. */
export const reports = {
  "trial-balance": trialBalance,
  "balance-sheet": balanceSheet,
  settlement,
  "order-tax": tax,
  aging,
} as const satisfies Readonly<Record<string, ExportKind>>;
