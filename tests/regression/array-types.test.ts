/** The driver is given the array types instead of asking each connection for them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { arrayTypes } from "@cardkeep/db/arrayTypes";
import { openClient } from "@cardkeep/db/openClient";
import fc from "fast-check";
import postgres from "postgres";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let given: postgres.Sql;
let asking: postgres.Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  given = openClient(database.url, { max: 1 });
  asking = postgres(database.url, { max: 1, fetch_types: true });
});
afterAll(async () => {
  await Promise.all([given.end(), asking.end()]);
  await database.drop();
});

test("each array type is the one of Postgres", async () => {
  const rows = await asking<{ element: number; array: number }[]>`
    select oid::int as element, typarray::int as array from pg_type where oid = any(${arrayTypes.map(([oid]) => oid)}::oid[])`;
  const byElement = (a: readonly [number, number], b: readonly [number, number]) => a[0] - b[0];
  expect(rows.map(({ element, array }): [number, number] => [element, array]).toSorted(byElement)).toEqual(
    arrayTypes.map(([element, array]): [number, number] => [element, array]).toSorted(byElement),
  );
});

test("an array of every column's type is known", async () => {
  const rows = await asking<{ name: string; oid: number; array: number }[]>`
    select distinct t.typname as name, t.oid::int, t.typarray::int as array
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p')
      and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema', 'graphile_worker')`;
  expect(rows.length).toBeGreaterThan(5);
  const known = new Set(arrayTypes.flat());
  expect(rows.filter(({ oid }) => !known.has(oid))).toEqual([]);
});

test("arrays are written and read as by a driver that asks", async () => {
  const text = fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0"));
  const values = fc.array(fc.option(text), { maxLength: 5 });
  const whole = fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String), { maxLength: 5 });
  const instant = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-01-01") });
  const instants = fc.array(
    instant.map((date) => date.toISOString()),
    { maxLength: 3 },
  );
  const ids = fc.array(fc.uuid(), { maxLength: 3 });
  type Row = [(string | null)[], string[], string[], string[]];
  const ask = (sql: postgres.Sql, [a, b, c, d]: Row) => sql`
    select ${a}::text[] as a, ${b}::bigint[] as b, ${c}::timestamptz[] as c, ${d}::uuid[] as d,
      array[${a.length}::int] as e, array[${a.length > 1}::bool] as f, array[${JSON.stringify(a)}::jsonb] as g,
      array[convert_to(${JSON.stringify(a)}, 'UTF8')] as h, array['a'::name] as i, array[1.5::numeric] as j`;
  await fc.assert(
    fc.asyncProperty(fc.tuple(values, whole, instants, ids), async (row) => {
      expect([...(await ask(given, row))]).toEqual([...(await ask(asking, row))]);
    }),
    { numRuns: 50 },
  );
});

test("no connection asks for types", async () => {
  const count = async (sql: postgres.Sql) => {
    await sql`select 1`;
    const [row] = await sql<{ statements: number }[]>`
      select count(*)::int as statements from pg_prepared_statements where statement like ${"%from pg_catalog.pg_type%"}`;
    return row?.statements;
  };
  expect(await count(given)).toBe(0);
  expect(await count(asking)).toBe(1);
});
