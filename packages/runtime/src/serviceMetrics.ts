import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import { listSignerReports, type SignerReport } from "@cardkeep/db/queries/chain/signers";
import { listCover } from "@cardkeep/db/queries/treasury/issuerMoney";
import { listOpenTreasuryItems } from "@cardkeep/db/queries/treasury/unannounced";
import { coverHoursMax } from "@cardkeep/domain/treasury/issuerMoney/forecastCover";
import { listFunds } from "@cardkeep/domain/chain/funds/compareFunds";
import { reportSecondsMax } from "@cardkeep/domain/chain/signers/reportSigners";
import { checkHealth } from "@cardkeep/domain/operations/health/checkHealth";
import { listRelayers, type RelayerHealth } from "@cardkeep/domain/operations/health/listRelayers";
import { measureWork } from "@cardkeep/domain/operations/health/measureWork";
import { listForeignUse } from "@cardkeep/domain/chain/relay/compareNonces";
import { readTopUps, type TopUpState } from "@cardkeep/domain/chain/topUps/readTopUps";
import type { Services } from "@cardkeep/domain/core/services";
import { Registry } from "prom-client";
import { type GaugeOf, registerGauges, type Sample } from "./registerGauges.ts";
import { workGauges } from "./workGauges.ts";

const weiPerNative = 1e18;
const healthValues = { ok: 1, degraded: 0.5, down: 0 } as const;

/**
 * The metrics of the whole service, which all its processes report alike. They are read from rows and chain at each
 * scrape, so a restart loses nothing and an old value is never repeated.
 */
export function createServiceMetrics(services: Services): Registry {
  const registry = new Registry();
  registerGauges(registry, () => checkHealth(services), [
    {
      name: "health",
      help: "Parts of /readyz: 1 ok, 0.5 degraded, 0 down",
      labelNames: ["part"],
      samples: ({ parts }) =>
        Object.entries(parts).map(([part, { status }]) => ({ labels: { part }, value: healthValues[status] })),
    },
  ]);
  registerGauges(registry, () => measureWork(services), workGauges);
  registerRelayerGauges(registry, services);
  registerGauges(registry, () => readTopUps(services), topUpGauges);
  registerGauges(registry, () => listSignerReports(services.db, reportSecondsMax), [
    {
      name: "signer_failing",
      help: "Workers for which a remote signer fails, by signer, address and fault (unavailable, wrong)",
      labelNames: ["signer", "address", "fault"],
      samples: countFailing,
    },
  ]);
  registerGauges(registry, () => listFunds(services), [
    {
      name: "settlement_difference_cents",
      help: "Cents of the settlement account above the ledger; below 0 money is missing",
      labelNames: ["token"],
      samples: (funds) =>
        funds.map(({ token, difference }) => ({
          labels: { token },
          value: Number(toDecimal(difference, tokens[token])) * 100,
        })),
    },
  ]);
  registerGauges(registry, () => listCover(services.db), [
    {
      name: "issuer_balance_cents",
      help: "Cents of the operator's balance at the issuer, without what it holds for approved payments",
      labelNames: ["currency"],
      samples: (covers) =>
        covers.map(({ currency, balanceCents }) => ({ labels: { currency }, value: Number(balanceCents) })),
    },
    {
      name: "issuer_cover_hours",
      help: `Hours until this balance is used up, ${coverHoursMax} at most`,
      labelNames: ["currency"],
      samples: (covers) =>
        covers.map(({ currency, hours }) => ({ labels: { currency }, value: hours ?? coverHoursMax })),
    },
  ]);
  registerGauges(registry, () => listOpenTreasuryItems(services.db), [
    {
      name: "settlement_unannounced",
      help: "Movements out of the settlement account that no operator has explained",
      samples: (items) => [{ value: items.length }],
    },
  ]);
  return registry;
}

const topUpGauges: readonly GaugeOf<TopUpState | null>[] = [
  {
    name: "top_up_funds",
    help: "Balance of the top-up account in whole native tokens",
    labelNames: ["account"],
    samples: (state) =>
      state === null ? [] : [{ labels: { account: state.address }, value: Number(state.balance) / weiPerNative }],
  },
  {
    name: "top_up_day_share",
    help: "Top-ups of the last 24 hours as a share of the day's limit",
    labelNames: ["account"],
    samples: (state) =>
      state === null
        ? []
        : [{ labels: { account: state.address }, value: Number(state.spent) / Number(state.perDayMax) }],
  },
  {
    name: "top_up_starving",
    help: "Relayers and spender below TOP_UP_BELOW that the top-up account cannot fill up",
    labelNames: ["account"],
    samples: (state) => (state === null ? [] : [{ labels: { account: state.address }, value: state.starving.length }]),
  },
];

const signerFaults = ["unavailable", "wrong"] as const;

function countFailing(reports: readonly SignerReport[]): Sample[] {
  return reports.flatMap(({ address, kind: signer }) =>
    signerFaults.map((fault) => ({
      labels: { signer, address, fault },
      value: reports.filter((report) => report.address === address && report.fault === fault).length,
    })),
  );
}

function registerRelayerGauges(registry: Registry, services: Services): void {
  const labelNames = ["relayer"];
  const samplesOf =
    (valueOf: (relayer: RelayerHealth) => number) =>
    (relayers: readonly RelayerHealth[]): Sample[] =>
      relayers.map((relayer) => ({ labels: { relayer: relayer.address }, value: valueOf(relayer) }));
  registerGauges(registry, () => listRelayers(services), [
    {
      name: "relayer_funds",
      help: "Balance in whole native tokens",
      labelNames,
      samples: samplesOf(({ balance }) => Number(balance) / weiPerNative),
    },
    {
      name: "relayer_open_transactions",
      help: "Signed transactions that are not mined yet",
      labelNames,
      samples: samplesOf(({ openCount }) => openCount),
    },
    {
      name: "relayer_nonce_gap",
      help: "Reserved nonces that are not mined and have no open transaction",
      labelNames,
      samples: samplesOf(({ nonceGap }) => Number(nonceGap)),
    },
  ]);
  const { relayerAddresses, spenderAddress, formerSpenderAddresses } = services.policy;
  const addresses = [...new Set([...relayerAddresses, spenderAddress, ...formerSpenderAddresses])];
  registerGauges(registry, () => listForeignUse(services.db, services.policy), [
    {
      name: "relayer_foreign_transactions",
      help: "Transactions of a key that this service did not sign",
      labelNames,
      samples: (foreign) =>
        addresses.map((relayer) => ({
          labels: { relayer },
          value: Number(foreign.find(({ address }) => address === relayer)?.foreignCount ?? 0n),
        })),
    },
  ]);
}
