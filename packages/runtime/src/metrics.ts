/** The metrics of a process, in Prometheus' text format: its requests and calls, counted as they happen. */
import type { ReportRpc } from "@cardkeep/chain/reads/rpc";
import type { ChoreName } from "@cardkeep/domain/operations/housekeeping/chores";
import type { CallbackOutcome } from "@cardkeep/domain/core/callbackOutcome";
import type { ReportCall } from "@cardkeep/providers/http";
import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";

/** Seconds; from a cached read to a request that waits for the chain. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Requests are counted in batches of this size: counted one by one between requests, each would cost ten times as
 * much.
 */
const observedMax = 256;

/** What became of a request to sign: `wrong` is a signature of another key or for other bytes. */
export type SignerOutcome = "answered" | "failed" | "wrong";

interface ObservedRequest {
  surface: "rest" | "trpc";
  operation: string;
  status: number;
  seconds: number;
}

export interface Metrics {
  readonly contentType: string;
  observeRequest(request: ObservedRequest): void;
  reportProvider(provider: "kyc" | "emoney" | "issuer" | "mail" | "sms" | "openid"): ReportCall;
  /** Records a signature by a remote signer, retries included; `wrong` should raise an alarm. */
  reportSigner(report: { signer: string; address: string; outcome: SignerOutcome; seconds: number }): void;
  reportRpc: ReportRpc;
  /** Records a decision about an authorization, which the card issuer waits for. */
  observeDecision(isApproved: boolean, seconds: number): void;
  /** Counts the result of a partner's callback; `forged` and `refused` should raise an alarm. */
  countCallback(provider: "kyc" | "emoney" | "issuer", outcome: CallbackOutcome | "forged"): void;
  /** Adds to the failures of a worker's chore; 0 shows a chore that has not failed yet. */
  countChoreFailures(chore: ChoreName, count: number): void;
  /** Counts an answer 503 by the limit that was met, or the part that was away. */
  countUnavailable(limit: string): void;
  /** The metrics of this process alone: its requests and calls, memory and processor time. */
  render(): Promise<string>;
}

/** JavaScriptCore has no heap spaces, and the values in their place need a walk through the whole heap each time. */
const heapSpaces = ["total", "used", "available"].map((size) => `nodejs_heap_space_size_${size}_bytes`);

let ofProcess: Registry | null = null;

/**
 * The common process metrics of all parts, from the first call on: the delay of the event loop is measured every 10 ms, which
 * takes half a per cent of a core. So a process whose metrics no one reads does not measure it.
 */
function measureProcess(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  for (const name of heapSpaces) ofProcess.removeSingleMetric(name);
  return ofProcess;
}

export function createMetrics(): Metrics {
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
  const signatures = new Histogram({
    name: "cardkeep_signer_call_seconds",
    help: "Signatures of remote signers, by signer, address and outcome (answered, failed, wrong)",
    labelNames: ["signer", "address", "outcome"],
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
  const decisions = new Histogram({
    name: "cardkeep_decision_seconds",
    help: "Decisions about card authorizations, by outcome (approved, declined)",
    labelNames: ["outcome"],
    buckets,
    registers,
  });
  const callbacks = new Counter({
    name: "cardkeep_callbacks_total",
    help: "Callbacks of partners, by partner and outcome (applied, duplicate, stale, ignored; investigate refused and forged at once)",
    labelNames: ["provider", "outcome"],
    registers,
  });
  // Prometheus sees no growth of a counter that appears with 1, so the first such callback would raise no alarm.
  for (const provider of ["kyc", "emoney", "issuer"] as const)
    for (const outcome of ["forged", "refused"] as const) callbacks.inc({ provider, outcome }, 0);
  const choreFailures = new Counter({
    name: "cardkeep_chore_failures_total",
    help: "Failed runs of a worker's chore, by chore; the worker's log has the reason",
    labelNames: ["chore"],
    registers,
  });
  const unavailable = new Counter({
    name: "cardkeep_unavailable_total",
    help: "Requests answered with 503, by the limit that was met or the part that was away",
    labelNames: ["limit"],
    registers,
  });
  unavailable.inc({ limit: "answer-time" }, 0);
  const observed: ObservedRequest[] = [];
  const countObserved = (): void => {
    for (const { seconds, ...labels } of observed.splice(0)) requests.observe(labels, seconds);
  };
  return {
    contentType: registry.contentType,
    render: async () => {
      countObserved();
      return `${await measureProcess().metrics()}\n${await registry.metrics()}`;
    },
    observeRequest: (request) => {
      observed.push(request);
      if (observed.length >= observedMax) countObserved();
    },
    reportProvider:
      (provider) =>
      ({ outcome, seconds }) =>
        providerCalls.observe({ provider, outcome }, seconds),
    reportSigner: ({ seconds, ...labels }) => signatures.observe(labels, seconds),
    observeDecision: (isApproved, seconds) =>
      decisions.observe({ outcome: isApproved ? "approved" : "declined" }, seconds),
    countCallback: (provider, outcome) => callbacks.inc({ provider, outcome }),
    countChoreFailures: (chore, count) => choreFailures.inc({ chore }, count),
    countUnavailable: (limit) => unavailable.inc({ limit }),
    reportRpc: ({ method, outcome, seconds }) => rpcCalls.observe({ method, outcome }, seconds),
  };
}
