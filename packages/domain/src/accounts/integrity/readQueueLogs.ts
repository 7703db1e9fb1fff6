import { queueTopics } from "@cardkeep/chain/delayLogs";
import type { ChainLog } from "@cardkeep/chain/log";
import type { LogBlocks } from "@cardkeep/chain/port";
import { keepDelayModules, listAllDelayModules } from "@cardkeep/db/queries/accounts/safes";
import type { Context } from "../../core/context.ts";

/**
 * The logs about queued entries of all our Delay modules in some blocks. It is one question to the node, however many Safes
 * there are; logs of other contracts are dropped part by part, because anyone can fill blocks with them.
 */
export async function readQueueLogs(
  { chain, db }: Pick<Context, "chain" | "db">,
  blocks: LogBlocks,
): Promise<ChainLog[]> {
  const ours: ChainLog[] = [];
  const listAddresses = () => listAllDelayModules(db);
  for await (const logs of chain.readAllLogs({ topics: queueTopics, listAddresses, ...blocks })) {
    if (logs.length === 0) continue;
    const kept = new Set(await keepDelayModules(db, [...new Set(logs.map(({ address }) => address))]));
    ours.push(...logs.filter(({ address }) => kept.has(address)));
  }
  return ours;
}
