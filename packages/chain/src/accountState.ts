/** What the chain has of an account, as questions to it and their answers. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { AccountAddresses } from "./predictAccount.ts";
import type { Allowance } from "./allowance.ts";

/** How long calls wait in a Delay module, and how long they stay valid afterwards. */
export interface DelayPeriods {
  cooldownSeconds: number;
  /** 0 means that no call ever expires. */
  expirationSeconds: number;
}

/** The present state of a Delay module; `head` runs next, null for an empty queue. */
export interface DelayState extends DelayPeriods {
  txNonce: bigint;
  queueNonce: bigint;
  head: { createdAt: number; txHash: Hex } | null;
}

/**
 * Status of an account (`AccountIntegrityStatus` of account-kit): 0 ok, 1 no Safe, 2 Safe misconfigured, 3 no Roles,
 * 4 Roles misconfigured, 5 no Delay, 6 Delay misconfigured, 7 an operation is queued, 8 unexpected.
 */
export type IntegrityStatus = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

export interface AccountIntegrity {
  status: IntegrityStatus;
  /** As stored, without accrual; null without a Roles module. */
  allowance: Allowance | null;
  /** Time of the reading in unix seconds of the chain, by which the allowance accrues. */
  timestamp: number;
  /** Of the Delay module; 0 without one. */
  txNonce: bigint;
  queueNonce: bigint;
}

/** The limits of a card's spending, at one block. */
export interface SpendingState {
  /** The account has its original setup, with or without queued operations: 0 or 7 in `getAccountIntegrity`. */
  isWhole: boolean;
  balance: bigint;
  txNonce: bigint;
  queueNonce: bigint;
  /** Null without a Roles module. */
  allowance: Allowance | null;
  /** Unix seconds of the chain by which the allowance accrues. */
  timestamp: number;
  /** Which of the given signed spends have run. */
  hasRun: boolean[];
}

/** The Safe's funds to read. */
export interface FundsQuestion {
  token: Address;
  safe: Address;
  roles: Address;
  spender: Address;
  /** Hashes of the spender's signed spends. */
  messageHashes: readonly Hex[];
}

export interface SignerState {
  isOwner: boolean;
  isConsumed: boolean;
  /** The Safe's balance in base units, and which spends have run, in the given order; null if not requested. */
  funds: Pick<SpendingState, "balance" | "hasRun"> | null;
}

/** The account of a snapshot; `token` is null if the Safe has none yet. */
export interface SnapshotQuestion {
  addresses: AccountAddresses;
  token: Address | null;
  /** The lowest accepted cooldown. */
  cooldownSeconds: number;
  spender: Address;
  /** Hashes of the spender's signed spends. */
  messageHashes: readonly Hex[];
}

/** An account in the form of the API, all at one block. */
export interface AccountSnapshot {
  /** A call does not know the hash of its own block; `timestamp` in unix seconds. */
  block: { number: bigint; parentHash: Hex; timestamp: number };
  /** Base units of the token. */
  balance: bigint;
  txNonce: bigint;
  /** By the message of a signed spend: whether it has run. */
  hasRun: ReadonlyMap<Hex, boolean>;
  /** Owners of the Delay module, newest first; null if `listOwners` has to read them. */
  owners: Address[] | null;
  /** The answer of `getAccountIntegrity` for the same block, without another request. */
  readIntegrity(): Promise<AccountIntegrity>;
}
