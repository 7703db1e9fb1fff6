import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ibanMachine, type IbanStatus } from "@cardkeep/contract/users/ibans";
import { canMove, listOrigins, listStates } from "@cardkeep/contract/core/machine";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { getOrInsertIban, moveIban } from "@cardkeep/db/queries/users/ibans";
import { ibans, users } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { filled } from "../support/filled.ts";
import { requireGuard } from "../support/guards.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const instant = new Date("2026-01-01T00:00:00.000Z");
const states = listStates(ibanMachine);
let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.url,
    connectionsMax: 2,
    statementTimeoutMs: 5_000,
    applicationName: "iban-machine",
  });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

let count = 0;
const address = "0x000000000000000000000000000000000000bEEF";

/** The database's conditions of a state, so that only the machine can refuse. */
const evidence = (id: string, status: IbanStatus) => ({
  address,
  signature: "0x00",
  iban: status === "ASSIGNED" ? id : null,
});
const force = (id: string, status: IbanStatus) =>
  database.db
    .update(ibans)
    .set({ ...evidence(id, status), status } as Partial<typeof ibans.$inferInsert>)
    .where(eq(ibans.userId, id))
    .then(
      () => null,
      (error: Error) => String(error.cause),
    );

/** The paths to each state, by hand: the machine itself is tested. */
const ways: Readonly<Record<IbanStatus, readonly IbanStatus[]>> = {
  NOTSTARTED: [],
  PENDING: ["PENDING"],
  PENDING_OAUTH: ["PENDING_OAUTH"],
  ASSIGNED: ["PENDING", "ASSIGNED"],
};

async function newRowIn(status: IbanStatus): Promise<string> {
  const id = `user-${++count}`;
  await database.db.insert(users).values({ id, email: `${id}@example.org`, kycStatus: "approved", createdAt: instant });
  const row = {
    userId: id,
    id,
    status: "NOTSTARTED",
    profileId: id,
    requestId: "test",
    createdAt: instant,
    updatedAt: instant,
  } as const;
  await database.db.transaction((tx) => getOrInsertIban(tx, row));
  const refusals: unknown[] = [];
  for (const step of ways[status]) refusals.push(await force(id, step));
  expect(refusals).toEqual(ways[status].map(() => null));
  return id;
}

describe("an IBAN's status", () => {
  test("moves along the table only, by the query and directly", async () => {
    for (const from of filled(states)) {
      for (const to of filled(states)) {
        const [asked, forced] = [await newRowIn(from), await newRowIn(from)];
        const change = evidence(asked, to) as Parameters<typeof moveIban>[3];
        expect(await database.db.transaction((tx) => moveIban(tx, asked, to, change))).toBe(
          canMove(ibanMachine, from, to),
        );
        const refusal = await force(forced, to);
        if (from === to || canMove(ibanMachine, from, to)) expect(refusal).toBeNull();
        else expect(refusal).toContain(`ibans: ${from} -> ${to} is not in the table`);
      }
    }
  });

  test("has its table's guard, unchanged, in the newest migration that has one", () =>
    requireGuard(ibanMachine, "ibans", "status"));

  test("has the published table", () => {
    expect(Object.fromEntries(states.map((to) => [to, listOrigins(ibanMachine, to)]))).toEqual({
      NOTSTARTED: ["PENDING", "PENDING_OAUTH", "ASSIGNED"],
      PENDING: ["NOTSTARTED", "PENDING_OAUTH"],
      PENDING_OAUTH: ["NOTSTARTED", "PENDING"],
      ASSIGNED: ["PENDING"],
    });
  });
});
