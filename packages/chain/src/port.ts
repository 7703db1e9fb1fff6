/** The read port of the chain. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { AccountAddresses } from "./predictAccount.ts";
import type { Fees } from "./relayer.ts";
import type {
  AccountIntegrity,
  AccountSnapshot,
  DelayPeriods,
  DelayState,
  FundsQuestion,
  SignerState,
  SnapshotQuestion,
  SpendingState,
} from "./accountState.ts";
import type { Call } from "./call.ts";
import type { ContractCode } from "./contractCode.ts";
import type { ChainLog, ChainReceipt, ChainTransaction, LogTopics } from "./log.ts";

/** The blocks whose logs are asked for, both ends included. */
export interface LogBlocks {
  fromBlock: bigint;
  toBlock: bigint;
  /** The hash of the last one: a node of another branch has another block of that number, and gives no valid answer. */
  toHash?: Hex;
}

/**
 * Reads of the chain. No answer is cached, and no request is retried.
 *
 * Each throws ChainUnavailable if the node gives no valid answer. Addresses are in EIP-55 form.
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
  getBlockAt(number: bigint): Promise<{ number: bigint; hash: Hex; parentHash: Hex; timestamp: number } | null>;
  /** Whether each address holds a contract, in the given order. */
  hasCode(addresses: readonly Address[]): Promise<boolean[]>;
  /** The code at each address, in the given order; null without code. */
  listCode(addresses: readonly Address[]): Promise<(ContractCode | null)[]>;
  getNativeBalance(address: Address): Promise<bigint>;
  /**
   * Base units; the zero address is the native token. For a contract that is not a token every balance is 0.
   *
   * @param block one that the node still has the state of, such as the last final one; without it the latest
   */
  getTokenBalance(token: Address, owner: Address, block?: bigint): Promise<bigint>;
  /**
   * Decimals of a token; the zero address is the native token.
   * @throws CallReverted if it is not a token
   */
  getTokenDecimals(token: Address): Promise<number>;
  /**
   * The limits of a card's spending, all at one block and in one request: the account's integrity, the Safe's balance
   * of its token, the position and length of its queue, the allowance as stored, and which of the spender's signed
   * spends have run, in the given order. A queued withdrawal below `txNonce` has either left the balance or never
   * will.
   */
  getSpendingState(input: {
    token: Address;
    addresses: AccountAddresses;
    /** The lowest accepted cooldown. */
    cooldownSeconds: number;
    spender: Address;
    messageHashes: readonly Hex[];
  }): Promise<SpendingState>;
  /**
   * The amount of an ERC-20 token that its owner lets another account move, in base units.
   *
   * @param block one that the node still has the state of; without it the latest
   */
  getApproval(input: { token: Address; owner: Address; spender: Address }, block?: bigint): Promise<bigint>;
  /**
   * The daily limit that a Roles module has stored, in base units; null where it is none.
   *
   * @param block one that the node still has the state of
   */
  findRefill(roles: Address, block: bigint): Promise<bigint | null>;
  /** A transaction, pending or mined; null if the node does not know it. */
  findTransaction(hash: Hex): Promise<ChainTransaction | null>;
  /** All owners of a Delay module in the order of its list, newest first. */
  listOwners(delay: Address, block?: bigint): Promise<Address[]>;
  /** @param block one that the node still has the state of; without it the latest */
  getDelayState(delay: Address, block?: bigint): Promise<DelayState>;
  /**
   * How long calls wait in the queues of several Delay modules, and then can run, in the given order, in one request.
   */
  listDelayPeriods(delays: readonly Address[]): Promise<DelayPeriods[]>;
  /** Whether an address is an owner, whether its message was consumed, and optionally the funds: in one request. */
  getSigner(input: {
    delay: Address;
    signer: Address;
    messageHash: Hex;
    funds?: FundsQuestion | null;
  }): Promise<SignerState>;
  /**
   * Whether a signer's message was consumed, by its enqueue or by the signer's `invalidate`.
   *
   * @param block one that the node still has the state of; without it the latest
   */
  isMessageConsumed(input: { delay: Address; signer: Address; messageHash: Hex }, block?: bigint): Promise<boolean>;
  /**
   * The result of account-kit's `accountQuery` for an account, in one request; `cooldownSeconds` is the lowest
   * accepted one.
   */
  getAccountIntegrity(input: { addresses: AccountAddresses; cooldownSeconds: number }): Promise<AccountIntegrity>;
  /** An account in the form of the API, in one request. `createSnapshots` shares it between requests. */
  getAccountSnapshot(question: SnapshotQuestion): Promise<AccountSnapshot>;
  /**
   * The result of a call, within `gasMax` if given.
   * @throws CallReverted with the contract's reason
   */
  simulate(input: { from: Address; call: Call; blockTag?: "latest" | "pending"; gasMax?: bigint }): Promise<Hex>;
  /**
   * Gas of a transaction, by default on the pending block; with `fees` as it is signed with them, because a contract can
   * behave differently in a call without a price. The node runs it with `gasMax` at most, if given.
   * @throws CallReverted with the contract's reason, or because `gasMax` is too little
   */
  estimateGas(input: {
    from: Address;
    call: Call;
    gasMax?: bigint;
    blockTag?: "latest" | "pending" | bigint;
    fees?: Fees;
  }): Promise<bigint>;
  getTransactionCount(address: Address, blockTag: "latest" | "pending"): Promise<number>;
  /**
   * The number of mined transactions of a sender, by a node whose chain has this very block. A node of another chain or of a
   * fork gives no valid answer.
   */
  getTransactionCountOn(block: { blockNumber: bigint; blockHash: Hex }, address: Address): Promise<number>;
  /**
   * The transaction with a sender's nonce, in a block after `after` and up to `upTo`; null if there is none.
   *
   * It reads the blocks, newest first: every node has the blocks, but not every node has past nonces.
   */
  findTransactionAt(input: {
    sender: Address;
    nonce: bigint;
    after: bigint;
    upTo: bigint;
  }): Promise<{ hash: Hex; blockNumber: bigint; blockHash: Hex } | null>;
  /**
   * The receipt of a mined transaction.
   *
   * @param block a node without it gives no valid answer: that it has no receipt would say nothing
   */
  findReceipt(hash: Hex, block?: bigint): Promise<ChainReceipt | null>;
  /** Whether the node knows a transaction, pending or mined. */
  hasTransaction(hash: Hex): Promise<boolean>;
  /**
   * Logs of any of the addresses, in the chain's order, both blocks included. A range that is too long or holds too much for
   * the node is read in parts. A node that lacks the last block gives no valid answer.
   */
  getLogs(input: LogBlocks & { addresses: readonly Address[]; topics?: LogTopics }): Promise<ChainLog[]>;
  /**
   * Logs of all contracts, in the chain's order, part by part. Anyone can fill blocks with such logs, so the caller keeps
   * of each part only what it needs. In a block that holds too much for the node, only `listAddresses` are read.
   */
  readAllLogs(
    input: LogBlocks & { topics: LogTopics; listAddresses: () => Promise<readonly Address[]> },
  ): AsyncIterable<ChainLog[]>;
  /**
   * Broadcasts a signed transaction; a second time is harmless.
   * @throws NonceTooLow, ReplacementUnderpriced, BroadcastRefused
   */
  broadcast(raw: Hex): Promise<void>;
  /**
   * Whether an account signed a text by EIP-191: with its key (without a request), as a contract (ERC-1271), or as a
   * contract not deployed yet (ERC-6492). A wallet that takes longer than 5 s, or returns more than a word, did not
   * sign.
   */
  verifyMessage(input: { address: Address; message: string; signature: Hex }): Promise<boolean>;
  /** Whether a deployed contract accepts a signature of a hash as its own (ERC-1271); never true for a key. */
  verifyHash(input: { address: Address; hash: Hex; signature: Hex }): Promise<boolean>;
  /**
   * Whether an account can be asked for a signature within the gas of an operation, without a gas price and at the fees that a
   * sender would pay: a key, or a contract that accepts or rejects a made-up one. False for one that burns the gas, or
   * answers too late or too much.
   */
  answersSignatures(input: { address: Address; from: Address | null; fees: Fees }): Promise<boolean>;
}
