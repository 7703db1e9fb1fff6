/** Logs and receipts of mined transactions. */
import type { Address, Hex } from "@cardkeep/contract/primitives";

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
  logs: ChainLog[];
  gasUsed: bigint;
}

/** Topics to match by position: one, any of several, or every topic. */
export type LogTopics = readonly (Hex | readonly Hex[] | null)[];
