import { tokenList, tokens } from "@cardkeep/chain/tokens";
import { cardCaseKindNames } from "@cardkeep/contract/spending/cardCases";
import { stopNames } from "@cardkeep/db/schema/operators/stops";
import { unmatchedReasons } from "@cardkeep/db/schema/spending/unmatchedThreads";
import { jobsCountedMax } from "@cardkeep/db/queue/inspect";
import { baseUnitsToCents } from "@cardkeep/domain/core/money";
import type { measureWork } from "@cardkeep/domain/operations/health/measureWork";
import type { GaugeOf } from "./registerGauges.ts";

type Work = Awaited<ReturnType<typeof measureWork>>;

const findDebt = ({ debts }: Work, symbol: string) => debts.find(({ tokenSymbol }) => tokenSymbol === symbol);

/** The gauges of pending work, all from one reading of the database. */
export const workGauges: readonly GaugeOf<Work>[] = [
  {
    name: "jobs",
    help: `Jobs by task and state: scheduled, waiting, running, failed; at most ${jobsCountedMax.toLocaleString("en")} of a state`,
    labelNames: ["task", "state"],
    samples: ({ jobs }) => jobs.map(({ task, state, count }) => ({ labels: { task, state }, value: count })),
  },
  {
    name: "job_oldest_waiting_seconds",
    help: "How long the longest-waiting job could have run",
    samples: ({ oldestJobSeconds }) => [{ value: oldestJobSeconds }],
  },
  {
    name: "delays",
    help: "Open delayed operations by status",
    labelNames: ["status"],
    samples: ({ delays }) => delays.map(({ status, count }) => ({ labels: { status }, value: count })),
  },
  {
    name: "delay_lateness_seconds",
    help: "How long the most overdue operation could have been executed",
    samples: ({ latenessSeconds }) => [{ value: latenessSeconds }],
  },
  {
    name: "delay_queuing_seconds",
    help: "How long the oldest accepted operation has waited to be queued on chain",
    samples: ({ queuingSeconds }) => [{ value: queuingSeconds }],
  },
  {
    name: "reverted_gas",
    help: "What people's operations cost in 24 hours in transactions that blocks refused, in whole native tokens",
    samples: ({ revertedGas }) => [{ value: Number(revertedGas.cost) / 1e18 }],
  },
  {
    name: "reverted_gas_people_held",
    help: "People whose transactions wait, because blocks refused others of theirs",
    samples: ({ revertedGas }) => [{ value: revertedGas.held }],
  },
  {
    name: "foreign_queue_entries",
    help: "Queue entries of our Safes that no delayed operation belongs to",
    samples: ({ foreignEntries }) => [{ value: foreignEntries }],
  },
  {
    name: "changed_accounts",
    help: "Accounts whose setup changed or may change, by violation: QUEUED, EXECUTED",
    labelNames: ["status"],
    samples: ({ changedAccounts }) =>
      changedAccounts.map(({ status, count }) => ({ labels: { status }, value: count })),
  },
  {
    name: "oldest_hold_seconds",
    help: "Age of the oldest approved spend that is not confirmed on chain",
    samples: ({ oldestHoldSeconds }) => [{ value: oldestHoldSeconds }],
  },
  {
    name: "card_debt_cents",
    help: "Debts of users for card payments, in cents of each token",
    labelNames: ["token"],
    samples: (work) =>
      tokenList.map((token) => ({
        labels: { token: token.symbol },
        value: Number(baseUnitsToCents(findDebt(work, token.symbol)?.owed ?? 0n, token)),
      })),
  },
  {
    name: "card_debtors",
    help: "Users with debts for card payments",
    labelNames: ["token"],
    samples: (work) =>
      Object.keys(tokens).map((token) => ({ labels: { token }, value: findDebt(work, token)?.users ?? 0 })),
  },
  {
    name: "card_returns_waiting",
    help: "Refunds that wait for funds of the settlement account",
    samples: ({ waitingReturns }) => [{ value: waitingReturns.count }],
  },
  {
    name: "unmatched_threads",
    help: `Threads of the card issuer that cannot be booked, by reason: ${unmatchedReasons.join(", ")}`,
    labelNames: ["reason"],
    samples: ({ unmatchedThreads }) =>
      unmatchedThreads.map(({ reason, count }) => ({ labels: { reason }, value: count })),
  },
  {
    name: "card_cases_open",
    help: "Open cases of card money that an operator has to settle, by kind",
    labelNames: ["kind"],
    samples: ({ openCases }) =>
      cardCaseKindNames.map((kind) => ({
        labels: { kind },
        value: openCases.find((open) => open.kind === kind)?.count ?? 0,
      })),
  },
  {
    name: "open_discrepancies",
    help: "What chain and partners know and no row does, by kind",
    labelNames: ["kind"],
    samples: ({ openDiscrepancies }) =>
      openDiscrepancies.map(({ kind, count }) => ({ labels: { kind }, value: count })),
  },
  {
    name: "deliveries",
    help: "Events not delivered yet, by state: outbox, due, retrying, held",
    labelNames: ["state"],
    samples: ({ deliveries }) => deliveries.map(({ state, count }) => ({ labels: { state }, value: count })),
  },
  {
    name: "delivery_lag_seconds",
    help: "How long the most overdue event could have been sent",
    samples: ({ deliveryLagSeconds }) => [{ value: deliveryLagSeconds }],
  },
  {
    name: "stopped",
    help: "1 for each part of the service that an operator has stopped, otherwise 0",
    labelNames: ["part"],
    samples: ({ stopped }) =>
      stopNames.map((part) => ({ labels: { part }, value: stopped.some(({ name }) => name === part) ? 1 : 0 })),
  },
  {
    name: "database_connections",
    help: "Database connections of all processes, by part and state",
    labelNames: ["part", "state"],
    samples: ({ connections }) =>
      connections.map(({ part, state, count }) => ({ labels: { part, state }, value: count })),
  },
];
