import { expect, test } from "bun:test";
import type { ChainLog } from "@cardkeep/chain/log";
import { tokens } from "@cardkeep/chain/tokens";
import { listParties, listTransfers } from "@cardkeep/chain/transfers";
import type { Address } from "@cardkeep/contract/core/primitives";
import { encodeAbiParameters, encodeEventTopics, erc20Abi, type Hex, numberToHex } from "viem";

const [from, to, other] = [
  "0x1111111111111111111111111111111111111111",
  "0x2222222222222222222222222222222222222222",
  "0x3333333333333333333333333333333333333333",
] as const;
const hash = numberToHex(1, { size: 32 });

const log = (token: Address, eventName: "Transfer" | "Approval", receiver: Address, amount: bigint): ChainLog => ({
  address: token,
  // Both events index two addresses, which are given.
  topics: encodeEventTopics({
    abi: erc20Abi,
    eventName,
    args: eventName === "Transfer" ? { from, to: receiver } : { owner: from, spender: receiver },
  }) as Hex[],
  data: encodeAbiParameters([{ type: "uint256" }], [amount]),
  blockNumber: 1n,
  blockHash: hash,
  transactionHash: hash,
  logIndex: 0,
});

test("money arrived only by a transfer of the asked token to the asked receiver", () => {
  const token = tokens.EURe.address;
  const logs = [
    log(token, "Transfer", to, 1n),
    log(tokens.GBPe.address, "Transfer", to, 2n),
    log(other, "Transfer", to, 4n),
    log(token, "Transfer", other, 8n),
    log(token, "Approval", to, 16n),
  ];
  expect(listTransfers(logs, { token, to })).toEqual([{ from, amount: 1n }]);
  expect(listParties(logs).toSorted()).toEqual([from, to, other]);
});
