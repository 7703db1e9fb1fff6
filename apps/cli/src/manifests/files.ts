/** All files of the manifests, as text. */
import { buildAlertGroups } from "@cardkeep/runtime/buildAlerts";
import type { ProcessRole } from "@cardkeep/runtime/settingUses";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { buildCompose, renderBalancer } from "./compose.ts";
import { listSecrets, renderConfigMap, renderEnvFile, renderSecret } from "./environment.ts";
import type { Installation } from "./installation.ts";
import { buildNetworkPolicy } from "./network.ts";
import { buildAdapterValues, buildAutoscaler, buildPodMonitor, buildPrometheusRule } from "./scaling.ts";
import { buildDeployment, buildDisruptionBudget, buildMigration, buildService } from "./workloads.ts";

export interface ManifestFile {
  readonly path: string;
  readonly text: string;
  /** Filled in by the operator, so never overwritten. */
  readonly isFilledIn: boolean;
  /** Readable by its owner alone. */
  readonly isSecret: boolean;
}

const runners = ["server", "worker"] as const;
const roles: readonly ProcessRole[] = [...runners, "migrate"];

const toYaml = (object: unknown): string => `${Bun.YAML.stringify(object, null, 2).trim()}\n`;
const join = (documents: readonly string[]): string => documents.join("---\n");
const render = (intro: string, ...objects: readonly object[]): string => `# ${intro}\n${join(objects.map(toYaml))}`;
const generated = (path: string, text: string): ManifestFile => ({ path, text, isFilledIn: false, isSecret: false });
const filledIn = (path: string, text: string): ManifestFile => ({
  path,
  text,
  isFilledIn: true,
  isSecret: false,
});
const secret = (path: string, text: string): ManifestFile => ({ path, text, isFilledIn: true, isSecret: true });

const buildNamespace = ({ namespace }: Installation) =>
  new Namespace({ metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } } });

/** The objects of Kubernetes, in an order in which they can be applied. */
const listObjects = (installation: Installation): ManifestFile[] => [
  generated("00-namespace.yaml", render("The namespace refuses pods with privileges.", buildNamespace(installation))),
  filledIn(
    "10-settings.yaml",
    `# Settings of each process. Fill in what is empty; commented lines show the defaults.\n${join(
      roles.map((role) => renderConfigMap(role, installation)),
    )}`,
  ),
  secret(
    "20-secrets.yaml",
    `# Secrets of each process. Fill in what is empty, and keep this file secret.\n${join(
      roles.map((role) => renderSecret(role, installation)),
    )}`,
  ),
  generated(
    "30-migrate.yaml",
    render("Migrates the database to this version. Processes wait for it.", buildMigration(installation)),
  ),
  generated(
    "40-server.yaml",
    render(
      "Answers requests. Point your ingress to the service.",
      buildService(installation),
      buildDeployment("server", installation),
      buildDisruptionBudget("server", installation),
      buildAutoscaler("server", installation),
    ),
  ),
  generated(
    "50-worker.yaml",
    render(
      "Runs jobs and chores.",
      buildDeployment("worker", installation),
      buildDisruptionBudget("worker", installation),
      buildAutoscaler("worker", installation),
    ),
  ),
  filledIn(
    "60-network.yaml",
    render(
      "Which connections each process may have. Add the port of your database or node if it is another one.",
      ...roles.map((role) => buildNetworkPolicy(role, installation)),
    ),
  ),
];

/** Files for other programs, which `kubectl apply --filename <folder>` does not read. */
const listOthers = (installation: Installation): ManifestFile[] => [
  generated(
    "prometheus/adapter-values.yaml",
    render("Values of the Helm chart prometheus-adapter: the metrics of the autoscalers.", buildAdapterValues()),
  ),
  generated(
    "prometheus/pod-monitors.yaml",
    render(
      "Prometheus' operator reads /metrics of each pod.",
      ...runners.map((role) => buildPodMonitor(role, installation)),
    ),
  ),
  generated(
    "prometheus/alert-rules.yaml",
    render("Alarms for Prometheus' operator; each has its page in the runbook.", buildPrometheusRule(installation)),
  ),
  generated(
    "compose/alert-rules.yaml",
    render(
      "Alarms, for `rule_files` of a Prometheus of your own; each has its page in the runbook.",
      buildAlertGroups(),
    ),
  ),
  generated(
    "compose/compose.yaml",
    render(
      "One machine. Copy this folder to each. On one: `docker compose run --rm migrate`. On all: `docker compose up --detach`. " +
        "The files in secrets/ must belong to user 1000 of the image.",
      buildCompose(installation),
    ),
  ),
  filledIn("compose/haproxy.cfg", renderBalancer()),
  ...roles.map((role) =>
    filledIn(`compose/${role}.env`, `# Settings of the ${role} process.\n${renderEnvFile(role, installation)}`),
  ),
  ...roles.flatMap((role) => listSecrets(role).map((name) => secret(`compose/secrets/${role}/${name}`, ""))),
];

/** Every file of an installation. */
export const listFiles = (installation: Installation): ManifestFile[] => [
  ...listObjects(installation),
  ...listOthers(installation),
];

/** The objects of Kubernetes as one text, for `kubectl apply --filename -`. */
export const renderObjects = (installation: Installation): string =>
  join(listObjects(installation).map(({ text }) => text));
