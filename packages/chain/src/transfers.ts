/** Transfers of ERC-20 tokens in receipts. */
import { type Address, nativeToken } from "@cardkeep/contract/core/primitives";
import { decodeEventLog, erc20Abi, isAddressEqual, pad, toEventSelector } from "viem";
import type { ChainLog, LogTopics } from "./log.ts";

/** One transfer, in base units; the caller knows the receiver. */
export interface Transfer {
  from: Address;
  amount: bigint;
}

/** The transfers of one token to one receiver, in the order of the logs. */
export const listTransfers = (
  logs: readonly ChainLog[],
  { token, to: receiver }: { token: Address; to: Address },
): Transfer[] =>
  logs.flatMap((log) => {
    const transfer = isAddressEqual(log.address, token) ? parseTransfer(log) : null;
    return transfer && isAddressEqual(transfer.to, receiver) ? [{ from: transfer.from, amount: transfer.value }] : [];
  });

/** Every transfer in some logs, with its log. */
export const listTransfersOf = (
  logs: readonly ChainLog[],
): { from: Address; to: Address; amount: bigint; log: ChainLog }[] =>
  logs.flatMap((log) => {
    const transfer = parseTransfer(log);
    return transfer ? [{ from: transfer.from, to: transfer.to, amount: transfer.value, log }] : [];
  });

function parseTransfer({ topics: [signature, ...rest], data }: ChainLog) {
  if (!signature) return null;
  try {
    const event = decodeEventLog({ abi: erc20Abi, data, topics: [signature, ...rest] });
    return event.eventName === "Transfer" ? event.args : null;
  } catch {
    return null;
  }
}

/** The topic of every transfer of an ERC-20 token. */
export const transferTopic = toEventSelector("Transfer(address,address,uint256)");

/** The topics of every transfer from an address, and of every transfer to it. */
export const listTransferTopics = (address: Address): LogTopics[] => [
  [transferTopic, pad(address)],
  [transferTopic, null, pad(address)],
];

/** The topics of every mint of an ERC-20 token. */
export const mintTopics: LogTopics = [transferTopic, pad(nativeToken)];

/** All senders and receivers of tokens, without repetition. */
export const listParties = (logs: readonly ChainLog[]): Address[] => [
  ...new Set(
    logs.flatMap((log) => {
      const transfer = parseTransfer(log);
      return transfer ? [transfer.from, transfer.to] : [];
    }),
  ),
];
