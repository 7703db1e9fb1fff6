import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { delayMachine, type DelayStatus } from "@cardkeep/contract/accounts/delays";
import { canMove, listFinalStates, listOrigins, listStates, type Machine } from "@cardkeep/contract/core/machine";
import { machines } from "@cardkeep/contract/machines";
import { safeMachine, type SafeStatus } from "@cardkeep/contract/accounts/safes";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { insertDelay, moveDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { insertSafe, moveSafe } from "@cardkeep/db/queries/accounts/safes";
import { delayTransactions, safes, users } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { filled } from "../support/filled.ts";
import { isOfTable, type Move, recordMoves } from "../support/moves.ts";

const contract = new URL("../../packages/contract/src/", import.meta.url).pathname;

describe("every machine", () => {
  test("that is defined is in the list of machines", () => {
    const files = readdirSync(contract, { encoding: "utf8", recursive: true }).filter((file) => file.endsWith(".ts"));
    const defined = files.flatMap((file) =>
      [...readFileSync(contract + file, "utf8").matchAll(/= defineMachine\(\{\s*name: "([^"]+)"/g)].map(
        ([, name]) => name,
      ),
    );
    expect(defined.toSorted()).toEqual(machines.map(({ name }) => name).toSorted());
  });

  test.each(machines.map((machine) => [machine.name, machine] as const))(
    "%s begins with its first state, can reach each of its states, leave each that is not final, and says each move once",
    (_name, machine) => {
      // The drawing begins at the top.
      expect(listStates(machine)[0]).toBe(machine.initial);
      const reached = new Set([machine.initial, ...(machine.begins ?? [])]);
      for (const from of reached) {
        for (const to of listStates(machine)) if (canMove(machine, from, to)) reached.add(to);
      }
      expect([...reached].toSorted()).toEqual(listStates(machine).toSorted());
      const stuck = listStates(machine).filter((from) => !listStates(machine).some((to) => canMove(machine, from, to)));
      expect(stuck).toEqual(listFinalStates(machine));
      const pairs = machine.transitions.map(({ from, to }) => `${from} -> ${to}`);
      expect(pairs).toEqual([...new Set(pairs)]);
    },
  );
});

const instant = new Date("2026-01-01T00:00:00.000Z");
const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}` as const;

let testDatabase: TestDatabase;
let database: Database;
let delayMoves: () => Promise<Move[]>;
let safeMoves: () => Promise<Move[]>;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.url,
    connectionsMax: 4,
    statementTimeoutMs: 5_000,
    applicationName: "machines",
  });
  delayMoves = await recordMoves(database.db, "delay_transactions");
  safeMoves = await recordMoves(database.db, "safes");
  await database.db
    .insert(users)
    .values({ id: "user", email: "ada@example.org", kycStatus: "approved", createdAt: instant });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

let count = 0;

/** A Safe of a separate user, in the state after `safe/deploy`. */
async function newSafe(): Promise<string> {
  const id = `safe-${++count}`;
  await database.db.insert(users).values({ id, email: `${id}@example.org`, kycStatus: "approved", createdAt: instant });
  await database.db.transaction((tx) =>
    insertSafe(tx, {
      id,
      userId: id,
      saltNonce: BigInt(count),
      address: address(count),
      delayAddress: address(count),
      rolesAddress: address(count),
      bouncerAddress: address(count),
      firstOwner: address(count),
      tokenSymbol: "EURe",
      dailyLimit: 1n,
      cooldownSeconds: 180,
      expirationSeconds: 1800,
      setUpBy: "operator",
      creator: address(count),
      spender: address(count),
      requestId: "test",
      status: "processing",
      createdAt: instant,
      updatedAt: instant,
    }),
  );
  return id;
}

/** An operation in the state after its acceptance. */
async function newDelay(safeId: string): Promise<string> {
  const id = `delay-${++count}`;
  await database.db.transaction((tx) =>
    insertDelay(tx, {
      id,
      safeId,
      userId: "user",
      kind: "withdrawal",
      to: address(1),
      value: 0n,
      data: "0x",
      operation: "CALL",
      delayAddress: address(1),
      signer: address(1),
      messageHash: `0x${count}`,
      enqueueData: "0x",
      status: "QUEUING",
      enqueueTaskId: id,
      requestId: "test",
      createdAt: instant,
      updatedAt: instant,
    }),
  );
  return id;
}

/** The database's conditions of each state, so that only the machine can refuse. */
const evidence = () =>
  ({ queueNonce: BigInt(++count), readyAt: instant, executedHash: "0x00", reason: "none" }) as const;

const move = async (id: string, to: DelayStatus): Promise<boolean> =>
  (await database.db.transaction((tx) => moveDelay(tx, id, to, evidence()))) !== null;

/** Whether one subject's moves follow the table from the initial state. */
const isPath = (machine: Machine, moves: readonly Move[]): boolean =>
  moves.every((move, index) => isOfTable(machine, move) && move.from === (moves[index - 1]?.to ?? null));

describe("in a real database", () => {
  test("an operation moves only along the table", async () => {
    const safeId = await newSafe();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...listStates(delayMachine)), { minLength: 1, maxLength: 8 }),
        async (targets) => {
          const id = await newDelay(safeId);
          let at: DelayStatus = delayMachine.initial;
          for (const to of filled(targets)) {
            const isAllowed = canMove(delayMachine, at, to);
            expect(await move(id, to)).toBe(isAllowed);
            if (isAllowed) at = to;
            const [row] = await database.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
            expect(row?.status).toBe(at);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test("parallel moves make one path along the table", async () => {
    const safeId = await newSafe();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...listStates(delayMachine)), { minLength: 2, maxLength: 8 }),
        async (targets) => {
          const id = await newDelay(safeId);
          await Promise.all(targets.map((to) => move(id, to)));
          const moves = (await delayMoves()).filter(({ subject }) => subject === id);
          expect(moves[0]?.to).toBe("QUEUING");
          expect(isPath(delayMachine, moves)).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("an operation cannot be in an unknown state", async () => {
    const id = await newDelay(await newSafe());
    const refusal = (error: Error) => String(error.cause);
    const status = database.db.update(delayTransactions).set({ ...evidence(), status: "LOST" as DelayStatus });
    expect(await status.where(eq(delayTransactions.id, id)).catch(refusal)).toContain("delay_transactions_status");
    const kyc = database.db.update(users).set({ kycStatus: "lost" as "approved" });
    expect(await kyc.where(eq(users.id, "user")).catch(refusal)).toContain("users_kyc_status");
  });

  test("a Safe moves only along the table, also in parallel", async () => {
    const push = (id: string, to: SafeStatus) =>
      database.db.transaction((tx) =>
        moveSafe(tx, id, to, { setUpHash: "0x00", setUpData: "0x00", updatedAt: instant }),
      );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...listStates(safeMachine)), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (targets, atOnce) => {
          const id = await newSafe();
          if (atOnce) await Promise.all(targets.map((to) => push(id, to)));
          else for (const to of targets) await push(id, to);
          const moves = (await safeMoves()).filter(({ subject }) => subject === id);
          expect(moves[0]?.to).toBe("processing");
          expect(isPath(safeMachine, moves)).toBe(true);
          await database.db.delete(safes).where(eq(safes.id, id));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("a deployment ends once, for any number of parallel ends", async () => {
    const id = await newSafe();
    const ends = ["ok", "failed", "ok", "failed", "created"] as const;
    const moved = await Promise.all(
      ends.map((to) => database.db.transaction((tx) => moveSafe(tx, id, to, { updatedAt: instant }))),
    );
    expect(moved.filter((row) => row !== null)).toHaveLength(1);
  });

  test("the update uses the table's transitions", () => {
    expect(listOrigins(delayMachine, "WAITING")).toEqual(["QUEUING"]);
    expect(listOrigins(delayMachine, "EXECUTED")).toEqual(["WAITING", "EXECUTING"]);
    expect(listOrigins(delayMachine, "FAILED")).toEqual(["QUEUING", "WAITING", "EXECUTING"]);
  });
});
