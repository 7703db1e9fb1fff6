import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { archiveMonths } from "@cardkeep/db/archives/archiveMonths";
import { hasOpenRows } from "@cardkeep/db/archives/families";
import { listUnmadeStatements } from "@cardkeep/db/archives/listUnmadeStatements";
import { ArchiveError } from "@cardkeep/db/archives/manifest";
import { restoreArchive } from "@cardkeep/db/archives/restoreArchive";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { createPartitions, listMonths } from "@cardkeep/db/partitions";
import { findPayment, findPaymentByThread, findThreadPayment } from "@cardkeep/db/queries/spending/payments";
import { findTransfer, listTransfers } from "@cardkeep/db/queries/spending/transfers";
import { sql } from "drizzle-orm";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { citusVariable } from "../support/citus.ts";
import { filled } from "../support/filled.ts";
import { until } from "../support/poll.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const now = new Date("2026-06-15T00:00:00Z");
const january = Date.parse("2024-01-10T00:00:00Z");
const february = Date.parse("2024-02-10T00:00:00Z");
const tables = [
  "card_payments",
  "card_clearings",
  "card_transfers",
  "ledger_entries",
  "relay_transactions",
  "relay_attempts",
];

let testDatabase: TestDatabase;
let database: Database;
let folder: string;
const ids = { january: "", february: "" };

/** A payment with all its rows, and its chain transaction, moved on as the guards allow it. */
async function insertPayment(name: string, ms: number, status: string): Promise<string> {
  const client = postgres(testDatabase.url, { max: 1 });
  const [id, relay, at] = [Bun.randomUUIDv7("hex", ms), Bun.randomUUIDv7("hex", ms), new Date(ms)];
  try {
    await client`insert into card_threads (thread_id, payment_id, user_id) values (${name}, ${id}, 'ada')`;
    await client`insert into card_payments (id, thread_id, user_id, safe_id, card_id, status, authorized_cents, reversed_cents,
        captured_cents, refunded_cents, billing_currency, merchant_minor, merchant_currency, merchant_name, mcc,
        transaction_type, target, owed, set_off, excess_cents, version, request_id, created_at, updated_at)
      values (${id}, ${name}, 'ada', 'safe', 'card', 'REQUESTED', 100, 0, 100, 0, 'EUR', 100, 'EUR', ${'Caf\u00e9\t"Zur\\n\n'}, '5812', '00',
        ${(10n ** 77n).toString()}, 0, 0, 0, 1, 'r', ${at}, ${at})`;
    await client`insert into card_clearings (id, payment_id, user_id, kind, amount_cents, merchant_minor, posted_at, created_at)
      values (${`tx-${name}`}, ${id}, 'ada', 'refund', 100, 100, ${at}, ${at})`;
    await client`insert into card_transfers (id, sequence, payment_id, ordinal, user_id, safe_id, clearing_id, direction, amount, "to",
        data, salt, is_collection, status, hash, request_id, created_at, updated_at)
      values (${`${id}:0`}, 1, ${id}, 0, 'ada', 'safe', ${`tx-${name}`}, 'return', 1, '0x1', '0x', '0x2', false, 'PLANNED', '0x3',
        'r', ${at}, ${at})`;
    await client`update card_payments set status = ${status} where id = ${id}`;
    await client`update card_transfers set status = 'DONE' where payment_id = ${id}`;
    await client`insert into ledger_entries (id, payment_id, ordinal, user_id, safe_id, safe, settlement, created_at)
      values (${`entry-${name}`}, ${id}, 0, 'ada', 'safe', 1, -1, ${at})`;
    await client`insert into relay_transactions (id, purpose, subject_id, request_id, relayer, nonce, "to", value, data,
        gas_limit, status, created_at, updated_at)
      values (${relay}, 'card.return', ${`${id}:0`}, 'r', '0xr', ${ms}, '0x1', 0, '0x', 1, 'MINED', ${at}, ${at})`;
    await client`insert into relay_attempts (hash, relay_transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas,
        is_cancellation, created_at) values ('0x3', ${relay}, '0x', 1, 1, false, ${at})`;
  } finally {
    await client.end();
  }
  return id;
}

const readAll = async () =>
  Object.fromEntries(
    await Promise.all(
      tables.map(async (table) => {
        const rows = await database.db.execute<{ row: string }>(
          sql`select to_jsonb(t)::text as row from ${sql.identifier(table)} t order by 1`,
        );
        return [table, rows.map(({ row }) => row)] as const;
      }),
    ),
  );

const bookSources = ["entries", "clearings", "credits", "disputes"];
/** As if a worker had posted everything to the books of the firm. */
const readBooks = () =>
  database.db.execute(sql`insert into book_cursors (source, reached_at, updated_at)
    select source, now(), now() from json_array_elements_text(${JSON.stringify(bookSources)}::json) source on conflict do nothing`);

const archive = (more: { statementZone?: string } = {}) =>
  archiveMonths(testDatabase.serviceUrl, { months: 24, folder, now, ...more });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const connection = { url: testDatabase.url, connectionsMax: 4, statementTimeoutMs: 60_000 };
  database = openDatabase({ ...connection, applicationName: "test" });
  await createPartitions(database.db, new Date(january));
  const client = postgres(testDatabase.url, { max: 1 });
  await client`insert into users (id, email, kyc_status, created_at) values ('ada', 'ada@example.org', 'approved', now())`;
  await client`insert into relayers (address, next_nonce) values ('0xr', 0)`;
  await client`insert into safes (id, user_id, salt_nonce, address, delay_address, roles_address, bouncer_address, first_owner,
      set_up_by, creator, spender, token_symbol, daily_limit, cooldown_seconds, expiration_seconds, status, request_id, created_at, updated_at)
    values ('safe', 'ada', 1, '0x1', '0x2', '0x3', '0x4', '0x5', 'operator', '0x6', '0x7', 'EURe', 1, 180, 1800, 'ok', 'r', now(), now())`;
  await client`insert into cards (id, user_id, safe_id, card_token, last_four_digits, virtual, status_code, activated_at, expires_at,
      issuer_status, issuer_synced_status, request_id, created_at, updated_at)
    values ('card', 'ada', 'safe', 'card', '4242', true, '1000', now(), now(), 'active', 'active', 'r', now(), now())`;
  await client.end();
  await readBooks();
  ids.january = await insertPayment("january", january, "CLEARED");
  ids.february = await insertPayment("february", february, "AUTHORIZED");
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-archives-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

describe("an archived month", () => {
  test("is read back row for row; a month with an open payment stays", async () => {
    const before = await readAll();
    const outcomes = await archive();
    expect(outcomes.filter(({ rows, reason }) => rows > 0 || reason !== null)).toEqual([
      { family: "payments", month: "2024-01", rows: 4, folder: join(folder, "payments-2024-01"), reason: null },
      { family: "payments", month: "2024-02", rows: 0, folder: null, reason: "some of its rows are not final" },
      { family: "relay", month: "2024-01", rows: 2, folder: join(folder, "relay-2024-01"), reason: null },
      { family: "relay", month: "2024-02", rows: 2, folder: join(folder, "relay-2024-02"), reason: null },
    ]);
    const { db } = database;
    expect(await listMonths(db, "card_payments")).not.toContain("2024-01");
    expect(Object.values(await readAll()).map((rows) => rows.length)).toEqual([1, 1, 1, 1, 0, 0]);
    for (const { folder: written } of outcomes)
      if (written !== null) await restoreArchive(testDatabase.serviceUrl, written);
    expect(await readAll()).toEqual(before);
    expect(await findTransfer(db, `${ids.january}:0`)).toMatchObject({ status: "DONE" });
    const [row] = await db.execute<{ count: number }>(sql`
      select count(*)::int as count from pg_constraint
      where contype = 'f' and conrelid in ('ledger_entries_2024_01'::regclass, 'card_transfers_2024_01'::regclass)`);
    // A node of Citus cannot check references to tables of the coordinator.
    expect(row?.count).toBe(process.env[citusVariable] === undefined ? 5 : 3);
  });

  test("is moved by one run at a time: another one says so, and waits for no end", async () => {
    const first = postgres(testDatabase.url, { max: 1 });
    await first`select pg_advisory_lock(hashtextextended('cardkeep:archives', 0))`;
    const busy = "Another run archives or restores months";
    await expect(archive()).rejects.toThrow(busy);
    await first.end();
    const [january] = (await archive()).filter(({ folder: written }) => written !== null);
    const second = postgres(testDatabase.url, { max: 1 });
    await second`select pg_advisory_lock(hashtextextended('cardkeep:archives', 0))`;
    await expect(restoreArchive(testDatabase.serviceUrl, january?.folder ?? "")).rejects.toThrow(busy);
    await second.end();
    for (const name of await readdir(folder)) await restoreArchive(testDatabase.serviceUrl, join(folder, name));
  });

  test("holds no payment that may still be reported as fraud, however few months are named", async () => {
    const archiveAt = async (at: string) =>
      (await archiveMonths(testDatabase.serviceUrl, { months: 2, folder, now: new Date(at) })).filter(
        ({ month }) => month === "2024-01",
      );
    const reason = "payments stay for 14 months: fraud may be reported for 13";
    expect(await archiveAt("2025-03-31T23:59:59Z")).toMatchObject([
      { family: "payments", rows: 0, folder: null, reason },
      { family: "relay", rows: 2, reason: null },
    ]);
    const owner = postgres(testDatabase.url, { max: 1 });
    await owner`insert into card_clearings (id, payment_id, user_id, kind, amount_cents, merchant_minor, posted_at, created_at)
      values ('tx-late', ${ids.january}, 'ada', 'capture', 100, 100, now() - interval '12 months', ${new Date(january)})`;
    expect(await archiveAt("2025-04-01T00:00:00Z")).toMatchObject([{ reason: "some of its rows are not final" }]);
    await owner`set session_replication_role = replica`;
    await owner`delete from card_clearings where id = 'tx-late'`;
    await owner.end();
    expect(await archiveAt("2025-04-01T00:00:00Z")).toMatchObject([{ rows: 4, reason: null }]);
    for (const name of await readdir(folder)) await restoreArchive(testDatabase.serviceUrl, join(folder, name));
  });

  test("stays while a source of the books of the firm reads history, stopped, or was never read", async () => {
    const { db } = database;
    const isOpen = () => hasOpenRows(db, "payments", "2024-01");
    expect(await isOpen()).toBe(false);
    for (const source of filled(bookSources)) {
      // Its last run was two days ago too.
      await db.execute(sql`update book_cursors set reached_at = now() - interval '2 days', updated_at = now() - interval '2 days'
        where source = ${source}`);
      expect([source, await isOpen()]).toEqual([source, true]);
      await db.execute(sql`delete from book_cursors where source = ${source}`);
      expect([source, await isOpen()]).toEqual([source, true]);
      await readBooks();
    }
    await db.execute(sql`delete from book_cursors where source = 'disputes'`);
    const outcomes = await archive();
    await readBooks();
    for (const name of await readdir(folder)) await restoreArchive(testDatabase.serviceUrl, join(folder, name));
    expect(outcomes.find(({ family, month }) => family === "payments" && month === "2024-01")).toMatchObject({
      rows: 0,
      reason: "some of its rows are not final",
    });
  });

  test("leaves once the statements that its payments count in are made: they name what moved the money", async () => {
    const statementZone = "Europe/Berlin";
    const ofJanuary = async () =>
      (await archive({ statementZone })).find(({ family, month }) => family === "payments" && month === "2024-01");
    expect(await ofJanuary()).toMatchObject({ folder: null, reason: "statements that it counts in are not made" });
    const month = { month: "2024-01", zone: statementZone, limit: 10 } as const;
    expect(await listUnmadeStatements(database.db, month)).toEqual([{ userId: "ada", month: "2024-01" }]);
    await database.db.execute(
      sql`insert into statements (user_id, month, document, digest, created_at) values ('ada', '2024-01', '{}', '0', now())`,
    );
    expect(await ofJanuary()).toMatchObject({ rows: 4, reason: null });
    for (const name of await readdir(folder)) await restoreArchive(testDatabase.serviceUrl, join(folder, name));
  });

  test("is not found by lists any more, and its thread stays claimed", async () => {
    const { db } = database;
    await archive();
    const key = { id: ids.january, userId: "ada" };
    expect(await findPayment(db, key)).toBeNull();
    expect(await listTransfers(db, "ada", [ids.january])).toEqual([]);
    expect(await findPaymentByThread(db, "january")).toBeNull();
    expect(await findThreadPayment(db, "january")).toEqual(key);
    for (const name of await readdir(folder)) await restoreArchive(testDatabase.serviceUrl, join(folder, name));
    expect(await findPaymentByThread(db, "january")).toMatchObject(key);
  });

  test("is refused where a file was changed, or is in the database already", async () => {
    await archive();
    const written = join(folder, "payments-2024-01");
    const file = join(written, "ledger_entries.copy.gz");
    const bytes = await readFile(file);
    await writeFile(file, bytes.with(bytes.length - 5, (bytes.at(-5) ?? 0) ^ 1));
    const before = await readAll();
    await expect(restoreArchive(testDatabase.serviceUrl, written)).rejects.toThrow(ArchiveError);
    expect(await readAll()).toEqual(before);
    await writeFile(file, bytes);
    for (const name of await readdir(folder)) await restoreArchive(testDatabase.serviceUrl, join(folder, name));
    await expect(restoreArchive(testDatabase.serviceUrl, written)).rejects.toThrow(
      "2024-01 of card_payments is in the database",
    );
    await expect(restoreArchive(testDatabase.serviceUrl, folder)).rejects.toThrow("holds no archive");
  });
});

describe("uses of cards beside it", () => {
  /** Locks a table as its user may for long, and runs `act` meanwhile. */
  async function whileLocked(
    lock: string,
    act: (other: postgres.Sql, holder: postgres.Sql) => Promise<void>,
  ): Promise<void> {
    const [holder, other] = [postgres(testDatabase.url, { max: 1 }), postgres(testDatabase.url, { max: 1 })];
    try {
      await holder.unsafe(`begin; ${lock}`);
      await other`set statement_timeout = '20s'`;
      await act(other, holder);
    } finally {
      await Promise.all([holder.end(), other.end()]);
    }
  }
  const untilWaiting = (other: postgres.Sql) =>
    until(async () => (await other`select from pg_locks where not granted and relation is not null`).length > 0);
  const restoreAll = async () => {
    for (const name of await readdir(folder)) await restoreArchive(testDatabase.serviceUrl, join(folder, name));
  };

  test("wait for no row that is read back: the tables are attached last", async () => {
    const before = await readAll();
    await archive();
    let restoring: Promise<void> | null = null;
    await whileLocked("lock table ledger_entries in access exclusive mode", async (other) => {
      restoring = restoreAll();
      await untilWaiting(other);
      expect(await other`select 1 from card_payments where user_id = 'ada'`).toHaveLength(1);
      await other`update card_payments set updated_at = now() where user_id = 'ada' and status = 'AUTHORIZED'`;
    });
    await restoring;
    expect((await readAll())["ledger_entries"]).toEqual(before["ledger_entries"]);
  });

  test("wait two seconds at most for tables that cannot be attached yet", async () => {
    const before = await readAll();
    await archive();
    let restoring: Promise<void> | null = null;
    await whileLocked("select from card_payments_default", async (other) => {
      restoring = restoreAll();
      await untilWaiting(other);
      expect(await other`select 1 from card_payments where user_id = 'ada'`).toHaveLength(1);
    });
    await restoring;
    expect(await readAll()).toEqual(before);
  });

  test("end no deadlock with tables that are attached: those are given up first, and attached later", async () => {
    const before = await readAll();
    await archive();
    let restoring: Promise<void> | null = null;
    await whileLocked("select from card_clearings_default", async (other, holder) => {
      restoring = restoreAll();
      await untilWaiting(other);
      await holder`select from card_payments_default`;
    });
    await restoring;
    expect(await readAll()).toEqual(before);
  });

  /**
   * One holder is waited for while another one asks for what is locked by then. The first makes way, so that the other is to be
   * waited for. Returns the number of rows that it read.
   */
  async function whileBothHold(
    [first, second]: readonly [string, string],
    run: () => Promise<unknown>,
    ask: string,
  ): Promise<number> {
    let running: Promise<unknown> | null = null;
    let rows = 0;
    const holding = whileLocked(first, (other, holder) =>
      whileLocked(second, async (_, late) => {
        running = run();
        await untilWaiting(other);
        const [session] = await late<{ pid: number }[]>`select pg_backend_pid() as pid`;
        let isAnswered = false;
        const asked = late.unsafe(ask).then((found) => {
          isAnswered = true;
          return found.length;
        });
        // Longer than half of the time after which Postgres looks for a deadlock, and shorter than the whole.
        const isLong = () => other`select from pg_locks where pid = ${session?.pid ?? 0} and not granted
          and clock_timestamp() - waitstart > interval '500 ms'`;
        await until(async () => isAnswered || (await isLong()).length > 0);
        await holder`commit`;
        rows = await asked;
      }),
    );
    await holding.finally(() => running);
    return rows;
  }

  test("are not ended by a month that is read back, also where two of them hold tables in turn", async () => {
    const before = await readAll();
    await archive();
    const holders = ["select from card_clearings_default", "select from card_decisions_default"] as const;
    expect(await whileBothHold(holders, restoreAll, "select from card_payments_default")).toBe(0);
    expect(await readAll()).toEqual(before);
  });

  test.each([
    ["in its order", "card_transfers", "card_payments", "ledger_entries"],
    ["against its order", "card_clearings", "card_decisions", "card_payments"],
  ])("are not ended by a month that leaves, where two of them hold tables %s", async (_, first, second, asked) => {
    const before = await readAll();
    const holders = [`select from ${first}`, `select from ${second}`] as const;
    expect(await whileBothHold(holders, archive, `select from ${asked}`)).toBe(2);
    expect((await readAll())["ledger_entries"]).toHaveLength(1);
    await restoreAll();
    expect(await readAll()).toEqual(before);
  });

  test("do not wait while months that stay are read: a month that leaves reads none of them", async () => {
    await archive();
    await restoreAll();
    const client = postgres(testDatabase.serviceUrl, { max: 1 });
    try {
      await client`begin`;
      for (const table of ["ledger_entries", "card_transfers", "card_decisions", "card_clearings", "card_payments"])
        await client`select drop_month(${table}, '2024-01')`;
      const [row] = await client<{ reads: string }[]>`
        select coalesce(sum(pg_stat_get_xact_numscans(c.oid)), 0)::text as reads from pg_class c
        left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
        where coalesce(t.relname, c.relname) in ('card_transfers_2024_02', 'card_clearings_2024_02', 'ledger_entries_2024_02')`;
      expect(row?.reads).toBe("0");
    } finally {
      await client`rollback`;
      await client.end();
    }
  });
});

test("a month that is read back holds nothing that the erasure of a person blanked", async () => {
  await archive();
  await database.db.execute(sql`update users set erased_at = now() where id = 'ada'`);
  try {
    for (const name of await readdir(folder)) await restoreArchive(testDatabase.serviceUrl, join(folder, name));
    const rows = await database.db.execute(sql`
      select merchant_name, merchant_city, merchant_network_id from card_payments where id = ${ids.january}`);
    expect(rows[0]).toEqual({ merchant_name: null, merchant_city: null, merchant_network_id: null });
  } finally {
    await database.db.execute(sql`update users set erased_at = null where id = 'ada'`);
  }
});

test("a run that died after it wrote the files is done again: the same files, and every row once", async () => {
  const before = await readAll();
  await archive();
  const list = () =>
    Promise.all(
      Array.from(new Bun.Glob("**/*.gz").scanSync(folder))
        .toSorted()
        .map((file) => readFile(join(folder, file))),
    );
  const files = await list();
  for (const name of await readdir(folder)) await restoreArchive(testDatabase.serviceUrl, join(folder, name));
  expect((await archive()).filter(({ rows }) => rows > 0)).toHaveLength(3);
  expect(await list()).toEqual(files);
  expect((await readdir(folder)).filter((name) => name.endsWith(".partial"))).toEqual([]);
  for (const name of await readdir(folder)) await restoreArchive(testDatabase.serviceUrl, join(folder, name));
  expect(await readAll()).toEqual(before);
});
