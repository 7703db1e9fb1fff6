/** The relayer keys: their lanes and funds. */
import { fail } from "@cardkeep/contract/core/errors";
import { type Address, address } from "@cardkeep/contract/core/primitives";
import { checkQueuing } from "@cardkeep/domain/operations/health/checkOperations";
import { listRelayers, type RelayerHealth } from "@cardkeep/domain/operations/health/listRelayers";
import { drainRelayer, undrainRelayer } from "@cardkeep/domain/chain/relay/drainRelayer";
import { type PersonGas, readRevertedGas } from "@cardkeep/domain/chain/relay/readRevertedGas";
import { formatLaneState, formatUnits, shorten } from "@cardkeep/domain/core/wording";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderConfirm } from "../page/confirm.ts";
import { type Action, linkTo, may, type ShowPage, type Visit } from "../page/page.ts";
import { renderCode, renderCount, renderIdLink } from "../page/parts.ts";
import { buildTable, type Column } from "../page/table.ts";

const nativeDecimals = 18;

/** Short in the cell, exact on hover. */
function renderNative(balance: bigint): Html {
  const exact = formatUnits(balance, nativeDecimals);
  return markup`<span title="${exact}">${exact.replace(/(\.\d{4})\d+$/, "$1…")}</span>`;
}

const relayerColumns: readonly Column<RelayerHealth>[] = [
  { name: "Relayer", text: (relayer) => relayer.address, cell: (relayer) => renderCode(relayer.address) },
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
  {
    name: "Native tokens",
    text: ({ balance }) => formatUnits(balance, nativeDecimals),
    cell: ({ balance }) => renderNative(balance),
  },
  {
    name: "Pays for operations",
    text: ({ operationsFunded }) => operationsFunded,
    cell: ({ operationsFunded }) => renderCount(operationsFunded),
  },
];

const renderDrain = ({ address, state }: RelayerHealth): Html =>
  state === "ACTIVE"
    ? renderConfirm({
        action: `/operator/relayers/${address}/drain`,
        label: `Drain ${shorten(address)}`,
        consequence:
          "It takes no new transactions. Those with a nonce are sent until they are mined; then it is retired, and its Safes use the other relayers. This can be undone.",
        isDanger: true,
      })
    : renderConfirm({
        action: `/operator/relayers/${address}/undrain`,
        label: `Take ${shorten(address)} into service again`,
        consequence: "It takes new transactions again.",
      });

/** The confirmations that the operator's roles allow. */
function renderActions(visit: Visit, rows: readonly RelayerHealth[]): Html | null {
  const shown = rows.filter(({ state, isConfigured }) =>
    state === "ACTIVE" ? may(visit, "relayers.drain") : isConfigured && may(visit, "relayers.undrain"),
  );
  return shown.length === 0
    ? null
    : markup`<h2>Actions</h2>
        <div class="actions">${shown.map(renderDrain)}</div>`;
}

const gasColumns: readonly Column<PersonGas>[] = [
  { name: "User", text: ({ userId }) => userId, cell: ({ userId }) => renderIdLink("/operator/users", userId) },
  { name: "Transactions", text: ({ count }) => count },
  {
    name: "Last hour",
    text: ({ hour }) => formatUnits(hour, nativeDecimals),
    cell: ({ hour }) => renderNative(hour),
  },
  { name: "Last 24 hours", text: ({ day }) => formatUnits(day, nativeDecimals), cell: ({ day }) => renderNative(day) },
  { name: "Next try", text: ({ nextTryAt }) => nextTryAt },
];

export const showRelayers: ShowPage = async (visit) => {
  const rows = await listRelayers(visit.ctx);
  const gas = buildTable(visit, {
    name: "reverted-gas",
    none: "Blocks refused no operation in the last 24 hours.",
    rows: await readRevertedGas(visit.ctx),
    columns: gasColumns,
  });
  const { text: queuing } = await checkQueuing(visit.ctx);
  const relayers = buildTable(visit, {
    name: "relayers",
    none: "No relayer is configured.",
    rows,
    columns: relayerColumns,
  });
  return {
    title: "Relayers",
    body: markup`<p class="lead">
        Each key is a lane: a Safe always uses the same one. A gap is reserved nonces without a transaction.
        Later transactions of this key wait until the gap is filled.
      </p>
      ${relayers} ${renderActions(visit, rows)}
      <h2>Reverted gas</h2>
      <p class="lead">
        What operations of people cost in transactions that blocks refused, in native tokens. Transactions of a person
        wait once the budget of an hour or a day is used up.
      </p>
      ${gas}
      <p>Operations: <a href="/operator/delays?status=QUEUING">${queuing}</a>.</p>`,
    tables: [relayers, gas],
  };
};

/** @throws relayers.not_found for anything but an address */
const readAddress = ({ params }: Visit): Address => {
  const read = address.safeParse(params["address"]);
  return read.success ? read.data : fail("relayers.not_found");
};

const done = linkTo("/operator/relayers", { done: "done" });

export const drain: Action = async (visit) => {
  await drainRelayer(visit.ctx, { address: readAddress(visit) });
  return done;
};

export const undrain: Action = async (visit) => {
  await undrainRelayer(visit.ctx, { address: readAddress(visit) });
  return done;
};
