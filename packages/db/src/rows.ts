/**
 * Whole rows in and out, for statements of hot paths.
 *
 * They mean what drizzle's `select().from(table)` and `insert(table).returning()` mean, with its types and its columns'
 * codecs. Drizzle puts every such statement together anew, column by column, which takes longer than Postgres takes to
 * answer it; here a table's columns are spelled out once.
 */
import { getTableColumns, type InferInsertModel, type InferSelectModel, SQL, type SQLChunk, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Executor } from "./client.ts";
import { prepareStatement } from "./prepareStatement.ts";

interface Shape {
  readonly columns: readonly { key: string; name: string; column: AnyPgColumn }[];
  /** The names of all columns, in the order of the schema. */
  readonly names: SQL;
}

const shapes = new WeakMap<PgTable, Shape>();

function shapeOf(table: PgTable): Shape {
  const known = shapes.get(table);
  if (known) return known;
  const columns = Object.entries(getTableColumns(table)).map(([key, column]) => ({
    key,
    name: toSnakeCase(column.name),
    column,
  }));
  const shape = { columns, names: sql.raw(columns.map(({ name }) => `"${name}"`).join(", ")) };
  shapes.set(table, shape);
  return shape;
}

/** The rows of a table that `rest` leads to: everything after the table's name, as ``sql`where ...` ``. */
export async function selectRows<T extends PgTable>(on: Executor, table: T, rest: SQL): Promise<InferSelectModel<T>[]> {
  const { names } = shapeOf(table);
  return readRows(table, await on.execute(sql`select ${names} from ${table} ${rest}`));
}

/** The same for a statement of a hot path: `rest` is put together once, and its `sql.placeholder` values are given each time. */
export function prepareRows<Name extends string, T extends PgTable>(
  table: T,
  rest: SQL,
): (on: Executor, values: Readonly<Record<Name, unknown>>) => Promise<InferSelectModel<T>[]> {
  let select: ReturnType<typeof prepareStatement<Name>> | null = null;
  return async (on, values) => {
    select ??= prepareStatement<Name>(sql`select ${shapeOf(table).names} from ${table} ${rest}`);
    return readRows(table, await on.execute(select(values)));
  };
}

/** The same for a statement that leads to one row; null where there is none. */
export function prepareRow<Name extends string, T extends PgTable>(
  table: T,
  rest: SQL,
): (on: Executor, values: Readonly<Record<Name, unknown>>) => Promise<InferSelectModel<T> | null> {
  const select = prepareRows<Name, T>(table, rest);
  return async (on, values) => (await select(on, values))[0] ?? null;
}

/** Values of a row to be; one may be an expression. */
type Values<Row> = { [Key in keyof Row]: Row[Key] | SQL };

/** Inserts a row and answers it as stored; one that is in conflict with another is an error. */
export async function insertRow<T extends PgTable>(
  on: Executor,
  table: T,
  row: Values<InferInsertModel<T>>,
): Promise<InferSelectModel<T>> {
  const [inserted] = await insert(on, table, row, "");
  if (!inserted) throw new Error("A row was inserted and not answered");
  return inserted;
}

/** Inserts a row and answers nothing, which spares the way back of a row that the caller has. */
export async function writeRow<T extends PgTable>(
  on: Executor,
  table: T,
  row: Values<InferInsertModel<T>>,
): Promise<void> {
  await on.execute(buildInsert(table, row));
}

/** Inserts a row and answers it as stored; null, and nothing is written, where it is in conflict with another. */
export async function insertIfNew<T extends PgTable>(
  on: Executor,
  table: T,
  row: Values<InferInsertModel<T>>,
): Promise<InferSelectModel<T> | null> {
  const [inserted] = await insert(on, table, row, "on conflict do nothing");
  return inserted ?? null;
}

async function insert<T extends PgTable>(
  on: Executor,
  table: T,
  row: Values<InferInsertModel<T>>,
  onConflict: "" | "on conflict do nothing",
): Promise<InferSelectModel<T>[]> {
  return readRows(table, await on.execute(prepareInsert(table, row, onConflict)));
}

/** The statements of one table, by its filled columns and their end. */
const inserts = new WeakMap<PgTable, Map<string, ReturnType<typeof prepareStatement<string>>>>();

/** An insert that answers the row. It is put together once for each choice of columns; with an expression each time. */
function prepareInsert<T extends PgTable>(table: T, row: Values<InferInsertModel<T>>, onConflict: string): SQL {
  const { names, columns } = shapeOf(table);
  const given: Readonly<Record<string, unknown>> = row;
  const filled = columns.filter(({ key }) => given[key] !== undefined);
  const end = sql`${sql.raw(onConflict)} returning ${names}`;
  if (filled.some(({ key }) => given[key] instanceof SQL)) return sql`${buildInsert(table, row)} ${end}`;
  const prepared = inserts.get(table) ?? new Map<string, ReturnType<typeof prepareStatement<string>>>();
  inserts.set(table, prepared);
  const name = [...filled.map(({ key }) => key), onConflict].join();
  const statement =
    prepared.get(name) ?? prepareStatement(sql`${insertInto(table, filled, ({ key }) => sql.placeholder(key))} ${end}`);
  prepared.set(name, statement);
  const encode = (value: unknown, column: AnyPgColumn) => (value === null ? null : column.mapToDriverValue(value));
  return statement(Object.fromEntries(filled.map(({ key, column }) => [key, encode(given[key], column)])));
}

/** A row as JSON in which Postgres finds each column by its name. */
export function encodeRow<T extends PgTable>(table: T, row: InferInsertModel<T>): string {
  const given: Readonly<Record<string, unknown>> = row;
  const named = shapeOf(table).columns.map(({ key, name }) => [name, encodeValue(given[key])]);
  return JSON.stringify(Object.fromEntries(named));
}

/** JSON has no type for numbers of any size. */
const encodeValue = (value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

/** The statement that inserts a row, to which a clause may be added. */
export function buildInsert<T extends PgTable>(table: T, row: Values<InferInsertModel<T>>): SQL {
  const given: Readonly<Record<string, unknown>> = row;
  const filled = shapeOf(table).columns.filter(({ key }) => given[key] !== undefined);
  return insertInto(table, filled, ({ key, column }) => {
    const value = given[key];
    return value instanceof SQL ? value : sql.param(value, column);
  });
}

function insertInto(
  table: PgTable,
  filled: Shape["columns"],
  valueOf: (column: Shape["columns"][number]) => SQLChunk,
): SQL {
  const into = sql.raw(filled.map(({ name }) => `"${name}"`).join(", "));
  return sql`insert into ${table} (${into}) values (${sql.join(filled.map(valueOf), sql.raw(", "))})`;
}

function readRows<T extends PgTable>(
  table: T,
  rows: readonly Readonly<Record<string, unknown>>[],
): InferSelectModel<T>[] {
  const { columns } = shapeOf(table);
  const read = (row: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      columns.map(({ key, name, column }) => {
        const value = row[name];
        return [key, value === null ? null : column.mapFromDriverValue(value)];
      }),
    );
  // Each column's own codec made its value, so the row is what the schema says.
  return rows.map((row) => read(row) as InferSelectModel<T>);
}
