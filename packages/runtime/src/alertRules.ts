/**
 * What Prometheus raises an alarm for, beside the dashboard of grafana.json. Each rule has a page of the same name in
 * apps/cli/RUNBOOK.md.
 */

/** What a rule looks at: a gauge now, how much a counter grew, or a share of requests in a time. */
export type Measured =
  | { kind: "gauge"; metric: string; labels?: string; aggregate: "max" | "min"; by?: readonly string[] }
  | { kind: "increase"; metric: string; labels?: string; overMinutes: number; by?: readonly string[] }
  | { kind: "quantile"; metric: string; quantile: number; overMinutes: number }
  | { kind: "absent"; metric: string };

export interface AlertRule {
  readonly name: string;
  /** Page: a person has to act now, at any hour. Ticket: within a working day. */
  readonly severity: "page" | "ticket";
  readonly measured: Measured;
  /** With `absent` there is none. */
  readonly compare?: readonly ["<" | ">", number];
  /** For so long without an interruption. */
  readonly forMinutes: number;
  /** One sentence, with the rule's own labels in Prometheus' braces. */
  readonly summary: string;
}

const gauge = (metric: string, by: readonly string[] = [], labels = ""): Measured => ({
  kind: "gauge",
  metric,
  labels,
  aggregate: "max",
  by,
});

export const alertRules: readonly AlertRule[] = [
  {
    name: "CardkeepSilent",
    severity: "page",
    measured: { kind: "absent", metric: "cardkeep_health" },
    forMinutes: 2,
    summary: "No server reports its metrics",
  },
  {
    name: "CardkeepPartDown",
    severity: "page",
    measured: { kind: "gauge", metric: "cardkeep_health", aggregate: "min", by: ["part"] },
    compare: ["<", 0.5],
    forMinutes: 1,
    summary: "Part {{ $labels.part }} of /readyz is down",
  },
  {
    name: "CardkeepWorkerAway",
    severity: "page",
    measured: { kind: "gauge", metric: "cardkeep_health", labels: 'part="worker"', aggregate: "min" },
    compare: ["<", 1],
    forMinutes: 2,
    summary: "No worker takes jobs, or too few do",
  },
  {
    name: "CardkeepPartDegraded",
    severity: "ticket",
    measured: { kind: "gauge", metric: "cardkeep_health", aggregate: "min", by: ["part"] },
    compare: ["<", 1],
    forMinutes: 15,
    summary: "Part {{ $labels.part }} of /readyz is degraded",
  },
  {
    name: "CardkeepRequestsFail",
    severity: "page",
    measured: {
      kind: "increase",
      metric: "cardkeep_request_seconds_count",
      labels: 'status=~"5.."',
      overMinutes: 5,
      by: ["operation"],
    },
    compare: [">", 20],
    forMinutes: 1,
    summary: "{{ $value }} requests of {{ $labels.operation }} failed in 5 minutes",
  },
  {
    name: "CardkeepDecisionsSlow",
    severity: "page",
    measured: { kind: "quantile", metric: "cardkeep_decision_seconds", quantile: 0.99, overMinutes: 5 },
    compare: [">", 0.45],
    forMinutes: 2,
    summary: "One card decision in a hundred takes more than 450 ms, so cards decline",
  },
  {
    name: "CardkeepJobsLate",
    severity: "page",
    measured: gauge("cardkeep_job_oldest_waiting_seconds"),
    compare: [">", 120],
    forMinutes: 2,
    summary: "A job waits for {{ $value }} s",
  },
  {
    name: "CardkeepJobsGivenUp",
    severity: "ticket",
    measured: gauge("cardkeep_jobs", ["task"], 'state="failed"'),
    compare: [">", 0],
    forMinutes: 5,
    summary: "{{ $value }} jobs of {{ $labels.task }} used up their attempts",
  },
  {
    name: "CardkeepChoresFail",
    severity: "ticket",
    measured: { kind: "increase", metric: "cardkeep_chore_failures_total", overMinutes: 15, by: ["chore"] },
    compare: [">", 3],
    forMinutes: 5,
    summary: "Chore {{ $labels.chore }} fails again and again",
  },
  {
    name: "CardkeepWithdrawalsLate",
    severity: "page",
    measured: gauge("cardkeep_delay_lateness_seconds"),
    compare: [">", 300],
    forMinutes: 2,
    summary: "An operation could have been executed {{ $value }} s ago",
  },
  {
    name: "CardkeepOperationsQueueLate",
    severity: "page",
    measured: gauge("cardkeep_delay_queuing_seconds"),
    compare: [">", 300],
    forMinutes: 2,
    summary: "An accepted operation is not queued on chain after {{ $value }} s",
  },
  {
    name: "CardkeepDeliveriesLate",
    severity: "ticket",
    measured: gauge("cardkeep_delivery_lag_seconds"),
    compare: [">", 300],
    forMinutes: 5,
    summary: "An event could have been delivered {{ $value }} s ago",
  },
  {
    name: "CardkeepCallbacksRefused",
    severity: "ticket",
    measured: {
      kind: "increase",
      metric: "cardkeep_callbacks_total",
      labels: 'outcome=~"forged|refused"',
      overMinutes: 15,
      by: ["provider", "outcome"],
    },
    compare: [">", 0],
    forMinutes: 0,
    summary: "Callbacks of {{ $labels.provider }} are {{ $labels.outcome }}",
  },
  {
    name: "CardkeepMoneyMissing",
    severity: "page",
    measured: { kind: "gauge", metric: "cardkeep_settlement_difference_cents", aggregate: "min", by: ["token"] },
    compare: ["<", 0],
    forMinutes: 5,
    summary: "The settlement account holds {{ $value }} cents of {{ $labels.token }} less than the ledger says",
  },
  {
    name: "CardkeepIssuerCover",
    severity: "page",
    measured: { kind: "gauge", metric: "cardkeep_issuer_cover_hours", aggregate: "min", by: ["currency"] },
    compare: ["<", 24],
    forMinutes: 10,
    summary: "The balance at the issuer in {{ $labels.currency }} lasts {{ $value }} hours",
  },
  {
    name: "CardkeepAccountChanged",
    severity: "page",
    measured: gauge("cardkeep_changed_accounts", ["status"]),
    compare: [">", 0],
    forMinutes: 0,
    summary: "{{ $value }} accounts are not as they were set up ({{ $labels.status }}): their cards decline",
  },
  {
    name: "CardkeepSignerFails",
    severity: "page",
    measured: gauge("cardkeep_signer_failing", ["signer", "address", "fault"]),
    compare: [">", 0],
    forMinutes: 2,
    summary: "Signer {{ $labels.signer }} of {{ $labels.address }} is {{ $labels.fault }}",
  },
  {
    name: "CardkeepNoncesMissing",
    severity: "page",
    measured: gauge("cardkeep_relayer_nonce_gap", ["relayer"]),
    compare: [">", 0],
    forMinutes: 5,
    summary: "Nonces of relayer {{ $labels.relayer }} have no transaction: later ones wait",
  },
  {
    name: "CardkeepKeyShared",
    severity: "page",
    measured: gauge("cardkeep_relayer_foreign_transactions", ["relayer"]),
    compare: [">", 0],
    forMinutes: 0,
    summary: "Another program sent transactions with the key of {{ $labels.relayer }}",
  },
  {
    name: "CardkeepGasStarves",
    severity: "page",
    measured: gauge("cardkeep_top_up_starving", ["account"]),
    compare: [">", 0],
    forMinutes: 5,
    summary: "Relayers need gas that the top-up account cannot give",
  },
  {
    name: "CardkeepRefundsWait",
    severity: "ticket",
    measured: gauge("cardkeep_card_returns_waiting"),
    compare: [">", 0],
    forMinutes: 5,
    summary: "{{ $value }} refunds wait to go back to their accounts",
  },
  {
    name: "CardkeepThreadsUnbooked",
    severity: "ticket",
    measured: gauge("cardkeep_unmatched_threads", ["reason"]),
    compare: [">", 0],
    forMinutes: 5,
    summary: "{{ $value }} payments of the issuer cannot be booked ({{ $labels.reason }})",
  },
  {
    name: "CardkeepRecordsMissing",
    severity: "ticket",
    measured: gauge("cardkeep_open_discrepancies", ["kind"]),
    compare: [">", 0],
    forMinutes: 60,
    summary: "Chain or partners know {{ $value }} of {{ $labels.kind }} that no row knows",
  },
];
