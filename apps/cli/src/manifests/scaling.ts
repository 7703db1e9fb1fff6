/** Autoscaling by what people wait for: the queue, deliveries and card decisions. */
import { buildAlertGroups } from "@cardkeep/runtime/buildAlerts";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import type { IMetricSpec } from "kubernetes-models/autoscaling/v2/MetricSpec";
import { type Installation, labelsOf, nameOf } from "./installation.ts";

const replicas = { minReplicas: 2, maxReplicas: 6 };

/** Adapter's name of the 99th percentile of `cardkeep_decision_seconds`. */
const decisionMetric = "cardkeep_decision_seconds_p99";
/** Gauges that every server reports alike, with the seconds from which another worker helps. */
const lags = { cardkeep_job_oldest_waiting_seconds: "5", cardkeep_delivery_lag_seconds: "30" } as const;

const cpu: IMetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
};
const decisions: IMetricSpec = {
  type: "Pods",
  pods: { metric: { name: decisionMetric }, target: { type: "AverageValue", averageValue: "500m" } },
};
const lagMetrics = Object.entries(lags).map(([name, value]): IMetricSpec => ({
  type: "External",
  external: { metric: { name }, target: { type: "Value", value } },
}));

const metrics = { server: [cpu, decisions], worker: [cpu, ...lagMetrics] };

/** The autoscaler of a process. It adds pods at once and removes one every five minutes. */
export const buildAutoscaler = (role: "server" | "worker", { namespace }: Installation): HorizontalPodAutoscaler =>
  new HorizontalPodAutoscaler({
    metadata: { name: nameOf(role), namespace, labels: labelsOf(role) },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: nameOf(role) },
      ...replicas,
      metrics: metrics[role],
      behavior: {
        scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] },
        scaleDown: {
          stabilizationWindowSeconds: 300,
          policies: [{ type: "Pods", value: 1, periodSeconds: 300 }],
        },
      },
    },
  });

const ofNamespace = { overrides: { namespace: { resource: "namespace" }, pod: { resource: "pod" } } };

/** Values of the Helm chart `prometheus-adapter`, which gives these metrics to the autoscaler. */
export const buildAdapterValues = () => ({
  rules: {
    default: false,
    custom: [
      {
        seriesQuery: 'cardkeep_decision_seconds_bucket{namespace!="",pod!=""}',
        resources: ofNamespace,
        name: { as: decisionMetric },
        metricsQuery: "histogram_quantile(0.99, sum by (<<.GroupBy>>, le) (rate(<<.Series>>{<<.LabelMatchers>>}[2m])))",
      },
    ],
    external: Object.keys(lags).map((name) => ({
      seriesQuery: `${name}{namespace!=""}`,
      resources: ofNamespace,
      name: { as: name },
      metricsQuery: "max(<<.Series>>{<<.LabelMatchers>>})",
    })),
  },
});

/** Has Prometheus' operator read `/metrics` of each pod, with the operator's key. */
export const buildPodMonitor = (role: "server" | "worker", { namespace }: Installation) => ({
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PodMonitor",
  metadata: { name: nameOf(role), namespace, labels: labelsOf(role) },
  spec: {
    selector: { matchLabels: labelsOf(role) },
    podMetricsEndpoints: [
      {
        port: "http",
        path: "/metrics",
        authorization: { credentials: { name: nameOf(role), key: "OPERATOR_API_KEY" } },
      },
    ],
  },
});

/** Has Prometheus' operator raise the alarms of alertRules.ts. */
export const buildPrometheusRule = ({ namespace }: Installation) => ({
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  metadata: { name: "cardkeep", namespace },
  spec: buildAlertGroups(),
});
