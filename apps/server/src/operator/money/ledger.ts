/** The ledger of card money: entries by Safe, payment and time, their sums, and the proof of funds. */
import { ledgerAccountNames } from "@cardkeep/desk/nouns/ledger";
import { ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { decimalsOf } from "@cardkeep/domain/spending/payments/formatMoney";
import {
  type LedgerListEntry,
  type LedgerSearch,
  type LedgerSums,
  listLedger,
  listSettlement,
  nameLedgerEntry,
  summedEntriesMax,
  sumLedgerOf,
} from "@cardkeep/domain/spending/payments/listLedger";
import { formatUnits, shorten } from "@cardkeep/domain/core/wording";
import { markup } from "@cardkeep/html/markup";
import { z } from "zod";
import { renderToken } from "./amounts.ts";
import { orNone, renderFilters } from "../page/filters.ts";
import { readText, type ShowPage, type Table, type Visit } from "../page/page.ts";
import { renderIdLink, renderStatus } from "../page/parts.ts";
import { buildList, buildTable, type Column } from "../page/table.ts";

/** An exact number for the CSV; the token has a column of its own. */
const formatAmount = (amount: bigint, symbol: Safe["tokenSymbol"]): string => formatUnits(amount, decimalsOf(symbol));

const columns: readonly Column<LedgerListEntry>[] = [
  { name: "Entry", text: ({ id }) => id, cell: ({ id }) => markup`<code title="${id}">…${id.slice(-6)}</code>` },
  {
    name: "Payment",
    text: ({ paymentId }) => paymentId,
    cell: ({ paymentId }) => renderIdLink("/operator/payments", paymentId),
  },
  {
    name: "Safe of",
    text: ({ address }) => address,
    cell: ({ address }) => markup`<code title="${address}">${shorten(address)}</code>`,
  },
  { name: "Token", text: ({ tokenSymbol }) => tokenSymbol },
  ...ledgerAccounts.map((account): Column<LedgerListEntry> => ({
    name: ledgerAccountNames[account],
    text: (entry) => formatAmount(entry[account], entry.tokenSymbol),
    cell: (entry) => (entry[account] === 0n ? "–" : renderToken(entry[account], entry.tokenSymbol)),
  })),
  { name: "Booked", text: ({ createdAt }) => createdAt },
];

const buildSums = (visit: Visit, sums: LedgerSums): Table =>
  buildTable(visit, {
    name: "sums",
    none: "There are no entries.",
    rows: ledgerAccounts.map((account) => ({ account, amount: sums[account] })),
    columns: [
      { name: "Account", text: ({ account }) => ledgerAccountNames[account] },
      {
        name: `Sum of ${sums.count} entries`,
        text: ({ amount }) => formatAmount(amount, sums.tokenSymbol),
        cell: ({ amount }) => renderToken(amount, sums.tokenSymbol),
      },
    ],
  });

const buildSettlement = (visit: Visit, funds: Awaited<ReturnType<typeof listSettlement>>): Table =>
  buildTable(visit, {
    name: "settlement",
    none: "Not compared yet: a worker does it.",
    rows: funds,
    columns: [
      { name: "Token", text: ({ token }) => token },
      {
        name: "Is",
        text: ({ shortSince }) => (shortSince === null ? "ok" : "fault"),
        cell: ({ shortSince }) => renderStatus(shortSince === null ? "ok" : "fault"),
      },
      { name: "On chain", text: ({ token, balance }) => formatAmount(balance, token) },
      { name: "The ledger requires", text: ({ token, required }) => formatAmount(required, token) },
      { name: "Beyond it", text: ({ token, balance, required }) => formatAmount(balance - required, token) },
      { name: "Compared", text: ({ comparedAt }) => comparedAt },
    ],
  });

const day = z.iso.date().transform((text) => new Date(`${text}T00:00:00Z`));

/** A day of the query, in UTC; null for none and for one that does not exist. */
const readDay = (visit: Visit, name: string): Date | null => day.safeParse(readText(visit, name)).data ?? null;

export const showLedger: ShowPage = async (visit) => {
  const search: LedgerSearch = {
    safeAddress: readText(visit, "safe"),
    paymentId: readText(visit, "payment"),
    from: readDay(visit, "from"),
    until: readDay(visit, "until"),
  };
  const [funds, entries, sums] = await Promise.all([
    listSettlement(visit.ctx),
    buildList(visit, {
      name: "ledger",
      none: "There are no such entries.",
      columns,
      keyOf: nameLedgerEntry,
      read: (position) => orNone(listLedger(visit.ctx, { ...search, ...position })),
    }),
    orNone(sumLedgerOf(visit.ctx, search).then((found) => (found ? [found] : []))),
  ]);
  const settlement = buildSettlement(visit, funds);
  const sumTables = sums.filter(({ count }) => count <= summedEntriesMax).map((found) => buildSums(visit, found));
  return {
    title: "Ledger",
    body: markup`<h2>Settlement account</h2>
      <p class="lead">The chain holds at least what the ledger says, per token. A worker compares them every 15 s.</p>
      ${settlement}
      <h2>Entries</h2>
      <p class="lead">Each entry moves money between accounts and sums to zero. None is ever changed.</p>
      ${renderFilters(visit, [
        { name: "safe", label: "Safe" },
        { name: "payment", label: "Payment" },
        { name: "from", label: "Paid from, 2026-01-31" },
        { name: "until", label: "Paid before, 2026-01-31" },
      ])}
      ${sumTables.length < sums.length && markup`<p class="none">More than ${summedEntriesMax} entries are not added up. Choose a shorter time.</p>`}
      ${sumTables} ${entries}`,
    tables: [entries, settlement, ...sumTables],
  };
};
