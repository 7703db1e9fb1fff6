/** Which relayer key sends the transactions of a Safe. */
import type { RelayerKey } from "@cardkeep/chain/relayer";
import { listClosedLanes } from "@cardkeep/db/queries/chain/relay/laneStates";
import type { WorkerContext } from "../../core/context.ts";

/** The key of a Safe's lane, by the Safe's id. */
export type PickRelayer = (safeId: string) => RelayerKey;

/**
 * Reads which lanes are closed, and returns the choice for any Safe.
 *
 * A Safe has always the same lane while the keys stay, so that its transactions keep their order. A lane that drains loses
 * its Safes to the others; the Safes of other lanes stay where they are.
 */
export async function readLanes({ db, relayers }: Pick<WorkerContext, "db" | "relayers">): Promise<PickRelayer> {
  // A single lane has no substitute, and a nonce is refused where it is closed.
  const closed = new Set(relayers.length > 1 ? await listClosedLanes(db) : []);
  const active = relayers.filter(({ address }) => !closed.has(address));
  return (safeId) => {
    const hash = Bun.hash.crc32(safeId);
    const usual = relayers[hash % relayers.length];
    if (!usual) throw new Error("No relayer key is configured");
    return closed.has(usual.address) ? (active[hash % active.length] ?? usual) : usual;
  };
}

/** The key of one Safe's lane. */
export async function pickRelayer(ctx: Pick<WorkerContext, "db" | "relayers">, safeId: string): Promise<RelayerKey> {
  return (await readLanes(ctx))(safeId);
}
