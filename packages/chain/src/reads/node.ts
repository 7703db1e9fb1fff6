/** Reads of blocks, balances and transactions. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { hexToBytes, keccak256, size } from "viem";
import { BroadcastRefused, NonceTooLow, ReplacementUnderpriced } from "../errors.ts";
import type { ChainReader } from "../port.ts";
import { findRevert, type NodeError } from "../revert.ts";
import { encodeCall, encodeQuantity, type Rpc } from "./rpc.ts";
import { parseAnswer, readBigInt, readBlock, readHex, readNumber, readReceipt } from "./parseAnswer.ts";
import { readTransaction } from "./parseTransaction.ts";

type NodeReads = Pick<
  ChainReader,
  | "getChainId"
  | "getBlock"
  | "getBlockAt"
  | "hasCode"
  | "listCode"
  | "getNativeBalance"
  | "simulate"
  | "estimateGas"
  | "findReceipt"
  | "hasTransaction"
  | "findTransaction"
  | "broadcast"
>;

export function createNodeReads(rpc: Rpc): NodeReads {
  const ask = async <T>(
    method: string,
    params: readonly unknown[],
    read: (answer: unknown) => T,
    block?: { number: bigint },
  ): Promise<T> => {
    const answer = await rpc.request(method, params, undefined, block);
    return parseAnswer(method, () => read(answer));
  };
  const orNull =
    <T>(read: (answer: unknown) => T) =>
    (answer: unknown) =>
      answer === null ? null : read(answer);
  const hasCode = (address: Address) => ask("eth_getCode", [address, "latest"], (code) => readHex(code).length > 2);
  const getCode = (address: Address) =>
    ask("eth_getCode", [address, "latest"], (answer) => {
      const code = readHex(answer);
      return code === "0x" ? null : { hash: keccak256(hexToBytes(code)), bytes: size(code) };
    });

  return {
    getChainId: () => ask("eth_chainId", [], readNumber),
    getBlock: () => ask("eth_getBlockByNumber", ["latest", false], readBlock),
    getBlockAt: (number) => ask("eth_getBlockByNumber", [encodeQuantity(number), false], orNull(readBlock)),
    hasCode: (addresses) => Promise.all(addresses.map(hasCode)),
    listCode: (addresses) => Promise.all(addresses.map(getCode)),
    getNativeBalance: (address) => ask("eth_getBalance", [address, "latest"], readBigInt),
    findReceipt: (hash, number) =>
      ask("eth_getTransactionReceipt", [hash], orNull(readReceipt), number === undefined ? undefined : { number }),
    findTransaction: (hash) => ask("eth_getTransactionByHash", [hash], orNull(readTransaction)),
    hasTransaction: (hash) => ask("eth_getTransactionByHash", [hash], (answer) => answer !== null),

    simulate: async ({ from, call, blockTag = "latest", gasMax }) => {
      const gas = gasMax !== undefined && { gas: encodeQuantity(gasMax) };
      const params = [{ ...encodeCall({ from, call }), ...gas }, blockTag];
      const answer = await rpc.request("eth_call", params, (fault) => findRevert(fault, call.value));
      return parseAnswer("eth_call", () => readHex(answer));
    },
    estimateGas: async ({ from, call, gasMax, blockTag = "pending", fees }) => {
      const priced = fees && {
        maxFeePerGas: encodeQuantity(fees.maxFeePerGas),
        maxPriorityFeePerGas: encodeQuantity(fees.maxPriorityFeePerGas),
      };
      const block = typeof blockTag === "bigint" ? encodeQuantity(blockTag) : blockTag;
      const gas = gasMax !== undefined && { gas: encodeQuantity(gasMax) };
      const params = [{ ...encodeCall({ from, call }), ...gas, ...priced }, block];
      const answer = await rpc.request("eth_estimateGas", params, (fault) => findRevert(fault, call.value));
      return parseAnswer("eth_estimateGas", () => readBigInt(answer));
    },

    broadcast: async (raw) => {
      try {
        await rpc.request("eth_sendRawTransaction", [raw], classifyBroadcastError);
      } catch (error) {
        if (!(error instanceof AlreadyKnown)) throw error;
      }
    },
  };
}

class AlreadyKnown extends Error {}

/** Error codes of nodes for a rejected transaction: server error, invalid input, rejected, and Nethermind's own. */
const rejectionCodes: readonly number[] = [-32000, -32003, -32010, -32602];

/** Matches error texts of Geth, Erigon, Nethermind and Anvil. Their codes are less specific. */
function classifyBroadcastError({ code, message }: NodeError): Error | null {
  if (/already ?(known|imported|exists)|known transaction/i.test(message)) return new AlreadyKnown(message);
  if (/nonce (is )?too low|old ?nonce/i.test(message)) return new NonceTooLow(message);
  if (/underpriced|replacement ?not ?allowed|too ?low ?to ?(replace|compete)/i.test(message)) {
    return new ReplacementUnderpriced(message);
  }
  return rejectionCodes.includes(code) ? new BroadcastRefused(message) : null;
}
