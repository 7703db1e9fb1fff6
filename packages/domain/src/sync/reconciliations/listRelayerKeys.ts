import { listRelayerLanes } from "@cardkeep/db/queries/operations/health";
import type { Context } from "../../core/context.ts";

/** The addresses of the keys that send our transactions, with those of former settings. */
export async function listRelayerKeys({ db, rules }: Pick<Context, "db" | "rules">): Promise<ReadonlySet<string>> {
  const lanes = await listRelayerLanes(db);
  return new Set([...rules.relayerAddresses, rules.spenderAddress, ...lanes.map(({ address }) => address)]);
}
