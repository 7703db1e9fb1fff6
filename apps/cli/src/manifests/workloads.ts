/** Deployments of servers and workers, and the job that migrates. */
import type { ProcessRole } from "@cardkeep/runtime/settingUses";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Job } from "kubernetes-models/batch/v1/Job";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import type { IContainer } from "kubernetes-models/v1/Container";
import type { IPodSpec } from "kubernetes-models/v1/PodSpec";
import { createHash } from "node:crypto";
import { Service } from "kubernetes-models/v1/Service";
import {
  commands,
  graceSecondsOf,
  imageUser,
  type Installation,
  labelsOf,
  memory,
  nameOf,
  ports,
  secretsFolder,
} from "./installation.ts";

type Runner = "server" | "worker";

/** By default JavaScriptCore plans its garbage collection for the memory of the whole machine. */
const memoryVariable = {
  name: "BUN_JSC_forceRAMSize",
  valueFrom: { resourceFieldRef: { resource: "limits.memory" } },
};

function buildContainer(role: ProcessRole, { image }: Installation, own: Partial<IContainer>): IContainer {
  return {
    name: role,
    image,
    command: ["bun", commands[role]],
    envFrom: [{ configMapRef: { name: nameOf(role) } }],
    env: [memoryVariable],
    resources: { requests: { cpu: "500m", memory: memory.requested }, limits: { memory: memory.max } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: "tmp", mountPath: "/tmp" },
      { name: "secrets", mountPath: secretsFolder, readOnly: true },
    ],
    ...own,
  };
}

const buildPod = (role: ProcessRole, container: IContainer, own: Partial<IPodSpec>): IPodSpec => ({
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: imageUser,
    runAsGroup: imageUser,
    fsGroup: imageUser,
    seccompProfile: { type: "RuntimeDefault" },
  },
  containers: [container],
  volumes: [
    { name: "tmp", emptyDir: { sizeLimit: "64Mi" } },
    // The files belong to root and the pod's group.
    { name: "secrets", secret: { secretName: nameOf(role), defaultMode: 0o440 } },
  ],
  ...own,
});

const buildProbes = (port: number): Partial<IContainer> => {
  const get = (path: string) => ({ httpGet: { path, port }, timeoutSeconds: 5 });
  return {
    startupProbe: { ...get("/livez"), periodSeconds: 2, failureThreshold: 30 },
    livenessProbe: { ...get("/livez"), periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { ...get("/readyz"), periodSeconds: 5, failureThreshold: 2 },
  };
};

/** The Deployment of a process. The autoscaler sets the number of its pods. */
export function buildDeployment(role: Runner, installation: Installation): Deployment {
  const labels = labelsOf(role);
  const port = ports[role];
  const container = buildContainer(role, installation, {
    ports: [{ name: "http", containerPort: port }],
    ...buildProbes(port),
  });
  const spread = (topologyKey: string) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "ScheduleAnyway" as const,
    labelSelector: { matchLabels: labels },
  });
  return new Deployment({
    metadata: { name: nameOf(role), namespace: installation.namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels: { ...labels, "app.kubernetes.io/version": installation.version } },
        spec: buildPod(role, container, {
          ...(role === "worker" &&
            installation.serviceAccount !== null && { serviceAccountName: installation.serviceAccount }),
          terminationGracePeriodSeconds: graceSecondsOf(role, installation),
          topologySpreadConstraints: [spread("kubernetes.io/hostname"), spread("topology.kubernetes.io/zone")],
        }),
      },
    },
  });
}

/** A job's pods cannot be changed, so another image of the same version is another job. */
const nameMigration = ({ version, image }: Installation): string => {
  const hash = createHash("sha256").update(image).digest("hex").slice(0, 8);
  return `${nameOf("migrate")}-${version.replaceAll(/[^a-z0-9-]+/g, "-")}-${hash}`;
};

/** The job that migrates the database to this version. It may run before or after the processes start. */
export const buildMigration = (installation: Installation): Job =>
  new Job({
    metadata: {
      name: nameMigration(installation),
      namespace: installation.namespace,
      labels: labelsOf("migrate"),
    },
    spec: {
      backoffLimit: 10,
      ttlSecondsAfterFinished: 86_400,
      template: {
        metadata: { labels: labelsOf("migrate") },
        spec: buildPod("migrate", buildContainer("migrate", installation, {}), { restartPolicy: "OnFailure" }),
      },
    },
  });

/** The address of the servers inside the cluster. */
export const buildService = ({ namespace }: Installation): Service =>
  new Service({
    metadata: { name: nameOf("server"), namespace, labels: labelsOf("server") },
    spec: { selector: labelsOf("server"), ports: [{ name: "http", port: 80, targetPort: "http" }] },
  });

/** Lets a drain of nodes stop one pod of a process after the other. */
export const buildDisruptionBudget = (role: Runner, { namespace }: Installation): PodDisruptionBudget =>
  new PodDisruptionBudget({
    metadata: { name: nameOf(role), namespace, labels: labelsOf(role) },
    spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(role) } },
  });
