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
