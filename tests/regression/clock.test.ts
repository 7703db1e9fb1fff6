import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { advanceClock, holdClockOffsetSeconds, insertClock } from "@cardkeep/db/queries/core/clock";
import { sql } from "drizzle-orm";
import { createTestDatabase } from "../support/database.ts";
import { countLockWaits } from "../support/locks.ts";
import { until } from "../support/poll.ts";

let file: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
beforeAll(async () => {
  file = await createTestDatabase();
  database = openDatabase({
    url: file.url,
    connectionsMax: 3,
    statementTimeoutMs: 10_000,
    applicationName: "clock",
  });
});
afterAll(async () => {
  await database.close();
  await file.drop();
});

test("a job that is being added while the clock is advanced comes nearer by the same time as the others", async () => {
  const { db } = database;
  await insertClock(db);
  const moved = await db.transaction(async (tx) => {
    await holdClockOffsetSeconds(tx);
    const moving = db.transaction((other) => advanceClock(other, 180));
    await until(async () => (await countLockWaits(db)) > 0);
    await enqueue(tx, "delay.dispatch", { delayId: "late", requestId: "request-1" }, 180_000);
    return { moving };
  });
  expect(await moved.moving).toBe(180);
  const [job] = await db.execute<{ seconds: string }>(
    sql`select extract(epoch from run_at - now()) as seconds from graphile_worker._private_jobs`,
  );
  expect(Number(job?.seconds)).toBeLessThan(1);
});
