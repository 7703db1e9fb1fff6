/** The relayer keys: their lanes and funds. */
import { listRelayers, type RelayerHealth } from "@cardkeep/domain/health/listRelayers";
import { formatLaneState, formatUnits } from "@cardkeep/domain/wording";
import { markup } from "@cardkeep/html/markup";
import type { ShowPage } from "./page.ts";
import { renderCode, renderCount } from "./parts.ts";
import { buildTable, type Column } from "./table.ts";

const nativeDecimals = 18;

const relayerColumns: readonly Column<RelayerHealth>[] = [
  { name: "Relayer", text: ({ address }) => address, cell: ({ address }) => renderCode(address) },
  {
    name: "State",
    text: ({ state, isConfigured }) => `${formatLaneState(state)}${isConfigured ? "" : ", not in the settings"}`,
  },
  { name: "Next nonce", text: ({ nextNonce }) => nextNonce },
  { name: "On chain", text: ({ chainNonce }) => chainNonce },
  { name: "Under way", text: ({ openCount }) => openCount },
  {
    name: "Gap",
    text: ({ nonceGap }) => nonceGap,
    cell: ({ nonceGap }) => (nonceGap === 0n ? "none" : markup`<span class="status bad">${String(nonceGap)}</span>`),
  },
  { name: "Native tokens", text: ({ balance }) => formatUnits(balance, nativeDecimals) },
  {
    name: "Pays for operations",
    text: ({ operationsFunded }) => operationsFunded,
    cell: ({ operationsFunded }) => renderCount(operationsFunded),
  },
];

export const showRelayers: ShowPage = async (visit) => {
  const relayers = buildTable(visit, {
    name: "relayers",
    none: "No relayer is configured.",
    rows: await listRelayers(visit.ctx),
    columns: relayerColumns,
  });
  return {
    title: "Relayers",
    body: markup`<p class="lead">
        Each key is a lane: a Safe always uses the same one. A gap is reserved nonces without a transaction.
        Later transactions of this key wait until the gap is filled.
      </p>
      ${relayers}`,
    tables: [relayers],
  };
};
