/** States of relayer lanes: whether they take relay transactions. */
import { laneMachine, type LaneState } from "@cardkeep/contract/chain/lanes";
import { listOrigins } from "@cardkeep/contract/core/machine";
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, eq, inArray, ne, notExists } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { openRelays, relayers } from "../../../schema/tables.ts";

/** The lanes that take no new relay transactions. */
export async function listClosedLanes(on: Executor): Promise<Address[]> {
  const rows = await on.select({ address: relayers.address }).from(relayers).where(ne(relayers.state, "ACTIVE"));
  return rows.map(({ address }) => address);
}

/** The state of a lane; a lane without a row is active. */
export async function readLaneState(on: Executor, relayer: Address): Promise<LaneState> {
  const [row] = await on.select({ state: relayers.state }).from(relayers).where(eq(relayers.address, relayer));
  return row?.state ?? "ACTIVE";
}

/** Locks lanes in the order of their addresses; those without a row get one. Answers the state of each. */
export async function lockLanes(tx: Tx, addresses: readonly Address[]): Promise<Map<Address, LaneState>> {
  const sorted = addresses.toSorted();
  await tx
    .insert(relayers)
    .values(sorted.map((address) => ({ address, nextNonce: 0n })))
    .onConflictDoNothing();
  const rows = await tx
    .select({ address: relayers.address, state: relayers.state })
    .from(relayers)
    .where(inArray(relayers.address, sorted))
    .orderBy(relayers.address)
    .for("update");
  return new Map(rows.map(({ address, state }) => [address, state]));
}

/** Moves a locked lane to another state. */
export async function moveLane(tx: Tx, relayer: Address, state: LaneState): Promise<void> {
  await tx.update(relayers).set({ state }).where(eq(relayers.address, relayer));
}

/** Retires a lane that drains and has no open transaction; true if it is not draining any more. */
export async function retireLane(on: Executor, relayer: Address): Promise<boolean> {
  const open = on.select({ id: openRelays.relayTransactionId }).from(openRelays).where(eq(openRelays.relayer, relayer));
  await on
    .update(relayers)
    .set({ state: "RETIRED" })
    .where(
      and(eq(relayers.address, relayer), inArray(relayers.state, listOrigins(laneMachine, "RETIRED")), notExists(open)),
    );
  return (await readLaneState(on, relayer)) !== "DRAINING";
}
