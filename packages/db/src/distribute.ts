/**
 * The tables that Citus distributes by user, onto as many nodes as the operator adds.
 *
 * They are those that grow with use and belong to a user. What grows with people alone, the unique keys that stay, the queue and the relay
 * stay on the coordinator: there are the unique columns, and the rows that commits lock.
 */
import { sql } from "drizzle-orm";
import type { Db, Tx } from "./client.ts";

/** Each table follows those that it refers to. */
const distributedTables = [
  "card_payments",
  "card_clearings",
  "card_decisions",
  "card_transfers",
  "ledger_entries",
] as const;

/** The database has no Citus. */
export class CitusMissing extends Error {
  constructor() {
    super("The database has no Citus: install it on each node, run `create extension citus`, and add the nodes");
  }
}

/**
 * Distributes the tables by `user_id`, in one transaction. Returns those that were not distributed before.
 *
 * References to tables of the coordinator are dropped, because a node cannot check them. `onTable` gets each table before it
 * is moved, with its place among them.
 *
 * @throws CitusMissing
 */
export async function distributeTables(
  db: Pick<Db, "transaction">,
  onTable: (index: number, total: number, table: string) => void = () => {},
): Promise<string[]> {
  return db.transaction(async (tx) => {
    const [extension] = await tx.execute(sql`select 1 from pg_extension where extname = 'citus'`);
    if (!extension) throw new CitusMissing();
    const known = await tx.execute<{ name: string }>(sql`select logicalrelid::text as name from pg_dist_partition`);
    const tables = distributedTables.filter((table) => !known.some(({ name }) => name === table));
    if (tables.length === 0) return [];
    await tx.execute(sql`select set_config('statement_timeout', '0', true)`);
    // Each trigger of these tables reads the row that it guards and nothing else.
    await tx.execute(sql`select set_config('citus.enable_unsafe_triggers', 'on', true)`);
    await dropReferences(tx);
    for (const [index, table] of tables.entries()) {
      onTable(index, tables.length, table);
      const other = table === distributedTables[0] ? "default" : distributedTables[0];
      await tx.execute(sql`select create_distributed_table(${table}::regclass, 'user_id', colocate_with => ${other})`);
    }
    return [...tables];
  });
}

/** Drops the references from distributed tables to tables that are not. */
async function dropReferences(tx: Tx): Promise<void> {
  const names = JSON.stringify(distributedTables);
  const references = await tx.execute<{ table: string; name: string }>(sql`
    with distributed as (select name::regclass as id from json_array_elements_text(${names}::json) as name)
    select conrelid::regclass::text as table, conname as name from pg_constraint
    where contype = 'f' and conparentid = 0 and conrelid in (select id from distributed)
      and confrelid not in (select id from distributed)`);
  for (const { table, name } of references) {
    await tx.execute(sql`alter table ${sql.identifier(table)} drop constraint ${sql.identifier(name)}`);
  }
}
