/** What the role of servers and workers may not do, and how the owner's functions hold it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openDatabase } from "@cardkeep/db/client";
import { nameProcess } from "@cardkeep/db/queries/core/connections";
import { grantServiceRole } from "@cardkeep/db/serviceRole";
import { addMonths, boundOf, monthOf, type PartitionedTable, partitionedTables } from "@cardkeep/db/partitions";
import { checkDatabaseRole } from "@cardkeep/domain/operations/health/checkDatabase";
import postgres from "postgres";
import { citusVariable } from "../support/citus.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { filled } from "../support/filled.ts";
import { forgedActions, oldWrites } from "../support/forgedRows.ts";
import { deceivable, deceptions, keptAccount, keptRows, takeTriggers } from "../support/temporaryObjects.ts";

const tables = Object.keys(partitionedTables) as PartitionedTable[];
const month = monthOf(new Date());

let database: TestDatabase;
let owner: postgres.Sql;
let service: postgres.Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  [owner, service] = [database.url, database.serviceUrl].map((url) =>
    postgres(url, { max: 1, onnotice: () => {} }),
  ) as [postgres.Sql, postgres.Sql];
});
afterAll(async () => {
  await Promise.all([owner.end(), service.end()]);
  await database.drop();
});

const codeOf = (sql: postgres.Sql, text: string): Promise<string | null> =>
  sql.unsafe(text).then(
    () => null,
    (error: { code: string }) => error.code,
  );

const forbidden = "42501";

/** Changes of kept rows that only the lack of a right refuses. */
const keptChanges = [
  "update ledger_entries set held = 2",
  "update operator_chain set id = 2",
  "update book_days set day = '2025-01-01'",
  "update book_days set sealed_at = now()",
  "delete from relay_nonces",
  "update relay_nonces set nonce = 8",
  "delete from card_threads",
  "update card_threads set thread_id = 'other'",
];

/** What refuses statements in a session. */
async function refusalIn(session: postgres.Sql, text: string): Promise<string | null> {
  try {
    await session.unsafe(text);
    return null;
  } catch (error) {
    if (error instanceof postgres.PostgresError) return error.constraint_name ?? `${error.code}: ${error.message}`;
    throw error;
  }
}

const beginSession = () => postgres(database.serviceUrl, { max: 1, onnotice: () => {} });

/** What refuses statements of the role in a session of their own, with which temporary objects end. */
async function refusalOf(text: string): Promise<string | null> {
  const session = beginSession();
  return refusalIn(session, text).finally(() => session.end());
}

// With Citus the role would have to be on each node.
describe.skipIf(process.env[citusVariable] !== undefined)("the role of servers and workers", () => {
  test.each([
    "truncate ledger_entries",
    "truncate operator_actions",
    "truncate operator_approvals",
    "truncate users cascade",
    "alter table operator_actions disable trigger all",
    "alter table ledger_entries disable trigger user",
    "drop trigger operator_actions_keep on operator_actions",
    "drop table operator_approvals",
    "create or replace function operator_actions_keep() returns trigger language plpgsql as 'begin return old; end'",
    "alter function operator_actions_keep() rename to other",
    "create table public.mine (n int)",
    "create schema mine",
    "set session_replication_role = replica",
    "update operator_actions set reason = 'none'",
    "delete from operator_actions",
    "delete from operator_chain",
    "insert into operator_chain (id, sequence, hash) values (2, 0, '0')",
    ...keptChanges,
    "delete from operator_approvals",
    "delete from ledger_entries",
    "delete from ledger_entries_default",
    `delete from ledger_entries_${month.replace("-", "_")}`,
    "insert into ledger_entries_default select * from ledger_entries",
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('0', 0)",
    "drop table graphile_worker._private_jobs",
    "create role other",
  ])("cannot %s", async (text) => {
    expect(await codeOf(service, text)).toBe(forbidden);
  });

  test("reads and writes rows, also of the queue", async () => {
    for (const text of [
      "insert into users (id, email, kyc_status, created_at) values ('ada', 'ada@example.org', 'approved', now())",
      "update users set kyc_status = 'approved' where id = 'ada'",
      "delete from users where id = 'ada'",
      "select graphile_worker.add_job('some')",
      "delete from graphile_worker._private_jobs",
      "select * from drizzle.__drizzle_migrations",
      "select * from operator_chain for update",
      "select * from book_days for update",
      `update book_days set "after" = 1, postings = 1, lines = 2, roots = '[]', closed_at = now()`,
      "insert into relay_nonces (relayer, nonce, relay_transaction_id) values ('0x0', 0, 'r') on conflict do nothing",
    ])
      expect([text, await codeOf(service, text)]).toEqual([text, null]);
  });

  test("makes, drops and restores months through functions that take a table of the list and a month", async () => {
    const later = addMonths(month, 3);
    for (const table of tables) {
      expect(await codeOf(service, `select add_month('${table}', '${later}')`)).toBeNull();
      const [bounds] = await owner<{ text: string }[]>`
        select pg_get_expr(relpartbound, oid) as text from pg_class where relname = ${`${table}_${later.replace("-", "_")}`}`;
      expect(bounds?.text).toBe(
        `FOR VALUES FROM ('${boundOf(table, later)}') TO ('${boundOf(table, addMonths(later, 1))}')`,
      );
    }
    for (const [table, at] of [
      ["users", month],
      ["operator_chain", month],
      ["ledger_entries", "2024-13"],
      ["ledger_entries", "2024-01; drop table users"],
      ["ledger_entries_default", month],
    ])
      for (const name of ["add_month", "lock_month", "begin_month"])
        expect(await codeOf(service, `select ${name}('${table}', '${at}')`)).toBe("22023");
    for (const [name, at] of [
      ["drop_month", month],
      ["drop_month", addMonths(month, -2)],
      ["begin_month", month],
      ["end_month", later],
    ] as const)
      expect(await codeOf(service, `select ${name}('ledger_entries', '${at}')`)).toBe("22023");
    for (const name of ["drop_month", "begin_month", "end_month"])
      expect(await codeOf(service, `select ${name}('operator_actions', '2020-01')`)).toBe("22023");
    expect(await codeOf(service, "select begin_month('ledger_entries', '2020-01')")).toBeNull();
    expect(await codeOf(service, "insert into ledger_entries_2020_01 select * from ledger_entries")).toBeNull();
    expect(await codeOf(service, "select end_month('ledger_entries', '2020-01')")).toBeNull();
    expect(await codeOf(service, "insert into ledger_entries_2020_01 select * from ledger_entries")).toBe(forbidden);
    expect(await codeOf(service, "select drop_month('ledger_entries', '2020-01')")).toBeNull();
  });

  test("has its rights again after a second migration, and another role has none of the functions", async () => {
    await owner`grant truncate on checked_blocks to cardkeep_service`;
    expect(await codeOf(service, "truncate checked_blocks")).toBeNull();
    expect(await grantServiceRole(owner, "cardkeep_service")).toBe(true);
    for (const text of filled(["truncate checked_blocks", ...keptChanges]))
      expect([text, await codeOf(service, text)]).toEqual([text, forbidden]);
    const name = `stranger_${crypto.randomUUID().replaceAll("-", "")}`;
    await owner.unsafe(`create role ${name}`);
    for (const text of ["add_month('events', '2030-01')", "drop_month('events', '2020-01')"])
      expect(await codeOf(owner, `set role ${name}; select ${text}`)).toBe(forbidden);
    await owner.unsafe(`reset role; drop role ${name}`);
  });

  test.each([
    [
      "relation",
      `create view pg_temp.pg_class as select 'ledger_entries_2031_01'::name as relname, 'public'::regnamespace::oid as relnamespace
        where pg_temp.take() > 0;
      grant select on pg_temp.pg_class to public;
      select add_month('ledger_entries', '2031-01')`,
      "ledger_entries_2031_01",
    ],
    [
      "type",
      `create domain pg_temp.timestamptz as pg_catalog.timestamptz check (pg_temp.take() > 0);
      select add_month('ledger_entries', '2031-02')`,
      "ledger_entries_2031_02",
    ],
  ])("runs nothing as the owner by a temporary %s", async (_, text, made) => {
    expect(await refusalOf(`${takeTriggers} ${text}`)).toBeNull();
    expect(await owner`select from pg_trigger where tgenabled <> 'O'`).toHaveLength(0);
    expect(await owner`select from pg_class where relname = ${made} and relispartition`).toHaveLength(1);
  });

  describe("deceives no guard", () => {
    let old: postgres.Sql;
    beforeAll(async () => {
      await owner.unsafe(keptAccount);
      old = beginSession();
      await old.unsafe("begin isolation level repeatable read; select from book_days");
      await owner.unsafe(keptRows);
    });
    afterAll(() => old.end());

    test.each(deceptions)("by temporary objects to write %s", async (_, text, rule) => {
      expect(await refusalOf(text)).toBe(rule);
    });

    test.each(oldWrites)("by a snapshot of before to write %s", async (_, text, rule) => {
      await old.unsafe("savepoint whole");
      const refusal = await refusalIn(old, text);
      await old.unsafe("rollback to whole");
      expect(refusal).toBe(rule);
    });

    test.each(forgedActions)("of the action log to write %s", async (_, text) => {
      expect(await refusalOf(text)).toBe("operator_actions_follow");
    });

    test.each(["nonce = 8", "relayer = '0x9'", "id = 'other'"])("of nonces by an update: %s", async (change) => {
      expect(await refusalOf(`update relay_transactions set ${change} where id = 'kept'`)).toBe(
        "relay_transactions_nonce",
      );
    });
  });

  test("is made by no role that may not, and is never the owner itself", async () => {
    expect(await grantServiceRole(service, "cardkeep_service")).toBe(false);
    expect(await grantServiceRole(service, "cardkeep_other")).toBe(false);
  });
});

test("doctor names a role of servers and workers that may change tables, and never its own", async () => {
  const connect = (url: string, part: string) =>
    openDatabase({ url, connectionsMax: 1, statementTimeoutMs: 30_000, applicationName: nameProcess(part, 1) });
  const [own, server, worker] = [
    connect(database.url, "cli"),
    connect(database.serviceUrl, "server"),
    connect(database.url, "worker"),
  ];
  const nameOf = (url: string) => new URL(url).username;
  expect(await checkDatabaseRole(own)).toMatchObject({ severity: "ok", text: "No server or worker is connected" });
  await server.db.execute("select 1");
  const text = `Servers and workers own nothing: ${nameOf(database.serviceUrl)}`;
  expect(await checkDatabaseRole(own)).toMatchObject({ severity: "ok", text });
  await worker.db.execute("select 1");
  const able = expect.stringContaining(`${nameOf(database.url)} may change tables`);
  expect(await checkDatabaseRole(server)).toMatchObject({ severity: "warning", text: able });
  await Promise.all([own, server, worker].map((each) => each.close()));
});

test("the owner cannot truncate what has to stay either", async () => {
  for (const table of ["ledger_entries", "operator_actions", "operator_approvals", "operator_chain"])
    expect([table, await codeOf(owner, `truncate ${table}`)]).toEqual([table, "23514"]);
});

test("each function names the session's temporary objects last in its search path, or every relation and type with its schema", async () => {
  const namesIn = async (sql: postgres.Sql) =>
    (await sql.unsafe<{ name: string }[]>(deceivable)).map(({ name }) => name);
  expect(await namesIn(owner)).toEqual([]);
  const session = await owner.reserve();
  await session.unsafe(`begin;
    create function a() returns void language plpgsql security definer set search_path = pg_catalog as $$ begin end $$;
    create function b() returns bigint language sql as $$ select count(*) from book_days $$;
    create function c(given text) returns int language plpgsql as $$ begin return given::int4; end $$;
    create function d() returns void language plpgsql as $$ begin execute 'select from public.book_days'; end $$;
    create function qualified() returns bigint language sql as $$ select count(*) from public.book_days where 'users' <> '' $$;
    create function fixed() returns bigint language sql set search_path = public, pg_temp as $$ select count(*) from book_days $$`);
  const found = await namesIn(session);
  await session`rollback`;
  session.release();
  expect(found).toEqual(["a()", "b()", "c(text)", "d()"]);
});
