/** What stands beside the ledger's entries: their sums, and the settlement account on chain. */
import { beginOf, ledgerAccountNames } from "@cardkeep/desk/nouns/ledger";
import { ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { isDay } from "@cardkeep/domain/core/calendar";
import { decimalsOfToken } from "@cardkeep/domain/spending/payments/formatMoney";
import {
  type LedgerSums,
  listSettlement,
  summedEntriesMax,
  sumLedgerOf,
} from "@cardkeep/domain/spending/payments/listLedger";
import { formatUnits } from "@cardkeep/domain/core/wording";
import { markup } from "@cardkeep/html/markup";
import { renderDecimal, renderToken } from "./amounts.ts";
import { orNone } from "../page/filters.ts";
import { type Beside, readText, type Table, type Visit } from "../page/page.ts";
import { renderStatus } from "../page/parts.ts";
import { buildTable, type Column } from "../page/table.ts";

/** An exact number for the CSV; the token has a column of its own. */
const formatAmount = (amount: bigint, symbol: Safe["tokenSymbol"]): string =>
  formatUnits(amount, decimalsOfToken(symbol));

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
        isRight: true,
      },
    ],
  });

type Funds = Awaited<ReturnType<typeof listSettlement>>;

/** The token has a column of its own. */
const buildAmount = (name: string, of: (row: Funds[number]) => bigint): Column<Funds[number]> => ({
  name,
  text: (row) => formatAmount(of(row), row.token),
  cell: (row) => renderDecimal(formatAmount(of(row), row.token)),
  isRight: true,
});

const buildSettlement = (visit: Visit, funds: Funds): Table =>
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
      buildAmount("On chain", ({ balance }) => balance),
      buildAmount("The ledger requires", ({ required }) => required),
      buildAmount("Beyond it", ({ balance, required }) => balance - required),
      { name: "Compared", text: ({ comparedAt }) => comparedAt },
    ],
  });

/** A day of the query; null for none and for one that does not exist. */
const readDay = (visit: Visit, name: string): Date | null => {
  const given = readText(visit, name);
  return given !== null && isDay(given) ? beginOf(given) : null;
};

export async function renderLedgerSums(visit: Visit): Promise<Beside> {
  const search = {
    safeAddress: readText(visit, "safe"),
    paymentId: readText(visit, "payment"),
    from: readDay(visit, "from"),
    until: readDay(visit, "until"),
  };
  const [funds, sums] = await Promise.all([
    listSettlement(visit.ctx),
    orNone(sumLedgerOf(visit.ctx, search).then((found) => (found ? [found] : []))),
  ]);
  const settlement = buildSettlement(visit, funds);
  const sumTables = sums.filter(({ count }) => count <= summedEntriesMax).map((found) => buildSums(visit, found));
  const before = markup`<h2>Settlement account</h2>
    <p class="lead">The chain holds at least what the ledger says, per token. A worker compares them every 15 s.</p>
    ${settlement}
    <h2>Entries</h2>
    ${sumTables.length < sums.length && markup`<p class="none">More than ${summedEntriesMax} entries are not added up. Choose a shorter time.</p>`}
    ${sumTables}`;
  return { before, tables: [settlement, ...sumTables] };
}
