/** Settings of the processes: ports, addresses of the parts, operation. */
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { parseProxies } from "./proxies.ts";
import { port, readBy, replaceable, urls, type Values, wholeNumber } from "./types.ts";

/** Time limit of one answer of a node, where neither a user nor a decision waits for it. */
export const patientRpcTimeoutMs = 5_000;

export const processEnvironment = {
  NODE_ENV: z
    .enum(["development", "test", "production"], 'must be "development", "test" or "production"')
    .default("development")
    .describe("`production` refuses development keys and sandbox providers; another word is refused"),
  ALLOW_DEVELOPMENT_KEYS: z
    .enum(["true", "false"], 'must be "true" or "false"')
    .default("false")
    .describe(
      "`true`: development keys, which everybody knows, also with a PUBLIC_URL or a database that is not on this " +
        "machine. Production refuses them all the same",
    ),
  PORT: port(3000, "Port of the server"),
  WORKER_PORT: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe("Port on which a worker serves its own metrics at /metrics, /livez and /readyz; unset: none"),
  DRAIN_SECONDS: z.coerce
    .number<string>()
    .int()
    .min(0)
    .max(300)
    .optional()
    .describe(
      "Seconds between SIGTERM and the end of a server's listener. /readyz is 503 meanwhile, so that proxies send requests " +
        "elsewhere; unset: 8 in production, 0 otherwise",
    ),
  SANDBOX_PORT: port(3001, "Port of the sandbox"),
  ELEMENTS_PORT: port(3002, "Port of the sandbox's secure card elements, an origin of their own"),
  CHAIN_PORT: port(8545, "Port of the local chain"),
  POSTGRES_PORT: port(54_329, "Port of the embedded Postgres"),
  CARDKEEP_HOME: z.string().default(".cardkeep").describe("Folder for all data of `bun start`"),
  RPC_URL: urls.describe(
    "EVM nodes of your own, a comma list; requests go to the node with the highest block. Unset: a local chain",
  ),
  RPC_TIMEOUT_MS: z.coerce
    .number<string>()
    .int()
    .min(100)
    .max(patientRpcTimeoutMs)
    .default(800)
    .describe(
      "Milliseconds that a server waits for one answer of a node. A request that needs a later one gets 503. " +
        `Raise it for a distant or busy node; a worker waits ${patientRpcTimeoutMs}`,
    ),
  START_BLOCK: wholeNumber(
    0,
    0,
    "Block with which the installation's history begins: logs of earlier blocks are never read",
  ),
  PUBLIC_URL: z.url().optional().describe("Public address of the server"),
  TRUSTED_PROXIES: readBy(parseProxies, "must be IP addresses or networks in CIDR notation, comma separated")
    .optional()
    .describe(
      "Proxies whose X-Forwarded-For is trusted, addresses or networks in CIDR notation, comma separated; unset: none",
    ),
  OPERATOR_API_KEY: replaceable(z.string().min(24))
    .optional()
    .describe(
      "Key to the pages at /operator; without it and OIDC_ISSUER there are no such pages. Once it is set, /metrics and the reasons in /readyz require " +
        "it as bearer token. Several, comma separated, while it is replaced",
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe("OpenTelemetry collector for traces, OTLP over HTTP; unset: no traces"),
  LOG_LEVEL: z
    .enum(["silent", "fatal", "error", "warn", "info", "debug"])
    .default("info")
    .describe("Lowest log level; erasures are always logged"),
};

/** The user's folder for what a terminal keeps, by the XDG base directory specification. */
export const findConfigFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  join(env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "cardkeep");

/** A proxy with the default checks of HAProxy, every 2 s, needs 6 s to see that a server leaves. */
const productionDrainSeconds = 8;

/** The settings of the processes. `given` is the environment without defaults. */
export const readProcess = (e: Values<typeof processEnvironment>, given: Readonly<Record<string, string>>) => ({
  production: given["NODE_ENV"] === "production",
  port: e.PORT,
  workerPort: e.WORKER_PORT ?? null,
  drainSeconds: e.DRAIN_SECONDS ?? (given["NODE_ENV"] === "production" ? productionDrainSeconds : 0),
  sandboxPort: e.SANDBOX_PORT,
  elementsPort: e.ELEMENTS_PORT,
  chainPort: e.CHAIN_PORT,
  postgresPort: e.POSTGRES_PORT,
  home: e.CARDKEEP_HOME,
  configFolder: findConfigFolder(given),
  rpcUrl: e.RPC_URL,
  rpcTimeoutMs: e.RPC_TIMEOUT_MS,
  startBlock: BigInt(e.START_BLOCK),
  /** `bun start` runs the node, so the sandbox may move its time. */
  localChain: given["CARDKEEP_LOCAL_CHAIN"] === "1",
  publicUrl: e.PUBLIC_URL ?? `http://localhost:${e.PORT}`,
  sandboxUrl: `http://127.0.0.1:${e.SANDBOX_PORT}`,
  /** Whether an address belongs to a proxy whose forwarding headers are trusted. */
  isTrustedProxy: e.TRUSTED_PROXIES ?? (() => false),
  /** Empty: no pages for the operator. */
  operatorApiKeys: e.OPERATOR_API_KEY ?? [],
  /** Empty: metrics and reasons are public. The development key protects nothing on a local machine. */
  measuresKeys: given["OPERATOR_API_KEY"] === undefined ? [] : (e.OPERATOR_API_KEY ?? []),
  /** Null: no traces. */
  otlpEndpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
  logLevel: e.LOG_LEVEL,
});
