import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { concat, numberToHex, pad } from "viem";
import { openNode } from "./node.ts";

/** Calls the address in its second word with the data behind it, as often as its first word says. */
const repeater: Hex = "0x6040360360406000376000355b6000600060403603600060006020355af1506001900380600c5700";

const callsPerBlock = 150;
const blockGas = 16_000_000n;

/** Makes one call many times from an address, hundreds in a transaction: the address has code for as long as that takes. */
export async function repeatCall(
  rpcUrl: string,
  { from, to, data, count }: { from: Address; to: Address; data: Hex; count: number },
): Promise<void> {
  const { client, send } = openNode(rpcUrl);
  await client.setCode({ address: from, bytecode: repeater });
  for (let left = count; left > 0; left -= callsPerBlock) {
    const times = numberToHex(Math.min(left, callsPerBlock), { size: 32 });
    await send({ to: from, data: concat([times, pad(to), data]), gas: blockGas });
  }
  await client.setCode({ address: from, bytecode: "0x" });
}
