import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { listStandings } from "@cardkeep/db/queries/cards/cardholders";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { staleAuthorizations } from "@cardkeep/db/queue/openRows";
import { insertIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { issuerObjects } from "@cardkeep/db/sandbox/tables";
import { cardPayments, unmatchedThreads } from "@cardkeep/db/schema/tables";
import { paymentActs, rowOfPayment } from "@cardkeep/desk/nouns/paymentActs";
import { getPaymentDetails } from "@cardkeep/domain/spending/payments/listAllPayments";
import { acceptCase, closeCase, listCases } from "@cardkeep/domain/spending/cases/listCases";
import { getApproval } from "@cardkeep/domain/operations/executors/decideApproval";
import { deleteOldRows } from "@cardkeep/domain/operations/housekeeping/deleteOldRows";
import { releaseHold } from "@cardkeep/domain/spending/payments/releaseHold";
import { eq, sql } from "drizzle-orm";
import { operatorOf } from "../support/operator.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import {
  balancesOf,
  becomeCardHolder,
  type CardHolder,
  cent,
  euro,
  follow,
  give,
  untilSettled,
  use,
} from "../support/spending.ts";
import { openTwoPersons } from "../support/twoPersons.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterEach(async () => {
  await untilSettled(service);
  await service.runtime.db.delete(unmatchedThreads);
});
afterAll(() => service.stop());

const settle = (threadId: string) =>
  service.runtime.db.transaction((tx) => enqueue(tx, "card.settle", { threadId, requestId: "test" }));

const casesOf = async ({ person }: CardHolder, threadId: string) =>
  (await listCases(service.runtime.services, { user: person.userId, limit: 10 })).filter(
    (each) => each.threadId === threadId,
  );

const openCaseOf = async (holder: CardHolder, threadId: string) =>
  (await casesOf(holder, threadId)).find(({ status }) => status === "OPEN") ?? null;

const untilCase = (holder: CardHolder, threadId: string) =>
  until(async () => (await openCaseOf(holder, threadId)) !== null);

async function closeByHand(holder: CardHolder, threadId: string): Promise<void> {
  const id = (await openCaseOf(holder, threadId))?.id ?? "";
  await closeCase(operatorOf(service.runtime, "settled with the issuer"), { id });
}

/** What waits of a person's captures, and counts towards the person's bound. */
const waitingOf = async ({ person }: CardHolder) =>
  (await listStandings(service.runtime.db, [person.userId ?? ""], new Date())).map(({ waitingCents }) => waitingCents);

/** Changes what the issuer has of a use. */
const patch = (threadId: string, data: object) =>
  service.runtime.db
    .update(issuerObjects)
    .set({ data: sql`${issuerObjects.data} || ${JSON.stringify(data)}::jsonb` })
    .where(eq(issuerObjects.id, threadId));

/** A capture of 10.00, and the same one again: the second waits as a case. */
async function captureTwice(): Promise<{ holder: CardHolder; threadId: string }> {
  const holder = await becomeCardHolder(service, 100n * euro);
  const { threadId } = await use(holder, 1_000);
  const capture = { amount: 1_000, reference: `ref-${threadId}` };
  await follow(holder, threadId, "clear", capture);
  await untilSettled(service);
  await follow(holder, threadId, "clear", capture);
  await untilCase(holder, threadId);
  await untilSettled(service);
  return { holder, threadId };
}

const spoils: readonly (readonly [what: string, spoil: (holder: CardHolder, threadId: string) => Promise<unknown>])[] =
  [
    ["has an unknown type", (holder, id) => follow(holder, id, "transactions", { type: "fee", amount: -250 })],
    ["cannot be read", (_, id) => patch(id, { currency: "?" })],
    ["is of another currency", (_, id) => patch(id, { currency: "usd" })],
    [
      "is of another card",
      (_, id) =>
        service.runtime.db
          .update(issuerObjects)
          .set({ data: sql`jsonb_set(${issuerObjects.data}, '{card,id}', '"ic_none"')` })
          .where(eq(issuerObjects.id, id)),
    ],
  ];

describe("a capture of a use", () => {
  test.each([
    ["currency", { currency: "usd" }, "another currency than the account's"],
    ["card", { card: "ic_none" }, "another card than it was decided on"],
  ])("in another %s than the use moves nothing, and waits as a case", async (_, change, why) => {
    const holder = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(holder, 3_000);
    await follow(holder, threadId, "clear", { amount: 1_000 });
    await untilSettled(service);
    const { db } = service.runtime;
    const isCapture = sql`${issuerObjects.data} ->> 'authorization' = ${threadId}`;
    const [kept] = await db.select().from(issuerObjects).where(isCapture);
    if (!kept) throw new Error("The issuer has no capture");
    const { object, hidden, createdAt } = kept;
    const id = `${kept.id}x`;
    const data = { ...kept.data, id, amount: -1_500, merchant_amount: -1_500, ...change };
    await db.transaction((tx) => insertIssuerObject(tx, { id, object, hidden, createdAt, data }));
    await settle(threadId);
    await untilCase(holder, threadId);
    await untilSettled(service);
    expect((await balancesOf(holder)).total).toBe(90n * euro);
    expect(await openCaseOf(holder, threadId)).toMatchObject({ kind: "unbooked", amountCents: 1_500n });
    expect((await openCaseOf(holder, threadId))?.note).toContain(why);
  });
});

describe("what is booked of a use moves nothing where it is missing from an answer, and waits as a case until it is back:", () => {
  type Step = readonly [what: "clear" | "refund", fields: { amount: number; close?: boolean }];
  const part: Step = ["clear", { amount: 1_000, close: false }];
  const rest: Step = ["clear", { amount: 2_000 }];
  test.each<[string, Step[], number, number, object]>([
    ["one of two captures", [part, rest], 70, -2_000, { kind: "unbooked", amountCents: 2_000n }],
    ["its only capture", [["clear", { amount: 1_000 }]], 90, -1_000, { kind: "unbooked", amountCents: 1_000n }],
    [
      "a refund",
      [part, rest, ["refund", { amount: 500 }]],
      75,
      500,
      { kind: "contradictory_capture", amountCents: 500n },
    ],
  ])("%s", async (_name, steps, total, amount, shown) => {
    const holder = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(holder, 3_000);
    for (const [what, fields] of steps) {
      await follow(holder, threadId, what, fields);
      await untilSettled(service);
    }
    expect((await balancesOf(holder)).total).toBe(BigInt(total) * euro);
    const { db } = service.runtime;
    const isOfUse = sql`${issuerObjects.data} ->> 'authorization' = ${threadId}`;
    const isMissing = sql`${isOfUse} and (${issuerObjects.data} ->> 'amount')::int = ${amount}`;
    const missing = await db.delete(issuerObjects).where(isMissing).returning();
    expect(missing).toHaveLength(1);
    await settle(threadId);
    await untilSettled(service);
    expect((await balancesOf(holder)).total).toBe(BigInt(total) * euro);
    expect(await openCaseOf(holder, threadId)).toMatchObject(shown);
    for (const { sequence: _, ...object } of missing) await db.transaction((tx) => insertIssuerObject(tx, object));
    await settle(threadId);
    await untilSettled(service);
    expect((await balancesOf(holder)).total).toBe(BigInt(total) * euro);
    expect(await openCaseOf(holder, threadId)).toBeNull();
  });
});

describe("a hold of which the issuer's report cannot be booked", () => {
  async function hold(): Promise<{ holder: CardHolder; threadId: string }> {
    const holder = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(holder, 3_000);
    await untilSettled(service);
    return { holder, threadId };
  }

  /** A day after the last question the issuer is asked, and then not before the next day. */
  async function askOnce(threadId: string): Promise<void> {
    const { db, settings } = service.runtime;
    const isStale = async () => {
      const rows = await db.execute(staleAuthorizations({ chainId: settings.policy.chainId, now: new Date() }));
      return rows.some((row) => row["thread_id"] === threadId);
    };
    await db
      .update(cardPayments)
      .set({ updatedAt: sql`now() - interval '25 hours'` })
      .where(eq(cardPayments.threadId, threadId));
    await settle(threadId);
    await until(async () => !(await isStale()));
  }

  for (const [what, spoil] of spoils)
    test(`because it ${what} is asked about once a day, goes back once two persons release it, and its case stays`, async () => {
      const { holder, threadId } = await hold();
      await spoil(holder, threadId);
      await untilSettled(service);
      await askOnce(threadId);
      await untilCase(holder, threadId);
      await untilSettled(service);
      const two = await openTwoPersons(service.runtime, ["holds.release"]);
      const id = await two.ask((asker) => releaseHold(asker, { reference: threadId }));
      expect((await balancesOf(holder)).total).toBe(70n * euro);
      await two.approve("grace", id);
      await untilSettled(service);
      expect(await balancesOf(holder)).toEqual({ total: 100n * euro, spendable: 100n * euro, pending: 0n });
      expect(await openCaseOf(holder, threadId)).not.toBeNull();
      const again = releaseHold(operatorOf(service.runtime, "once more"), { reference: threadId });
      expect(await again.catch((error: unknown) => error instanceof CardkeepError && error.code)).toBe("holds.none");
    });

  test("because it was declined in another currency is asked about once a day", async () => {
    const { threadId } = await hold();
    await patch(threadId, { currency: "usd", approved: false });
    await askOnce(threadId);
  });

  test("leaves of its case what the issuer took beside it once it went back", async () => {
    const { holder, threadId } = await hold();
    await follow(holder, threadId, "transactions", { type: "fee", amount: -250 });
    await untilCase(holder, threadId);
    const two = await openTwoPersons(service.runtime, ["holds.release"]);
    await two.approve("grace", await two.ask((asker) => releaseHold(asker, { reference: threadId })));
    await until(async () => (await openCaseOf(holder, threadId))?.amountCents === 250n);
  });

  test("goes back alone: a refund that is booked of it stays with the person", async () => {
    const { holder, threadId } = await hold();
    await give(holder.person, service.runtime.settings.policy.settlementAddress, 5n * euro);
    await follow(holder, threadId, "transactions", { type: "refund", amount: 500 });
    await untilSettled(service);
    expect((await balancesOf(holder)).total).toBe(75n * euro);
    await patch(threadId, { currency: "?" });
    const two = await openTwoPersons(service.runtime, ["holds.release"]);
    await two.approve("grace", await two.ask((asker) => releaseHold(asker, { reference: threadId })));
    await untilSettled(service);
    expect((await balancesOf(holder)).total).toBe(105n * euro);
  });
});

describe("a hold that the issuer let go of while the thread waits as a case", () => {
  const fee = { type: "fee", amount: -250 };
  async function hold(): Promise<{ holder: CardHolder; threadId: string }> {
    const holder = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(holder, 3_000);
    await untilSettled(service);
    return { holder, threadId };
  }
  const capture = async (holder: CardHolder, threadId: string) => {
    await follow(holder, threadId, "clear", { amount: 1_000, close: false });
    await untilSettled(service);
    await follow(holder, threadId, "transactions", fee);
    await untilCase(holder, threadId);
    await untilSettled(service);
  };

  test("goes back without what was captured of it", async () => {
    const { holder, threadId } = await hold();
    await capture(holder, threadId);
    expect((await balancesOf(holder)).total).toBe(70n * euro);
    await follow(holder, threadId, "reverse");
    await untilSettled(service);
    expect(await balancesOf(holder)).toEqual({ total: 90n * euro, spendable: 90n * euro, pending: 0n });
    expect(await openCaseOf(holder, threadId)).toMatchObject({ kind: "unbooked", amountCents: 250n });
  });

  test("goes back also where operators have closed its case", async () => {
    const { holder, threadId } = await hold();
    await follow(holder, threadId, "transactions", fee);
    await untilCase(holder, threadId);
    await closeByHand(holder, threadId);
    await follow(holder, threadId, "reverse");
    await untilSettled(service);
    expect((await balancesOf(holder)).total).toBe(100n * euro);
  });

  test("stays as long as a capture of it waits: a closed case is open again, and two persons release the hold", async () => {
    const { holder, threadId } = await hold();
    await capture(holder, threadId);
    await closeByHand(holder, threadId);
    await follow(holder, threadId, "clear", { amount: 1_500, close: false });
    await untilCase(holder, threadId);
    await follow(holder, threadId, "reverse");
    await untilSettled(service);
    expect((await balancesOf(holder)).total).toBe(70n * euro);
    await closeByHand(holder, threadId);
    await settle(threadId);
    await untilCase(holder, threadId);
    await untilSettled(service);
    expect((await balancesOf(holder)).total).toBe(70n * euro);
    const two = await openTwoPersons(service.runtime, ["holds.release"]);
    await two.approve("grace", await two.ask((asker) => releaseHold(asker, { reference: threadId })));
    await untilSettled(service);
    expect((await balancesOf(holder)).total).toBe(90n * euro);
    expect(await openCaseOf(holder, threadId)).toMatchObject({ amountCents: 1_750n });
    await closeByHand(holder, threadId);
    await settle(threadId);
    await untilSettled(service);
    expect(await openCaseOf(holder, threadId)).toBeNull();
  });

  test("and captured whole beside what cannot be booked, stays held; its case says what waits, not the difference alone", async () => {
    const { holder, threadId } = await hold();
    await follow(holder, threadId, "transactions", fee);
    await untilCase(holder, threadId);
    await follow(holder, threadId, "clear");
    await until(async () => (await openCaseOf(holder, threadId))?.amountCents === 250n);
    await untilSettled(service);
    const shown = await openCaseOf(holder, threadId);
    expect(shown?.note).toContain("captured 30.00 EUR that waits, and 30.00 EUR is held");
    expect(shown?.note).toContain(`cardkeep holds release ${threadId}`);
    await closeByHand(holder, threadId);
    await settle(threadId);
    await untilCase(holder, threadId);
    await untilSettled(service);
    expect(await balancesOf(holder)).toEqual({ total: 70n * euro, spendable: 70n * euro, pending: 0n });
    const row = rowOfPayment(
      await getPaymentDetails(operatorOf(service.runtime, "looked at it"), { reference: threadId }),
    );
    expect(paymentActs["release"]?.offer?.(row)).toMatchObject({ label: "Release the hold" });
  });

  test("or of which a part was captured, goes back by hand without that part, once", async () => {
    const { holder, threadId } = await hold();
    await capture(holder, threadId);
    const two = await openTwoPersons(service.runtime, ["holds.release"]);
    const id = await two.ask((asker) => releaseHold(asker, { reference: threadId }));
    expect((await getApproval(service.runtime.services, { id })).input).toMatchObject({ amount: "20.00 EUR" });
    await two.approve("grace", id);
    await untilSettled(service);
    expect(await balancesOf(holder)).toEqual({ total: 90n * euro, spendable: 90n * euro, pending: 0n });
    const again = releaseHold(operatorOf(service.runtime, "once more"), { reference: threadId });
    expect(await again.catch((error: unknown) => error instanceof CardkeepError && error.code)).toBe("holds.none");
  });
});

test("operators who close the case of an answer that cannot be read refuse no later credit of its thread", async () => {
  const holder = await becomeCardHolder(service, 100n * euro);
  const { threadId } = await use(holder, 3_000);
  await untilSettled(service);
  await patch(threadId, { currency: "?" });
  await settle(threadId);
  await untilCase(holder, threadId);
  await closeByHand(holder, threadId);
  await patch(threadId, { currency: "eur" });
  await follow(holder, threadId, "clear");
  await untilSettled(service);
  expect((await balancesOf(holder)).total).toBe(70n * euro);
  await give(holder.person, service.runtime.settings.policy.settlementAddress, euro);
  // At the rate of its day more comes back than was captured.
  await follow(holder, threadId, "transactions", { type: "refund", amount: 3_037 });
  await untilSettled(service);
  expect((await balancesOf(holder)).total).toBe(10_037n * cent);
});

describe("after the case of a thread was closed", () => {
  test("money that the merchant gives back waits as an open case, and does not count against the person", async () => {
    const { holder, threadId } = await captureTwice();
    expect(await openCaseOf(holder, threadId)).toMatchObject({ kind: "double_capture", amountCents: 1_000n });
    await closeByHand(holder, threadId);
    await follow(holder, threadId, "refund", { amount: 2_000 });
    await untilCase(holder, threadId);
    const shown = await openCaseOf(holder, threadId);
    expect(shown).toMatchObject({ kind: "unbooked", amountCents: 1_000n });
    expect(await waitingOf(holder)).toEqual([0n]);
    const two = await openTwoPersons(service.runtime, ["cases.accept"]);
    await two.approve("grace", await two.ask((ctx) => acceptCase(ctx, { id: shown?.id ?? "" })));
    await untilSettled(service);
    expect((await balancesOf(holder)).total).toBe(100n * euro);
  });

  test("it is open again where as much goes the other way, and stays closed where nothing changed", async () => {
    const holder = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(holder, 1_000);
    await follow(holder, threadId, "clear");
    await untilSettled(service);
    await follow(holder, threadId, "transactions", { type: "fee", amount: -250 });
    await untilCase(holder, threadId);
    await closeByHand(holder, threadId);
    await settle(threadId);
    await untilSettled(service);
    expect(await openCaseOf(holder, threadId)).toBeNull();
    await follow(holder, threadId, "transactions", { type: "fee", amount: 500 });
    await untilCase(holder, threadId);
    expect(await casesOf(holder, threadId)).toMatchObject([{ kind: "unbooked", amountCents: 250n }]);
  });

  test("it stays closed where an answer could not be read, and counts no more against the person", async () => {
    const { holder, threadId } = await captureTwice();
    await closeByHand(holder, threadId);
    await patch(threadId, { currency: "?" });
    await settle(threadId);
    await untilCase(holder, threadId);
    expect(await casesOf(holder, threadId)).toMatchObject([
      { kind: "unbooked", status: "OPEN" },
      { kind: "double_capture", status: "CLOSED" },
    ]);
    await patch(threadId, { currency: "eur" });
    await settle(threadId);
    await untilSettled(service);
    expect(await openCaseOf(holder, threadId)).toBeNull();
    expect(await waitingOf(holder)).toEqual([0n]);
    expect((await balancesOf(holder)).total).toBe(90n * euro);
  });

  test("its row stays as long as another case of the thread is open", async () => {
    const { holder, threadId } = await captureTwice();
    await closeByHand(holder, threadId);
    await follow(holder, threadId, "transactions", { type: "fee", amount: -250 });
    await untilCase(holder, threadId);
    await untilSettled(service);
    const { db, services } = service.runtime;
    const count = async () => {
      const isThis = eq(unmatchedThreads.threadId, threadId);
      await db
        .update(unmatchedThreads)
        .set({ seenAt: sql`now() - interval '90 days'` })
        .where(isThis);
      await deleteOldRows({ ...services, stopping: new AbortController().signal });
      return db.$count(unmatchedThreads, isThis);
    };
    expect(await count()).toBe(1);
    await closeByHand(holder, threadId);
    expect(await count()).toBe(0);
  });
});

test("a second capture that the merchant refunds is no more at stake, and does not count against the person", async () => {
  const { holder, threadId } = await captureTwice();
  expect(await waitingOf(holder)).toEqual([1_000n]);
  await follow(holder, threadId, "refund", { amount: 1_000 });
  await until(async () => (await openCaseOf(holder, threadId))?.amountCents === 0n);
  expect(await waitingOf(holder)).toEqual([0n]);
  await follow(holder, threadId, "refund", { amount: 1_000 });
  await until(async () => (await openCaseOf(holder, threadId))?.amountCents === 1_000n);
  // Now the person gets money, so the case of the captures ends and another one waits.
  const found = await casesOf(holder, threadId);
  expect(found.map(({ kind, status, closedBy }) => [kind, status, closedBy])).toEqual([
    ["unbooked", "OPEN", null],
    ["double_capture", "CLOSED", "cardkeep"],
  ]);
  expect(await waitingOf(holder)).toEqual([0n]);
});

describe("what two persons accept while the issuer is asked", () => {
  const gate = 4_711;
  beforeAll(async () => {
    await service.ownerDb.execute(
      sql.raw(`create function wait_at_gate() returns trigger language plpgsql as
        'begin perform pg_advisory_xact_lock(${gate}); return new; end';
        create trigger wait_at_gate before insert on unmatched_threads for each row execute function wait_at_gate()`),
    );
  });
  afterAll(async () => {
    await service.ownerDb.execute(sql`drop function wait_at_gate cascade`);
  });

  /** Has the case accepted while the worker stands between its look at the row and its write of it. */
  async function acceptAmid(holder: CardHolder, threadId: string, step: () => Promise<unknown>): Promise<void> {
    const id = (await openCaseOf(holder, threadId))?.id ?? "";
    const two = await openTwoPersons(service.runtime, ["cases.accept"]);
    const asked = await two.ask((ctx) => acceptCase(ctx, { id }));
    await service.ownerDb.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(${gate})`);
      await step();
      await until(async () => {
        const waiting = await service.runtime.db.execute(
          sql`select from pg_locks where locktype = 'advisory' and objid = ${gate} and not granted`,
        );
        return waiting.length > 0;
      });
      await two.approve("grace", asked);
    });
    await untilSettled(service);
  }

  test("is not booked where the thread comes to more by now and waits again, and is booked where it does not", async () => {
    const { holder, threadId } = await captureTwice();
    const capture = { amount: 1_000, reference: `ref-${threadId}` };
    await acceptAmid(holder, threadId, () => follow(holder, threadId, "clear", capture));
    expect((await balancesOf(holder)).total).toBe(90n * euro);
    expect(await openCaseOf(holder, threadId)).toMatchObject({ kind: "double_capture", amountCents: 2_000n });
    await acceptAmid(holder, threadId, () => settle(threadId));
    expect((await balancesOf(holder)).total).toBe(70n * euro);
    expect(await openCaseOf(holder, threadId)).toBeNull();
    expect(await service.runtime.db.$count(unmatchedThreads, eq(unmatchedThreads.threadId, threadId))).toBe(0);
  });
});
