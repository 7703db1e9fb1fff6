/** What verbs decide by. */
import type { AcceptedCode } from "@cardkeep/chain/contractCode";
import type { AllowedCall } from "@cardkeep/chain/entryPolicy";
import type { Quota } from "@cardkeep/contract/errors";
import type { Address } from "@cardkeep/contract/primitives";
import type { CodePurpose } from "@cardkeep/db/schema/codes";

/** The cashback on card purchases, and the tokens whose holders get it. */
export interface CashbackProgramme {
  /** Holding it in the Safe gives the rate. */
  readonly token: Address;
  /** Holding any of it, in the Safe or in a sign-in wallet, gives a bonus. */
  readonly badge: Address | null;
  /** From so many whole tokens on, so many per cent; the best one reached counts. */
  readonly tiers: readonly { readonly tokens: number; readonly percent: number }[];
  readonly weeklyCapUsd: number;
}

/** Settings that verbs decide by. */
export interface Rules {
  readonly chainId: number;
  /** Code of the shared contracts that is accepted besides the canonical one. */
  readonly acceptedCode: AcceptedCode;
  /** Where the documents of `/terms` are published. */
  readonly termsUrl: string;
  /** Under which clients reach the server. */
  readonly publicUrl: string;
  /** A request that waits for the worker is answered after so long, done or not. */
  readonly answerMsMax: number;
  /** Whether any `localhost` may sign in; never in production. */
  readonly localhostSignIn: boolean;
  /** Whether callbacks of a provider's test environment count; never in production. */
  readonly testCallbacks: boolean;
  /** The provider's client id that `kyc/import-partner-applicant` shares with when the request names none. */
  readonly kycShareClientId: string | null;
  readonly emoney: {
    /** Where the institution sends its notices, and people after their consent. */
    readonly noticeUrl: string;
    readonly consentReturnUrl: string;
    /** Where people go then when their app named nothing; null: a page of ours. */
    readonly defaultCallbackUrl: string | null;
    /** Client of the identity provider that the institution is. */
    readonly shareClientId: string;
  };
  readonly signInDomains: readonly string[];
  readonly transactionDataFormat: "hex" | "json";
  readonly codePepper: string;
  readonly cooldownSeconds: number;
  /** Calls of queue entries that the operator allows beyond the known kinds. */
  readonly allowedCalls: readonly AllowedCall[];
  readonly expirationSeconds: number;
  readonly relayerAddresses: readonly Address[];
  readonly operatorAddress: Address;
  readonly spenderAddress: Address;
  readonly settlementAddress: Address;
  /** A claim may exceed its authorization by so much before the service disputes it, if it stays unpaid. */
  readonly captureExcessCentsMax: bigint;
  /** Receives what card orders cost. */
  readonly treasuryAddress: Address;
  /** Upper case; makes any order free. Null: no code does. */
  readonly freeCouponCode: string | null;
  readonly confirmations: number;
  readonly relayedOperationsPerHour: number;
  readonly quotas: RequestQuotas;
  readonly codeSends: CodeSends;
  /** Null: there is none. */
  readonly cashback: CashbackProgramme | null;
  /** Whose residents may have cards, ISO 3166-1 alpha-2. */
  readonly cardCountries: readonly string[];
}

/** For one subject and one receiver together, by purpose: at most so many sends within each span. */
export type CodeSends = Readonly<Record<CodePurpose, readonly { readonly count: number; readonly withinMs: number }[]>>;

/** The quotas that every operation counts against. */
export interface RequestQuotas {
  /** Of a network, for each operation that needs no token. */
  readonly open: Quota;
  /** Of a network, for operations that send a message to an address that the caller names. */
  readonly messages: Quota;
  /** Of a user. */
  readonly reads: Quota;
  readonly writes: Quota;
}

/** The service's own keys and accounts on chain; none of them is a user's wallet. */
export const listServiceAddresses = (rules: Rules): Address[] => [
  ...rules.relayerAddresses,
  rules.operatorAddress,
  rules.spenderAddress,
  rules.settlementAddress,
  rules.treasuryAddress,
];
