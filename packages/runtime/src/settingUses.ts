/** Which process reads which setting in production, and which settings are secrets. Manifests are generated from it. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { environment } from "./environment.ts";

export type SettingName = keyof typeof environment.shape;

/** The processes of an installation. */
export type ProcessRole = "server" | "worker" | "migrate";

interface Use {
  /** Empty for settings of `bun start` alone. */
  readonly roles: readonly ProcessRole[];
  readonly isSecret: boolean;
  /** Whether a running process takes up a changed file. Other changes take effect at the next start. */
  readonly isRefreshed: boolean;
}

const open = (...roles: ProcessRole[]): Use => ({ roles, isSecret: false, isRefreshed: false });
/** Databases, nodes and keys of the chain: connections, addresses and nonces of the process depend on them. */
const fixed = (...roles: ProcessRole[]): Use => ({ roles, isSecret: true, isRefreshed: false });
const refreshed = (...roles: ProcessRole[]): Use => ({ roles, isSecret: true, isRefreshed: true });

const shared = open("server", "worker");
const server = open("server");
const worker = open("worker");
const local = open();
const localSecret = fixed();

/** Addresses with a user, a password or a key in them are secrets too. */
export const uses: Readonly<Record<SettingName, Use>> = {
  NODE_ENV: shared,
  ALLOW_DEVELOPMENT_KEYS: local,
  PORT: server,
  WORKER_PORT: worker,
  DRAIN_SECONDS: server,
  SANDBOX_PORT: local,
  ELEMENTS_PORT: local,
  CHAIN_PORT: local,
  POSTGRES_PORT: local,
  CARDKEEP_HOME: local,
  SANDBOX_DATABASE_URL: localSecret,
  SERVICE_DATABASE_URL: localSecret,
  DATABASE_URL: fixed("server", "worker", "migrate"),
  DATABASE_SESSION_URL: fixed("server", "worker", "migrate"),
  DATABASE_READ_URL: fixed("server"),
  DATABASE_SERVICE_ROLE: open("migrate"),
  DATABASE_CONNECTIONS: shared,
  RPC_URL: fixed("server", "worker"),
  RPC_TIMEOUT_MS: server,
  START_BLOCK: shared,
  PUBLIC_URL: shared,
  TRUSTED_PROXIES: server,
  OPERATOR_API_KEY: refreshed("server", "worker"),
  OTEL_EXPORTER_OTLP_ENDPOINT: shared,
  LOG_LEVEL: shared,
  ACCESS_TOKEN_KEYS: refreshed("server"),
  WEBHOOK_SIGNING_KEYS: refreshed("worker"),
  WEBHOOK_PUBLIC_KEYS: server,
  SECRETS_KEYS: refreshed("server", "worker"),
  RELAYER_PRIVATE_KEYS: fixed("worker"),
  RELAYER_SIGNERS: worker,
  RELAYER_ADDRESSES: server,
  OPERATOR_PRIVATE_KEY: fixed("worker"),
  OPERATOR_SIGNER: worker,
  OPERATOR_ADDRESS: server,
  SPENDER_PRIVATE_KEY: fixed("worker"),
  SPENDER_SIGNER: worker,
  SPENDER_ADDRESS: server,
  FORMER_OPERATOR_PRIVATE_KEYS: fixed("worker"),
  FORMER_OPERATOR_SIGNERS: worker,
  FORMER_OPERATOR_ADDRESSES: shared,
  FORMER_SPENDER_PRIVATE_KEYS: fixed("worker"),
  FORMER_SPENDER_SIGNERS: worker,
  FORMER_SPENDER_ADDRESSES: server,
  TOP_UP_PRIVATE_KEY: fixed("worker"),
  TOP_UP_SIGNER: worker,
  TOP_UP_ADDRESS: server,
  SETTLEMENT_PRIVATE_KEY: fixed("worker"),
  SETTLEMENT_SIGNER: worker,
  TREASURY_PRIVATE_KEY: fixed("worker"),
  TREASURY_SIGNER: worker,
  TREASURY_FLOAT_DAYS: shared,
  SPENDER_APPROVAL_CENTS: shared,
  SPENDER_APPROVALS_PER_DAY: shared,
  TOP_UP_BELOW: shared,
  TOP_UP_TO: shared,
  TOP_UP_PER_DAY_MAX: shared,
  CHAIN_ID: shared,
  CONFIRMATIONS: shared,
  ENS_RPC_URL: fixed("server"),
  COOLDOWN_SECONDS: shared,
  STATEMENT_TIME_ZONE: shared,
  BOOKS_CLOSE_HOUR: shared,
  BOOKS_PUBLIC: shared,
  EXPIRATION_SECONDS: shared,
  CONTRACT_CODE: shared,
  ALLOWED_CALLS: shared,
  TREASURY_ADDRESS: shared,
  SETTLEMENT_ADDRESS: shared,
  UNPAID_CENTS_MAX: shared,
  ISSUER_CALLS_PER_SECOND: shared,
  ISSUER_BALANCE_CENTS_MIN: shared,
  PARTIAL_APPROVAL_CENTS_MIN: shared,
  DECISION_MS: shared,
  STAND_IN: shared,
  STAND_IN_CENTS_MAX: shared,
  STAND_IN_DAY_CENTS_MAX: shared,
  DISPUTE_CREDIT: shared,
  DISPUTE_SUBMISSION: shared,
  UNAUTHORIZED_CREDIT_CENTS_MAX: shared,
  DISPUTE_ADVANCE_CENTS_MAX: shared,
  OVER_CAPTURE_PERCENT: shared,
  OVER_CAPTURE_TIP_PERCENT: shared,
  OVER_CAPTURE_TRAVEL_PERCENT: shared,
  OVER_CAPTURE_CURRENCY_PERCENT: shared,
  OVER_CAPTURE_FUEL_CENTS_MAX: shared,
  CAPTURE_ALONE_CENTS_MAX: shared,
  CREDIT_ALONE_CENTS_MAX: shared,
  HOLD_DAYS: shared,
  HOLD_TRAVEL_DAYS: shared,
  TERMS_URL: server,
  SIGN_IN_DOMAINS: server,
  TRANSACTION_DATA_FORMAT: shared,
  CODE_PEPPER: refreshed("server"),
  // A terminal signs in too, with the settings of the worker.
  OIDC_ISSUER: shared,
  OIDC_CLIENT_ID: shared,
  OIDC_CLIENT_SECRET: refreshed("server", "worker"),
  OIDC_SCOPES: shared,
  OIDC_GROUPS_CLAIM: shared,
  OPERATOR_ROLES: shared,
  OPERATOR_SESSION_MINUTES: shared,
  OPERATOR_CLI: worker,
  OPERATOR_REFRESH_MINUTES: shared,
  OPERATOR_TWO_PERSONS: shared,
  ALERT_WEBHOOK_URL: refreshed("worker"),
  ALERT_MAIL: worker,
  ALERT_DEBT_CENTS_MIN: worker,
  RELAYED_OPERATIONS_PER_HOUR: shared,
  SAFE_DEPLOYMENTS_PER_DAY: shared,
  CARDS_PER_DAY: server,
  REVERTED_GAS_PER_HOUR_MAX: shared,
  REVERTED_GAS_PER_DAY_MAX: shared,
  READS_PER_MINUTE: server,
  WRITES_PER_MINUTE: server,
  RULE_CHANGES_PER_MINUTE: shared,
  KYC_REQUESTS_PER_MINUTE: shared,
  OPEN_REQUESTS_PER_MINUTE: server,
  CODE_REQUESTS_PER_MINUTE: server,
  MAIL_CODES_PER_MINUTE: server,
  MAIL_CODES_PER_HOUR: server,
  PHONE_CODES_PER_HOUR: server,
  CARD_PRICES: shared,
  CARD_PRICE_VAT_PERCENT: shared,
  CARD_COUNTRIES: shared,
  FREE_COUPON_CODE: refreshed("server"),
  CASHBACK_TOKEN_ADDRESS: shared,
  CASHBACK_TIERS: shared,
  CASHBACK_BADGE_ADDRESS: shared,
  CASHBACK_WEEKLY_CAP_USD: shared,
  KYC_PROVIDER: shared,
  KYC_URL: shared,
  KYC_APP_TOKEN: refreshed("server", "worker"),
  KYC_APP_SECRET: refreshed("server", "worker"),
  KYC_CALLBACK_SECRET: refreshed("server"),
  KYC_SHARE_CLIENT_ID: shared,
  KYC_LEVEL: shared,
  KYC_RECHECK_DAYS: shared,
  KYC_AGE_MIN: shared,
  RECORD_YEARS_IDENTITY: shared,
  RECORD_YEARS_PAYMENTS: shared,
  CONTACT_WINDOW_HOURS: shared,
  EMONEY_PROVIDER: shared,
  EMONEY_URL: shared,
  EMONEY_CLIENT_ID: shared,
  EMONEY_CLIENT_SECRET: refreshed("server", "worker"),
  EMONEY_CALLBACK_SECRET: refreshed("server", "worker"),
  EMONEY_SHARE_CLIENT_ID: shared,
  EMONEY_RETURN_URL: shared,
  CARD_ISSUER: shared,
  CARD_ISSUER_URL: shared,
  CARD_ISSUER_API_KEY: refreshed("server", "worker"),
  CARD_ISSUER_CALLBACK_SECRETS: refreshed("server"),
  CARD_ISSUER_PIN_KEY: shared,
  CARD_ENCRYPTION_KEY: refreshed("worker"),
  MAIL_URL: refreshed("server", "worker"),
  MAIL_FROM: shared,
  SMS_URL: refreshed("server", "worker"),
  PROGRAMME_NAME: shared,
  PROGRAMME_LOGO: shared,
  PROGRAMME_COLOR: shared,
  PROGRAMME_LANGUAGE: shared,
  SUPPORT_ADDRESS: shared,
  PROGRAMME_APP_URL: shared,
  PROGRAMME_IMPRINT_URL: shared,
  PROGRAMME_PRIVACY_URL: shared,
  LANGUAGES_FOLDER: shared,
};

/** The settings that a process reads in production, in the order of `.env.example`. */
export const listSettingsOf = (role: ProcessRole): SettingName[] =>
  keysOf(environment.shape).filter((name) => uses[name].roles.includes(role));

/** Whether a process reads a setting. Without a role, it is one that server and worker read. */
export const isUsedBy = (name: SettingName, role: ProcessRole | null): boolean =>
  (role === null ? (["server", "worker"] as const) : [role]).every((each) => uses[name].roles.includes(each));

/** Secrets in the environment of a process that does not use them. */
export const listUnused = (env: Readonly<Record<string, string | undefined>>, role: ProcessRole): SettingName[] =>
  keysOf(uses).filter((name) => env[name] && uses[name].isSecret && !isUsedBy(name, role));
