/** Rules that the database holds by itself, and lists that follow its order. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { deleteOldBatch, retainedTables } from "@cardkeep/db/queries/core/retention";
import { listDisputes } from "@cardkeep/db/queries/spending/disputes";
import postgres from "postgres";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let testDatabase: TestDatabase;
let owner: postgres.Sql;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const connection = { url: testDatabase.serviceUrl, connectionsMax: 2, statementTimeoutMs: 60_000 };
  database = openDatabase({ ...connection, applicationName: "test" });
  owner = postgres(testDatabase.url, { max: 1, onnotice: () => {} });
  await owner`insert into users (id, email, kyc_status, created_at) values ('ada', 'ada@example.org', 'approved', now())`;
  await owner`insert into safes (id, user_id, salt_nonce, address, delay_address, roles_address, bouncer_address, first_owner,
      set_up_by, creator, spender, token_symbol, daily_limit, cooldown_seconds, expiration_seconds, status, request_id, created_at, updated_at)
    values ('safe', 'ada', 1, '0x1', '0x2', '0x3', '0x4', '0x5', 'operator', '0x6', '0x7', 'EURe', 1, 180, 1800, 'ok', 'r', now(), now())`;
  await owner`insert into cards (id, user_id, safe_id, card_token, last_four_digits, virtual, status_code, activated_at, expires_at,
      issuer_status, issuer_synced_status, request_id, created_at, updated_at)
    values ('card', 'ada', 'safe', 'card', '4242', true, '1000', now(), now(), 'active', 'active', 'r', now(), now())`;
});
afterAll(async () => {
  await Promise.all([owner.end(), database.close()]);
  await testDatabase.drop();
});

test("a decision leaves columns that a later version added to their defaults", async () => {
  const [id, at] = [Bun.randomUUIDv7(), new Date().toISOString()];
  const shared = { user_id: "ada", safe_id: "safe", request_id: "r", created_at: at };
  const payment = {
    ...shared,
    id,
    thread_id: "later",
    card_id: "card",
    status: "AUTHORIZED",
    authorized_cents: 100,
    reversed_cents: 0,
    captured_cents: 0,
    captured_minor: 0,
    refunded_cents: 0,
    billing_currency: "EUR",
    merchant_minor: 100,
    merchant_currency: "EUR",
    mcc: "5812",
    transaction_type: "00",
    target: 1,
    owed: 0,
    set_off: 0,
    credit: 0,
    excess_cents: 0,
    version: 1,
    updated_at: at,
  };
  const amounts = { asked_cents: 100, approved_cents: 100, fee_cents: 0, cashback_cents: 0 };
  const decision = { payment_id: id, ordinal: 0, user_id: "ada", ...amounts, is_approved: true, reason: "approved" };
  const transfer = {
    ...shared,
    id: `${id}:0`,
    payment_id: id,
    ordinal: 0,
    direction: "spend",
    amount: 1,
    is_collection: false,
    is_by_hand: false,
    to: "0x1",
    data: "0x",
    salt: "0x2",
    message_hash: "0x3",
    status: "PLANNED",
    updated_at: at,
  };
  const booked = { safe: -1, held: 1, settlement: 0, owed: 0, advanced: 0 };
  const entry = { ...shared, id: "entry", payment_id: id, ordinal: 0, ...booked };
  const event = { ...shared, id: Bun.randomUUIDv7(), event_type: "card.transaction.created", data: {} };
  const rows = [payment, { ...decision, is_by_issuer: false, created_at: at }, transfer, entry, event];
  const tables = ["card_payments", "card_decisions", "card_transfers", "ledger_entries", "live_transfers", "events"];
  const rolledBack = new Error("Rolled back");
  const run = owner.begin(async (tx) => {
    for (const table of tables) await tx.unsafe(`alter table ${table} add column later integer not null default 7`);
    const [a = "", b = "", c = "", d = "", e = ""] = rows.map((row) => JSON.stringify(row));
    await tx`select write_decision(${a}::text::json, ${b}::text::json, ${c}::text::json, ${d}::text::json, ${e}::text::json)`;
    for (const table of tables) expect(await tx.unsafe(`select later from ${table}`)).toEqual([{ later: 7 }] as never);
    throw rolledBack;
  });
  await expect(run).rejects.toBe(rolledBack);
});

test("disputes that are due soon are listed page by page in the order of their last days", async () => {
  const dueOn = { c: 1, a: 2, e: 2, b: 3, d: 4 };
  for (const [id, day] of Object.entries(dueOn))
    await owner`insert into card_disputes (id, payment_id, user_id, reason, status, submit_by, request_id, created_at, updated_at)
      values (${id}, ${id}, 'ada', 'wrong_value', 'requested', now() + ${day} * interval '1 day', 'r', now(), now())`;
  const listed: string[] = [];
  const dueBefore = new Date(Date.now() + 5 * 86_400_000);
  for (let after: string | null = null; ;) {
    const page = await listDisputes(database.db, { dueBefore, after, limit: 2 });
    listed.push(...page.map(({ id }) => id));
    after = page.at(-1)?.id ?? null;
    if (page.length < 2) break;
  }
  expect(listed.map((id) => dueOn[id as keyof typeof dueOn])).toEqual([1, 2, 2, 3, 4]);
  expect(new Set(listed).size).toBe(5);
});

test("the PIN of a card that is still to be made outlives its hour; other envelopes do not", async () => {
  await owner`insert into card_issues (id, user_id, safe_id, virtual, status, request_id, created_at, updated_at)
    values ('issue', 'ada', 'safe', false, 'open', 'r', now(), now())`;
  for (const [id, issue] of [
    ["pin", "issue"],
    ["number", null],
  ] as const)
    await owner`insert into card_envelopes (id, user_id, issue_id, encrypted_key, encrypted_data, iv, request_id, created_at)
      values (${id}, 'ada', ${issue}, 'k', 'd', 'i', 'r', now() - interval '2 hours')`;
  const table = retainedTables.find(({ name }) => name === "card_envelopes");
  if (!table) throw new Error("Envelopes are kept for ever");
  const remaining = async () => {
    await deleteOldBatch(database.db, table, { before: new Date(Date.now() - 3_600_000), limit: 10 });
    return (await owner`select id from card_envelopes order by id`).map(({ id }) => id);
  };
  expect(await remaining()).toEqual(["pin"]);
  await owner`update card_issues set status = 'refused', reason = 'r' where id = 'issue'`;
  expect(await remaining()).toEqual([]);
});

describe("a check holds where a column is null:", () => {
  const codeOf = (run: Promise<unknown>) => run.then(() => null).catch(({ code }: { code: string }) => code);

  test("an approval names who decided it", async () => {
    const approve = (decidedBy: string | null) => owner`
      insert into operator_approvals (id, verb, input, subject_kind, subject_id, status, asked_by_id, asked_by_name, asked_via,
        asked_proof, asked_roles, request_id, asked_at, expires_at, decided_by_id, decided_at)
      values ('approval', 'users.reset', '{}', 'user', 'ada', 'APPROVED', 'ann', 'Ann', 'page', 'oidc', '{}', 'r', now(), now(),
        ${decidedBy}, now())`;
    expect(await codeOf(approve(null))).toBe("23514");
    expect(await codeOf(approve("ann"))).toBe("23514");
  });

  test("a case is about a dispute, a payment or a thread", async () => {
    const open = (threadId: string | null) => owner`
      insert into card_cases (id, kind, subject_id, user_id, thread_id, amount_cents, currency, status, note, request_id, created_at)
      values ('case', 'unpaid_capture', 'thread', 'ada', ${threadId}, 1, 'EUR', 'OPEN', 'A note', 'r', now())`;
    expect(await codeOf(open(null))).toBe("23514");
    expect(await codeOf(open("thread"))).toBeNull();
  });
});
