import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { delayMachine } from "@cardkeep/contract/accounts/delays";
import { cardMachine, cardStatusNames, endedCardStatuses } from "@cardkeep/contract/cards/cards";
import { orderMachine } from "@cardkeep/contract/cards/orders";
import {
  canMove,
  listFinalStates,
  listOrigins,
  listStates,
  listUndoOrigins,
  type Machine,
} from "@cardkeep/contract/core/machine";
import { machines } from "@cardkeep/contract/machines";
import { ibanMachine } from "@cardkeep/contract/users/ibans";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { insertOrder } from "@cardkeep/db/queries/cards/orders";
import { cards, orders, users } from "@cardkeep/db/schema/tables";
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { filled } from "../support/filled.ts";
import { requireGuard } from "../support/guards.ts";
import {
  cardRows,
  insertUser,
  machineRows,
  type MachineRows,
  orderOf,
  orderRows,
  paymentEvidence,
} from "../support/machineRows.ts";
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

  const originsOf = <S extends string>(machine: Machine<S>) =>
    Object.fromEntries(listStates(machine).map((to) => [to, listOrigins(machine, to)]));

  test("of an operation, an order, an IBAN and a card has the published table", () => {
    expect(listOrigins(delayMachine, "WAITING")).toEqual(["QUEUING"]);
    expect(listOrigins(delayMachine, "EXECUTED")).toEqual(["WAITING", "EXECUTING"]);
    expect(listOrigins(delayMachine, "FAILED")).toEqual(["QUEUING", "WAITING", "EXECUTING"]);
    expect(originsOf(orderMachine)).toEqual({
      PENDINGTRANSACTION: [],
      TRANSACTIONCOMPLETE: ["PENDINGTRANSACTION"],
      CONFIRMATIONREQUIRED: ["TRANSACTIONCOMPLETE"],
      READY: ["PENDINGTRANSACTION", "CONFIRMATIONREQUIRED"],
      CARDCREATED: ["READY"],
      FAILEDTRANSACTION: ["PENDINGTRANSACTION"],
      CANCELLED: ["PENDINGTRANSACTION", "TRANSACTIONCOMPLETE", "CONFIRMATIONREQUIRED"],
    });
    expect(listOrigins(orderMachine, "CANCELLED", "operator")).toContain("READY");
    expect(listFinalStates(orderMachine)).toEqual(["CARDCREATED", "FAILEDTRANSACTION", "CANCELLED"]);
    expect(originsOf(ibanMachine)).toEqual({
      NOTSTARTED: ["PENDING", "PENDING_OAUTH", "ASSIGNED"],
      PENDING: ["NOTSTARTED", "PENDING_OAUTH"],
      PENDING_OAUTH: ["NOTSTARTED", "PENDING"],
      ASSIGNED: ["PENDING"],
    });
    expect(listOrigins(cardMachine, "1000")).toEqual(["1005"]);
    expect(listOrigins(cardMachine, "1000", "operator")).toEqual(["1005"]);
    expect(Object.keys(cardStatusNames)).toEqual(listStates(cardMachine));
  });

  test("of a card never reactivates one that ended", () => {
    const spending = listStates(cardMachine).filter((state) => !endedCardStatuses.includes(state));
    for (const ended of filled(endedCardStatuses))
      expect(spending.filter((to) => canMove(cardMachine, ended, to))).toEqual([]);
    expect(listStates(cardMachine).filter((to) => canMove(cardMachine, "1062", to))).toEqual([]);
  });
});

let testDatabase: TestDatabase;
let database: Database;
const movesOf = new Map<string, () => Promise<Move[]>>();
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.url,
    connectionsMax: 4,
    statementTimeoutMs: 5_000,
    applicationName: "machines",
  });
  for (const [table, rowsOf] of Object.entries(machineRows))
    movesOf.set(table, await recordMoves(database.db, table, rowsOf(database.db).column));
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const refusalOf = (writing: Promise<unknown>): Promise<string | null> =>
  writing.then(
    () => null,
    (error: Error) => String(error.cause),
  );

/** The states on the shortest way from the initial one. */
function findWay({ machine }: MachineRows, to: string): string[] {
  const ways: string[][] = [[machine.initial]];
  for (const way of ways) {
    const at = way.at(-1) ?? "";
    if (at === to) return way.slice(1);
    for (const next of listStates(machine))
      if (canMove(machine, at, next) && !way.includes(next)) ways.push([...way, next]);
  }
  throw new Error(`No way to ${to}`);
}

async function insertIn(rows: MachineRows, state: string): Promise<string> {
  const id = await rows.insert();
  for (const step of findWay(rows, state)) await rows.force(id, step);
  return id;
}

/** The states of a row so far, as the database saw them. */
const pathOf = async (table: string, id: string): Promise<Move[]> =>
  ((await movesOf.get(table)?.()) ?? []).filter(({ subject }) => subject === id);

describe.each(Object.entries(machineRows))("a row of %s", (table, rowsOf) => {
  const targets = ({ machine }: MachineRows) =>
    fc.array(fc.record({ to: fc.constantFrom(...listStates(machine)), isOperator: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
    });

  test("moves only along the table, the operator's moves for the operator only", async () => {
    const rows = rowsOf(database.db);
    const { machine } = rows;
    await fc.assert(
      fc.asyncProperty(targets(rows), async (steps) => {
        const id = await rows.insert();
        let at = machine.initial;
        const walked = [at];
        for (const { to, isOperator } of filled(steps)) {
          const by = isOperator ? "operator" : "anyone";
          const isAllowed = canMove(machine, at, to, by);
          expect(await rows.move(id, to, by)).toBe(isAllowed);
          if (isAllowed && at !== to) walked.push(to);
          if (isAllowed) at = to;
        }
        expect((await pathOf(table, id)).map(({ to }) => to)).toEqual(walked);
      }),
      { numRuns: 30 },
    );
  });

  test("makes one path along the table under parallel moves", async () => {
    const rows = rowsOf(database.db);
    await fc.assert(
      fc.asyncProperty(targets(rows), async (steps) => {
        const id = await rows.insert();
        await Promise.all(steps.map(({ to }) => rows.move(id, to, "operator")));
        const path = filled(await pathOf(table, id));
        expect(path.every((move, index) => move.from === (path[index - 1]?.to ?? null))).toBe(true);
        expect(path.every((move) => isOfTable(rows.machine, move))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test("with a guard begins where its machine begins, and moves past every query along the table only", async () => {
    const rows = rowsOf(database.db);
    const { machine, column } = rows;
    const states = filled(listStates(machine));
    if (!rows.isGuarded) {
      expect(await refusalOf(rows.force(await rows.insert(), "NOWHERE"))).toContain(`${table}_${column}`);
      return;
    }
    requireGuard(machine, table, column);
    for (const from of states) {
      if (from !== machine.initial)
        expect(await refusalOf(rows.insert(from))).toContain(`a row begins in ${machine.initial}`);
      for (const to of states) {
        const id = await insertIn(rows, from);
        const refusal = await refusalOf(rows.force(id, to));
        if (from === to || canMove(machine, from, to) || listUndoOrigins(machine, to).includes(from))
          expect(refusal).toBeNull();
        else expect(refusal).toContain(`${table}: ${from} -> ${to} is not in the table`);
      }
    }
  });
});

describe("the database", () => {
  test("ends a deployment once, for any number of parallel ends", async () => {
    const rows = machineRows["safes"]?.(database.db);
    const id = (await rows?.insert()) ?? "";
    const moved = await Promise.all(
      ["ok", "failed", "ok", "failed", "created"].map((to) => rows?.move(id, to, "anyone")),
    );
    expect(moved.filter(Boolean)).toHaveLength(1);
  });

  test("refuses an unknown state of a verification", async () => {
    const kyc = database.db.update(users).set({ kycStatus: "lost" as "approved" });
    expect(await refusalOf(kyc.where(eq(users.id, await insertUser(database.db))))).toContain("users_kyc_status");
  });

  test("lets an ended card be cancelled at the issuer only", async () => {
    const rows = cardRows(database.db);
    const id = await rows.insert();
    await database.db.update(cards).set({ issuerStatus: "active" }).where(eq(cards.id, id));
    expect(await refusalOf(rows.force(id, "1041"))).toContain("cards_ended");
  });

  test("requires a payment: an order with a price is not ready without it", async () => {
    const rows = orderRows(database.db);
    const change = async (changed: Partial<typeof orders.$inferInsert>) =>
      refusalOf(
        database.db
          .update(orders)
          .set(changed)
          .where(eq(orders.id, await rows.insert())),
      );
    for (const status of ["READY", "TRANSACTIONCOMPLETE"] as const)
      expect(await change({ status })).toContain("orders_paid");
    expect(await change({ status: "READY", discountEurCents: 3_022n })).toContain("orders_paid");
    expect(await change({ status: "READY", discountEurCents: 3_023n })).toBeNull();
    expect(await change({ status: "READY", ...paymentEvidence })).toBeNull();
    expect(await change({ paidAt: paymentEvidence.paidAt })).toContain("orders_payment");
    expect(await change({ discountEurCents: 3_024n })).toContain("orders_discount");
    expect(await change({ discountEurCents: -1n })).toContain("orders_discount");
  });

  test("has one order of a user that is not final", async () => {
    const rows = orderRows(database.db);
    const insertSecond = (id: string) =>
      database.db.transaction((tx) => insertOrder(tx, { ...orderOf(id), id: `${id}-2` }));
    expect(await insertSecond(await rows.insert())).toBeNull();
    for (const final of filled(listFinalStates(orderMachine)))
      expect(await insertSecond(await insertIn(rows, final))).not.toBeNull();
    const open = await database.db.execute(sql`
      select user_id from orders where status not in ('CARDCREATED', 'FAILEDTRANSACTION', 'CANCELLED')
      group by user_id having count(*) > 1`);
    expect([...open]).toEqual([]);
  });
});
