/**
 * The metrics of a process, in Prometheus' text format.
 *
 * Requests and calls are counted as they happen. Metrics of pending work are read from rows and chain at each scrape,
 * so that all processes report the same values and a restart loses nothing.
 */
import type { ReportRpc } from "@cardkeep/chain/reads/rpc";
import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import type { Services } from "@cardkeep/domain/services";
import { jobsCountedMax } from "@cardkeep/db/queue/inspect";
import { checkHealth } from "@cardkeep/domain/health/checkHealth";
import { measureWork } from "@cardkeep/domain/health/measureWork";
import type { ChoreName } from "@cardkeep/domain/housekeeping/chores";
import { listFunds } from "@cardkeep/domain/funds/compare";
import { listForeignUse } from "@cardkeep/domain/relay/compareNonces";
import { listRelayers, type RelayerHealth } from "@cardkeep/domain/health/listRelayers";
import type { CallbackOutcome } from "@cardkeep/domain/callbackOutcome";
import type { ReportCall } from "@cardkeep/providers/http";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** Seconds; from a cached read to a request that waits for the chain. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const weiPerNative = 1e18;
const healthValues = { ok: 1, degraded: 0.5, down: 0 } as const;

/**
 * Requests are counted in batches of this size: counted one by one between requests, each would cost ten times as
 * much.
 */
const observedMax = 256;

interface ObservedRequest {
  surface: "rest" | "trpc";
  operation: string;
  status: number;
  seconds: number;
}

export interface Metrics {
  readonly contentType: string;
  observeRequest(request: ObservedRequest): void;
  reportProvider(provider: "kyc" | "emoney" | "issuer" | "mail" | "sms"): ReportCall;
  reportRpc: ReportRpc;
  /** Counts the result of a partner's callback; `forged` and `refused` should raise an alarm. */
  countCallback(provider: "kyc" | "emoney" | "issuer", outcome: CallbackOutcome | "forged"): void;
  /** Adds to the failures of a worker's chore; 0 shows a chore that has not failed yet. */
  countChoreFailures(chore: ChoreName, count: number): void;
  /** All metrics in the text format. A value that cannot be read is left out; an old value is never repeated. */
  render(services: Services): Promise<string>;
  /** The metrics of this process alone: its requests and calls, memory and processor time. */
  renderOwn(): Promise<string>;
}

/** JavaScriptCore has no heap spaces, and the values in their place need a walk through the whole heap each time. */
const heapSpaces = ["total", "used", "available"].map((size) => `nodejs_heap_space_size_${size}_bytes`);

let ofProcess: Registry | null = null;

/** The common process metrics of all parts. */
function measureProcess(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  for (const name of heapSpaces) ofProcess.removeSingleMetric(name);
  return ofProcess;
}

export function createMetrics(): Metrics {
  const processRegistry = measureProcess();
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: "cardkeep_request_seconds",
    help: "Requests answered, by operation, surface and HTTP status",
    labelNames: ["surface", "operation", "status"],
    buckets,
    registers,
  });
  const providerCalls = new Histogram({
    name: "cardkeep_provider_call_seconds",
    help: "Calls to partners, by partner and outcome (answered, refused, unavailable)",
    labelNames: ["provider", "outcome"],
    buckets,
    registers,
  });
  const rpcCalls = new Histogram({
    name: "cardkeep_rpc_call_seconds",
    help: "Calls to the chain's node, by method and outcome (answered, unavailable)",
    labelNames: ["method", "outcome"],
    buckets,
    registers,
  });
  const callbacks = new Counter({
    name: "cardkeep_callbacks_total",
    help: "Callbacks of partners, by partner and outcome (applied, duplicate, stale, ignored; investigate refused and forged at once)",
    labelNames: ["provider", "outcome"],
    registers,
  });
  const choreFailures = new Counter({
    name: "cardkeep_chore_failures_total",
    help: "Failed runs of a worker's chore, by chore; the worker's log has the reason",
    labelNames: ["chore"],
    registers,
  });
  const observed: ObservedRequest[] = [];
  const countObserved = (): void => {
    for (const { seconds, ...labels } of observed.splice(0)) requests.observe(labels, seconds);
  };
  const renderOwn = async (): Promise<string> => {
    countObserved();
    return `${await processRegistry.metrics()}\n${await registry.metrics()}`;
  };
  return {
    contentType: registry.contentType,
    renderOwn,
    observeRequest: (request) => {
      observed.push(request);
      if (observed.length >= observedMax) countObserved();
    },
    reportProvider:
      (provider) =>
      ({ outcome, seconds }) =>
        providerCalls.observe({ provider, outcome }, seconds),
    countCallback: (provider, outcome) => callbacks.inc({ provider, outcome }),
    countChoreFailures: (chore, count) => choreFailures.inc({ chore }, count),
    reportRpc: ({ method, outcome, seconds }) => rpcCalls.observe({ method, outcome }, seconds),
    render: async (services) => {
      const snapshot = new Registry();
      await Promise.allSettled(
        [recordHealth, recordWork, recordRelayers, recordFunds].map((recordGauge) => recordGauge(snapshot, services)),
      );
      return `${await renderOwn()}\n${await snapshot.metrics()}`;
    },
  };
}

/** Writes one gauge into a snapshot. */
function recordGauge(
  snapshot: Registry,
  name: string,
  help: string,
  values: readonly { labels?: Record<string, string>; value: number }[],
): void {
  const [first] = values;
  // A gauge without values would report a 0 that no code measured.
  if (!first) return;
  const labelNames = Object.keys(first.labels ?? {});
  const gauge = new Gauge({ name: `cardkeep_${name}`, help, labelNames, registers: [snapshot] });
  for (const { labels = {}, value } of values) gauge.set(labels, value);
}

async function recordHealth(snapshot: Registry, services: Services): Promise<void> {
  const { parts } = await checkHealth(services);
  const values = Object.entries(parts).map(([part, { status }]) => ({ labels: { part }, value: healthValues[status] }));
  recordGauge(snapshot, "health", "Parts of /readyz: 1 ok, 0.5 degraded, 0 down", values);
}

async function recordWork(snapshot: Registry, services: Services): Promise<void> {
  const work = await measureWork(services);
  const { jobs, oldestJobSeconds, delays, latenessSeconds, deliveries, connections, foreignEntries } = work;
  const jobCounts = jobs.map(({ task, state, count }) => ({ labels: { task, state }, value: count }));
  const counted = jobsCountedMax.toLocaleString("en");
  recordGauge(
    snapshot,
    "jobs",
    `Jobs by task and state: scheduled, waiting, running, failed; at most ${counted} of a state`,
    jobCounts,
  );
  const oldest = [{ value: oldestJobSeconds }];
  recordGauge(snapshot, "job_oldest_waiting_seconds", "How long the longest-waiting job could have run", oldest);
  const delayCounts = delays.map(({ status, count }) => ({ labels: { status }, value: count }));
  recordGauge(snapshot, "delays", "Open delayed operations by status", delayCounts);
  const lateness = [{ value: latenessSeconds }];
  recordGauge(
    snapshot,
    "delay_lateness_seconds",
    "How long the most overdue operation could have been executed",
    lateness,
  );
  const foreign = [{ value: foreignEntries }];
  recordGauge(
    snapshot,
    "foreign_queue_entries",
    "Queue entries of our Safes that no delayed operation belongs to",
    foreign,
  );
  const changed = work.changedAccounts.map(({ status, count }) => ({ labels: { status }, value: count }));
  recordGauge(
    snapshot,
    "changed_accounts",
    "Accounts whose setup changed or may change, by violation: QUEUED, EXECUTED",
    changed,
  );
  const hold = [{ value: work.oldestHoldSeconds }];
  recordGauge(snapshot, "oldest_hold_seconds", "Age of the oldest approved spend that is not confirmed on chain", hold);
  const debtOf = (symbol: string) => work.debts.find(({ tokenSymbol }) => tokenSymbol === symbol);
  const debts = Object.values(tokens).map((token) => ({
    labels: { token: token.symbol },
    value: Number((debtOf(token.symbol)?.owed ?? 0n) / 10n ** BigInt(token.decimals - 2)),
  }));
  recordGauge(snapshot, "card_debt_cents", "Debts of users for card payments, in cents of each token", debts);
  const debtors = Object.keys(tokens).map((token) => ({ labels: { token }, value: debtOf(token)?.users ?? 0 }));
  recordGauge(snapshot, "card_debtors", "Users with debts for card payments", debtors);
  const waitingReturns = [{ value: work.waitingReturns.count }];
  recordGauge(
    snapshot,
    "card_returns_waiting",
    "Refunds that wait for funds of the settlement account",
    waitingReturns,
  );
  const unmatched = work.unmatchedThreads.map(({ reason, count }) => ({ labels: { reason }, value: count }));
  recordGauge(
    snapshot,
    "unmatched_threads",
    "Threads of the card issuer that cannot be booked, by reason: currency, card",
    unmatched,
  );
  const deliveryCounts = deliveries.map(({ state, count }) => ({ labels: { state }, value: count }));
  recordGauge(
    snapshot,
    "deliveries",
    "Events not delivered yet, by state: outbox, due, retrying, held",
    deliveryCounts,
  );
  const lag = [{ value: work.deliveryLagSeconds }];
  recordGauge(snapshot, "delivery_lag_seconds", "How long the most overdue event could have been sent", lag);
  const connectionCounts = connections.map(({ part, state, count }) => ({ labels: { part, state }, value: count }));
  recordGauge(
    snapshot,
    "database_connections",
    "Database connections of all processes, by part and state",
    connectionCounts,
  );
}

async function recordFunds(snapshot: Registry, { db }: Services): Promise<void> {
  const differences = (await listFunds({ db })).map(({ token, difference }) => ({
    labels: { token },
    value: Number(toDecimal(difference, tokens[token])) * 100,
  }));
  const help = "Cents of the settlement account above the ledger; below 0 money is missing";
  recordGauge(snapshot, "settlement_difference_cents", help, differences);
}

async function recordRelayers(snapshot: Registry, services: Services): Promise<void> {
  const relayers = await listRelayers(services);
  const values = (valueOf: (relayer: RelayerHealth) => number) =>
    relayers.map((relayer) => ({ labels: { relayer: relayer.address }, value: valueOf(relayer) }));
  const funds = values(({ balance }) => Number(balance) / weiPerNative);
  recordGauge(snapshot, "relayer_funds", "Balance in whole native tokens", funds);
  const open = values(({ openCount }) => openCount);
  recordGauge(snapshot, "relayer_open_transactions", "Signed transactions that are not mined yet", open);
  const gaps = values(({ nonceGap }) => Number(nonceGap));
  recordGauge(snapshot, "relayer_nonce_gap", "Reserved nonces that are not mined and have no open transaction", gaps);
  const foreign = new Map((await listForeignUse(services.db, services.rules)).map((key) => [key.address, key]));
  const { relayerAddresses, spenderAddress } = services.rules;
  const foreignCounts = [...new Set([...relayerAddresses, spenderAddress])].map((address) => ({
    labels: { relayer: address },
    value: Number(foreign.get(address)?.foreignCount ?? 0n),
  }));
  recordGauge(
    snapshot,
    "relayer_foreign_transactions",
    "Transactions of a key that this service did not sign",
    foreignCounts,
  );
}
