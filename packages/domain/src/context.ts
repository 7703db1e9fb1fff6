/**
 * What a verb is given.
 *
 * - verb: `verb(ctx, input) => Promise<output>`, the only way in for REST, tRPC, jobs, sandbox and CLI.
 * - services: ports and rules of the process. - context: services plus one request or job. - actor: who asks.
 * - commit: the one transaction of a mutating verb, in which rows, jobs, events and the reply are written.
 */
import type { AcceptedCode } from "@cardkeep/chain/contractCode";
import type { AllowedCall } from "@cardkeep/chain/entryPolicy";
import type { RelayerKey, SpenderKey } from "@cardkeep/chain/relayer";
import type { EnsReader } from "@cardkeep/chain/ens";
import type { ChainReader } from "@cardkeep/chain/reader";
import type { Snapshots } from "@cardkeep/chain/snapshots";
import type { Address, Hex } from "@cardkeep/contract/primitives";
import type { Db, Executor, Reads, Tx } from "@cardkeep/db/client";
import type { CardIssuer } from "@cardkeep/providers/issuer/port";
import type { EmoneyProvider } from "@cardkeep/providers/emoney/port";
import type { KycProvider } from "@cardkeep/providers/kyc/port";
import type { Mailer } from "@cardkeep/providers/mail/port";
import type { SmsSender } from "@cardkeep/providers/sms/port";
import type { WebhookSender } from "@cardkeep/providers/webhooks/send";
import type { WebhookKeys } from "@cardkeep/providers/webhooks/sign";
import type { KeyObject } from "node:crypto";
import type { AccessTokens } from "./auth/accessTokens.ts";
import type { CodeSends } from "./codes/policy.ts";
import type { RateLimits, RequestQuotas } from "./limits/rateLimits.ts";
import type { Secrets } from "./secrets/secrets.ts";
import type { Waits } from "./wait.ts";

/** The service's time; in the sandbox it can be ahead of the wall clock. */
export interface Clock {
  now(on: Executor): Promise<Date>;
  /** The same, and it is not moved until the transaction ends. */
  hold(tx: Tx): Promise<Date>;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What went on elsewhere for a request, from one instant to another. */
export interface Stretch {
  readonly requestId: string;
  readonly name: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** What the operator gives back on card purchases, and to whom. */
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
  /** Whom `kyc/import-partner-applicant` shares with when the request names nobody, by the provider's client id. */
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

export interface Services {
  readonly db: Db;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly chain: ChainReader;
  /** Null where no node of the chain that holds ENS is configured. */
  readonly ens: EnsReader | null;
  readonly kyc: KycProvider;
  readonly emoney: EmoneyProvider;
  readonly issuer: CardIssuer;
  readonly mailer: Mailer;
  readonly sms: SmsSender;
  readonly webhookSender: WebhookSender;
  readonly webhookKeys: WebhookKeys;
  readonly accessTokens: AccessTokens;
  readonly secrets: Secrets;
  readonly rateLimits: RateLimits;
  readonly waits: Waits;
  readonly snapshots: Snapshots;
  /** Has a stretch seen in its request's trace; null where nobody traces. */
  readonly trace: ((stretch: Stretch) => void) | null;
  readonly rules: Rules;
}

/** One transaction under way, its instant, and the request it goes back to. */
export interface Work {
  readonly tx: Tx;
  readonly now: Date;
  readonly requestId: string;
}

export interface Context extends Services {
  readonly log: Log;
  /** Names the request from its answer through its jobs to its chain transactions; a job has that of its request. */
  readonly requestId: string;
  /**
   * Runs `write` in a transaction before the `commit`, in a verb that then waits for what it started. No reply is stored
   * with it: what it writes has to be there once however often the verb is repeated.
   */
  prepare<T>(write: (work: Work) => Promise<T>): Promise<T>;
  /**
   * Runs `write` in one transaction; a mutating verb calls it once, after everything it had to ask others, and answers
   * what it answers: with an idempotency key that reply is stored in the same transaction.
   */
  commit<T>(write: (work: Work) => Promise<T>): Promise<T>;
}

/** A signed-in wallet, which may belong to no user yet. */
export interface WalletActor {
  readonly signerAddress: Address;
  readonly userId: string | null;
}

/** A signed-in wallet of a user. */
export interface UserActor {
  readonly signerAddress: Address;
  readonly userId: string;
}

export interface WalletContext extends Context {
  readonly actor: WalletActor;
}

export interface UserContext extends Context {
  readonly actor: UserActor;
}

/** A partner, by its API key. */
export interface PartnerContext extends Context {
  readonly partnerId: string;
}

/**
 * What only the worker holds: the keys that pay, the key that sets Safes up, the one that moves card money, and the one
 * that clients encrypt for.
 */
export interface WorkerKeys {
  readonly relayers: readonly RelayerKey[];
  readonly operatorPrivateKey: Hex;
  readonly spender: SpenderKey;
  /** Opens card numbers and PINs that clients encrypted. */
  readonly cardKey: KeyObject;
}

export interface WorkerContext extends Context, WorkerKeys {
  /** Aborted when the worker stops: what can be taken up again is let go of. */
  readonly stopping: AbortSignal;
}

/** Gives services to one request or job. */
export function createContext<S extends Services>(services: S, input: { log: Log; requestId: string }): S & Context {
  const { db, clock } = services;
  const { requestId } = input;
  const commit: Context["commit"] = (write) =>
    db.transaction(async (tx) => write({ tx, now: await clock.hold(tx), requestId }));
  return { ...services, ...input, prepare: commit, commit };
}
