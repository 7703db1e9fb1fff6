/**
 * Partitions by month of the tables whose rows are never deleted or grow with use.
 *
 * The key of each begins with a UUID of version 7, and so with the millisecond of its making. A month's bounds are the first
 * digits of such ids: a lookup by id reads one partition, and no query needs a date. What belongs to a payment or a relay
 * transaction has the key of that one, so that a month of them can leave the database together.
 *
 * Functions of the database's owner make, drop and restore partitions; drizzle/0001_guards.sql has them.
 */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { sql } from "drizzle-orm";
import type { Db } from "./client.ts";
import { firstIdAt, timeDigits } from "./timeIds.ts";
import { isCheckViolation } from "./errors.ts";

/** The partitioned tables: the column that is their key, and what stands before the UUID in it. A test compares the migration. */
export const partitionedTables = {
  card_payments: { key: "id", prefix: "" },
  card_clearings: { key: "payment_id", prefix: "" },
  card_decisions: { key: "payment_id", prefix: "" },
  card_transfers: { key: "payment_id", prefix: "" },
  ledger_entries: { key: "payment_id", prefix: "" },
  relay_transactions: { key: "id", prefix: "" },
  relay_attempts: { key: "relay_transaction_id", prefix: "" },
  events: { key: "id", prefix: "" },
  deliveries: { key: "id", prefix: "msg_" },
  delivery_attempts: { key: "delivery_id", prefix: "msg_" },
  operator_actions: { key: "id", prefix: "" },
} as const;

export type PartitionedTable = keyof typeof partitionedTables;

const tableNames = keysOf(partitionedTables);

/** A calendar month of UTC, `2026-11`. */
export type Month = `${number}-${number}`;

/** The month of an instant. */
export const monthOf = (at: Date): Month => at.toISOString().slice(0, 7) as Month;

/** The month that is `count` months after another one. */
export function addMonths(month: Month, count: number): Month {
  const first = new Date(`${month}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + count);
  return monthOf(first);
}

/** The name of a table's partition of a month. */
export const namePartition = (table: PartitionedTable, month: Month): string => `${table}_${month.replace("-", "_")}`;

/** The lowest key of a month in a table. */
export function boundOf(table: PartitionedTable, month: Month): string {
  const beginMs = Date.parse(`${month}-01T00:00:00Z`);
  const { prefix } = partitionedTables[table];
  return prefix === "" ? firstIdAt(beginMs) : `${prefix}${timeDigits(beginMs)}`;
}

/** SQL of a table with the condition that its rows are of a month; it reads that month's partition alone. */
export function describeMonth(table: PartitionedTable, month: Month): string {
  const [from, to] = [boundOf(table, month), boundOf(table, addMonths(month, 1))];
  return `${table} where ${partitionedTables[table].key} >= '${from}' and ${partitionedTables[table].key} < '${to}'`;
}

/** Months that have partitions before they begin: a worker has a whole month to create the next one. */
const monthsAhead = 1;

/** The months that need partitions, the present one first. */
export const listNeededMonths = (now: Date): Month[] =>
  Array.from({ length: monthsAhead + 1 }, (_, count) => addMonths(monthOf(now), count));

type Executing = Pick<Db, "execute">;

/** The months of which a table has a partition, oldest first. */
export async function listMonths(on: Executing, table: PartitionedTable): Promise<Month[]> {
  const rows = await on.execute<{ month: Month }>(sql`
    select replace(right(relname, 7), '_', '-') as month from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${table}) and relname ~ '_[0-9]{4}_[0-9]{2}$' order by 1`);
  return rows.map(({ month }) => month);
}

/** How long an attempt to add a partition may wait for a lock, and so hold up statements behind it. */
const lockMsMax = 2_000;

/**
 * Creates the partitions of this month and the next that are missing. Several processes may do so at once.
 *
 * Returns the months whose rows are in a table's default partition already: they stay there, and later months are not held up.
 */
export async function createPartitions(db: Pick<Db, "execute" | "transaction">, now: Date): Promise<string[]> {
  const blocked: string[] = [];
  for (const table of tableNames) {
    const existing = await listMonths(db, table);
    for (const month of listNeededMonths(now).filter((needed) => !existing.includes(needed))) {
      if (!(await createPartition(db, table, month))) blocked.push(namePartition(table, month));
    }
  }
  return blocked;
}

/** False where the default partition holds rows of the month. */
async function createPartition(db: Pick<Db, "transaction">, table: PartitionedTable, month: Month): Promise<boolean> {
  try {
    await db.transaction(async (tx) => {
      // Waiting for another worker holds nothing up, so the time limit begins behind it.
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('cardkeep:partitions', 0))`);
      await tx.execute(sql`select set_config('lock_timeout', ${`${lockMsMax}ms`}, true)`);
      await tx.execute(sql`select add_month(${table}, ${month})`);
    });
    return true;
  } catch (error) {
    if (isCheckViolation(error)) return false;
    throw error;
  }
}

/** What is wrong with the partitions. */
export interface PartitionState {
  /** Partitions of this month or the next that do not exist. */
  missing: string[];
  /** Tables with rows in the default partition, which no archive reaches. */
  inDefault: PartitionedTable[];
}

export async function readPartitionState(on: Executing, now: Date): Promise<PartitionState> {
  const needed = tableNames.flatMap((table) => listNeededMonths(now).map((month) => namePartition(table, month)));
  const [missing, filled] = await Promise.all([
    on.execute<{ name: string }>(sql`
      select name from json_array_elements_text(${JSON.stringify(needed)}::json) as name where to_regclass(name) is null`),
    on.execute<{ name: PartitionedTable }>(
      sql.join(
        tableNames.map(
          (table) => sql`
            select ${sql.raw(`'${table}'`)} as name where exists (select 1 from ${sql.identifier(`${table}_default`)})`,
        ),
        sql` union all `,
      ),
    ),
  ]);
  return { missing: missing.map(({ name }) => name), inDefault: filled.map(({ name }) => name) };
}
