/** The identity of a database: a restore or a failover changes it. */
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";

export interface DatabaseIdentity {
  /**
   * Cluster, timeline, database, and the file of a table. A restore to a point in time and a promotion begin a new timeline; a dump makes
   * another database, often in another cluster. One that is restored into the same database makes the table anew.
   */
  identity: string;
  /** Position in the write-ahead log, in bytes. It only grows while the identity is the same. */
  position: bigint;
}

const identityText = `concat_ws('/',
        case when has_function_privilege('pg_control_system()', 'execute') then (select system_identifier from pg_control_system()) end,
        left(pg_walfile_name(pg_current_wal_lsn()), 8),
        (select oid from pg_database where datname = current_database()),
        pg_relation_filenode('reconciliations'))`;

/** SQL of the identity. */
export const databaseIdentity = sql.raw(identityText);

/**
 * SQL text: whether a stored identity is the present one. What an older version stored names fewer parts, from the first on.
 *
 * @param present SQL of the present one, where a statement has read it: reading it again for each row takes a file
 */
export const isPresentIdentity = (stored: string, present = identityText): string =>
  `starts_with(${present} || '/', ${stored} || '/')`;

/** The same for an identity that was read. */
export const isSameIdentity = (stored: string, { identity }: Pick<DatabaseIdentity, "identity">): boolean =>
  `${identity}/`.startsWith(`${stored}/`);

/** Reads the identity of the database that answers. Rejects on a node in recovery. */
export async function readDatabaseIdentity(on: Executor): Promise<DatabaseIdentity> {
  const [row] = await on.execute<{ identity: string; position: string }>(sql`
    select ${databaseIdentity} as identity,
      (pg_current_wal_lsn() - '0/0')::text as position`);
  if (!row) throw new Error("A question about the database has one answer");
  return { identity: row.identity, position: BigInt(row.position) };
}
