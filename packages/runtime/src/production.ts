/** Additional checks of settings in production. */
import { isLoopback } from "@cardkeep/contract/core/loopback";
import { parseDatabaseAddress } from "@cardkeep/db/databaseAddress";
import { development } from "./development.ts";
import { list } from "./settings/types.ts";

/** Defaults outside production, which are rejected in it. */
export const developmentDefaults: Readonly<Record<string, string>> = development;

const secretLengthMin = 16;

/** The keys of a list or JWKS, in one spelling; for any other text the whole text. */
function listKeys(text: string): string[] {
  const keys = text.trimStart().startsWith("{")
    ? [...text.matchAll(/"[dk]"\s*:\s*"([^"]+)"/g)].map(([, key = ""]) => key)
    : text.split(",");
  return keys.map((key) => key.trim().replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "").toLowerCase());
}

/** Whether two lists of keys share a key, in any order and form. */
function sharesKey(given: string, other: string): boolean {
  const others = listKeys(other);
  return listKeys(given).some((key) => others.includes(key));
}

/** Whether an address names this machine alone; an unreadable one has a fault of its own. */
function isOnThisMachine(name: string, address: string): boolean {
  if (address === "") return true;
  if (name === "PUBLIC_URL") return !URL.canParse(address) || isLoopback(new URL(address).hostname);
  return parseDatabaseAddress(address).nodes.every(({ host }) => isLoopback(host));
}

/**
 * The faults of development keys outside production: with an address of another machine, others can reach what these
 * keys protect. `complete` has the defaults.
 */
export function listSharedKeyFaults(complete: Readonly<Record<string, string>>): string[] {
  if (complete["ALLOW_DEVELOPMENT_KEYS"] === "true") return [];
  const names = ["PUBLIC_URL", "DATABASE_URL"].filter((name) => !isOnThisMachine(name, complete[name] ?? ""));
  const known = Object.entries(developmentDefaults).filter(([key, value]) => sharesKey(complete[key] ?? "", value));
  const [first] = known;
  if (names.length === 0 || first === undefined) return [];
  const keys = known.length === 1 ? first[0] : `${first[0]} and ${known.length - 1} more`;
  return names.map(
    (name) =>
      `${name}: is not on this machine, and everybody knows the development values of ${keys}. Set NODE_ENV=production ` +
      "with keys of your own, or ALLOW_DEVELOPMENT_KEYS=true",
  );
}

/** Whether an address is one without TLS; parsers of addresses drop blanks, tabs and letter case, so this one reads it. */
const isPlain = (address: string): boolean => URL.canParse(address) && new URL(address).protocol === "http:";

/** Addresses without a default in production. */
export const requiredAddresses = ["DATABASE_URL", "RPC_URL", "PUBLIC_URL", "MAIL_URL", "SMS_URL"] as const;
/** Partners that must not be played by the sandbox. */
export const requiredProviders = ["KYC_PROVIDER", "EMONEY_PROVIDER", "CARD_ISSUER"] as const;

/** The faults of an environment in production only. `isUsed` says which settings the process reads. */
export function listProductionFaults(
  given: Record<string, string | undefined>,
  isUsed: (name: (typeof requiredAddresses)[number]) => boolean,
): string[] {
  const defaults = Object.entries(developmentDefaults)
    .filter(([name, value]) => given[name] === value || sharesKey(given[name] ?? "", value))
    .map(([name]) => `${name}: the development value is refused in production`);
  const missing = requiredAddresses
    .filter((name) => given[name] === undefined && isUsed(name))
    .map((name) => `${name}: is required in production`);
  const sandbox = requiredProviders
    .filter((name) => given[name] === undefined || given[name] === "sandbox")
    .map((name) => `${name}: sandbox is refused in production`);
  const plain = [
    "PUBLIC_URL",
    "SMS_URL",
    "OIDC_ISSUER",
    "KYC_URL",
    "TERMS_URL",
    "EMONEY_URL",
    "EMONEY_RETURN_URL",
    "CARD_ISSUER_URL",
    "PROGRAMME_LOGO",
  ]
    .filter((name) => isPlain(given[name] ?? ""))
    .map((name) => `${name}: must be https in production`);
  const secrets = ["KYC_APP_SECRET", "EMONEY_CLIENT_SECRET", "CARD_ISSUER_API_KEY"].map((name) => [name, given[name]]);
  const lists = ["KYC_CALLBACK_SECRET", "CARD_ISSUER_CALLBACK_SECRETS"].flatMap((name) =>
    list.parse(given[name] ?? "").map((secret) => [name, secret]),
  );
  const short = [...secrets, ...lists]
    .flatMap(([name, secret]) => (secret !== undefined && secret.length < secretLengthMin ? [name] : []))
    .map((name) => `${name}: must have ${secretLengthMin} characters or more in production`);
  const local = [
    ...(/(^|,)\s*localhost\b/.test(given["SIGN_IN_DOMAINS"] ?? "") ? ["SIGN_IN_DOMAINS: localhost is"] : []),
    ...(given["CARDKEEP_LOCAL_CHAIN"] === undefined
      ? []
      : ["CARDKEEP_LOCAL_CHAIN: a chain whose time can be moved is"]),
  ].map((text) => `${text} refused in production`);
  const ofIssuer =
    given["DECISION_MS"] === undefined
      ? []
      : ["DECISION_MS: is refused in production, where the issuer's own limit counts"];
  return [...defaults, ...missing, ...sandbox, ...plain, ...short, ...local, ...ofIssuer];
}
