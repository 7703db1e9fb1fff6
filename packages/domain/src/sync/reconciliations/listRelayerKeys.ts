import { listRelayerLanes } from "@cardkeep/db/queries/operations/health";
import type { Context } from "../../core/context.ts";

/** The addresses of the keys that send our transactions, with those of former settings. */
export async function listRelayerKeys({ db, policy }: Pick<Context, "db" | "policy">): Promise<ReadonlySet<string>> {
  const lanes = await listRelayerLanes(db);
  return new Set([...policy.relayerAddresses, policy.spenderAddress, ...lanes.map(({ address }) => address)]);
}
