/** Indexes that are built beside reads and writes, also those of partitioned tables, whose parts Postgres builds one by one. */
import type postgres from "postgres";

export interface IndexStatement {
  readonly name: string;
  readonly table: string;
  readonly isUnique: boolean;
  /** From the method or the columns to the end. */
  readonly rest: string;
}

const pattern =
  /^(?:\s*--[^\n]*\n)*\s*create\s+(unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?\s+on\s+(?:only\s+)?(?:"?public"?\.)?"?(\w+)"?\s+(.*?);?\s*$/is;

/** A statement that begins with `create index concurrently`; null for any other. */
export function parseIndex(statement: string): IndexStatement | null {
  const [, unique, name, table, rest] = pattern.exec(statement) ?? [];
  if (name === undefined || table === undefined || rest === undefined) return null;
  return { name, table, isUnique: unique !== undefined, rest };
}

/** Postgres cuts longer names. */
const nameMax = 63;

/**
 * Builds an index, again where an earlier try was cut off. `run` runs a statement that waits for a lock.
 *
 * While it is built, it waits for transactions that are older. Nothing waits for it, so it has no limit.
 */
export async function buildIndex(
  client: postgres.Sql,
  { name, table, isUnique, rest }: IndexStatement,
  run: (statement: string) => Promise<void>,
): Promise<void> {
  const create = isUnique ? "create unique index" : "create index";
  const build = async (own: string, part: string) => {
    const [invalid] = await client`
      select from pg_index where indexrelid = to_regclass(${`"${own}"`}) and not indisvalid`;
    await client`set lock_timeout = 0`;
    if (invalid) await client.unsafe(`drop index concurrently "${own}"`);
    await client.unsafe(`${create} concurrently if not exists "${own}" on "${part}" ${rest}`);
  };
  const parts = await listParts(client, table);
  if (parts === null) return build(name, table);
  // First of the whole: a part that is added from now on gets the index by itself.
  await run(`${create} if not exists "${name}" on only "${table}" ${rest}`);
  for (const part of parts) {
    const own = `${name}${part.slice(table.length)}`;
    if (own.length > nameMax) throw new Error(`${own} is too long for the name of an index: shorten ${name}`);
    const [isThere] = await client`
      select from pg_inherits join pg_index on indexrelid = inhrelid
      where inhparent = to_regclass(${`"${name}"`}) and indrelid = to_regclass(${`"${part}"`})`;
    if (isThere) continue;
    await build(own, part);
    await run(`alter index "${name}" attach partition "${own}"`);
  }
}

/** The parts of a partitioned table; null for any other. */
async function listParts(client: postgres.Sql, table: string): Promise<string[] | null> {
  const [found] = await client`select from pg_partitioned_table where partrelid = to_regclass(${`"${table}"`})`;
  if (!found) return null;
  const parts = await client<{ name: string }[]>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${`"${table}"`}) order by relname`;
  return parts.map((part) => part.name);
}
