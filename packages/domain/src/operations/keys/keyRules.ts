/**
 * What depends on each key of a setting that accepts several keys.
 *
 * - maker: the first key of its setting makes what is new, and all of them are accepted.
 * - accepted: a partner or the operator chooses which of the keys it uses.
 */
import { ttl } from "@cardkeep/contract/users/auth";
import { phoneCodes } from "../../core/codes/policy.ts";
import { keptHours } from "../../core/privacy/keptHours.ts";

export interface KeyRule {
  readonly kind: "maker" | "accepted";
  /** What is made or accepted with the key, as text. */
  readonly what: string;
  /** How long after its last use something of the key may still arrive. */
  readonly holdSeconds: number;
}

const [hour, day] = [3_600, 86_400];
/** Keys that no process held for so long are not of this installation's present settings. */
export const heldSecondsMax = hour;
/** Processes record their keys and take up changed files at different times. */
const marginSeconds = 120;

const callbacks: KeyRule = { kind: "accepted", what: "callbacks", holdSeconds: day };

/** By setting. */
export const keyRules = {
  ACCESS_TOKEN_KEYS: { kind: "maker", what: "access tokens", holdSeconds: ttl.max + marginSeconds },
  /** Each delivery is signed when it is sent. A receiver may keep the published keys for a day. */
  WEBHOOK_SIGNING_KEYS: { kind: "maker", what: "signatures", holdSeconds: day },
  /** The rows are counted. */
  SECRETS_KEYS: { kind: "maker", what: "secrets", holdSeconds: marginSeconds },
  CODE_PEPPER: { kind: "maker", what: "codes", holdSeconds: phoneCodes.lifetimeMs / 1_000 + marginSeconds },
  /** An app may keep the published key for an hour before it sends an envelope. */
  CARD_ENCRYPTION_KEY: { kind: "maker", what: "envelopes", holdSeconds: hour * (1 + keptHours.card_envelopes) },
  OPERATOR_API_KEY: { kind: "accepted", what: "requests", holdSeconds: day },
  KYC_CALLBACK_SECRET: callbacks,
  EMONEY_CALLBACK_SECRET: callbacks,
  CARD_ISSUER_CALLBACK_SECRETS: callbacks,
} as const satisfies Record<string, KeyRule>;

export type RuledSetting = keyof typeof keyRules;

/** Whether several keys of a setting count at once. */
export const isRuled = (setting: string): setting is RuledSetting => Object.hasOwn(keyRules, setting);
