import { createQueuePool } from "@cardkeep/db/queue/pool";
import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("after a burst, one query after the other uses one connection, where its statement is prepared", async () => {
  const sql = postgres(database.url, { max: 4 });
  const ask = async (): Promise<number> => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(0.02)`;
    return row?.pid ?? 0;
  };
  const burst = () => Promise.all([ask(), ask(), ask(), ask()]);
  try {
    expect(new Set(await burst()).size).toBe(4);
    const pids = new Set<number>();
    for (let turn = 0; turn < 8; turn++) pids.add(await ask());
    expect(pids.size).toBe(1);
    expect(new Set(await burst()).size).toBe(4);
  } finally {
    await sql.end();
  }
});

test("a connection of the queue that the server ends at any moment of its set-up ends no process", async () => {
  const admin = postgres(database.url, { max: 1, onnotice: () => {} });
  const endAll = () => admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ended'`;
  const outcomes = new Set<string>();
  /** Six connections are set up and asked, while `end` runs. */
  const play = async (end: () => Promise<void>): Promise<number> => {
    const pool = createQueuePool({
      url: database.url,
      applicationName: "ended",
      connectionsMax: 6,
      onError: () => outcomes.add("reported"),
    });
    const started = performance.now();
    const asks = Array.from({ length: 6 }, async () => {
      const client = await pool.connect();
      await client.query("select pg_sleep(0.005)").finally(() => client.release());
    });
    const settled = Promise.allSettled(asks);
    await end();
    for (const { status } of await settled) outcomes.add(status);
    const tookMs = performance.now() - started;
    await pool.end();
    return tookMs;
  };
  try {
    const undisturbedMs = await play(async () => {});
    // On a slow machine the set-up takes longer, and its ends are as far apart. Turns go on until both were seen.
    for (let turn = 0; turn < 40 || !(outcomes.has("reported") && outcomes.has("rejected")); turn++)
      await play(async () => {
        for (let times = 0; times < 4; times++) {
          await Bun.sleep(((turn % 10) / 30) * undisturbedMs);
          await endAll();
        }
      });
  } finally {
    await admin.end();
  }
});
