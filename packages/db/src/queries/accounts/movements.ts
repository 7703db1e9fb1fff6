/** Movements of money from and to Safes. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { gt } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isAmong, inParts } from "../../many.ts";
import { movements, safes } from "../../schema/tables.ts";

export type Movement = typeof movements.$inferSelect;

/** The Safes among some addresses, by their address. */
export async function findSafesAmong(
  on: Executor,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, string>> {
  if (addresses.length === 0) return new Map();
  const rows = await on
    .select({ id: safes.id, address: safes.address })
    .from(safes)
    .where(isAmong(safes.address, addresses));
  return new Map(rows.map(({ id, address }) => [address, id]));
}

/** Inserts movements, however many; one that is known stays as it is. */
export async function insertMovements(tx: Tx, rows: readonly (typeof movements.$inferInsert)[]): Promise<void> {
  for (const part of inParts(rows)) await tx.insert(movements).values(part).onConflictDoNothing();
}

/** Forgets the movements of removed blocks. */
export async function deleteMovementsAfter(tx: Tx, block: bigint): Promise<void> {
  await tx.delete(movements).where(gt(movements.blockNumber, block));
}
