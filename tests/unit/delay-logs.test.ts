import { expect, test } from "bun:test";
import { delayAbi } from "@cardkeep/chain/abis";
import { findEnqueueLog, listUnsignedEntriesOf } from "@cardkeep/chain/delayLogs";
import type { ChainLog } from "@cardkeep/chain/log";
import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  isHex,
  pad,
  parseAbiParameters,
  toHex,
} from "viem";

const delay: Address = "0x000000000000000000000000000000000000bEEF";
const call = { to: "0x000000000000000000000000000000000000dEaD", value: 1n, data: "0x" } as const;
const messageHash = pad("0xaa");

const logOf = (logIndex: number, topics: ChainLog["topics"], data: Hex, address = delay): ChainLog => ({
  address,
  topics,
  data,
  logIndex,
  blockNumber: 7n,
  blockHash: pad("0x07"),
  transactionHash: pad("0x08"),
});
const hashExecuted = (logIndex: number, address = delay) =>
  logOf(
    logIndex,
    encodeEventTopics({ abi: delayAbi, eventName: "HashExecuted" }).filter((topic) => isHex(topic)),
    messageHash,
    address,
  );
function added(logIndex: number, queueNonce: bigint): ChainLog {
  const args = { queueNonce, txHash: toHex(queueNonce, { size: 32 }) };
  const types = parseAbiParameters("address, uint256, bytes, uint8");
  const data = encodeAbiParameters(types, [call.to, call.value, call.data, 0]);
  const topics = encodeEventTopics({ abi: delayAbi, eventName: "TransactionAdded", args });
  return logOf(
    logIndex,
    topics.filter((topic) => isHex(topic)),
    data,
  );
}
const noncesOf = (logs: readonly ChainLog[]) =>
  listUnsignedEntriesOf(logs, { delay, call, operation: "CALL" }).map(({ queueNonce }) => queueNonce);

test("the entry of a signed message is not an unsigned one, however equal its call is", () => {
  const logs = [added(3, 0n), hashExecuted(4), added(5, 1n), added(6, 2n)];
  expect(noncesOf(logs)).toEqual([0n, 2n]);
  expect(findEnqueueLog(logs, { delay, messageHash })?.queueNonce).toBe(1n);
});

test("an unsigned entry stays one behind the log of another module", () => {
  expect(noncesOf([hashExecuted(4, call.to), added(5, 0n)])).toEqual([0n]);
});
