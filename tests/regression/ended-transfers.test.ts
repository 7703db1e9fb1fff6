import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { setLiveStatus } from "@cardkeep/db/queries/spending/liveTransfers";
import { idempotencyKeys, liveTransfers } from "@cardkeep/db/schema/tables";
import { deleteOldRows } from "@cardkeep/domain/operations/housekeeping/deleteOldRows";
import { eq, sql } from "drizzle-orm";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const hourMs = 3_600_000;
const id = "spend";
let own: TestDatabase;
let database: Database;
beforeAll(async () => {
  own = await createTestDatabase();
  database = openDatabase({ url: own.url, connectionsMax: 2, statementTimeoutMs: 10_000, applicationName: "test" });
  await database.db.transaction(async (tx) => {
    // Without it the Safe would have to exist.
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.insert(liveTransfers).values({
      id,
      paymentId: id,
      ordinal: 0,
      userId: "user",
      safeId: "safe",
      direction: "spend",
      amount: 1n,
      isCollection: false,
      messageHash: "0x01",
      status: "SIGNED",
      requestId: "r",
      createdAt: new Date(),
    });
  });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

/** Runs the chore of a worker whose clock is hours ahead. Answers how many of the transfers are left. */
async function deleteAhead(hours: number, { cooldownSeconds = 180 } = {}): Promise<number> {
  const at = async () => new Date(Date.now() + hours * hourMs);
  await deleteOldRows({
    db: database.db,
    clock: { now: at, hold: at, getOffsetSeconds: async () => 0 },
    policy: { cooldownSeconds },
    stopping: new AbortController().signal,
  });
  return database.db.$count(liveTransfers);
}

test("a spend that has moved is kept for an hour, and for the cooldown at least, whatever the clocks of workers say", async () => {
  const { db } = database;
  const behind = new Date(Date.now() - 3 * hourMs);
  await db.transaction((tx) => setLiveStatus(tx, { id, status: "DONE", updatedAt: behind }));
  expect(await deleteAhead(0)).toBe(1);
  expect(await deleteAhead(3)).toBe(1);
  await db.update(liveTransfers).set({ endedAt: behind }).where(eq(liveTransfers.id, id));
  expect(await deleteAhead(0, { cooldownSeconds: 4 * 3_600 })).toBe(1);
  expect(await deleteAhead(0)).toBe(0);
});

test("any other row is kept for its time, whatever the clock of a worker says: a stored reply for a day", async () => {
  const { db } = database;
  const reply = { scope: "user:POST:/accounts/withdraw", key: "once", bodyHash: "0x01", status: 200, reply: {} };
  await db.insert(idempotencyKeys).values({ ...reply, createdAt: new Date(Date.now() - 22 * hourMs) });
  await deleteAhead(3);
  expect(await db.$count(idempotencyKeys)).toBe(1);
  await db.update(idempotencyKeys).set({ createdAt: new Date(Date.now() - 25 * hourMs) });
  await deleteAhead(0);
  expect(await db.$count(idempotencyKeys)).toBe(0);
});
