/** Settings: the one place that reads the environment, with every fault reported at once. */
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

/** The European Economic Area, Switzerland, Great Britain and Brazil: where the accounts' tokens are of use. */
const cardCountries =
  "AT,BE,BG,BR,CH,CY,CZ,DE,DK,EE,ES,FI,FR,GB,GR,HR,HU,IE,IS,IT,LI,LT,LU,LV,MT,NL,NO,PL,PT,RO,SE,SI,SK".split(",");

/** The environment as text; descriptions and defaults make `.env.example`. */
export const environment = z.object({
  NODE_ENV: z.string().default("development").describe("`production` refuses development keys and sandbox providers"),
  PORT: port(3000, "Port of the server"),
  WORKER_PORT: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe("Port on which a worker tells its own measures at /metrics, and /livez; unset: none"),
  SANDBOX_PORT: port(3001, "Port of the sandbox"),
  ELEMENTS_PORT: port(3002, "Port of the sandbox's secure card elements, an origin of their own"),
  CHAIN_PORT: port(8545, "Port of the local chain"),
  POSTGRES_PORT: port(54_329, "Port of the embedded Postgres"),
  CARDKEEP_HOME: z.string().default(".cardkeep").describe("Folder of everything `bun start` keeps"),
  DATABASE_URL: z.url().optional().describe("A Postgres of your own; unset: an embedded one"),
  RPC_URL: urls.describe("EVM nodes of your own, a comma list: the furthest ahead is asked; unset: a local chain"),
  CHAIN_ID: wholeNumber(100, 1, "Chain id"),
  PUBLIC_URL: z.url().optional().describe("Address under which clients reach the server"),
  TERMS_URL: z.url().optional().describe("Where the documents of /terms are published; unset: below PUBLIC_URL"),
  ACCESS_TOKEN_KEYS: keySet.describe("JWKS of private P-256 keys; the first signs, all verify"),
  WEBHOOK_SIGNING_KEYS: signingKeySet.describe(
    "JWKS of private Ed25519 keys that sign deliveries; the first signs alone where only one can, all are published",
  ),
  SECRETS_KEYS: secretsKeys.describe(
    "Keys that seal partners' secrets and e-money tokens in the database: 32 bytes in base64 each, comma separated, or a JWKS of oct keys; the first seals, all open",
  ),
  RELAYER_PRIVATE_KEYS: privateKeys.describe("Keys that pay for chain transactions, comma separated"),
  OPERATOR_PRIVATE_KEY: privateKey.describe("Owner of a Safe for the length of its set-up transaction"),
  SPENDER_PRIVATE_KEY: privateKey.describe("Member of the spending role"),
  ...moneyEnvironment,
  ...accountEnvironment,
  SIGN_IN_DOMAINS: list.default([]).describe("Domains besides the partners' that may sign in, comma separated"),
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
    .describe("Client of the identity provider that verified files are shared with when a request names none"),
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
    .describe("Key with which the card issuer reads PINs, SPKI in PEM or base64; unset: PINs are the issuer's choice"),
  CARD_ENCRYPTION_KEY: readBy(
    parsePrivateKey,
    "must be an RSA private key of 2048 bits or more, PKCS #8 in PEM or base64",
  )
    .optional()
    .describe(
      "Key that card numbers and PINs from clients are opened with, for the worker alone, PKCS #8 in PEM or base64",
    ),
  CARD_COUNTRIES: list
    .pipe(z.array(z.string().regex(/^[A-Z]{2}$/, "must be ISO 3166-1 alpha-2 codes")).min(1))
    .default(cardCountries)
    .describe("Countries whose residents may have cards, ISO 3166-1 alpha-2, comma separated"),
  MAIL_URL: readBy(parseSmtpUrl, "must be smtp(s)://user:password@host:port")
    .optional()
    .describe("SMTP server that mail leaves through, smtp(s)://user:password@host:port; unset: the sandbox's mailbox"),
  MAIL_FROM: email.optional().describe("Address that mail comes from; unset: no-reply at the host of PUBLIC_URL"),
  SMS_URL: readBy(parseTwilioUrl, "must be https://account:token@host?from=%2B15005550006")
    .optional()
    .describe(
      "Gateway that speaks Twilio's Messages API, https://account:token@api.twilio.com?from=%2B15005550006; unset: the sandbox's phones",
    ),
  FREE_COUPON_CODE: couponCode.optional().describe("Coupon code that makes every card order free; unset: none"),
  ENS_RPC_URL: z
    .url()
    .optional()
    .describe("Node of the chain that holds ENS, for cards that carry an ENS name; unset: such orders are refused"),
  CODE_PEPPER: z.string().min(16).describe("Secret that keeps stored codes from being guessed offline"),
  CONFIRMATIONS: wholeNumber(1, 1, "Blocks that make a transaction final, its own included"),
  RELAYED_OPERATIONS_PER_HOUR: wholeNumber(60, 1, "Relayed operations a Safe may submit per hour"),
  READS_PER_MINUTE: budget(1_200, "Reading requests a user may make per minute, on all servers together"),
  WRITES_PER_MINUTE: budget(300, "Changing requests a user may make per minute, on all servers together"),
  OPEN_REQUESTS_PER_MINUTE: budget(
    600,
    "Requests a source address may make per minute to one operation without a token",
  ),
  CODE_REQUESTS_PER_MINUTE: budget(60, "One-time passwords a source address may ask for per minute, for whomever"),
  MAIL_CODES_PER_MINUTE: budget(1, "One-time passwords that one mail address is sent per minute"),
  MAIL_CODES_PER_HOUR: budget(5, "One-time passwords that one mail address is sent per hour"),
  PHONE_CODES_PER_HOUR: budget(5, "Codes that one user or one number is sent per hour"),
  TRUSTED_PROXIES: readBy(parseProxies, "must be IP addresses or networks in CIDR notation, comma separated")
    .optional()
    .describe(
      "Proxies whose X-Forwarded-For is believed, addresses or networks in CIDR notation, comma separated; unset: nobody's",
    ),
  OPERATOR_API_KEY: z
    .string()
    .min(24)
    .optional()
    .describe(
      "Key to the pages at /operator, which are not there without one; once it is set, also the bearer token that /metrics and the reasons in /readyz ask for",
    ),
  ...cashbackEnvironment,
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe("OpenTelemetry collector that traces are sent to, OTLP over HTTP; unset: none are made"),
  LOG_LEVEL: z
    .enum(["silent", "fatal", "error", "warn", "info", "debug"])
    .default("info")
    .describe("Least severe level that is logged"),
});

/** The account that the sandbox's gateway knows. */
const sandboxSms = { accountSid: "ACsandbox", username: "ACsandbox", password: "sandbox-token", from: "Cardkeep" };

export type Settings = ReturnType<typeof readSettings>;

/** A list of everything that is wrong with the environment, one fault a line. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/**
 * Reads and checks the environment.
 *
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
    /** The node is the one `bun start` runs, so its time may be moved. */
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
    /** Null: orders with an ENS name are refused. */
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
    /** Null in processes that have no business with it. */
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
    /** Whether an address is one of a proxy whose forwarding headers are believed. */
    isTrustedProxy: e.TRUSTED_PROXIES ?? (() => false),
    /** Null: there are no pages for the operator. */
    operatorApiKey: e.OPERATOR_API_KEY ?? null,
    /** Null: measures and reasons are told to everybody; on one's own machine the development key is to protect nothing. */
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
