import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { archiveMonths } from "@cardkeep/db/archives/archiveMonths";
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

/** A payment with all its rows, and its chain transaction. Guards are off: the rows are final as they are written. */
async function insertPayment(name: string, ms: number, status: string): Promise<string> {
  const client = postgres(testDatabase.url, { max: 1, connection: { session_replication_role: "replica" } });
  const [id, relay, at] = [Bun.randomUUIDv7("hex", ms), Bun.randomUUIDv7("hex", ms), new Date(ms)];
  try {
    await client`insert into card_threads (thread_id, payment_id, user_id) values (${name}, ${id}, 'ada')`;
    await client`insert into card_payments (id, thread_id, user_id, safe_id, card_id, status, authorized_cents, reversed_cents,
        captured_cents, refunded_cents, billing_currency, merchant_minor, merchant_currency, merchant_name, mcc,
        transaction_type, target, owed, set_off, excess_cents, version, request_id, created_at, updated_at)
      values (${id}, ${name}, 'ada', 'safe', 'card', ${status}, 100, 0, 100, 0, 'EUR', 100, 'EUR', ${'Caf\u00e9\t"Zur\\n\n'}, '5812', '00',
        ${(10n ** 77n).toString()}, 0, 0, 0, 1, 'r', ${at}, ${at})`;
    await client`insert into card_clearings (id, payment_id, user_id, kind, amount_cents, merchant_minor, created_at)
      values (${`tx-${name}`}, ${id}, 'ada', 'refund', 100, 100, ${at})`;
    await client`insert into card_transfers (id, sequence, payment_id, ordinal, user_id, safe_id, clearing_id, direction, amount, "to",
        data, salt, is_collection, status, hash, request_id, created_at, updated_at)
      values (${`${id}:0`}, 1, ${id}, 0, 'ada', 'safe', ${`tx-${name}`}, 'return', 1, '0x1', '0x', '0x2', false, 'DONE', '0x3',
        'r', ${at}, ${at})`;
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

const archive = () => archiveMonths(testDatabase.url, { months: 24, folder, now });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const connection = { url: testDatabase.url, connectionsMax: 4, statementTimeoutMs: 60_000 };
  database = openDatabase({ ...connection, applicationName: "test" });
  await createPartitions(database.db, new Date(january));
  const client = postgres(testDatabase.url, { max: 1 });
  await client`insert into users (id, email, kyc_status, created_at) values ('ada', 'ada@example.org', 'approved', now())`;
  await client`insert into relayers (address, next_nonce) values ('0xr', 0)`;
  await client`insert into safes (id, user_id, salt_nonce, address, delay_address, roles_address, bouncer_address, first_owner,
      set_up_by, token_symbol, daily_limit, cooldown_seconds, expiration_seconds, status, request_id, created_at, updated_at)
    values ('safe', 'ada', 1, '0x1', '0x2', '0x3', '0x4', '0x5', 'operator', 'EURe', 1, 180, 1800, 'ok', 'r', now(), now())`;
  await client`insert into cards (id, user_id, safe_id, card_token, last_four_digits, virtual, status_code, activated_at, expires_at,
      issuer_status, issuer_synced_status, request_id, created_at, updated_at)
    values ('card', 'ada', 'safe', 'card', '4242', true, '1000', now(), now(), 'active', 'active', 'r', now(), now())`;
  await client.end();
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
    for (const { folder: written } of outcomes) if (written !== null) await restoreArchive(testDatabase.url, written);
    expect(await readAll()).toEqual(before);
    expect(await findTransfer(db, `${ids.january}:0`)).toMatchObject({ status: "DONE" });
    const [row] = await db.execute<{ count: number }>(sql`
      select count(*)::int as count from pg_constraint
      where contype = 'f' and conrelid in ('ledger_entries_2024_01'::regclass, 'card_transfers_2024_01'::regclass)`);
    expect(row?.count).toBe(5);
  });

  test("is not found by lists any more, and its thread stays claimed", async () => {
    const { db } = database;
    await archive();
    const key = { id: ids.january, userId: "ada" };
    expect(await findPayment(db, key)).toBeNull();
    expect(await listTransfers(db, "ada", [ids.january])).toEqual([]);
    expect(await findPaymentByThread(db, "january")).toBeNull();
    expect(await findThreadPayment(db, "january")).toEqual(key);
    for (const name of await readdir(folder)) await restoreArchive(testDatabase.url, join(folder, name));
    expect(await findPaymentByThread(db, "january")).toMatchObject(key);
  });

  test("is refused where a file was changed, or is in the database already", async () => {
    await archive();
    const written = join(folder, "payments-2024-01");
    const file = join(written, "ledger_entries.copy.gz");
    const bytes = await readFile(file);
    await writeFile(file, bytes.with(bytes.length - 5, (bytes.at(-5) ?? 0) ^ 1));
    const before = await readAll();
    await expect(restoreArchive(testDatabase.url, written)).rejects.toThrow(ArchiveError);
    expect(await readAll()).toEqual(before);
    await writeFile(file, bytes);
    for (const name of await readdir(folder)) await restoreArchive(testDatabase.url, join(folder, name));
    await expect(restoreArchive(testDatabase.url, written)).rejects.toThrow(
      "2024-01 of card_payments is in the database",
    );
    await expect(restoreArchive(testDatabase.url, folder)).rejects.toThrow("holds no archive");
  });
});

test("a run that died is finished by the next one: after it detached, and after it wrote the files", async () => {
  const { db } = database;
  const before = await readAll();
  await db.execute(sql`alter table relay_attempts detach partition relay_attempts_2024_02`);
  await db.execute(
    sql`alter table relay_attempts_2024_02 drop constraint relay_attempts_relay_transaction_id_relay_transactions_id_fk`,
  );
  await db.execute(sql`alter table relay_transactions detach partition relay_transactions_2024_02`);
  const again = await mkdtemp(join(tmpdir(), "cardkeep-archives-"));
  const [, , , relay] = (await archiveMonths(testDatabase.url, { months: 24, folder: again, now })).filter(
    ({ rows, reason }) => rows > 0 || reason !== null,
  );
  expect(relay).toMatchObject({ family: "relay", month: "2024-02", rows: 2 });
  for (const name of await readdir(again)) await restoreArchive(testDatabase.url, join(again, name));
  expect(await readAll()).toEqual(before);
  // The files are there, and the tables too: the same rows are not written twice.
  expect((await archiveMonths(testDatabase.url, { months: 24, folder: again, now })).length).toBeGreaterThan(0);
  for (const name of await readdir(again)) await restoreArchive(testDatabase.url, join(again, name));
  expect(await readAll()).toEqual(before);
  await rm(again, { recursive: true });
});
