/** Finds what has the wall clock's time in a service whose clock was moved. */
import type { Db } from "@cardkeep/db/client";
import { sql } from "drizzle-orm";

/** Columns with an instant from `since` on that is not ahead of the wall clock, as `table.column`. */
export async function findWallColumns(db: Db, since: Date): Promise<string[]> {
  const columns = await db.execute<{ name: string; query: string }>(sql`
    select table_name || '.' || column_name as name, format('select %L as name where exists (select from %I.%I where %I between %L and clock_timestamp())',
      table_name || '.' || column_name, table_schema, table_name, column_name, ${since.toISOString()}::text) as query
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema in ('public', 'sandbox') and data_type = 'timestamp with time zone' and table_type = 'BASE TABLE'
      and table_name !~ '_([0-9]{4}_[0-9]{2}|default)$'`);
  const rows = await db.execute<{ name: string }>(sql.raw(columns.map(({ query }) => query).join(" union all ")));
  return rows.map(({ name }) => name).toSorted();
}

/** The instants of a text, ISO 8601 or unix seconds of the issuer's objects, that lie between `since` and the wall clock's now. */
export function findWallInstants(text: string, since: Date): string[] {
  const instants = text.match(/\b20\d{2}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?Z?/g) ?? [];
  return [...new Set(instants)].filter((instant) => {
    const at = Date.parse(`${instant.replace(" ", "T").replace(/Z$/, "")}Z`);
    return at >= since.getTime() && at <= Date.now();
  });
}
