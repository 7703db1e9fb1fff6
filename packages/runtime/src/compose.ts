/** Builds the parts of a process from settings: database, clock, chain, providers, services. */
import { createEnsReader } from "@cardkeep/chain/ens";
import type { ChainReader } from "@cardkeep/chain/port";
import { createChainReader } from "@cardkeep/chain/reader";
import { createRelayerKey, createSpenderKey } from "@cardkeep/chain/relayer";
import type { ReportRpc } from "@cardkeep/chain/reads/rpc";
import { createSnapshots } from "@cardkeep/chain/snapshots";
import { type Database, type Db, openDatabase } from "@cardkeep/db/client";
import { getClockOffsetSeconds, holdClockOffsetSeconds } from "@cardkeep/db/queries/clock";
import { createAccessTokens } from "@cardkeep/domain/accessTokens/accessTokens";
import { createRemovedWallets } from "@cardkeep/domain/accessTokens/removedWallets";
import type { Clock } from "@cardkeep/domain/ports";
import type { Services, WorkerKeys } from "@cardkeep/domain/services";
import { createMonerium } from "@cardkeep/providers/emoney/monerium";
import { createStripeIssuer } from "@cardkeep/providers/issuer/stripe";
import { createSumsub } from "@cardkeep/providers/kyc/sumsub";
import { createRateLimits } from "@cardkeep/domain/limits/rateLimits";
import { createSecrets } from "@cardkeep/domain/secrets/secrets";
import { createWaits } from "@cardkeep/domain/waits";
import type { ReportCall } from "@cardkeep/providers/http";
import type { Mailer } from "@cardkeep/providers/mail/port";
import { createSandboxMailer } from "@cardkeep/providers/mail/sandbox";
import { createSmtpMailer } from "@cardkeep/providers/mail/smtp";
import { createTwilio } from "@cardkeep/providers/sms/twilio";
import { createWebhookSender } from "@cardkeep/providers/webhooks/send";
import { createWebhookKeys } from "@cardkeep/providers/webhooks/sign";
import { createLog, type Log } from "./log.ts";
import { readOperatorSettings } from "./local.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { loadSettings, SettingsError, type Settings } from "./settings.ts";
import { createTracing, type Tracing } from "./tracing.ts";

/** Time limit of one call to the node. The API answers within a second even if the node hangs. */
const rpcTimeoutMs = { server: 800, worker: 5_000, sandbox: 5_000, cli: 5_000 } as const;
/** Time limit of one call to a partner. */
const providerTimeoutMs = 4_000;
/** Time limit of a webhook receiver, as published. */
const webhookTimeoutMs = 30_000;
/** A request may take 10 s in total, with the work before and after a wait. */
const answerMsMax = 9_500;
const statementTimeoutMs = 10_000;
/** Limits of requests that wait for the worker: per user and in total, in one process. */
const waitsMax = { perUserMax: 2, totalMax: 200 } as const;

/** Maximum connections of a part, in addition to the few for reads. An unused pool opens none. */
const connectionsMax = { server: 10, worker: 16, sandbox: 4, cli: 2 } as const;
export type Part = keyof typeof connectionsMax;

export interface Runtime {
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Null without a collector. */
  readonly tracing: Tracing | null;
  readonly db: Db;
  readonly listen: Database["listen"];
  readonly clock: Clock;
  readonly chain: ChainReader;
  readonly services: Services;
  close(): Promise<void>;
}

const wallClock: Clock = { now: async () => new Date(), hold: async () => new Date() };

/** The wall clock plus the offset that the sandbox's advance adds to. */
const sandboxClock: Clock = {
  now: async (on) => new Date(Date.now() + (await getClockOffsetSeconds(on)) * 1000),
  hold: async (tx) => new Date(Date.now() + (await holdClockOffsetSeconds(tx)) * 1000),
};

/** Builds the parts of one process. It opens no connection before the first use. */
export async function createRuntime(settings: Settings, part: Part): Promise<Runtime> {
  const { databaseUrl, rpcUrl } = settings;
  if (databaseUrl === undefined) throw new Error("DATABASE_URL is not set. Run `bun start` or set it to a Postgres.");
  if (rpcUrl === undefined) throw new Error("RPC_URL is not set. Run `bun start` or set it to an EVM node.");
  const log = createLog({ part, level: settings.logLevel });
  const metrics = createMetrics();
  const { otlpEndpoint } = settings;
  const tracing = otlpEndpoint === null ? null : await createTracing({ endpoint: otlpEndpoint, part });
  const database: Database = openDatabase({
    url: databaseUrl,
    connectionsMax: connectionsMax[part],
    statementTimeoutMs,
    applicationName: `cardkeep-${part}`,
  });
  const clock = settings.production ? wallClock : sandboxClock;
  const chain = createChainReader({
    rpcUrl,
    chainId: settings.chainId,
    timeoutMs: rpcTimeoutMs[part],
    report: tracing === null ? metrics.reportRpc : reportRpcTo(metrics, tracing),
  });
  const reportTo = (provider: Parameters<Metrics["reportProvider"]>[0]): ReportCall =>
    tracing === null ? metrics.reportProvider(provider) : reportProviderTo(metrics, tracing, provider);
  const services: Services = {
    db: database.db,
    reads: database.reads,
    clock,
    chain,
    ens:
      settings.ensRpcUrl === null
        ? null
        : createEnsReader({ rpcUrl: settings.ensRpcUrl, timeoutMs: providerTimeoutMs }),
    kyc: createSumsub({ ...settings.kyc, timeoutMs: providerTimeoutMs, report: reportTo("kyc") }),
    emoney: createMonerium({
      ...settings.emoney,
      chainId: settings.chainId,
      timeoutMs: providerTimeoutMs,
      report: reportTo("emoney"),
    }),
    issuer: createStripeIssuer({ ...settings.issuer, timeoutMs: providerTimeoutMs, report: reportTo("issuer") }),
    mailer: createMailer(settings, reportTo("mail")),
    sms: createTwilio({ ...settings.sms, timeoutMs: providerTimeoutMs, report: reportTo("sms") }),
    webhookSender: createWebhookSender({
      isProduction: settings.production,
      inboxOrigin: settings.production ? null : settings.sandboxUrl,
      timeoutMs: webhookTimeoutMs,
    }),
    webhookKeys: createWebhookKeys(settings.webhookSigningKeys),
    accessTokens: await createAccessTokens(settings.accessTokenKeys, createRemovedWallets(database.db)),
    secrets: createSecrets(settings.secretsKeys),
    rateLimits: createRateLimits({ db: database.db, clock }),
    waits: createWaits(waitsMax),
    snapshots: createSnapshots(chain),
    trace: tracing?.note ?? null,
    rules: {
      chainId: settings.chainId,
      acceptedCode: settings.acceptedCode,
      termsUrl: settings.termsUrl,
      publicUrl: settings.publicUrl,
      answerMsMax,
      localhostSignIn: !settings.production,
      testCallbacks: !settings.production,
      kycShareClientId: settings.kyc.shareClientId,
      emoney: {
        noticeUrl: `${settings.publicUrl}/callbacks/monerium`,
        consentReturnUrl: `${settings.publicUrl}/callbacks/monerium/oauth`,
        defaultCallbackUrl: settings.emoney.returnUrl,
        shareClientId: settings.emoney.shareClientId,
      },
      signInDomains: settings.signInDomains,
      transactionDataFormat: settings.transactionDataFormat,
      codePepper: settings.codePepper,
      cooldownSeconds: settings.cooldownSeconds,
      allowedCalls: settings.allowedCalls,
      expirationSeconds: settings.expirationSeconds,
      relayerAddresses: settings.relayerPrivateKeys.map((key) => createRelayerKey(key).address),
      operatorAddress: createRelayerKey(settings.operatorPrivateKey).address,
      spenderAddress: createRelayerKey(settings.spenderPrivateKey).address,
      settlementAddress: settings.settlementAddress,
      captureExcessCentsMax: BigInt(settings.captureExcessCentsMax),
      treasuryAddress: settings.treasuryAddress,
      freeCouponCode: settings.freeCouponCode,
      confirmations: settings.confirmations,
      relayedOperationsPerHour: settings.relayedOperationsPerHour,
      quotas: settings.quotas,
      codeSends: settings.codeSends,
      cashback: settings.cashback,
      cardCountries: settings.cardCountries,
    },
  };
  const close = async () => {
    await Promise.all([database.close(), tracing?.close()]);
  };
  return { settings, log, metrics, tracing, db: database.db, listen: database.listen, clock, chain, services, close };
}

const reportRpcTo =
  (metrics: Metrics, tracing: Tracing): ReportRpc =>
  (report) => {
    metrics.reportRpc(report);
    tracing.call(report.method, report.seconds, { "rpc.system": "jsonrpc", outcome: report.outcome });
  };

const reportProviderTo = (
  metrics: Metrics,
  tracing: Tracing,
  provider: Parameters<Metrics["reportProvider"]>[0],
): ReportCall => {
  const measure = metrics.reportProvider(provider);
  return (report) => {
    measure(report);
    tracing.call(`call to ${provider}`, report.seconds, { outcome: report.outcome });
  };
};

function createMailer({ mailServer: server, mailFrom: from, sandboxUrl: url }: Settings, report: ReportCall): Mailer {
  const timeoutMs = providerTimeoutMs;
  return server === null
    ? createSandboxMailer({ url, timeoutMs, report })
    : createSmtpMailer({ server, from, timeoutMs, report });
}

/** Reads the environment of this process and builds its parts. */
export const loadRuntime = (part: Part): Promise<Runtime> => createRuntime(loadSettings(), part);

/** Builds the parts for the operator's verbs, without logs, beside the running processes. */
export const loadOperatorRuntime = (env: Record<string, string | undefined> = process.env): Promise<Runtime> =>
  createRuntime({ ...readOperatorSettings(env), logLevel: "silent" }, "cli");

/**
 * The keys that only the worker holds, from settings.
 * @throws SettingsError
 */
export function createWorkerKeys(settings: Settings): WorkerKeys {
  if (settings.cardEncryptionKey === null) throw new SettingsError("CARD_ENCRYPTION_KEY: is required by the worker");
  return {
    cardKey: settings.cardEncryptionKey,
    relayers: settings.relayerPrivateKeys.map(createRelayerKey),
    operatorPrivateKey: settings.operatorPrivateKey,
    spender: createSpenderKey(settings.spenderPrivateKey),
  };
}
