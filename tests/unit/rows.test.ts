import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { nameTransferRow } from "@cardkeep/db/queries/spending/transfers";
import { writeDecision } from "@cardkeep/db/queries/spending/writeDecision";
import { insertIfNew, insertRow, selectRows, writeRow } from "@cardkeep/db/rows";
import {
  cardDecisions,
  cardPayments,
  cardTransfers,
  delayTransactions,
  events,
  kycCallbacks,
  ledgerEntries,
  liveTransfers,
  safes,
  users,
} from "@cardkeep/db/schema/tables";
import { buildPaymentRow } from "@cardkeep/domain/spending/payments/buildPaymentRow";
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let own: TestDatabase;
let database: Database;
beforeAll(async () => {
  own = await createTestDatabase();
  database = openDatabase({ url: own.url, connectionsMax: 2, statementTimeoutMs: 10_000, applicationName: "test" });
  const user = { id: "user", email: "ada@example.org", kycStatus: "notStarted", createdAt: new Date(0) } as const;
  await database.db.insert(users).values(user);
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

const text = fc.string().filter((value) => !value.includes("\0"));
const hex = fc.uint8Array({ maxLength: 64 }).map((bytes): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`);
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`);
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const instant = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const safe = fc.record({
  id: fc.uuid(),
  userId: fc.constant("user"),
  saltNonce: amount,
  address,
  delayAddress: address,
  rolesAddress: address,
  bouncerAddress: address,
  firstOwner: address,
  tokenSymbol: fc.constant("EURe" as const),
  dailyLimit: amount,
  cooldownSeconds: fc.nat(),
  expirationSeconds: fc.nat(),
  setUpBy: fc.constantFrom("operator" as const, "user" as const),
  creator: address,
  spender: address,
  requestId: fc.uuid(),
  setUpHash: orNull(hex),
  setUpData: orNull(hex),
  status: fc.constant("reset" as const),
  reason: orNull(text),
  createdAt: instant,
  updatedAt: instant,
});

const delay = fc.record({
  id: fc.uuid(),
  userId: fc.constant("user"),
  kind: fc.constantFrom("withdrawal" as const, "limit" as const),
  to: address,
  value: amount,
  data: hex,
  operation: fc.constantFrom("CALL" as const, "DELEGATECALL" as const),
  tokenAddress: orNull(address),
  amount: orNull(amount),
  delayAddress: address,
  signer: address,
  messageHash: hex,
  enqueueData: hex,
  status: fc.constant("FAILED" as const),
  enqueueTaskId: fc.uuid(),
  requestId: fc.uuid(),
  queueNonce: orNull(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })),
  readyAt: orNull(instant),
  reason: text,
  createdAt: instant,
  updatedAt: instant,
});

test("a row is written and read like drizzle's own, with any values", async () => {
  const { db } = database;
  await fc.assert(
    fc.asyncProperty(safe, delay, async (safeRow, delayRow) => {
      const ofSafe = await insertRow(db, safes, safeRow);
      const ofDelay = await insertRow(db, delayTransactions, { ...delayRow, safeId: safeRow.id });
      const [safeAgain] = await selectRows(db, safes, sql`where ${eq(safes.id, safeRow.id)}`);
      const [delayAgain] = await selectRows(db, delayTransactions, sql`where ${delayTransactions.id} = ${delayRow.id}`);
      const [safeTold] = await db.select().from(safes).where(eq(safes.id, safeRow.id));
      const [delayTold] = await db.select().from(delayTransactions).where(eq(delayTransactions.id, delayRow.id));
      expect(safeTold).toMatchObject(safeRow);
      expect([ofSafe, safeAgain]).toEqual([safeTold, safeTold]);
      expect(delayTold).toMatchObject(delayRow);
      expect([ofDelay, delayAgain]).toEqual([delayTold, delayTold]);
    }),
    { numRuns: 50 },
  );
});

test("a document keeps its form, a value may be an expression, and a conflicting row is an error or skipped", async () => {
  const eve = { id: "eve", email: "eve@example.org", kycStatus: "notStarted", createdAt: sql`now()` } as const;
  expect(await insertIfNew(database.db, users, eve)).toMatchObject({ id: "eve", status: "ACTIVE", phone: null });
  expect(await insertIfNew(database.db, users, eve)).toBeNull();
  await expect(insertRow(database.db, users, eve)).rejects.toThrow();
  const body = { list: [1, "two", null], nested: {} };
  const callback = { id: "1", provider: "sumsub", userId: "eve", body, receivedAt: new Date(0) } as const;
  expect(await insertRow(database.db, kycCallbacks, callback)).toEqual(callback);
  await writeRow(database.db, kycCallbacks, { ...callback, id: "2" });
  expect(await selectRows(database.db, kycCallbacks, sql`where id = '2'`)).toEqual([{ ...callback, id: "2" }]);
});

const cents = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const decided = fc.record({
  id: fc.uuid(),
  instant,
  texts: fc.array(orNull(text), { minLength: 3, maxLength: 3 }),
  cents,
  amount: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
  hex,
  isApproved: fc.boolean(),
  data: fc.dictionary(text, orNull(text)),
});

test("the rows of a decision are written in one statement as they are given, and a decline has no transfer", async () => {
  await fc.assert(
    fc.asyncProperty(
      decided,
      async ({ id, instant: now, texts: [name = null, city = null, country = null], ...given }) => {
        const { amount: moved, isApproved } = given;
        const names = { id, userId: "user", safeId: `safe of ${id}`, cardId: "card" };
        const verification = { walletTokenId: name, threeDSecure: city, authenticationExemption: country };
        const use = {
          threadId: id,
          currency: "EUR",
          merchantCurrency: "USD",
          transactionType: "00",
          channel: null,
          verification,
        };
        const merchant = { name, city, country, mcc: "5411", networkId: null };
        const amounts = { authorizedCents: given.cents, merchantMinor: given.cents, target: moved };
        const payment: typeof cardPayments.$inferSelect = {
          ...buildPaymentRow({ now, requestId: "r" }, names, { ...use, merchant }, amounts),
          status: isApproved ? "AUTHORIZED" : "DECLINED",
          declineResult: isApproved ? null : "Other",
          declineReason: isApproved ? null : name,
        };
        const of = { paymentId: id, ordinal: 0, userId: "user" };
        const decision = {
          ...of,
          askedCents: given.cents,
          approvedCents: isApproved ? given.cents : 0n,
          feeCents: 0n,
          cashbackCents: 0n,
          isApproved,
          reason: "as decided",
          isByIssuer: false,
          createdAt: now,
        };
        const row: typeof cardTransfers.$inferSelect = {
          ...of,
          id: nameTransferRow(id, 0),
          sequence: 0n,
          safeId: names.safeId,
          clearingId: null,
          direction: "spend",
          amount: moved,
          isCollection: false,
          isByHand: false,
          disputeId: null,
          to: given.hex,
          data: given.hex,
          salt: given.hex,
          messageHash: given.hex,
          status: "PLANNED",
          hash: null,
          endedBlock: null,
          reason: null,
          requestId: "r",
          createdAt: now,
          updatedAt: now,
        };
        const empty = { settlement: 0n, owed: 0n, advanced: 0n, writtenOff: 0n };
        const entry = { ...of, ...empty, id, safeId: names.safeId, safe: -moved, held: moved, createdAt: now };
        const event = { id, userId: "user", requestId: "r", eventType: "card", data: given.data, createdAt: now };
        await database.db.transaction(async (tx) => {
          // Without it the Safe and the card would have to exist.
          await tx.execute(sql`set local session_replication_role = replica`);
          const transfer = isApproved ? { row, entry } : null;
          expect(await writeDecision(tx, { payment, decision, transfer, event })).toBe(false);
        });
        const { db } = database;
        expect(await selectRows(db, cardPayments, sql`where id = ${id}`)).toEqual([payment]);
        expect(await selectRows(db, cardDecisions, sql`where payment_id = ${id}`)).toEqual([decision]);
        expect(await selectRows(db, events, sql`where id = ${id}`)).toMatchObject([{ ...event, isPending: false }]);
        const [live] = await selectRows(db, liveTransfers, sql`where payment_id = ${id}`);
        expect(live?.amount).toBe(isApproved ? moved : undefined);
        const transfers = live ? [{ ...row, sequence: live.sequence }] : [];
        expect(await selectRows(db, cardTransfers, sql`where payment_id = ${id}`)).toEqual(transfers);
        expect(await selectRows(db, ledgerEntries, sql`where payment_id = ${id}`)).toEqual(isApproved ? [entry] : []);
      },
    ),
    { numRuns: 40 },
  );
});
