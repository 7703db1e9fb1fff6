/** Transactions, and the logs and receipts of mined ones. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";

/** Blocks whose logs are one question: public nodes refuse longer ranges. */
export const logBlocksMax = 10_000n;

/** A mined log; addresses in EIP-55 form. */
export interface ChainLog {
  address: Address;
  topics: Hex[];
  data: Hex;
  blockNumber: bigint;
  blockHash: Hex;
  transactionHash: Hex;
  /** Position in the block. */
  logIndex: number;
}

export interface ChainReceipt {
  transactionHash: Hex;
  /** The account that sent and paid for it. */
  from: Address;
  status: "success" | "reverted";
  blockNumber: bigint;
  blockHash: Hex;
  /** Place in the block. */
  transactionIndex: number;
  logs: ChainLog[];
  gasUsed: bigint;
  /** What each unit of gas cost, in base units of the native token. */
  gasPrice: bigint;
}

/** A transaction as its sender signed it. */
export interface ChainTransaction {
  from: Address;
  /** Null where it creates a contract. */
  to: Address | null;
  nonce: bigint;
  value: bigint;
  data: Hex;
  gasLimit: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** The signed bytes, from which the hash follows; null for a transaction that is not of EIP-1559. */
  raw: Hex | null;
}

/** A transaction that calls an account, as all of ours do. */
export type ChainCall = ChainTransaction & { to: Address };

export const isCall = (transaction: ChainTransaction): transaction is ChainCall => transaction.to !== null;

/** Topics to match by position: one, any of several, or every topic. */
export type LogTopics = readonly (Hex | readonly Hex[] | null)[];
