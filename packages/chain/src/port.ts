/** The read port of the chain: what is asked of it, and what it answers. */
import type { Address, Hex } from "@cardkeep/contract/primitives";
import type { AccountAddresses } from "./account.ts";
import type { Allowance } from "./allowance.ts";
import type { Call } from "./call.ts";
import type { ContractCode } from "./contractCode.ts";
import type { ChainLog, ChainReceipt, LogTopics } from "./log.ts";

/** How long a Delay module has each call wait, and then stay valid. */
export interface DelayPeriods {
  cooldownSeconds: number;
  /** 0 means that nothing ever expires. */
  expirationSeconds: number;
}

/** A Delay module now; `head` is what runs next, null when nothing is queued. */
export interface DelayState extends DelayPeriods {
  txNonce: bigint;
  queueNonce: bigint;
  head: { createdAt: number; txHash: Hex } | null;
}

/**
 * Status of an account (`AccountIntegrityStatus` of account-kit): 0 ok, 1 no Safe, 2 Safe misconfigured, 3 no Roles,
 * 4 Roles misconfigured, 5 no Delay, 6 Delay misconfigured, 7 something is queued, 8 unexpected.
 */
export type IntegrityStatus = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

export interface AccountIntegrity {
  status: IntegrityStatus;
  /** As stored, nothing accrued; null when no Roles module answers. */
  allowance: Allowance | null;
  /** When it was so, in unix seconds of the chain: the time by which the allowance accrues. */
  timestamp: number;
  /** Of the Delay module; 0 where none answers. */
  txNonce: bigint;
  queueNonce: bigint;
}

/** What bounds a card's spending, at one block. */
export interface SpendingState {
  /** The account stands as it was set up, something queued or not: what `getAccountIntegrity` calls 0 or 7. */
  isWhole: boolean;
  balance: bigint;
  txNonce: bigint;
  queueNonce: bigint;
  /** Null when no Roles module answers. */
  allowance: Allowance | null;
  /** Unix seconds of the chain by which the allowance accrues. */
  timestamp: number;
  /** Which of the signed spends asked about have run. */
  hasRun: boolean[];
}

/** Which of a Safe's funds are asked about. */
export interface FundsQuestion {
  token: Address;
  safe: Address;
  roles: Address;
  spender: Address;
  /** Of signed spends of the spender. */
  messageHashes: readonly Hex[];
}

export interface SignerState {
  isOwner: boolean;
  isConsumed: boolean;
  /** What the Safe holds in base units, and which of the spends have run, in the order given; null where not asked for. */
  funds: Pick<SpendingState, "balance" | "hasRun"> | null;
}

/** Which account a snapshot is of; `token` is null where the Safe has none yet. */
export interface SnapshotQuestion {
  addresses: AccountAddresses;
  token: Address | null;
  /** The least that is accepted. */
  cooldownSeconds: number;
  spender: Address;
  /** Of signed spends of the spender. */
  messageHashes: readonly Hex[];
}

/** What the API shows of an account, all at one block. */
export interface AccountSnapshot {
  block: { number: bigint; parentHash: Hex };
  /** Base units of the token. */
  balance: bigint;
  txNonce: bigint;
  /** By the message of a signed spend: whether it has run. */
  hasRun: ReadonlyMap<Hex, boolean>;
  /** Owners of the Delay module, newest first; null where `listOwners` has to be asked. */
  owners: Address[] | null;
  /** What `getAccountIntegrity` answers, of the same block; nothing is asked for it. */
  readIntegrity(): Promise<AccountIntegrity>;
}

/**
 * Questions to the chain. None is answered from memory, none is asked twice.
 *
 * Each throws ChainUnavailable when the node gives no answer that makes sense. Addresses come in EIP-55 form.
 */
export interface ChainReader {
  getChainId(): Promise<number>;
  /** The latest block; `timestamp` in unix seconds, `baseFeePerGas` in wei. */
  getBlock(): Promise<{
    number: bigint;
    hash: Hex;
    parentHash: Hex;
    timestamp: number;
    baseFeePerGas: bigint;
  }>;
  getBlockAt(number: bigint): Promise<{ number: bigint; hash: Hex; timestamp: number } | null>;
  /** Whether each address holds a contract, in the order given. */
  hasCode(addresses: readonly Address[]): Promise<boolean[]>;
  /** The code at each address, in the order given; null where there is none. */
  listCode(addresses: readonly Address[]): Promise<(ContractCode | null)[]>;
  getNativeBalance(address: Address): Promise<bigint>;
  /** Base units; the zero address is the native token. Of what is no token everyone holds 0. */
  getTokenBalance(token: Address, owner: Address): Promise<bigint>;
  /** Digits of a whole token; the zero address is the native token. @throws CallReverted when it is no token */
  getTokenDecimals(token: Address): Promise<number>;
  /**
   * What a card can spend, all at one block and in one question: whether the account is whole, what the Safe holds of its
   * token, how far its queue has run and reaches, the allowance as stored, and which of the spender's signed spends have
   * run, in the order given. A queued withdrawal below `txNonce` has left the balance or never will.
   */
  getSpendingState(input: {
    token: Address;
    addresses: AccountAddresses;
    /** The least that is accepted. */
    cooldownSeconds: number;
    spender: Address;
    messageHashes: readonly Hex[];
  }): Promise<SpendingState>;
  /** What an ERC-20's owner lets somebody else move, in base units. */
  getApproval(input: { token: Address; owner: Address; spender: Address }): Promise<bigint>;
  /** The calldata of a transaction, waiting or mined; null when the node does not know it. */
  findCalldata(hash: Hex): Promise<Hex | null>;
  /** How many transactions of its own a Safe has run; 0 when it is not there. */
  getSafeNonce(safe: Address): Promise<bigint>;
  /** All owners of a Delay module in the order of its list, newest first. */
  listOwners(delay: Address): Promise<Address[]>;
  getDelayState(delay: Address): Promise<DelayState>;
  /** How long calls wait in the queues of some Delay modules, and then can run, in the order given, in one question. */
  listDelayPeriods(delays: readonly Address[]): Promise<DelayPeriods[]>;
  /** Whether an address is an owner, whether its message was used up, and what funds there are where asked for: in one question. */
  getSigner(input: {
    delay: Address;
    signer: Address;
    messageHash: Hex;
    funds?: FundsQuestion | null;
  }): Promise<SignerState>;
  /** Whether a signer's message was used up, by its enqueue or by the signer's `invalidate`. */
  isMessageConsumed(input: { delay: Address; signer: Address; messageHash: Hex }): Promise<boolean>;
  /** What account-kit's `accountQuery` says of an account, in one question; `cooldownSeconds` is the least accepted. */
  getAccountIntegrity(input: { addresses: AccountAddresses; cooldownSeconds: number }): Promise<AccountIntegrity>;
  /** What the API shows of an account, in one question. Shared between requests by `createSnapshots`. */
  getAccountSnapshot(question: SnapshotQuestion): Promise<AccountSnapshot>;
  /** What a call would return, within `gasMax` where given. @throws CallReverted with the contract's reason */
  simulate(input: { from: Address; call: Call; blockTag?: "latest" | "pending"; gasMax?: bigint }): Promise<Hex>;
  /** Gas of a transaction, on the pending block where nothing else is said. @throws CallReverted with the contract's reason */
  estimateGas(input: { from: Address; call: Call; blockTag?: "latest" | "pending" }): Promise<bigint>;
  getTransactionCount(address: Address, blockTag: "latest" | "pending"): Promise<number>;
  /**
   * The transaction with a nonce of a sender, in a block after `after` and up to `upTo`; null where none is.
   *
   * It reads the blocks, newest first: every node keeps them, but not every one keeps what counts were in the past.
   */
  findTransactionAt(input: {
    sender: Address;
    nonce: bigint;
    after: bigint;
    upTo: bigint;
  }): Promise<{ hash: Hex; blockNumber: bigint; blockHash: Hex } | null>;
  /** The receipt of a mined transaction. */
  findReceipt(hash: Hex): Promise<ChainReceipt | null>;
  /** Whether the node knows a transaction, waiting or mined. */
  hasTransaction(hash: Hex): Promise<boolean>;
  /**
   * Logs of any of the addresses, of whichever contract where null, in the chain's order, both blocks included; long
   * ranges are asked in parts.
   */
  getLogs(input: {
    addresses: readonly Address[] | null;
    topics?: LogTopics;
    fromBlock: bigint;
    toBlock: bigint;
  }): Promise<ChainLog[]>;
  /**
   * Hands a signed transaction over; once more is fine.
   *
   * @throws NonceTooLow, ReplacementUnderpriced, BroadcastRefused
   */
  broadcast(raw: Hex): Promise<void>;
  /**
   * Whether an account signed a text by EIP-191: with its key (nothing is asked then), as a contract (ERC-1271), or as
   * one that is not deployed yet (ERC-6492). A wallet that takes longer than 5 s, or answers more than a word, did not.
   */
  verifyMessage(input: { address: Address; message: string; signature: Hex }): Promise<boolean>;
  /** Whether a deployed contract calls a signature of a hash its own (ERC-1271); never true for a key. */
  verifyHash(input: { address: Address; hash: Hex; signature: Hex }): Promise<boolean>;
}
