/** Builds the parts of a process from settings: database, clock, chain, providers, services. */
import type { ChainReader } from "@cardkeep/chain/port";
import { createChainReader } from "@cardkeep/chain/reader";
import { createSnapshots } from "@cardkeep/chain/snapshots";
import { type Database, type Db, openDatabase } from "@cardkeep/db/client";
import { createLists } from "@cardkeep/db/lists";
import { nameProcess } from "@cardkeep/db/queries/core/connections";
import { createSharedRules } from "@cardkeep/domain/core/cardRules/sharedRules";
import { createAccessTokens } from "@cardkeep/domain/core/accessTokens/accessTokens";
import { createRemovedWallets } from "@cardkeep/domain/core/accessTokens/removedWallets";
import type { Clock } from "@cardkeep/domain/core/ports";
import { createLanguages } from "@cardkeep/domain/core/languages/languages";
import { createRateLimits } from "@cardkeep/domain/core/limits/rateLimits";
import { createSecrets } from "@cardkeep/domain/core/secrets/secrets";
import type { Services } from "@cardkeep/domain/core/services";
import { createWaits } from "@cardkeep/domain/core/waits";
import { sandboxClock, wallClock } from "./clock.ts";
import { readOperatorSettings } from "./local.ts";
import { buildKeyAddresses } from "./keyAddresses.ts";
import { createDecisionCounts, type DecisionCounts } from "./decisionCounts.ts";
import { createKeyUses, type KeyUses } from "./keyUses.ts";
import { createErasureLog, createLog, type Log } from "./log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { createProviders } from "./providers.ts";
import { createReports } from "./reports.ts";
import type { ProcessRole } from "./settingUses.ts";
import { loadSettings, type Settings } from "./settings.ts";
import { patientRpcTimeoutMs } from "./settings/process.ts";
import { nameSecret } from "./settingKeys.ts";
import { type Part, planConnections, sumConnections } from "./settings/connections.ts";
import { createTracing, type Tracing } from "./tracing.ts";

const statementTimeoutMs = 10_000;
/** Limits of requests that wait for the worker: per user and in total, in one process. */
const waitsMax = { perUserMax: 2, totalMax: 200 } as const;
const backtestsMax = { perUserMax: 1, totalMax: 10 } as const;
/** A body of 7 MB takes several times as much while it is read and sealed. A payment has four files. */
const largeBodiesMax = { perUserMax: 4, totalMax: 8, limit: "large-bodies" } as const;

export interface Runtime {
  /** The present settings: their secrets may change. */
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Null without a collector. */
  readonly tracing: Tracing | null;
  readonly db: Db;
  readonly listen: Database["listen"];
  readonly clock: Clock;
  readonly chain: ChainReader;
  /** The present services. A request or job reads them once, so that it sees no half of a change. */
  readonly services: Services;
  /** Replaces the secrets that may change while a process runs. Requests and jobs in flight keep theirs. */
  refresh(settings: Settings): Promise<void>;
  readonly keyUses: KeyUses;
  /** Ids of API keys of partners that were used and are not recorded yet. */
  readonly partnerKeyUses: Set<string>;
  /** Decisions about cards that are not counted in the database yet. */
  readonly decisions: DecisionCounts;
  close(): Promise<void>;
}

/** Builds the parts of one process. It opens no connection before the first use. */
export async function createRuntime(settings: Settings, part: Part): Promise<Runtime> {
  const { databaseUrl, databaseSessionUrl, rpcUrl, startBlock, otlpEndpoint } = settings;
  if (databaseUrl === undefined) throw new Error("DATABASE_URL is not set. Run `bun start` or set it to a Postgres.");
  if (rpcUrl === undefined) throw new Error("RPC_URL is not set. Run `bun start` or set it to an EVM node.");
  const log = createLog({ part, level: settings.logLevel });
  for (const warning of settings.secretFiles.warnings) log.warn({}, warning);
  if (settings.unusedSecrets.length > 0)
    log.warn({ settings: settings.unusedSecrets }, "This process has secrets that it does not use. Take them from it");
  const metrics = createMetrics();
  const tracing = otlpEndpoint === null ? null : await createTracing({ endpoint: otlpEndpoint, part });
  const reports = createReports(metrics, tracing);
  const plan = planConnections(part, settings.databaseConnections);
  const database: Database = openDatabase({
    url: databaseUrl,
    sessionUrl: databaseSessionUrl ?? databaseUrl,
    readUrl: settings.databaseReadUrl,
    connectionsMax: plan.general,
    readConnectionsMax: plan.reads,
    statementTimeoutMs,
    applicationName: nameProcess(part, sumConnections(plan)),
  });
  const { db, reads, listen } = database;
  const clock = settings.production ? wallClock : sandboxClock;
  const { chainId } = settings.policy;
  const keyUses = createKeyUses();
  const openReader = (timeoutMs: number) =>
    createChainReader({ rpcUrl, chainId, startBlock, timeoutMs, report: reports.rpc });
  const patientChain = openReader(patientRpcTimeoutMs);
  const chain = part === "server" ? openReader(settings.rpcTimeoutMs) : patientChain;
  const fixed = {
    db,
    reads,
    lists: createLists(database),
    isPooled: database.isPooled,
    clock,
    chain,
    patientChain,
    rateLimits: createRateLimits({ db, clock, log }),
    waits: createWaits(waitsMax),
    backtests: createWaits(backtestsMax),
    largeBodies: createWaits(largeBodiesMax),
    languages: createLanguages(settings.languageFiles),
    erasureLog: createErasureLog(part),
    snapshots: createSnapshots(chain),
    sharedRules: createSharedRules(reads),
    trace: tracing?.note ?? null,
  };
  const removedWallets = createRemovedWallets(db);
  const buildServices = async (present: Settings): Promise<Services> => ({
    ...fixed,
    ...createProviders(present, reports, keyUses),
    accessTokens: await createAccessTokens(present.accessTokenKeys, removedWallets),
    secrets: createSecrets(present.secretsKeys),
    policy: {
      ...present.policy,
      ...buildKeyAddresses(present),
      operatorKeyNames: present.operatorApiKeys.map((key) => nameSecret("OPERATOR_API_KEY", key)),
    },
  });
  let present = { settings, services: await buildServices(settings) };
  const close = async () => {
    await Promise.all([database.close(), tracing?.close()]);
  };
  return {
    get settings() {
      return present.settings;
    },
    get services() {
      return present.services;
    },
    refresh: async (next) => {
      present = { settings: next, services: await buildServices(next) };
    },
    log,
    metrics,
    tracing,
    db,
    listen,
    clock,
    chain,
    keyUses,
    partnerKeyUses: new Set<string>(),
    decisions: createDecisionCounts(),
    close,
  };
}

/** Reads the environment of this process and builds its parts. */
export const loadRuntime = (part: Part): Promise<Runtime> => createRuntime(loadSettings(roleOf(part)), part);

/** Sandbox and operator use the secrets of every process. */
const roleOf = (part: Part): ProcessRole | null => (part === "server" || part === "worker" ? part : null);

/** Builds the parts for the operator's verbs, without logs but for erasures, beside the running processes. */
export const loadOperatorRuntime = (env: Record<string, string | undefined> = process.env): Promise<Runtime> =>
  createRuntime({ ...readOperatorSettings(env), logLevel: "silent" }, "cli");
