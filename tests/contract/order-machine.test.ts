import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { canMove, listFinalStates, listOrigins, listStates, listUndoOrigins } from "@cardkeep/contract/core/machine";
import { orderMachine, type OrderStatus } from "@cardkeep/contract/cards/orders";
import { nativeToken } from "@cardkeep/contract/core/primitives";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { insertOrder, moveOrder } from "@cardkeep/db/queries/cards/orders";
import { orders, users } from "@cardkeep/db/schema/tables";
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { filled } from "../support/filled.ts";
import { requireGuard } from "../support/guards.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { isOfTable, type Move, recordMoves } from "../support/moves.ts";

const instant = new Date("2026-01-01T00:00:00.000Z");
const states = listStates(orderMachine);

let testDatabase: TestDatabase;
let database: Database;
let moves: () => Promise<Move[]>;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.url,
    connectionsMax: 4,
    statementTimeoutMs: 5_000,
    applicationName: "order-machine",
  });
  moves = await recordMoves(database.db, "orders");
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

let count = 0;

/** An order of a separate user, in the state after order/create. */
async function newOrder(): Promise<string> {
  const id = `order-${++count}`;
  await database.db.insert(users).values({ id, email: `${id}@example.org`, kycStatus: "approved", createdAt: instant });
  await database.db.transaction((tx) => insertOrder(tx, rowOf(id)));
  return id;
}

const rowOf = (id: string, status: OrderStatus = "PENDINGTRANSACTION") => ({
  id,
  userId: id,
  status,
  personalizationSource: "KYC" as const,
  virtual: false,
  totalEurCents: 3_023n,
  discountEurCents: 0n,
  currency: "EUR" as const,
  totalCents: 3_023n,
  requestId: "test",
  createdAt: instant,
  updatedAt: instant,
});

/** Evidence of a payment, so that only the machine can refuse. */
const evidence = {
  transactionHash: "0x00",
  paymentBlock: 1n,
  paidAt: instant,
  paidAmount: 1n,
  paidBy: nativeToken,
} as const;

/** Directly, as a person at the database's own prompt would. */
const force = (id: string, status: OrderStatus) =>
  database.db
    .update(orders)
    .set({ ...evidence, status })
    .where(eq(orders.id, id))
    .then(
      () => null,
      (error: Error) => String(error.cause),
    );

const statusOf = async (id: string) => {
  const [row] = await database.db.select({ status: orders.status }).from(orders).where(eq(orders.id, id));
  return row?.status;
};

/** The shortest path from the initial state to a state. */
function findWay(to: OrderStatus): OrderStatus[] {
  const ways: OrderStatus[][] = [[orderMachine.initial]];
  for (const way of ways) {
    const at = way.at(-1);
    if (at === to) return way.slice(1);
    for (const next of states) {
      if (at && canMove(orderMachine, at, next) && !way.includes(next)) ways.push([...way, next]);
    }
  }
  throw new Error(`no way to ${to}`);
}

async function newOrderIn(status: OrderStatus): Promise<string> {
  const id = await newOrder();
  const refusals: unknown[] = [];
  for (const step of findWay(status)) refusals.push(await force(id, step));
  expect(refusals).toEqual(findWay(status).map(() => null));
  return id;
}

const isLetThrough = (from: OrderStatus, to: OrderStatus) =>
  from === to || canMove(orderMachine, from, to) || listUndoOrigins(orderMachine, to).includes(from);

describe("the database's guard", () => {
  test.each(states)("moves an order in %s only along the table", async (from) => {
    for (const to of filled(states)) {
      const id = await newOrderIn(from);
      const refusal = await force(id, to);
      if (isLetThrough(from, to)) expect(refusal).toBeNull();
      else expect(refusal).toContain(`orders: ${from} -> ${to} is not in the table`);
      expect(await statusOf(id)).toBe(isLetThrough(from, to) ? to : from);
    }
  });

  test("starts an order in the initial state", async () => {
    for (const status of filled(states.filter((state) => state !== orderMachine.initial))) {
      const id = `order-${++count}`;
      await database.db.insert(users).values({ id, email: `${id}@x.org`, kycStatus: "approved", createdAt: instant });
      const inserted = database.db.insert(orders).values({ ...rowOf(id, status), ...evidence });
      expect(await inserted.catch((error: Error) => String(error.cause))).toContain(
        "a row begins in PENDINGTRANSACTION",
      );
    }
  });

  test("is in the migrations as the table generates it", () => requireGuard(orderMachine, "orders", "status"));
});

describe("evidence", () => {
  const refusalOf = (change: Partial<typeof orders.$inferInsert>) => async (id: string) =>
    database.db
      .update(orders)
      .set(change)
      .where(eq(orders.id, id))
      .then(
        () => null,
        (error: Error) => String(error.cause),
      );

  test("the database requires a payment: an order with a price is not ready without it", async () => {
    for (const status of ["READY", "TRANSACTIONCOMPLETE"] as const) {
      expect(await refusalOf({ status })(await newOrder())).toContain("orders_paid");
    }
    expect(await refusalOf({ status: "READY", discountEurCents: 3_022n })(await newOrder())).toContain("orders_paid");
    expect(await refusalOf({ status: "READY", discountEurCents: 3_023n })(await newOrder())).toBeNull();
    expect(await refusalOf({ status: "READY", ...evidence })(await newOrder())).toBeNull();
    expect(await refusalOf({ paidAt: instant })(await newOrder())).toContain("orders_payment");
    expect(await refusalOf({ discountEurCents: 3_024n })(await newOrder())).toContain("orders_discount");
    expect(await refusalOf({ discountEurCents: -1n })(await newOrder())).toContain("orders_discount");
  });

  test("one user has one order that is not final", async () => {
    const first = await newOrder();
    const second = { ...rowOf(first), id: `${first}-2` };
    expect(await database.db.transaction((tx) => insertOrder(tx, second))).toBeNull();
    for (const final of filled(listFinalStates(orderMachine))) {
      const id = await newOrderIn(final);
      expect(await database.db.transaction((tx) => insertOrder(tx, { ...rowOf(id), id: `${id}-2` }))).not.toBeNull();
    }
    const open = await database.db.execute(
      sql`select user_id from orders where status not in ('CARDCREATED', 'FAILEDTRANSACTION', 'CANCELLED') group by user_id having count(*) > 1`,
    );
    expect([...open]).toEqual([]);
  });
});

describe("moves in a real database", () => {
  const targets = fc.array(fc.record({ to: fc.constantFrom(...states), isOperator: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  });

  test("follow the table step by step, the operator's moves for the operator only", async () => {
    await fc.assert(
      fc.asyncProperty(targets, async (steps) => {
        const id = await newOrder();
        let at: OrderStatus = orderMachine.initial;
        for (const { to, isOperator } of filled(steps)) {
          const by = isOperator ? "operator" : "anyone";
          const moved = await database.db.transaction((tx) => moveOrder(tx, id, to, evidence, by));
          const isAllowed = canMove(orderMachine, at, to, by);
          expect(moved !== null).toBe(isAllowed);
          if (isAllowed) at = to;
          expect(await statusOf(id)).toBe(at);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("make one path along the table, also in parallel", async () => {
    await fc.assert(
      fc.asyncProperty(targets, async (steps) => {
        const id = await newOrder();
        await Promise.all(
          steps.map(({ to }) => database.db.transaction((tx) => moveOrder(tx, id, to, evidence, "operator"))),
        );
        const path = (await moves()).filter(({ subject }) => subject === id);
        expect(path.every((move, index) => move.from === (path[index - 1]?.to ?? null))).toBe(true);
        expect(path.every((move) => isOfTable(orderMachine, move))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test("the table is the published one", () => {
    const table = Object.fromEntries(states.map((to) => [to, listOrigins(orderMachine, to)]));
    expect(table).toEqual({
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
  });
});
