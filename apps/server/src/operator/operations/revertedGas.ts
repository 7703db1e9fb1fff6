/** What relayers paid for operations that blocks refused, beside the list of relayers. */
import { nativeDecimals } from "@cardkeep/contract/core/primitives";
import { type PersonGas, readRevertedGas } from "@cardkeep/domain/chain/relay/readRevertedGas";
import { formatUnits } from "@cardkeep/domain/core/wording";
import { checkQueuing } from "@cardkeep/domain/operations/health/checkOperations";
import { markup, type Html } from "@cardkeep/html/markup";
import type { Beside, Visit } from "../page/page.ts";
import { renderIdLink } from "../page/parts.ts";
import { buildTable, type Column } from "../page/table.ts";

/** Short in the cell, exact on hover. */
function renderNative(balance: bigint): Html {
  const exact = formatUnits(balance, nativeDecimals);
  return markup`<span title="${exact}">${exact.replace(/(\.\d{4})\d+$/, "$1…")}</span>`;
}

const gasColumns: readonly Column<PersonGas>[] = [
  { name: "User", text: ({ userId }) => userId, cell: ({ userId }) => renderIdLink("/operator/users", userId) },
  { name: "Transactions", text: ({ count }) => count, isRight: true },
  {
    name: "Last hour",
    text: ({ hour }) => formatUnits(hour, nativeDecimals),
    cell: ({ hour }) => renderNative(hour),
    isRight: true,
  },
  {
    name: "Last 24 hours",
    text: ({ day }) => formatUnits(day, nativeDecimals),
    cell: ({ day }) => renderNative(day),
    isRight: true,
  },
  { name: "Next try", text: ({ nextTryAt }) => nextTryAt },
];

export async function renderRevertedGas(visit: Visit): Promise<Beside> {
  const [rows, { text: queuing }] = await Promise.all([readRevertedGas(visit.ctx), checkQueuing(visit.ctx)]);
  const gas = buildTable(visit, {
    name: "reverted-gas",
    none: "Blocks refused no operation in the last 24 hours.",
    rows,
    columns: gasColumns,
  });
  const after = markup`<h2>Reverted gas</h2>
    <p class="lead">
      What operations of people cost in transactions that blocks refused, in native tokens. Transactions of a person
      wait once the budget of an hour or a day is used up.
    </p>
    ${gas}
    <p>Operations: <a href="/operator/delays?status=QUEUING">${queuing}</a>.</p>`;
  return { after, tables: [gas] };
}
