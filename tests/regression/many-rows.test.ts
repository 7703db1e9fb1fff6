/** Queries that take more rows than a statement takes parameters: strangers and partners decide how many there are. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { insertCheckedEntries, listSafesByDelay } from "@cardkeep/db/queries/accounts/integrity";
import { insertMovements } from "@cardkeep/db/queries/accounts/movements";
import { listQueuing } from "@cardkeep/db/queries/accounts/delays/queue";
import { listDelayModules, selectSubscribedSafes } from "@cardkeep/db/queries/accounts/safes";
import { insertForeignEntries } from "@cardkeep/db/queries/chain/comparison";
import { foreignEntries, movements, queueEntries } from "@cardkeep/db/schema/tables";
import postgres from "postgres";
import { numberToHex } from "viem";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const parametersMax = 65_534;
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
  expect([...(await db.execute(selectSubscribedSafes({ addresses })))]).toEqual([]);
  expect([...(await db.execute(selectSubscribedSafes({ ids: addresses })))]).toEqual([]);
});
