/** A contract that fills blocks with empty logs of a topic, which anyone can do for 750 gas each. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { openNode } from "./node.ts";

/** Logs the first word of the calldata as a topic until 10,000 gas are left. */
const runtime = "6000355b8060006000a15a61271010600357" + "00";
const creation: Hex = `0x6013${"80600b6000396000f3"}${runtime}`;

type Node = Pick<ReturnType<typeof openNode>, "deploy" | "send">;

/** Fills so many transactions with empty logs of a topic. Returns the contract that logged them. */
export async function spamLogs(
  node: Node,
  topic: Hex,
  { times, gas }: { times: number; gas: bigint },
): Promise<Address> {
  const to = await node.deploy(creation);
  for (let time = 0; time < times; time++) await node.send({ to, data: topic, gas });
  return to;
}
