import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cardMachine, type CardStatus, cardStatusNames, endedCardStatuses } from "@cardkeep/contract/cards/cards";
import { canMove, listOrigins, listStates } from "@cardkeep/contract/core/machine";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { findCard, insertCard, moveCard } from "@cardkeep/db/queries/cards/cards";
import { insertSafe } from "@cardkeep/db/queries/accounts/safes";
import { cards, users } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { filled } from "../support/filled.ts";
import { requireGuard } from "../support/guards.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { isOfTable, type Move, recordMoves } from "../support/moves.ts";

const instant = new Date("2026-01-01T00:00:00.000Z");
const states = listStates(cardMachine);

let testDatabase: TestDatabase;
let database: Database;
let moves: () => Promise<Move[]>;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.url,
    connectionsMax: 4,
    statementTimeoutMs: 5_000,
    applicationName: "card-machine",
  });
  moves = await recordMoves(database.db, "cards", "status_code");
  await database.db
    .insert(users)
    .values({ id: "user", email: "ada@example.org", kycStatus: "approved", createdAt: instant });
  const address = `0x${"0".repeat(39)}1` as const;
  await database.db.transaction((tx) =>
    insertSafe(tx, {
      id: "safe",
      userId: "user",
      saltNonce: 1n,
      address,
      delayAddress: address,
      rolesAddress: address,
      bouncerAddress: address,
      firstOwner: address,
      cooldownSeconds: 180,
      expirationSeconds: 1800,
      setUpBy: "operator",
      creator: address,
      spender: address,
      requestId: "test",
      status: "processing",
      createdAt: instant,
      updatedAt: instant,
    }),
  );
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

let count = 0;

const rowOf = (id: string, statusCode: CardStatus = "1000") => ({
  id,
  userId: "user",
  safeId: "safe",
  cardToken: id,
  lastFourDigits: "4242",
  requestId: "test",
  virtual: false,
  statusCode,
  issuerStatus: "canceled" as const,
  issuerSyncedStatus: "canceled" as const,
  expiresAt: instant,
  createdAt: instant,
  updatedAt: instant,
});

async function newCard(): Promise<string> {
  const id = `card-${++count}`;
  await database.db.transaction((tx) => insertCard(tx, rowOf(id)));
  return id;
}

/** Directly, as a person at the database's own prompt would. */
const force = (id: string, statusCode: CardStatus) =>
  database.db
    .update(cards)
    .set({ statusCode })
    .where(eq(cards.id, id))
    .then(
      () => null,
      (error: Error) => String(error.cause),
    );

const statusOf = async (id: string) => (await findCard(database.db, id))?.statusCode;

async function newCardIn(status: CardStatus): Promise<string> {
  const id = await newCard();
  if (status !== "1000") expect(await force(id, status)).toBeNull();
  return id;
}

describe("the database's guard", () => {
  test.each(states)("moves a card in %s only along the table", async (from) => {
    for (const to of filled(states)) {
      const id = await newCardIn(from);
      const isLetThrough = from === to || canMove(cardMachine, from, to);
      const refusal = await force(id, to);
      if (isLetThrough) expect(refusal).toBeNull();
      else expect(refusal).toContain(`cards: ${from} -> ${to} is not in the table`);
      expect(await statusOf(id)).toBe(isLetThrough ? to : from);
    }
  });

  test("starts a card active, and lets an ended one be cancelled at the issuer too", async () => {
    for (const status of filled(states.filter((state) => state !== "1000"))) {
      const inserted = database.db.insert(cards).values(rowOf(`card-${++count}`, status));
      expect(await inserted.catch((error: Error) => String(error.cause))).toContain("a row begins in 1000");
    }
    const id = await newCard();
    await database.db.update(cards).set({ issuerStatus: "active" }).where(eq(cards.id, id));
    expect(await force(id, "1041")).toContain("cards_ended");
  });

  test("is in the migrations as the table generates it", () => requireGuard(cardMachine, "cards", "status_code"));
});

describe("moves in a real database", () => {
  const targets = fc.array(fc.record({ to: fc.constantFrom(...states), isOperator: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  });

  test("follow the table step by step, the operator's moves for the operator only", async () => {
    await fc.assert(
      fc.asyncProperty(targets, async (steps) => {
        const id = await newCard();
        let at: CardStatus = cardMachine.initial;
        for (const { to, isOperator } of filled(steps)) {
          const by = isOperator ? "operator" : "anyone";
          const moved = await database.db.transaction((tx) => moveCard(tx, id, to, {}, by));
          const isAllowed = canMove(cardMachine, at, to, by);
          expect(moved !== null).toBe(isAllowed);
          if (isAllowed) at = to;
          expect(await statusOf(id)).toBe(at);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("make one path along the table, also in parallel", async () => {
    await fc.assert(
      fc.asyncProperty(targets, async (steps) => {
        const id = await newCard();
        await Promise.all(steps.map(({ to }) => database.db.transaction((tx) => moveCard(tx, id, to, {}, "operator"))));
        const path = (await moves()).filter(({ subject }) => subject === id);
        expect(path.every((move, index) => move.from === (path[index - 1]?.to ?? null))).toBe(true);
        expect(path.every((move) => isOfTable(cardMachine, move))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test("never reactivate a card that ended", () => {
    const spending = states.filter((state) => !endedCardStatuses.includes(state));
    for (const ended of endedCardStatuses) {
      expect(spending.filter((to) => canMove(cardMachine, ended, to))).toEqual([]);
    }
    expect(listOrigins(cardMachine, "1000")).toEqual(["1005"]);
    expect(listOrigins(cardMachine, "1000", "operator")).toEqual(["1005"]);
    expect(states.filter((to) => canMove(cardMachine, "1062", to))).toEqual([]);
    expect(Object.keys(cardStatusNames)).toEqual(states);
  });
});
