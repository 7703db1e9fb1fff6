/** Settings: the only place that reads the environment. It reports all faults at once. */
import { email } from "@cardkeep/contract/auth";
import { couponCode } from "@cardkeep/contract/coupons";
import { parseSmtpUrl } from "@cardkeep/providers/mail/smtp";
import { parseTwilioUrl } from "@cardkeep/providers/sms/twilio";
import { z } from "zod";
import { accountEnvironment, readAccounts } from "./accountSettings.ts";
import { cashbackEnvironment, readCashback } from "./cashbackSettings.ts";
import { emoneyEnvironment, readEmoney } from "./emoneySettings.ts";
import { listMoneyFaults, moneyEnvironment, readMoney } from "./moneySettings.ts";
import { developmentDefaults, listProductionFaults } from "./production.ts";
import { parsePrivateKey, parsePublicKey } from "./rsaKeys.ts";
import { parseProxies } from "./proxies.ts";
import { secretsKeys } from "./secretsKeys.ts";
import {
  budget,
  keySet,
  list,
  port,
  privateKey,
  privateKeys,
  readBy,
  signingKeySet,
  urls,
  wholeNumber,
} from "./settingTypes.ts";

/** The European Economic Area, Switzerland, Great Britain and Brazil: the markets of the accounts' tokens. */
const cardCountries =
  "AT,BE,BG,BR,CH,CY,CZ,DE,DK,EE,ES,FI,FR,GB,GR,HR,HU,IE,IS,IT,LI,LT,LU,LV,MT,NL,NO,PL,PT,RO,SE,SI,SK".split(",");

/** The environment as text. Descriptions and defaults are the source of `.env.example`. */
export const environment = z.object({
  NODE_ENV: z.string().default("development").describe("`production` refuses development keys and sandbox providers"),
  PORT: port(3000, "Port of the server"),
  WORKER_PORT: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe("Port on which a worker serves its own metrics at /metrics, and /livez; unset: none"),
  SANDBOX_PORT: port(3001, "Port of the sandbox"),
  ELEMENTS_PORT: port(3002, "Port of the sandbox's secure card elements, an origin of their own"),
  CHAIN_PORT: port(8545, "Port of the local chain"),
  POSTGRES_PORT: port(54_329, "Port of the embedded Postgres"),
  CARDKEEP_HOME: z.string().default(".cardkeep").describe("Folder for all data of `bun start`"),
  DATABASE_URL: z.url().optional().describe("A Postgres of your own; unset: an embedded one"),
  RPC_URL: urls.describe(
    "EVM nodes of your own, a comma list; requests go to the node with the highest block. Unset: a local chain",
  ),
  CHAIN_ID: wholeNumber(100, 1, "Chain id"),
  PUBLIC_URL: z.url().optional().describe("Public address of the server"),
  TERMS_URL: z.url().optional().describe("Address of the published /terms documents; unset: below PUBLIC_URL"),
  ACCESS_TOKEN_KEYS: keySet.describe("JWKS of private P-256 keys; the first signs, all verify"),
  WEBHOOK_SIGNING_KEYS: signingKeySet.describe(
    "JWKS of private Ed25519 keys that sign deliveries. All are published; where only one signature is possible, the first signs",
  ),
  SECRETS_KEYS: secretsKeys.describe(
    "Keys that seal partners' secrets and e-money tokens in the database: 32 bytes in base64 each, comma separated, or a JWKS of oct keys. The first seals; all unseal",
  ),
  RELAYER_PRIVATE_KEYS: privateKeys.describe("Keys that pay for chain transactions, comma separated"),
  OPERATOR_PRIVATE_KEY: privateKey.describe("Owner of a Safe during its set-up transaction"),
  SPENDER_PRIVATE_KEY: privateKey.describe("Member of the spending role"),
  ...moneyEnvironment,
  ...accountEnvironment,
  SIGN_IN_DOMAINS: list.default([]).describe("Sign-in domains in addition to the partners', comma separated"),
  TRANSACTION_DATA_FORMAT: z.enum(["hex", "json"]).default("hex").describe("Form of transactionData in lists"),
  KYC_PROVIDER: z.enum(["sandbox", "sumsub"]).default("sandbox").describe("Identity provider"),
  KYC_URL: z.url().optional().describe("Base address of the identity provider's API"),
  KYC_APP_TOKEN: z.string().min(1).describe("App token at the identity provider"),
  KYC_APP_SECRET: z.string().min(1).describe("App secret at the identity provider"),
  KYC_CALLBACK_SECRET: z.string().min(1).describe("Secret that signs the identity provider's callbacks"),
  KYC_SHARE_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .describe("Client id for shared verified files at the identity provider when a request names none"),
  KYC_LEVEL: z.string().default("basic-kyc-level").describe("Verification level"),
  ...emoneyEnvironment,
  CARD_ISSUER: z.enum(["sandbox", "stripe"]).default("sandbox").describe("Card issuer"),
  CARD_ISSUER_URL: z.url().optional().describe("Base address of the card issuer's API"),
  CARD_ISSUER_API_KEY: z.string().min(1).describe("API key at the card issuer"),
  CARD_ISSUER_CALLBACK_SECRETS: list
    .pipe(z.array(z.string().min(1)).min(1))
    .describe("Secrets that sign the card issuer's callbacks, one for each of its endpoints, comma separated"),
  CARD_ISSUER_PIN_KEY: readBy(parsePublicKey, "must be an RSA public key, SPKI in PEM or base64")
    .optional()
    .describe("Key with which the card issuer reads PINs, SPKI in PEM or base64; unset: the issuer chooses PINs"),
  CARD_ENCRYPTION_KEY: readBy(
    parsePrivateKey,
    "must be an RSA private key of 2048 bits or more, PKCS #8 in PEM or base64",
  )
    .optional()
    .describe("Key that decrypts card numbers and PINs from clients, for the worker alone, PKCS #8 in PEM or base64"),
  CARD_COUNTRIES: list
    .pipe(z.array(z.string().regex(/^[A-Z]{2}$/, "must be ISO 3166-1 alpha-2 codes")).min(1))
    .default(cardCountries)
    .describe("Countries whose residents may have cards, ISO 3166-1 alpha-2, comma separated"),
  MAIL_URL: readBy(parseSmtpUrl, "must be smtp(s)://user:password@host:port")
    .optional()
    .describe("SMTP server for mail, smtp(s)://user:password@host:port; unset: the sandbox's mailbox"),
  MAIL_FROM: email.optional().describe("Sender address of mail; unset: no-reply at the host of PUBLIC_URL"),
  SMS_URL: readBy(parseTwilioUrl, "must be https://account:token@host?from=%2B15005550006")
    .optional()
    .describe(
      "Gateway with Twilio's Messages API, https://account:token@api.twilio.com?from=%2B15005550006; unset: the sandbox's phones",
    ),
  FREE_COUPON_CODE: couponCode.optional().describe("Coupon code that makes every card order free; unset: none"),
  ENS_RPC_URL: z
    .url()
    .optional()
    .describe("Node of the chain with ENS, for cards with an ENS name; unset: such orders are rejected"),
  CODE_PEPPER: z.string().min(16).describe("Secret that protects stored codes from offline guessing"),
  CONFIRMATIONS: wholeNumber(1, 1, "Number of blocks that makes a transaction final, with its own"),
  RELAYED_OPERATIONS_PER_HOUR: wholeNumber(60, 1, "Relayed operations per Safe and hour"),
  READS_PER_MINUTE: budget(1_200, "Read requests per user and minute, on all servers together"),
  WRITES_PER_MINUTE: budget(300, "Write requests per user and minute, on all servers together"),
  OPEN_REQUESTS_PER_MINUTE: budget(600, "Requests per source address and minute to one operation without a token"),
  CODE_REQUESTS_PER_MINUTE: budget(60, "One-time passwords per source address and minute, for any recipient"),
  MAIL_CODES_PER_MINUTE: budget(1, "One-time passwords per mail address and minute"),
  MAIL_CODES_PER_HOUR: budget(5, "One-time passwords per mail address and hour"),
  PHONE_CODES_PER_HOUR: budget(5, "Codes per user or phone number and hour"),
  TRUSTED_PROXIES: readBy(parseProxies, "must be IP addresses or networks in CIDR notation, comma separated")
    .optional()
    .describe(
      "Proxies whose X-Forwarded-For is trusted, addresses or networks in CIDR notation, comma separated; unset: none",
    ),
  OPERATOR_API_KEY: z
    .string()
    .min(24)
    .optional()
    .describe(
      "Key to the pages at /operator; unset: no such pages. Once it is set, /metrics and the reasons in /readyz require it as bearer token",
    ),
  ...cashbackEnvironment,
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe("OpenTelemetry collector for traces, OTLP over HTTP; unset: no traces"),
  LOG_LEVEL: z.enum(["silent", "fatal", "error", "warn", "info", "debug"]).default("info").describe("Lowest log level"),
});

/** The account of the sandbox's gateway. */
const sandboxSms = { accountSid: "ACsandbox", username: "ACsandbox", password: "sandbox-token", from: "Cardkeep" };

export type Settings = ReturnType<typeof readSettings>;

/** All faults of the environment, one per line. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/**
 * Reads and checks the environment.
 * @throws SettingsError naming every fault
 */
export function readSettings(env: Record<string, string | undefined>) {
  const production = env["NODE_ENV"] === "production";
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = environment.safeParse(production ? given : { ...developmentDefaults, ...given });
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  if (parsed.success) faults.push(...listMoneyFaults(parsed.data));
  if (production) faults.push(...listProductionFaults(given));
  if (!parsed.success || faults.length > 0) throw new SettingsError(faults.join("\n"));
  const e = parsed.data;
  const publicUrl = e.PUBLIC_URL ?? `http://localhost:${e.PORT}`;
  return {
    production,
    port: e.PORT,
    workerPort: e.WORKER_PORT ?? null,
    sandboxPort: e.SANDBOX_PORT,
    elementsPort: e.ELEMENTS_PORT,
    chainPort: e.CHAIN_PORT,
    postgresPort: e.POSTGRES_PORT,
    home: e.CARDKEEP_HOME,
    databaseUrl: e.DATABASE_URL,
    rpcUrl: e.RPC_URL,
    /** `bun start` runs the node, so the sandbox may move its time. */
    localChain: given["CARDKEEP_LOCAL_CHAIN"] === "1",
    chainId: e.CHAIN_ID,
    publicUrl,
    termsUrl: e.TERMS_URL ?? `${publicUrl}/terms`,
    sandboxUrl: `http://127.0.0.1:${e.SANDBOX_PORT}`,
    accessTokenKeys: e.ACCESS_TOKEN_KEYS.keys,
    webhookSigningKeys: e.WEBHOOK_SIGNING_KEYS.keys,
    secretsKeys: e.SECRETS_KEYS,
    relayerPrivateKeys: e.RELAYER_PRIVATE_KEYS,
    operatorPrivateKey: e.OPERATOR_PRIVATE_KEY,
    spenderPrivateKey: e.SPENDER_PRIVATE_KEY,
    ...readMoney(e),
    freeCouponCode: e.FREE_COUPON_CODE?.toUpperCase() ?? null,
    /** Null: orders with an ENS name are rejected. */
    ensRpcUrl: e.ENS_RPC_URL ?? null,
    ...readAccounts(e),
    signInDomains: e.SIGN_IN_DOMAINS,
    transactionDataFormat: e.TRANSACTION_DATA_FORMAT,
    kyc: {
      url:
        e.KYC_URL ?? (e.KYC_PROVIDER === "sandbox" ? `http://127.0.0.1:${e.SANDBOX_PORT}` : "https://api.sumsub.com"),
      appToken: e.KYC_APP_TOKEN,
      appSecret: e.KYC_APP_SECRET,
      callbackSecret: e.KYC_CALLBACK_SECRET,
      levelName: e.KYC_LEVEL,
      shareClientId: e.KYC_SHARE_CLIENT_ID ?? (e.KYC_PROVIDER === "sandbox" ? "sandbox-partner" : null),
    },
    emoney: readEmoney(e),
    issuer: {
      url:
        e.CARD_ISSUER_URL ??
        (e.CARD_ISSUER === "sandbox" ? `http://127.0.0.1:${e.SANDBOX_PORT}` : "https://api.stripe.com"),
      apiKey: e.CARD_ISSUER_API_KEY,
      callbackSecrets: e.CARD_ISSUER_CALLBACK_SECRETS,
      pinKey: e.CARD_ISSUER_PIN_KEY ?? null,
    },
    /** Null in every process except the worker. */
    cardEncryptionKey: e.CARD_ENCRYPTION_KEY ?? null,
    cardCountries: e.CARD_COUNTRIES,
    /** Null: the sandbox's mailbox. */
    mailServer: e.MAIL_URL ?? null,
    mailFrom: e.MAIL_FROM ?? `no-reply@${new URL(publicUrl).hostname}`,
    sms: e.SMS_URL ?? { ...sandboxSms, url: `http://127.0.0.1:${e.SANDBOX_PORT}` },
    codePepper: e.CODE_PEPPER,
    confirmations: e.CONFIRMATIONS,
    relayedOperationsPerHour: e.RELAYED_OPERATIONS_PER_HOUR,
    quotas: {
      open: perMinute("open-requests", e.OPEN_REQUESTS_PER_MINUTE),
      messages: perMinute("code-requests", e.CODE_REQUESTS_PER_MINUTE),
      reads: perMinute("reads", e.READS_PER_MINUTE),
      writes: perMinute("writes", e.WRITES_PER_MINUTE),
    },
    codeSends: {
      email: [
        { count: e.MAIL_CODES_PER_MINUTE, withinMs: minuteMs },
        { count: e.MAIL_CODES_PER_HOUR, withinMs: hourMs },
      ],
      phone: [{ count: e.PHONE_CODES_PER_HOUR, withinMs: hourMs }],
    },
    /** Whether an address belongs to a proxy whose forwarding headers are trusted. */
    isTrustedProxy: e.TRUSTED_PROXIES ?? (() => false),
    /** Null: no pages for the operator. */
    operatorApiKey: e.OPERATOR_API_KEY ?? null,
    /** Null: metrics and reasons are public. The development key protects nothing on a local machine. */
    measuresKey: given["OPERATOR_API_KEY"] ?? null,
    cashback: readCashback(e),
    /** Null: no traces. */
    otlpEndpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    logLevel: e.LOG_LEVEL,
  };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const perMinute = (name: string, count: number) => ({ name, count, withinSeconds: minuteMs / 1000 });

/** The settings of this process. @throws SettingsError */
export const loadSettings = (): Settings => readSettings(process.env);
