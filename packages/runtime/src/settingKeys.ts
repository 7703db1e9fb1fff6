/** Names for the keys in the settings, which reveal nothing about them. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { addressOfKey } from "./keyAddresses.ts";
import type { SettingName } from "./settingUses.ts";
import type { Settings } from "./settings.ts";

/**
 * 32 bits of a hash distinguish the few keys of a setting. Many texts have the same name, so a reader of the database cannot
 * be sure of a secret that it guessed.
 */
const nameDigits = 8;

/** The name of a secret text. */
export const nameSecret = (setting: SettingName, secret: string): string =>
  createHash("sha256").update(`${setting}\n${secret}`).digest("hex").slice(0, nameDigits);

/** The name of a key pair, from its public half. */
export const nameKeyPair = (setting: SettingName, key: KeyObject): string =>
  nameSecret(setting, createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64"));

/** A key of a process. Keys with a `kid` and keys of the chain have public names of their own. */
export interface SettingKey {
  readonly setting: SettingName;
  readonly keyId: string;
  /** Whether it makes what is new. */
  readonly isFirst: boolean;
}

/** Every key and credential that a process holds. */
export function listSettingKeys(settings: Settings): SettingKey[] {
  const { kyc, emoney, issuer, policy } = settings;
  const name = (setting: SettingName, ids: readonly string[]): SettingKey[] =>
    ids.map((keyId, place) => ({ setting, keyId, isFirst: place === 0 }));
  const nameAll = (setting: SettingName, secrets: readonly string[]): SettingKey[] =>
    name(
      setting,
      secrets.map((secret) => nameSecret(setting, secret)),
    );
  const nameOne = (setting: SettingName, secret: object | string | null): SettingKey[] =>
    nameAll(
      setting,
      listOne(secret).map((each) => (typeof each === "string" ? each : JSON.stringify(each))),
    );
  const nameChainKeys = (setting: SettingName, secrets: readonly Hex[]): SettingKey[] =>
    name(setting, secrets.map(addressOfKey));
  const kids = (keys: readonly { kid: string }[]): string[] => keys.map(({ kid }) => kid);
  return [
    ...name("ACCESS_TOKEN_KEYS", kids(settings.accessTokenKeys)),
    ...name("WEBHOOK_SIGNING_KEYS", kids(settings.webhookSigningKeys)),
    ...namePublished(settings),
    ...name("SECRETS_KEYS", kids(settings.secretsKeys)),
    ...nameAll("CODE_PEPPER", policy.codePeppers),
    ...name(
      "CARD_ENCRYPTION_KEY",
      settings.cardEncryptionKeys.map((key) => nameKeyPair("CARD_ENCRYPTION_KEY", key)),
    ),
    ...nameAll("OPERATOR_API_KEY", settings.operatorApiKeys),
    ...nameAll("KYC_CALLBACK_SECRET", kyc.callbackSecrets),
    ...nameAll("EMONEY_CALLBACK_SECRET", emoney.callbackSecrets),
    ...nameAll("CARD_ISSUER_CALLBACK_SECRETS", issuer.callbackSecrets),
    ...nameOne("OIDC_CLIENT_SECRET", settings.openid?.clientSecret ?? null),
    ...nameOne("KYC_APP_TOKEN", kyc.appToken),
    ...nameOne("KYC_APP_SECRET", kyc.appSecret),
    ...nameOne("EMONEY_CLIENT_SECRET", emoney.clientSecret),
    ...nameOne("CARD_ISSUER_API_KEY", issuer.apiKey),
    ...nameOne("MAIL_URL", settings.mailServer),
    ...nameOne("SMS_URL", settings.sms),
    ...nameChainKeys("RELAYER_PRIVATE_KEYS", settings.relayerPrivateKeys),
    ...nameChainKeys("OPERATOR_PRIVATE_KEY", listOne(settings.operatorPrivateKey)),
    ...nameChainKeys("SPENDER_PRIVATE_KEY", listOne(settings.spenderPrivateKey)),
    ...nameChainKeys("TOP_UP_PRIVATE_KEY", listOne(settings.topUpPrivateKey)),
    ...nameChainKeys("SETTLEMENT_PRIVATE_KEY", listOne(settings.settlementPrivateKey)),
    ...nameChainKeys("TREASURY_PRIVATE_KEY", listOne(settings.treasuryPrivateKey)),
    ...nameChainKeys("FORMER_OPERATOR_PRIVATE_KEYS", settings.formerOperators.privateKeys),
    ...nameChainKeys("FORMER_SPENDER_PRIVATE_KEYS", settings.formerSpenders.privateKeys),
  ];
}

/** A server that publishes the keys of deliveries holds their public halves alone, and makes nothing with them. */
const namePublished = ({ webhookSigningKeys, webhookPublicKeys }: Settings): SettingKey[] =>
  webhookSigningKeys.length > 0
    ? []
    : webhookPublicKeys.map(({ kid }) => ({ setting: "WEBHOOK_SIGNING_KEYS", keyId: kid, isFirst: false }));

const listOne = <T>(value: T | null): T[] => (value === null ? [] : [value]);
