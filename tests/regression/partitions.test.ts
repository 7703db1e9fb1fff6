import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Database, openDatabase } from "@cardkeep/db/client";
import {
  addMonths,
  boundOf,
  createPartitions,
  listMonths,
  listNeededMonths,
  type PartitionedTable,
  partitionedTables,
  readPartitionState,
} from "@cardkeep/db/partitions";
import { findPayment } from "@cardkeep/db/queries/spending/payments";
import { findTransfer } from "@cardkeep/db/queries/spending/transfers";
import { findRelayTransaction, insertRelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import { openRelayStatuses } from "@cardkeep/db/schema/chain/relayers";
import { relayers } from "@cardkeep/db/schema/tables";
import { generateId } from "@cardkeep/domain/core/generateId";
import { sql } from "drizzle-orm";
import { explainQuestions } from "../bench/plans.ts";
import { citusVariable } from "../support/citus.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

/** A node cannot check references to tables of the coordinator. */
const isDistributed = process.env[citusVariable] !== undefined;
const names = Object.keys(partitionedTables) as PartitionedTable[];
const now = new Date();

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const connection = { url: testDatabase.url, connectionsMax: 4, statementTimeoutMs: 60_000 };
  database = openDatabase({ ...connection, applicationName: "test" });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const refusal = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: Error) => String(error.cause),
  );

describe("a migrated database", () => {
  test("has every partitioned table, by the key that the program looks rows up by", async () => {
    const rows = await database.db.execute<{ name: PartitionedTable; key: string }>(sql`
      select partrelid::regclass::text as name, attname as key from pg_partitioned_table
        join pg_attribute on attrelid = partrelid and attnum = partattrs[0] where partstrat = 'r' order by 1`);
    expect(Object.fromEntries(rows.map(({ name, key }) => [name, key]))).toEqual(
      Object.fromEntries(names.map((name) => [name, partitionedTables[name].key])),
    );
  });

  test("spreads the claims that stay for ever by their hash, and takes each once", async () => {
    const { db } = database;
    const parts = await db.execute(sql`
      select inhparent::regclass::text as name, count(*)::int from pg_inherits join pg_partitioned_table on partrelid = inhparent
        where partstrat = 'h' group by 1 order by 1`);
    expect([...parts]).toEqual([
      { name: "card_threads", count: 8 },
      { name: "relay_nonces", count: 8 },
    ]);
    const claim = (issuer: string) =>
      refusal(
        db.execute(
          sql`insert into card_threads (thread_id, issuer, payment_id, user_id) values ('one', ${issuer}, 'p', 'ada')`,
        ),
      );
    const claims = [await claim("stripe"), await claim("stripe"), await claim("another")];
    expect(claims).toEqual([null, expect.stringContaining("duplicate key"), null]);
  });

  test("has the partitions of this month and the next, and nothing to report", async () => {
    for (const name of names) expect(await listMonths(database.db, name)).toEqual(listNeededMonths(now));
    expect(await readPartitionState(database.db, now)).toEqual({ missing: [], inDefault: [] });
  });

  test("keeps open relays of the statuses that the program calls open", async () => {
    const [row] = await database.db.execute<{ source: string }>(
      sql`select prosrc as source from pg_proc where proname = 'relay_transactions_claim'`,
    );
    expect(row?.source).toContain(`new.status in (${openRelayStatuses.map((status) => `'${status}'`).join(", ")})`);
  });
});

// Plans of distributed tables name shards.
test.skipIf(isDistributed).each(["force_custom_plan", "force_generic_plan"] as const)(
  "a lookup by id reads one partition: %s",
  async (mode) => {
    const id = generateId();
    const lines = await explainQuestions(
      testDatabase.url,
      {
        payment: ({ db }) => findPayment(db, { id, userId: "ada" }),
        transfer: ({ db }) => findTransfer(db, `${id}:0`),
        relayTransaction: ({ db }) => findRelayTransaction(db, id),
      },
      mode,
    );
    const month = listNeededMonths(now)[0]?.replace("-", "_") ?? "";
    expect(lines.map(({ line }) => line.match(/[a-z_]+_(\d{4}_\d{2}|default)/g))).toEqual([
      [expect.stringContaining(`card_payments_${month}`)],
      [expect.stringContaining(`card_transfers_${month}`)],
      [expect.stringContaining(`relay_transactions_${month}`)],
    ]);
  },
);

test("ids of a month are within its bounds, those of its neighbours are not", () => {
  for (const month of ["2026-11", "2026-12", "2027-01", "2099-12"] as const) {
    const [from, to] = [boundOf("card_payments", month), boundOf("card_payments", addMonths(month, 1))];
    const startOf = (start: string) => Date.parse(`${start}-01T00:00:00Z`);
    const [first, last] = [startOf(month), startOf(addMonths(month, 1))];
    const isWithin = (ms: number) => {
      const id = Bun.randomUUIDv7("hex", ms);
      return id >= from && id < to;
    };
    expect([isWithin(first - 1), isWithin(first), isWithin(last - 1), isWithin(last)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  }
});

describe("the chore of workers", () => {
  const later = new Date("2031-12-15T00:00:00Z");

  test("adds the next months once, also when workers run it side by side", async () => {
    const { db } = database;
    expect((await readPartitionState(db, later)).missing).toContain("card_payments_2032_01");
    const blocked = await Promise.all([createPartitions(db, later), createPartitions(db, later)]);
    expect(blocked.flat()).toEqual([]);
    expect((await readPartitionState(db, later)).missing).toEqual([]);
    const [row] = await db.execute<{ references: number; triggers: number; indexes: number }>(sql`
      select (select count(*)::int from pg_constraint where conrelid = 'card_transfers_2032_01'::regclass and contype = 'f') as references,
        (select count(*)::int from pg_trigger where tgrelid = 'card_transfers_2032_01'::regclass and tgname = 'card_transfers_status_guard') as triggers,
        (select count(*)::int from pg_index where indrelid = 'card_transfers_2032_01'::regclass) as indexes`);
    expect(row).toEqual({ references: isDistributed ? 2 : 3, triggers: 1, indexes: 6 });
  });

  test("leaves out a month whose rows came before its partition, and the doctor names the table", async () => {
    const { db } = database;
    const late = new Date("2040-05-02T00:00:00Z");
    const id = Bun.randomUUIDv7("hex", late.getTime());
    const event = { id, user_id: "ada", request_id: "r", event_type: "x" };
    await db.execute(sql`
      insert into events (id, user_id, request_id, event_type, data, is_pending, created_at)
      values (${event.id}, ${event.user_id}, ${event.request_id}, ${event.event_type}, '{}', false, now())`);
    expect(await createPartitions(db, late)).toEqual(["events_2040_05"]);
    expect(await listMonths(db, "events")).toContain("2040-06");
    expect(await readPartitionState(db, late)).toEqual({ missing: ["events_2040_05"], inDefault: ["events"] });
    expect((await db.execute(sql`select 1 from events where id = ${id}`)).length).toBe(1);
  });
});

describe("what is unique over all months", () => {
  const relayer = "0x00000000000000000000000000000000000000aa" as const;
  const insert = (input: { ms: number; nonce: bigint; subjectId: string }) =>
    database.db.transaction((tx) => {
      const { ms, nonce, subjectId } = input;
      const call = { to: relayer, value: 0n, data: "0x" as const, gasLimit: 1n };
      const stamps = { requestId: "r", createdAt: now, updatedAt: now };
      const id = Bun.randomUUIDv7("hex", ms);
      const row = {
        id,
        purpose: "delay.enqueue",
        subjectId,
        relayer,
        nonce,
        status: "SIGNED",
        ...call,
        ...stamps,
      } as const;
      return insertRelayTransaction(tx, row, []);
    });
  const [thisMonth, lastYear] = [now.getTime(), now.getTime() - 365 * 86_400_000];
  beforeAll(async () => {
    await database.db.insert(relayers).values({ address: relayer, nextNonce: 0n });
  });

  test("is a nonce of a relayer, whichever transactions try to take it at once", async () => {
    const tries = [thisMonth, lastYear, thisMonth, lastYear].map((ms, index) =>
      refusal(insert({ ms, nonce: 7n, subjectId: `subject-${index}` })),
    );
    const refused = (await Promise.all(tries)).filter((text) => text !== null);
    expect(refused).toHaveLength(3);
    for (const text of refused) expect(text).toContain("nonce 7 of");
  });

  test("is the open transaction of a subject, until it is settled", async () => {
    const { db } = database;
    const subjectId = "withdrawal";
    const tries = [thisMonth, lastYear].map((ms, index) =>
      refusal(insert({ ms, nonce: BigInt(10 + index), subjectId })),
    );
    const refused = (await Promise.all(tries)).filter((text) => text !== null);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toContain("relay_transactions_one_open");
    await db.execute(sql`update relay_transactions set status = 'REVERTED' where subject_id = ${subjectId}`);
    expect(await refusal(insert({ ms: lastYear, nonce: 20n, subjectId }))).toBeNull();
    expect(
      await refusal(
        db.execute(
          sql`update relay_transactions set status = 'SIGNED' where subject_id = ${subjectId} and status = 'REVERTED'`,
        ),
      ),
    ).toContain("relay_transactions_one_open");
  });
});
