/** Movements of money from and to Safes. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { gt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
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
    .where(sql`${safes.address} in (select json_array_elements_text(${JSON.stringify(addresses)}::json))`);
  return new Map(rows.map(({ id, address }) => [address, id]));
}

/** Inserts movements; one that is known stays as it is. */
export async function insertMovements(tx: Tx, rows: readonly (typeof movements.$inferInsert)[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insert(movements)
      .values([...rows])
      .onConflictDoNothing();
}

/** Forgets the movements of removed blocks. */
export async function deleteMovementsAfter(tx: Tx, block: bigint): Promise<void> {
  await tx.delete(movements).where(gt(movements.blockNumber, block));
}
