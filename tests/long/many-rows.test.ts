/** Queries that take more rows than a statement takes parameters: strangers and partners decide how many there are. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { insertCheckedEntries, listSafesByDelay } from "@cardkeep/db/queries/accounts/integrity";
import { insertMovements } from "@cardkeep/db/queries/accounts/movements";
import { listQueuing } from "@cardkeep/db/queries/accounts/delays/queue";
import { listDelayModules, selectReceivedSafes } from "@cardkeep/db/queries/accounts/safes";
import { readKnownThreads } from "@cardkeep/db/queries/spending/knownThreads";
import { fanOutEvents, fanOutEventsOf, fanOutPastEvents } from "@cardkeep/db/queries/partners/deliveries/fanOut";
import { insertForeignEntries } from "@cardkeep/db/queries/chain/comparison";
import { reopenFailedDeliveries, restartRetries } from "@cardkeep/db/queries/partners/deliveries/log";
import { insertPartner } from "@cardkeep/db/queries/partners/partners";
import { upsertSubscription } from "@cardkeep/db/queries/partners/subscriptions";
import { enqueueAll } from "@cardkeep/db/queue/enqueue";
import { deliveries, foreignEntries, movements, queueEntries } from "@cardkeep/db/schema/tables";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { numberToHex } from "viem";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const parametersMax = 65_534;
const threadCount = 70_000;
/** What the ids of payments begin with, each followed by the number of its thread. */
const payments = "019b76da-a800-7000-8000-00000";
const at = new Date("2026-01-01T00:00:00Z");
const numbers = (count: number) => Array.from({ length: count }, (_, index) => BigInt(index));
const addresses = numbers(parametersMax + 1).map((number) => numberToHex(number, { size: 20 }));

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const connection = { url: testDatabase.serviceUrl, connectionsMax: 2, statementTimeoutMs: 60_000 };
  database = openDatabase({ ...connection, applicationName: "test" });
  const owner = postgres(testDatabase.url, { max: 1, onnotice: () => {} });
  await owner`insert into users (id, email, kyc_status, created_at) values ('ada', 'ada@example.org', 'approved', now())`;
  await owner`insert into safes (id, user_id, salt_nonce, address, delay_address, roles_address, bouncer_address, first_owner,
      set_up_by, creator, spender, token_symbol, daily_limit, cooldown_seconds, expiration_seconds, status, request_id, created_at, updated_at)
    values ('safe', 'ada', 1, '0x1', ${addresses[7] ?? ""}, '0x3', '0x4', '0x5', 'operator', '0x6', '0x7', 'EURe', 1, 180, 1800, 'ok', 'r', now(), now())`;
  await owner`insert into cards (id, user_id, safe_id, card_token, last_four_digits, virtual, status_code, activated_at, expires_at,
      issuer_status, issuer_synced_status, request_id, created_at, updated_at)
    values ('card', 'ada', 'safe', 'card', '4242', true, '1000', now(), now(), 'active', 'active', 'r', now(), now())`;
  await owner`insert into card_threads (thread_id, payment_id, user_id)
    select 'thread-' || n, ${payments} || n, 'ada' from generate_series(1000000, ${1_000_000 + threadCount - 1}) n`;
  await owner.end();
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

test("more movements than parameters are inserted, each once", async () => {
  const row = { safeId: "safe", blockNumber: 1n, token: "0x1", amount: 1n, party: "0x2", hash: "0x3" } as const;
  const rows = numbers(7_000).map((number) => ({
    ...row,
    logIndex: Number(number),
    at,
    statedAt: at,
    createdAt: at,
  }));
  for (let times = 0; times < 2; times++) await database.db.transaction((tx) => insertMovements(tx, rows));
  expect(await database.db.$count(movements)).toBe(7_000);
});

test("more foreign entries than parameters are inserted, and only the new ones answered", async () => {
  const row = { delayAddress: "0x1", to: "0x2", value: 0n, data: "0x", enqueuedHash: "0x3" } as const;
  const rows = numbers(8_200).map((queueNonce) => ({ ...row, queueNonce, enqueuedBlock: 1n, seenAt: at }));
  const insert = (count: number) => database.db.transaction((tx) => insertForeignEntries(tx, rows.slice(0, count)));
  expect(await insert(3)).toHaveLength(3);
  expect(await insert(8_200)).toHaveLength(8_197);
  expect(await database.db.$count(foreignEntries)).toBe(8_200);
});

test("more checked entries than parameters are inserted, violations among them", async () => {
  const rows = numbers(16_400).map((queueNonce) => {
    const kind = queueNonce % 2n === 0n ? null : ("token" as const);
    return { delayAddress: "0x1", queueNonce, kind, blockNumber: 1n } as const;
  });
  await database.db.transaction((tx) => insertCheckedEntries(tx, rows));
  expect(await database.db.$count(queueEntries)).toBe(16_400);
});

test("Safes are found among more addresses than parameters", async () => {
  const { db } = database;
  expect((await listSafesByDelay(db, addresses)).map(({ id }) => id)).toEqual(["safe"]);
  expect(await listDelayModules(db, addresses)).toEqual(addresses.slice(7, 8));
  expect(await listQueuing(db, addresses)).toEqual([]);
  expect([...(await db.execute(selectReceivedSafes({ addresses })))]).toEqual([]);
  expect([...(await db.execute(selectReceivedSafes({ ids: addresses })))]).toEqual([]);
});

test("what is known of more threads than parameters is read, with clearings and declines", async () => {
  const { db } = database;
  const numbersOf = numbers(threadCount).map((number) => 1_000_000n + number);
  const [cleared, declined] = [numbersOf[0], numbersOf.at(-1)].map((number) => `${payments}${number}`) as [
    string,
    string,
  ];
  await addPayment(cleared, "AUTHORIZED");
  await addPayment(declined, "DECLINED");
  await db.execute(sql`
    insert into card_clearings (id, payment_id, user_id, kind, amount_cents, merchant_minor, posted_at, created_at)
    values ('clearing', ${cleared}, 'ada', 'capture', 1, 1, now(), now())`);
  const asked = numbersOf.map((number) => ({ threadId: `thread-${number}`, clearingId: "clearing", isHeld: true }));
  const known = await readKnownThreads(db, asked);
  expect(known.payments.size).toBe(threadCount);
  expect(known.clearings).toEqual(new Map([[cleared, new Set(["clearing"])]]));
  expect(known.declined).toEqual(new Set([declined]));
});

async function addPayment(id: string, status: string): Promise<void> {
  const result = status === "DECLINED" ? "Other" : null;
  await database.db.execute(sql`
    insert into card_payments (id, thread_id, user_id, safe_id, card_id, status, decline_result, authorized_cents, reversed_cents,
      captured_cents, captured_minor, refunded_cents, billing_currency, merchant_minor, merchant_currency, mcc, transaction_type,
      target, owed, set_off, credit, excess_cents, version, request_id, created_at, updated_at)
    values (${id}, ${id}, 'ada', 'safe', 'card', ${status}, ${result}, 1, 0, 0, 0, 0, 'EUR', 1, 'EUR', '5812', '00',
      1, 0, 0, 0, 0, 1, 'r', now(), now())`);
}

test("after a failover only subscriptions with events are written: each goes on behind a gap, a new one begins with 1", async () => {
  const { db } = database;
  const partner = { id: "partner", name: "Partner", payload: "full", status: "ACTIVE", createdAt: at } as const;
  await db.transaction((tx) => insertPartner(tx, partner, []));
  await db.execute(sql`insert into users (id, email, kyc_status, created_at)
    select 'user-' || n, 'user-' || n || '@example.org', 'approved', now() from generate_series(1, 3) n`);
  const subscribe = (userId: string) =>
    db.transaction(async (tx) => {
      await fanOutEventsOf(tx, { userId, now: at });
      await upsertSubscription(tx, { id: userId, partnerId: "partner", userId, walletAddress: "0x1", createdAt: at });
    });
  let count = 0;
  /** Hands one event of each person out; answers the sequences of its deliveries, in their order. */
  const handOut = async (...userIds: string[]): Promise<string[]> => {
    for (const userId of userIds)
      await db.execute(sql`insert into events (id, user_id, event_type, data, request_id, is_pending, created_at)
        values (${`event-${++count}`}, ${userId}, 'user.created', '{}', 'r', true, now())`);
    await db.transaction((tx) => fanOutEvents(tx, { now: at, limit: 100 }));
    const rows = await db.execute<{ sequence: string }>(
      sql`select sequence::text from deliveries order by position desc limit ${userIds.length}`,
    );
    return rows.map(({ sequence }) => sequence).toReversed();
  };
  const failOver = () => db.execute(sql`update partners set numbered_by = 'another' where id = 'partner'`);
  const listRows = () => db.execute(sql`select xmin::text, last_sequence::int as last from subscriptions order by id`);

  await subscribe("user-1");
  await subscribe("user-2");
  expect(await handOut("user-1", "user-2")).toEqual(["1", "1"]);
  const [, idle] = await listRows();
  await failOver();
  expect(await handOut("user-1", "user-1")).toEqual(["1000002", "1000003"]);
  await subscribe("user-3");
  expect(await handOut("user-3", "user-1")).toEqual(["1", "1000004"]);
  expect((await listRows())[1]).toEqual(idle);
  await failOver();
  expect(await handOut("user-2", "user-3", "user-2")).toEqual(["2000002", "1000002", "2000003"]);
});

test("of very many past events the newest are handed out, in their order, from sequence 1 on", async () => {
  const { db } = database;
  await db.execute(sql`insert into users (id, email, partner_id, kyc_status, created_at)
    values ('past', 'past@example.org', 'partner', 'approved', now())`);
  await db.execute(sql`insert into events (id, user_id, event_type, data, request_id, is_pending, created_at)
    select 'past-' || n, 'past', 'user.created', '{}', 'r', false, now() from generate_series(1, 5003) n`);
  await db.transaction(async (tx) => {
    await upsertSubscription(tx, {
      id: "past",
      partnerId: "partner",
      userId: "past",
      walletAddress: "0x1",
      createdAt: at,
    });
    await fanOutPastEvents(tx, { subscriptionId: "past", now: at });
  });
  const rows = await db.execute<{ eventId: string; sequence: string }>(sql`
    select event_id as "eventId", sequence::text from deliveries where subscription_id = 'past' order by position`);
  expect(rows).toHaveLength(5_000);
  expect([rows[0], rows.at(-1)]).toEqual([
    { eventId: "past-4", sequence: "1" },
    { eventId: "past-5003", sequence: "5000" },
  ]);
});

test("an endpoint with very many failed deliveries begins anew by statements of 5,000 at most, each delivery once", async () => {
  const owner = postgres(testDatabase.url, { max: 1, onnotice: () => {} });
  await owner.unsafe(`
    update deliveries set status = 'FAILED', attempts = 7, ended_at = now() where subscription_id = 'past';
    insert into deliveries (id, partner_id, subscription_id, event_id, sequence, position, status, attempts, schedule_from, next_attempt_at, created_at, ended_at)
      select id || '-' || n, partner_id, subscription_id, event_id, sequence, position, case when n = 1 then 'FAILED' else 'PENDING' end, 3, 0, now(), now(),
        case when n = 1 then now() end
      from deliveries, generate_series(1, 2) n where subscription_id = 'past';
    create table opened (rows int);
    create function opened() returns trigger language plpgsql security definer as $$ begin
      insert into public.opened select count(*) from changed;
      return null;
    end $$;
    create trigger opened after update on deliveries referencing new table as changed for each statement execute function opened();`);
  await database.db.transaction(async (tx) => {
    await restartRetries(tx, "partner", at);
    await reopenFailedDeliveries(tx, { partnerId: "partner", since: at }, at);
  });
  const opened = await owner<{ rows: number }[]>`select rows from opened`;
  expect(opened.map(({ rows }) => rows)).toEqual([5_000, 5_000, 5_000]);
  const isClosed = sql`subscription_id = 'past' and not (status = 'PENDING' and schedule_from = attempts and ended_at is null)`;
  expect(await database.db.$count(deliveries, isClosed)).toBe(0);
  await owner`drop trigger opened on deliveries`;
  await owner.end();
});

test("jobs of one commit are added by statements of a thousand at most, each once", async () => {
  const owner = postgres(testDatabase.url, { max: 1, onnotice: () => {} });
  await owner.unsafe(`
    create table added_jobs (jobs int);
    create function added_jobs() returns trigger language plpgsql security definer as $$ begin
      insert into public.added_jobs select count(*) from added;
      return null;
    end $$;
    create trigger added_jobs after insert on graphile_worker._private_jobs referencing new table as added
      for each statement execute function added_jobs();`);
  const jobs = numbers(2_500).map((number) => ({ payload: { threadId: `lost-${number}`, requestId: "r" } }));
  await database.db.transaction((tx) => enqueueAll(tx, "card.settle", jobs));
  const added = await owner<{ jobs: number }[]>`select jobs from added_jobs order by jobs`;
  expect(added.map((row) => row.jobs)).toEqual([500, 1_000, 1_000]);
  await owner`drop trigger added_jobs on graphile_worker._private_jobs`;
  await owner.end();
});
