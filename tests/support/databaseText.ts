/** All rows of a database as one text, which psql reads too: for each table a COPY, and the place of each sequence. */
import { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import postgres from "postgres";

/** The queue's own tables but those of its version. */
const selectTables = `
  select format('%I.%I', nspname, relname) as name,
    (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where nspname in ('public', 'sandbox', 'graphile_worker') and relkind in ('r', 'p') and not relispartition
    and not (nspname = 'graphile_worker' and relname = 'migrations') order by 1`;

const selectSequences = `
  select format('select setval(%L, %s)', format('%I.%I', schemaname, sequencename), last_value) as text from pg_sequences
  where last_value is not null and schemaname in ('public', 'sandbox', 'graphile_worker') order by 1`;

const selectMonths = `
  select format('select add_month(%L, %L)', inhparent::regclass, replace(right(relname, 7), '_', '-')) as text
  from pg_inherits join pg_class on pg_class.oid = inhrelid where relname ~ '_[0-9]{4}_[0-9]{2}$' order by 1`;

/** One state of a database as a text. */
export async function writeDatabase(url: string): Promise<string> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await client`begin isolation level repeatable read`;
    const lines: string[] = [];
    for (const { text } of await client.unsafe<{ text: string }[]>(selectMonths)) lines.push(`${text};`);
    for (const { name, columns } of await client.unsafe<{ name: string; columns: string }[]>(selectTables)) {
      const rows = await client.unsafe(`copy (select ${columns} from ${name}) to stdout`).readable();
      const text = await readText(rows);
      if (text !== "") lines.push(`copy ${name} (${columns}) from stdin;`, `${text}\\.`);
    }
    for (const { text } of await client.unsafe<{ text: string }[]>(selectSequences)) lines.push(`${text};`);
    return `${lines.join("\n")}\n`;
  } finally {
    await client.end();
  }
}

/** Puts these rows in place of those that the migrations wrote. */
export async function readDatabase(url: string, text: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {}, connection: { session_replication_role: "replica" } });
  try {
    // A statement a line; behind a COPY its rows, up to a line of its own.
    for (const [, statement = "", name, rows] of text.matchAll(
      /^(copy (\S+) .*? from stdin|[^\n]+);\n(?:(?<=stdin;\n)(.*?)^\\\.\n)?/gms,
    )) {
      if (name === undefined || rows === undefined) {
        await client.unsafe(statement);
        continue;
      }
      await client.unsafe(`delete from ${name}`);
      const into = await client.unsafe(statement).writable();
      await pipeline(Readable.from([rows]), into);
    }
  } finally {
    await client.end();
  }
}
