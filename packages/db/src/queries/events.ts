/** The outbox. */
import type { Tx } from "../client.ts";
import { events } from "../schema/tables.ts";

export async function insertEvent(tx: Tx, row: typeof events.$inferInsert): Promise<void> {
  await tx.insert(events).values(row);
}
