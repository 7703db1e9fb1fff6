/** What all manifests of one installation share. */
import { stopLimits } from "@cardkeep/runtime/stopLimits";
import type { ProcessRole } from "@cardkeep/runtime/settingUses";

export interface Installation {
  readonly namespace: string;
  readonly image: string;
  /** Version of the program, which names the migration. */
  readonly version: string;
  readonly drainSeconds: number;
  /** The worker's identity at a cloud whose KMS signs; null: none. */
  readonly serviceAccount: string | null;
}

/** Commands of the image. */
export const commands: Readonly<Record<ProcessRole, string>> = {
  server: "apps/server/src/main.js",
  worker: "apps/worker/src/main.js",
  migrate: "packages/runtime/src/migrate.js",
};

/** Where a process finds a file for each of its secrets. */
export const secretsFolder = "/run/secrets/cardkeep";

/** Ports of `/livez` and `/readyz`. */
export const ports = { server: 3000, worker: 3003 } as const;

/** Ports of Postgres, of PgBouncer, and of HAProxy before a primary and its replicas. */
export const databasePorts = [5432, 6432, 5000, 5001] as const;
/** HTTPS, SMTP, a collector of traces, and an EVM node of your own. */
export const partnerPorts = [443, 465, 587, 4318, 8545] as const;
/** Web3Signer. A KMS is an HTTPS partner. */
export const signerPorts = [9000] as const;

/** User of the image. */
export const imageUser = 1000;
/** Measured: a server needs 140 MB at its start and 240 MB under load, a worker 110 MB. */
export const memory = { requested: "256Mi", max: "512Mi" } as const;

const marginSeconds = 5;

/** Time between SIGTERM and SIGKILL. */
export const graceSecondsOf = (role: "server" | "worker", { drainSeconds }: Installation): number =>
  (role === "server" ? drainSeconds : 0) + stopLimits.stopMs / 1000 + marginSeconds;

export const labelsOf = (role: ProcessRole) => ({
  "app.kubernetes.io/name": "cardkeep",
  "app.kubernetes.io/component": role,
});

export const nameOf = (role: ProcessRole): string => `cardkeep-${role}`;
