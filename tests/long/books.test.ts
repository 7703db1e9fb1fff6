import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { insertIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { findBookCursor, insertPostings } from "@cardkeep/db/queries/books/postings";
import { listSafesWithIban } from "@cardkeep/db/queries/books/witnessSources";
import { updateProcessedOrder } from "@cardkeep/db/queries/users/ibanOrders";
import { readDatabaseIdentity } from "@cardkeep/db/queries/core/databaseIdentity";
import { findClose } from "@cardkeep/db/queries/books/closes";
import { insertReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import {
  bookCursors,
  bookDays,
  bookPostings,
  bookWitnessEntries,
  cardClearings,
  cardPayments,
  ibanOrders,
  ibans,
  reconciliations,
} from "@cardkeep/db/schema/tables";
import { type Close, closeAsOperator } from "@cardkeep/domain/books/closes/closes";
import { checkBooks } from "@cardkeep/domain/operations/health/checkBooks";
import { beginExport } from "@cardkeep/domain/operations/exports/runExport";
import { reportNames } from "@cardkeep/domain/operations/exports/showReport";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { tokens } from "@cardkeep/chain/tokens";
import { proveStatement } from "@cardkeep/domain/books/closes/proveStatement";
import { closeBooks, closeUpTo, findLastDay, requireClosable } from "@cardkeep/domain/books/closes/closeDay";
import { followInstitution } from "@cardkeep/domain/books/postings/followInstitution";
import { followChain, followIssuerEntries } from "@cardkeep/domain/books/postings/followWitnesses";
import { postAll } from "@cardkeep/domain/books/postings/postBooks";
import type { ShownMove } from "@cardkeep/domain/treasury/moves/showMove";
import { reconcileOrders } from "@cardkeep/domain/sync/reconciliations/reconcileOrders";
import { applyEmoneyCallback } from "@cardkeep/domain/users/ibans/applyEmoneyCallback";
import { eraseUser } from "@cardkeep/domain/users/users/eraseUser";
import { createContext } from "@cardkeep/domain/core/context";
import { dayOf, nextDay } from "@cardkeep/domain/core/calendar";
import { formatAmount, parseAmount } from "@cardkeep/domain/spending/statements/cardFacts";
import { listActions } from "@cardkeep/domain/core/operators/listActions";
import type { EmoneyOrder } from "@cardkeep/providers/emoney/port";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { eq, sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askCli, runCliOn } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { becomeEligible } from "../support/cards.ts";
import { operatorOf } from "../support/operator.ts";
import { becomeIbanHolder } from "../support/ibans.ts";
import { countLockWaits, lockTable } from "../support/locks.ts";
import { signInWithKey } from "../support/operatorPages.ts";
import { fullPrice, order, payFromNowhere, statusOf } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { startRpcProxy } from "../support/rpcProxy.ts";
import { type Service, standardLimits, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, cent, follow, untilSettled, use } from "../support/spending.ts";
import { awaitAttempts, registerPartner } from "../support/webhooks.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const verifier = join(import.meta.dir, "../verifier/verify.py");
const out = mkdtempSync(join(tmpdir(), "cardkeep-books-"));
let service: Service;
let holder: CardHolder;
beforeAll(async () => {
  // The close of the night would come before the test's own.
  service = await startService({ env: { CARD_PRICE_VAT_PERCENT: "19", BOOKS_CLOSE_HOUR: "23" } });
  await sendEarlier(7_777);
  await holdEarlier();
  holder = await becomeCardHolder(service);
  await registerPartner(holder.person, "auditor", { hasAllEvents: true });
}, 60_000);
afterAll(async () => {
  rmSync(out, { recursive: true });
  await service.stop();
});

/** Money of the operator's that was at the issuer long before the first person signed up. */
async function sendEarlier(amount: number): Promise<void> {
  const createdAt = new Date(Date.now() - 400 * 86_400_000);
  const created = Math.floor(createdAt.getTime() / 1_000);
  const data = { id: "txn_earlier", object: "balance_transaction", amount, net: amount, created, currency: "eur" };
  const row = {
    id: data.id,
    object: data.object,
    data: { ...data, type: "topup", source: null },
    hidden: {},
    createdAt,
  };
  await service.runtime.db.transaction((tx) => insertIssuerObject(tx, row));
}

/** Tokens that the own accounts held on chain long before the first person signed up. */
async function holdEarlier(): Promise<void> {
  const { settlementAddress: to } = service.runtime.settings.policy;
  await payFromNowhere(service, { to, amount: 4_321n * cent });
  await payFromNowhere(service, { to, token: "GBPe", amount: 90n * cent });
  await payFromNowhere(service, { amount: 60n * cent });
  await new Person(service).sandbox("POST", "/chain/advance", { seconds: 7_200 });
}

const advance = (seconds: number) => holder.person.sandbox("POST", "/chain/advance", { seconds });
const advanceDay = () => advance(86_400);
const close = (...words: string[]) => askCli<Close>(service, "books", "close", ...words);
const failure = async (...words: string[]) => (await runCliOn(service.runtime, "books", ...words)).err;
const closingOf = ({ accounts }: Close, name: string): bigint =>
  BigInt(accounts.find(({ account }) => account === name)?.closing ?? 0);

/** A decimal amount and some cents more. */
const addCents = (amount: string, cents: bigint): string => formatAmount(parseAmount(amount, 18) + cents * cent, 18);

describe("the books of a day", () => {
  let made: Close;

  test("begin no earlier than the first person, or with yesterday: what comes before is refused without a write", async () => {
    const { services, log } = service.runtime;
    for (const day of ["0001-01-01", "2001-01-01"]) {
      expect(await failure("close", day)).toContain("This day is before");
      await expect(closeUpTo(createContext(services, { log, requestId: "test" }), day)).rejects.toMatchObject({
        code: "books.day_before",
      });
    }
    const listed = await listActions(operatorOf(service.runtime), { verb: "books.close", limit: 1 });
    expect([await service.ownerDb.$count(bookDays), listed]).toEqual([0, []]);
    await requireClosable(services, await findLastDay(services));
  });

  test("have every event once, in accounts that agree with chain and issuer to the base unit", async () => {
    const { person } = holder;
    const used = await use(holder, 2_550);
    await follow(holder, used.threadId, "clear");
    await follow(holder, used.threadId, "refund", { amount: 550 });
    await use(holder, 1_000);
    await untilSettled(service);
    await person.sandbox("PUT", "/issuer/balance", { amount: 500_000 });
    const orderId = await order(person);
    const transactionHash = await payFromNowhere(service, { amount: fullPrice + 2n * cent });
    await person.call("PUT", `/order/${orderId}/attach-transaction`, { transactionHash });
    await person.call("PUT", `/order/${orderId}/confirm-payment`);
    await until(async () => (await statusOf(person, orderId)) !== "PENDINGTRANSACTION");
    await advanceDay();
    const { services, log, settings } = service.runtime;
    const reader = () => createContext(services, { log, requestId: "test" });
    await Promise.all([followChain(reader()), followChain(reader())]);
    made = await close();
    const differing = made.comparisons.filter(({ difference }) => difference !== "0");
    expect([differing, made.items]).toEqual([[], []]);
    // All that is on chain: what was there before the first sign-up, and what cards brought.
    expect(closingOf(made, "settlement:EUR")).toBe((4_321n + 3_000n) * cent);
    for (const { address, fiat } of Object.values(tokens))
      for (const kind of ["settlement", "treasury"] as const)
        expect([kind, fiat, closingOf(made, `${kind}:${fiat}`)]).toEqual([
          kind,
          fiat,
          await services.chain.getTokenBalance(address, settings.policy[`${kind}Address`]),
        ]);
    expect(closingOf(made, "capital:EUR")).toBe(-(4_321n + 60n) * cent);
    expect(closingOf(made, "suspense:EUR")).toBe(0n);
    expect(await service.ownerDb.$count(bookPostings, eq(bookPostings.type, "opening"))).toBe(3);
    expect(closingOf(made, "issuer-clearing:EUR")).toBe(-1_000n * cent);
    // All that was ever sent there, with what it holds for the open authorization.
    expect(closingOf(made, "prefund:EUR")).toBe((500_000n + 1_000n + 7_777n) * cent);
    expect(closingOf(made, "treasury:EUR")).toBe(fullPrice + (60n + 2n) * cent);
    expect(closingOf(made, "payable:EUR")).toBe(-2n * cent);
    expect(closingOf(made, "vat:EUR")).toBe(-483n * cent);
    const kinds = made.accounts.reduce((sum, { closing }) => sum + BigInt(closing), 0n);
    expect(kinds).toBe(0n);
    const witnesses = new Set(made.comparisons.map(({ witness }) => witness));
    expect(
      ["chain", "issuer", "ledger", "clearings", "institution-balance"].filter((name) => !witnesses.has(name)),
    ).toEqual([]);
  }, 60_000);

  test("are public by root and digest, and sent to a partner that asked for all events, without amounts", async () => {
    const published = { day: made.day, root: made.root, digest: made.digest, closedAt: made.closedAt };
    const { closes } = await (await fetch(`${service.url}/books`)).json();
    expect(closes).toEqual([published]);
    const page = await fetch(`${service.url}/books`, { headers: { Accept: "text/html" } });
    expect(await page.text()).toContain(made.root);
    const { services } = service.runtime;
    const closed = { ...services, policy: { ...services.policy, areBooksPublic: false } };
    const server = createServer({ ...service.runtime, services: closed });
    expect((await server.handle(new Request(`${service.url}/books`))).status).toBe(404);
    const [attempt] = await awaitAttempts(holder.person, "auditor", 1);
    const { url, ...sent } = JSON.parse(attempt?.body ?? "{}").data;
    expect([attempt?.verified, sent, url]).toEqual([true, published, expect.stringMatching(/\/books$/)]);
  });

  test("stay as they were closed: a second close answers the first, and what comes late is in the next day", async () => {
    expect(await close(made.day)).toEqual(made);
    const late = {
      type: "capture",
      externalId: "ipi_late",
      cause: "late",
      effectiveOn: made.day,
      bookedAt: new Date(),
    };
    const refused = service.ownerDb.insert(bookPostings).values({ ...late, period: made.day });
    expect(
      await refused.then(
        () => null,
        (error: Error) => String(error.cause),
      ),
    ).toContain("is sealed");
    const used = await use(holder, 700);
    await follow(holder, used.threadId, "clear");
    await untilSettled(service);
    await advanceDay();
    const next = await close();
    expect([next.day, next.previousDigest, next.items]).toEqual([nextDay(made.day), made.digest, []]);
  }, 60_000);

  test("have unannounced money as an item of its day, until it is booked in suspense, and end that once its event is known, days later too", async () => {
    const { timestamp } = (await holder.person.sandbox("GET", "/chain")).body;
    const untilMidnight = 86_400 - (timestamp % 86_400);
    await advance(untilMidnight - 600);
    await payFromNowhere(service, { to: service.runtime.settings.policy.settlementAddress, amount: 5n * cent });
    await advance(1_200);
    const first = await close();
    expect(first.items.map(({ witness, account, amount }) => [witness, account, amount])).toEqual([
      ["chain", "settlement:EUR", String(5n * cent)],
    ]);
    expect(closingOf(first, "suspense:EUR")).toBe(0n);
    await advance(86_400);
    const second = await close();
    expect([second.items, second.resolved]).toEqual([[], first.items.map(({ id }) => id)]);
    expect(closingOf(second, "suspense:EUR")).toBe(-5n * cent);
    const [item] = first.items;
    await advance(6 * 86_400);
    await close();
    await service.runtime.db.transaction(async (tx) =>
      insertPostings(
        tx,
        [
          {
            type: "treasury",
            externalId: "late",
            cause: "late",
            effectiveOn: second.day,
            lines: [
              { account: "settlement:EUR", currency: "EUR", amount: 5n * cent, reference: item?.reference ?? null },
              { account: "suspense:EUR", currency: "EUR", amount: -5n * cent, reference: null },
            ],
          },
        ],
        await service.runtime.clock.now(tx),
      ),
    );
    await advance(86_400);
    const third = await close();
    expect([third.items, closingOf(third, "suspense:EUR")]).toEqual([[], -5n * cent]);
    expect(closingOf(third, "settlement:EUR")).toBe(closingOf(second, "settlement:EUR"));
    for (const { witness, account, difference } of filled(third.comparisons))
      expect([witness, account, difference]).toEqual([witness, account, "0"]);
  }, 60_000);

  test("are closed once, also by two at once, and by one after another was cut off at any chunk", async () => {
    await use(holder, 200);
    await advanceDay();
    const { runtime } = service;
    const ctx = () => createContext(runtime.services, { log: runtime.log, requestId: "test" });
    const [newest] = await askCli<Close[]>(service, "books", "list", "--limit", "1");
    const day = nextDay(newest?.day ?? "");
    let commits = 0;
    await closeUpTo(ctx(), day, () => (commits += 1) > 14);
    await postAll(ctx(), () => false);
    // Both come to the seal before either has it.
    const closing = await runtime.db.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock_shared(hashtextextended('cardkeep:books', 0))`);
      const both = Promise.all([closeUpTo(ctx(), day), closeUpTo(ctx(), day)]);
      await until(async () => (await countLockWaits(service.runtime.db)) >= 2);
      return { both };
    });
    await closing.both;
    const shown = await askCli<Close>(service, "books", "show", day);
    expect(shown.previousDigest).toBe(newest?.digest ?? null);
    const [row] = await service.ownerDb.select().from(bookDays).where(eq(bookDays.day, day));
    expect(row?.closedAt).not.toBeNull();
  }, 60_000);

  test("are closed by a worker from the set hour on, and the doctor names days that stay open", async () => {
    const look = () => checkBooks(service.runtime.services);
    const found = await look();
    expect([found.severity, found.text]).toEqual(["ok", expect.stringMatching(/^Closed up to /)]);
    await advanceDay();
    await advanceDay();
    const open = await look();
    expect([open.severity, open.text]).toEqual(["warning", expect.stringMatching(/^The books of 2 days are open/)]);
    const { runtime } = service;
    const { signal: stopping } = new AbortController();
    const runChore = (booksCloseHour: number, followMs?: number) => {
      const services = { ...runtime.services, policy: { ...runtime.services.policy, booksCloseHour } };
      return closeBooks({ ...createContext(services, { log: runtime.log, requestId: "chore" }), stopping }, followMs);
    };
    await runChore(24);
    expect((await look()).severity).toBe("warning");
    // What the witnesses have took all of the turn.
    await runChore(0, 0);
    expect((await look()).severity).toBe("warning");
    await runChore(0);
    expect((await look()).severity).toBe("ok");
  }, 60_000);

  test("have an item while the institution owes another amount for the treasury, or for a customer's Safe, than the chain has", async () => {
    const { services, log } = service.runtime;
    const { person, safe } = holder;
    await becomeIbanHolder(person);
    const { treasuryAddress } = services.policy;
    const itemsOfDay = async (cents: bigint, of: string = treasuryAddress) => {
      await advanceDay();
      const emoney = {
        ...services.emoney,
        readBalances: async (input: Parameters<typeof services.emoney.readBalances>[0]) =>
          (await services.emoney.readBalances(input)).map(({ currency, amount }) => ({
            currency,
            amount: currency === "EUR" && input.address === of ? addCents(amount, cents) : amount,
          })),
      };
      const [newest] = await askCli<Close[]>(service, "books", "list", "--limit", "1");
      const day = nextDay(newest?.day ?? "");
      await closeUpTo(createContext({ ...services, emoney }, { log, requestId: "test" }), day);
      const { items } = await askCli<Close>(service, "books", "show", day);
      return items.map(({ witness, account, amount }) => [witness, account, BigInt(amount) / cent]);
    };
    expect(await itemsOfDay(300n)).toEqual([["institution-balance", "treasury:EUR", 300n]]);
    expect(await itemsOfDay(300n)).toEqual([["institution-balance", "treasury:EUR", 300n]]);
    expect(await itemsOfDay(0n)).toEqual([]);
    expect(await itemsOfDay(-150n, safe)).toEqual([["institution-balance", "safes:EUR", -150n]]);
    expect(await itemsOfDay(-150n, safe)).toEqual([["institution-balance", "safes:EUR", -150n]]);
    expect(await itemsOfDay(0n, safe)).toEqual([]);
    const [{ comparisons } = made] = await askCli<Close[]>(service, "books", "list", "--limit", "1");
    const compared = comparisons.filter(({ witness }) => witness === "institution-balance");
    expect(compared.map(({ account, difference }) => [account, difference])).toEqual(
      ["safes:EUR", "safes:GBP", "treasury:EUR", "treasury:GBP"].map((account) => [account, "0"]),
    );
  }, 60_000);

  test("have what the institution owes customers whose Safes it answers, also where it answers nothing about another one", async () => {
    const { services, log, db } = service.runtime;
    for (let count = 0; count < 3; count++) await becomeIbanHolder(await becomeEligible(new Person(service)));
    const safes = await listSafesWithIban(db, { after: "", limit: 100 });
    const [unanswered, ...others] = safes.map(({ address }) => address);
    // Of days long ago: what the institution owes beyond the chain on the first, it does not on the second.
    const follow = async (day: string, cents: bigint, isStopped?: () => boolean) => {
      const readBalances: typeof services.emoney.readBalances = async (input) => {
        if (input.address === unanswered) throw new ProviderUnavailable("an answer of 500");
        const owed = await services.emoney.readBalances(input);
        const isCustomer = others.some((address) => address === input.address);
        return owed.map(({ currency, amount }) => ({
          currency,
          amount: isCustomer && currency === "EUR" ? addCents(amount, cents) : amount,
        }));
      };
      const ctx = createContext(
        { ...services, emoney: { ...services.emoney, readBalances } },
        { log, requestId: "test" },
      );
      await followInstitution(ctx, day, isStopped);
      const rows = await db.select().from(bookWitnessEntries).where(eq(bookWitnessEntries.effectiveOn, day));
      return rows.filter(({ amount }) => amount !== 0n).map(({ reference, amount }) => [reference, amount / cent]);
    };
    const placeOf = async () => (await findBookCursor(db, "witness:institution"))?.after;
    const expected = (cents: bigint) => others.map((address) => [`${address}:EUR`, cents]).toSorted();
    expect(others.length).toBeGreaterThanOrEqual(2);
    expect((await follow("2020-01-01", 7n)).toSorted()).toEqual(expected(7n));
    expect(await placeOf()).toBeNull();
    let looked = 0;
    expect(await follow("2020-01-02", 0n, () => ++looked > 2)).toEqual([[`${others[0]}:EUR`, -7n]]);
    expect(await placeOf()).toBe(safes[1]?.userId);
    expect((await follow("2020-01-02", 0n)).toSorted()).toEqual(expected(-7n));
    expect(await placeOf()).toBeNull();
  }, 60_000);

  test("have the money that came in by the IBAN of a person who was erased before the close", async () => {
    const { services, log, db } = service.runtime;
    const incoming = async () => {
      const person = await becomeEligible(new Person(service));
      const iban = await becomeIbanHolder(person);
      const { body } = await person.sandbox("POST", "/emoney/incoming", {
        iban,
        amount: "25.50",
        counterpart: "Grace",
      });
      const isFound = async () =>
        (await db.select().from(ibanOrders).where(eq(ibanOrders.id, body.orderId)))[0]?.mintHash != null;
      await until(isFound);
      return { person, orderId: body.orderId as string };
    };
    const erase = ({ userId }: Person) => eraseUser(operatorOf(service.runtime), { reference: userId ?? "" });
    const [posted, unposted] = [await incoming(), await incoming()];
    await erase(unposted.person);
    await postAll(createContext(services, { log, requestId: "test" }));
    await erase(posted.person);
    await advanceDay();
    const { items, comparisons } = await close();
    expect(items).toEqual([]);
    expect(comparisons.filter(({ difference }) => difference !== "0")).toEqual([]);
    const booked = await db.select().from(bookPostings).where(eq(bookPostings.type, "mint"));
    for (const { orderId } of [posted, unposted]) expect(booked.map(({ externalId }) => externalId)).toContain(orderId);
  }, 60_000);

  test("have an order of the institution that is reported days after it was processed, or without the time of that or of its report", async () => {
    const { services, log, db, clock } = service.runtime;
    const person = await becomeEligible(new Person(service));
    await becomeIbanHolder(person);
    const [account] = await db
      .select()
      .from(ibans)
      .where(eq(ibans.userId, person.userId ?? ""));
    await postAll(createContext(services, { log, requestId: "test" }));
    const now = await clock.now(db);
    const longAgo = new Date(now.getTime() - 9 * 86_400_000);
    // A comparison dates the report of an order that was unknown here like this.
    const never = new Date(0);
    const zone = services.policy.statementTimeZone;
    const known = [
      {
        id: "redeem-late",
        amount: "3.5",
        processedAt: longAgo,
        reportedAt: longAgo,
        effectiveOn: dayOf(longAgo, zone),
      },
      {
        id: "redeem-without-a-time",
        amount: "3",
        processedAt: null,
        reportedAt: longAgo,
        effectiveOn: dayOf(longAgo, zone),
      },
      {
        id: "redeem-found-without-a-time",
        amount: "0.5",
        processedAt: null,
        reportedAt: never,
        effectiveOn: dayOf(now, zone),
      },
    ];
    for (const { id, amount, processedAt, reportedAt } of known)
      await db.insert(ibanOrders).values({
        id,
        institution: "monerium",
        userId: person.userId ?? "",
        kind: "redeem",
        currency: "eur",
        amount,
        address: account?.address ?? person.account.address,
        counterpart: { details: { name: "Charles" }, identifier: { standard: "iban", iban: "DE89370400440532013000" } },
        state: "processed",
        placedAt: longAgo,
        processedAt,
        reportedAt,
        updatedAt: now,
      });
    await advanceDay();
    const { items, comparisons } = await close();
    expect([items, comparisons.filter(({ difference }) => difference !== "0")]).toEqual([[], []]);
    const booked = await db.select().from(bookPostings).where(eq(bookPostings.type, "redeem"));
    const days = new Map(booked.map(({ externalId, effectiveOn }) => [externalId, effectiveOn]));
    expect(known.map(({ id }) => days.get(id))).toEqual(known.map(({ effectiveOn }) => effectiveOn));
  }, 60_000);

  test("have no order of the institution in a currency whose token it does not issue, and no item of it", async () => {
    const { db, clock } = service.runtime;
    const person = await becomeEligible(new Person(service));
    const now = await clock.now(db);
    const given = (["issue", "redeem"] as const).map((kind) => ({
      id: `${kind}-in-dollars`,
      institution: "monerium" as const,
      userId: person.userId ?? "",
      kind,
      currency: "usd" as const,
      amount: "12.5",
      address: person.account.address,
      counterpart: { details: { name: "Charles" }, identifier: { standard: "iban", iban: "DE89370400440532013000" } },
      state: "processed" as const,
      placedAt: now,
      processedAt: now,
      reportedAt: now,
      updatedAt: now,
    }));
    await db.insert(ibanOrders).values(given);
    await advanceDay();
    const { items } = await close();
    expect(items).toEqual([]);
    const booked = sql`${bookPostings.externalId} in ('issue-in-dollars', 'redeem-in-dollars')`;
    expect(await service.ownerDb.$count(bookPostings, booked)).toBe(0);
  }, 60_000);

  test("have an order that was placed, and that a comparison finds processed without a time, on the day of that; a callback counts after it", async () => {
    const { db, clock } = service.runtime;
    const person = await becomeEligible(new Person(service));
    await becomeIbanHolder(person);
    const ofPerson = eq(ibans.userId, person.userId ?? "");
    const [account] = await db.select().from(ibans).where(ofPerson);
    const profileId = account?.profileId ?? "";
    const now = await clock.now(db);
    const longAgo = new Date(now.getTime() - 9 * 86_400_000);
    const orderOf = (id: string, change: Partial<EmoneyOrder>): EmoneyOrder => ({
      id,
      profileId,
      kind: "redeem",
      currency: "gbp",
      amount: "0.5",
      address: account?.address ?? person.account.address,
      counterpart: { details: { name: "Charles" }, identifier: { standard: "iban", iban: "DE89370400440532013000" } },
      state: "placed",
      memo: null,
      referenceNumber: null,
      placedAt: longAgo,
      processedAt: null,
      rejectedReason: null,
      txHashes: [],
      ...change,
    });
    const ctx = createWorkerContext(service.runtime);
    const callBack = (id: string, fields: Partial<EmoneyOrder>) => {
      const change = { kind: "order", order: orderOf(id, fields) } as const;
      return applyEmoneyCallback(ctx, { id: randomUUID(), type: "order.updated", reportedAt: longAgo, change });
    };
    const [lost, late] = ["redeem-with-a-lost-callback", "redeem-with-a-late-callback"] as const;
    for (const id of [lost, late]) expect(await callBack(id, {})).toBe("applied");
    const orders = [lost, late].map((id) => orderOf(id, { state: "processed" }));
    const listOrders = async (asked: { profileId: string }) => ({
      orders: asked.profileId === profileId ? orders : [],
      unreadable: [],
    });
    const { identity: databaseIdentity } = await readDatabaseIdentity(db);
    const started = { id: "orders", reason: "operator", evidence: null, databaseIdentity, fromBlock: null } as const;
    const ended = { ...started, requestId: "test", startedAt: now, endedAt: now };
    await db.transaction((tx) => insertReconciliation(tx, ended));
    const [reconciliation] = await db.select().from(reconciliations).where(eq(reconciliations.id, started.id));
    if (!reconciliation) throw new Error("There is no reconciliation");
    await reconcileOrders({ ...ctx, emoney: { ...ctx.emoney, listOrders } }, reconciliation);
    expect(await callBack(late, { state: "processed", processedAt: longAgo })).toBe("applied");
    await advanceDay();
    const { items, comparisons } = await close();
    expect([items, comparisons.filter(({ difference }) => difference !== "0")]).toEqual([[], []]);
    const booked = await db.select().from(bookPostings).where(eq(bookPostings.type, "redeem"));
    const days = new Map(booked.map(({ externalId, effectiveOn }) => [externalId, effectiveOn]));
    const rowOf = async (id: string) => (await db.select().from(ibanOrders).where(eq(ibanOrders.id, id)))[0];
    const foundAt = (await rowOf(lost))?.updatedAt;
    if (!foundAt) throw new Error("The order was not found");
    expect(days.get(lost)).toBe(dayOf(foundAt, ctx.policy.statementTimeZone));
    expect(await rowOf(late)).toMatchObject({ processedAt: longAgo, reportedAt: longAgo });
  }, 60_000);

  test("refuse a day that is no day, is not over, or is before the first one, with a code and without a write", async () => {
    const days = await service.ownerDb.$count(bookDays);
    expect(await failure("close", "2026-02-30")).toContain("This is no day");
    expect(await failure("close", "2999-01-01")).toContain("This day is not over");
    expect(await failure("close", "2001-01-01")).toContain("This day is before");
    expect(await failure("show", "2001-01-01")).toContain("This day is not closed");
    expect(await failure("export", "yesterday", "--out", out)).toContain("This is no day");
    expect(await service.ownerDb.$count(bookDays)).toBe(days);
  });

  test("are exported as lines with the root, and not once a row was changed behind the triggers", async () => {
    const folder = join(out, "exported");
    const answer = await askCli<Close>(service, "books", "export", made.day, "--out", folder);
    const written = [folder, join(folder, "close.json"), join(folder, "postings.jsonl")];
    expect(written.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
    expect([answer.root, answer.digest]).toEqual([made.root, made.digest]);
    const lines = (await Bun.file(join(folder, "postings.jsonl")).text()).trimEnd().split("\n");
    expect(lines).toHaveLength(made.postings);
    await service.ownerDb.execute(sql`alter table book_lines disable trigger user`);
    await service.ownerDb.execute(sql`update book_lines set amount = amount * 2 where period = ${made.day}`);
    const kept = () => Promise.all(written.slice(1).map((path) => Bun.file(path).text()));
    const before = await kept();
    expect(await failure("export", made.day, "--out", folder)).toContain("are not those of its close");
    expect(await failure("export", "2001-01-01", "--out", folder)).toContain("This day is not closed");
    expect([await kept(), readdirSync(folder).toSorted()]).toEqual([before, ["close.json", "postings.jsonl"]]);
    await service.ownerDb.execute(sql`update book_lines set amount = amount / 2 where period = ${made.day}`);
    await service.ownerDb.execute(sql`alter table book_lines enable trigger user`);
    expect((await runCliOn(service.runtime, "books", "export", made.day, "--out", folder)).code).toBe(0);
  });

  test("go round with the money: paid by card, swept, redeemed, there as the issuer's top-up, closed without an item, and found right", async () => {
    const { person } = holder;
    const { threadId } = await use(holder, 4_000);
    await follow(holder, threadId, "clear");
    await untilSettled(service);
    const balanceOf = async (): Promise<number> => (await person.sandbox("GET", "/issuer/balance")).body.amount;
    const [before] = await askCli<Close[]>(service, "books", "list", "--limit", "1");
    const atIssuer = await balanceOf();
    const moves = () => askCli<ShownMove[]>(service, "treasury", "list", "--limit", "100");
    for (const verb of ["sweep", "redeem"]) {
      await askCli<ShownMove>(service, "treasury", verb, "20", "--reason", "the loop");
      await until(async () => (await moves()).every(({ status }) => status === "DONE"));
    }
    const ended = (await moves()).map(({ kind, status, amount }) => [kind, status, amount]);
    expect(ended.toSorted()).toEqual([
      ["fund", "DONE", "20"],
      ["redeem", "DONE", "20"],
      ["sweep", "DONE", "20"],
    ]);
    expect((await balanceOf()) - atIssuer).toBe(2_000);
    await advanceDay();
    const after = await close();
    const differing = after.comparisons.filter(({ difference }) => difference !== "0");
    expect([differing, after.items]).toEqual([[], []]);
    const changed = (account: string) => (closingOf(after, account) - closingOf(before ?? after, account)) / cent;
    const accounts = ["settlement", "treasury", "transit", "prefund", "issuer-clearing", "suspense"];
    // The card's 40.00 came and were captured, and 20.00 of them went round.
    expect(accounts.map((kind) => [kind, changed(`${kind}:EUR`)])).toEqual([
      ["settlement", 2_000n],
      ["treasury", 0n],
      ["transit", 0n],
      ["prefund", -2_000n],
      ["issuer-clearing", 0n],
      ["suspense", 0n],
    ]);
    if (Bun.which("python3") === null) return;
    const folder = join(out, "loop");
    await askCli(service, "books", "export", after.day, "--out", folder);
    const checked = Bun.spawnSync(["python3", verifier, "close", folder]);
    expect([checked.stderr.toString(), checked.stdout.toString()]).toEqual(["", expect.stringContaining(after.digest)]);
  }, 60_000);

  test.skipIf(Bun.which("python3") === null)(
    "are found right, with a person's statement in them, by a program that knows the guide alone",
    async () => {
      await advance(35 * 86_400);
      const month = made.day.slice(0, 7);
      const stated = await holder.person.call("GET", `/statements/${month}`);
      expect([stated.status, stated.body.isFinal]).toEqual([200, true]);
      const there = ["--reason", "auditor asked", "--server", service.url];
      // A month of days may need more than a request has; what is closed by then stays, and the next one goes on.
      await until(async () => (await runCliOn(service.runtime, "books", "close", ...there)).code === 0);
      const [action] = await listActions(operatorOf(service.runtime), { verb: "books.close", limit: 1 });
      expect(action?.reason).toBe("auditor asked");
      const file = join(out, "new folder", "proof.json");
      const answer = await askCli<{ postings: number }>(
        service,
        "books",
        "prove",
        holder.person.userId ?? "",
        month,
        "--out",
        file,
      );
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const again = ["prove", holder.person.userId ?? "", month, "--out", file] as const;
      expect(await failure(...again)).toContain("exists: name another file");
      const cardEntries = stated.body.entries.filter(({ card }: { card: unknown }) => card !== null).length;
      expect(cardEntries).toBeGreaterThan(2);
      expect(answer.postings).toBe(cardEntries + stated.body.cardItems.length);
      const run = (path: string) => Bun.spawnSync(["python3", verifier, "proof", path]);
      expect(run(file).stderr.toString()).toBe("");
      const folders = [made.day, nextDay(made.day)].map((day) => join(out, day));
      for (const [index, folder] of folders.entries())
        await askCli(service, "books", "export", [made.day, nextDay(made.day)][index] ?? "", "--out", folder);
      const checked = Bun.spawnSync(["python3", verifier, "close", ...folders]);
      expect([checked.stderr.toString(), checked.stdout.toString()]).toEqual([
        "",
        expect.stringContaining(made.digest),
      ]);
      const text = await Bun.file(file).text();
      const [entry] = stated.body.entries.filter(({ card }: { card: unknown }) => card !== null);
      await Bun.write(file, text.replaceAll(entry.hash, `0x${"9".repeat(64)}`));
      expect(run(file).exitCode).toBe(1);
    },
    60_000,
  );
});

describe("reports of finance", () => {
  type Row = Record<string, string>;
  const read = async (name: string, given: object = {}): Promise<Row[]> => {
    const input = { name, format: "jsonl", ...given };
    const { pieces } = await beginExport(operatorOf(service.runtime), input);
    const lines = (await Array.fromAsync(pieces)).join("").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line));
  };
  const readAll = () => Promise.all(reportNames.map(async (name) => [name, await read(name)] as const));
  const sumOf = (rows: readonly Row[], column: string): bigint =>
    rows.reduce((sum, row) => sum + BigInt(Math.round(Number(row[column]) * 100)), 0n);

  test("balance: debits are credits, assets are liabilities and equity, each with its witness, and days follow each other", async () => {
    const euros = (rows: readonly Row[]) => rows.filter(({ currency }) => currency === "EUR");
    const trial = euros(await read("trial-balance"));
    expect(trial.length).toBeGreaterThan(8);
    expect(sumOf(trial, "debit")).toBe(sumOf(trial, "credit"));
    const sheet = euros(await read("balance-sheet"));
    const of = (section: string) =>
      sumOf(
        sheet.filter((row) => row["section"] === section),
        "amount",
      );
    expect(of("asset")).toBe(of("liability") + of("equity"));
    expect(of("memo")).toBe(0n);
    expect(sheet.map(({ witness }) => witness)).not.toContain("");
    const [newest] = await askCli<Close[]>(service, "books", "list", "--limit", "1");
    const closed = newest?.accounts.find(({ account }) => account === "settlement:EUR");
    const later = await read("trial-balance", { from: nextDay(newest?.day ?? "") });
    const row = later.find(({ account }) => account === "settlement:EUR");
    expect(BigInt(Math.round(Number(row?.["opening"]) * 100)) * cent).toBe(BigInt(closed?.closing ?? 0));
    const days = euros(await read("settlement"));
    const settled = sumOf(days, "spent") - sumOf(days, "returned") - sumOf(days, "swept");
    const others = sumOf(days, "opening") + sumOf(days, "unannounced");
    expect([sumOf(days, "opening"), (settled + others) * cent]).toEqual([4_321n, BigInt(closed?.closing ?? 0)]);
    expect(await read("order-tax")).toMatchObject([{ currency: "EUR", tax: "4.83", payable: "4.83" }]);
    expect(await read("aging")).toMatchObject([{ account: "payable:EUR", amount: "-0.02", age: "31-60" }]);
  });

  test("show each amount with two decimals at least, on the right; a CSV has the number as programs read it", async () => {
    const headers = { Cookie: await signInWithKey(service.url) };
    const ask = async (path: string) => (await fetch(`${service.url}/operator/${path}`, { headers })).text();
    for (const [path, columns] of [
      ["reports?report=trial-balance", ["Opening", "Debit", "Credit", "Closing"]],
      ["reports?report=balance-sheet", ["Amount"]],
      ["reports?report=settlement", ["Opening", "Spent", "Swept", "Topped up"]],
      ["reports?report=order-tax", ["Tax", "Payable"]],
      ["reports?report=aging", ["Amount", "Days"]],
      ["money", ["Now", "Onward today", "Back today"]],
      ["ledger", ["On chain", "Beyond it", "Held"]],
      ["treasury", ["Amount"]],
    ] as const) {
      const page = await ask(path);
      for (const column of filled(columns)) {
        const cells = [...page.matchAll(new RegExp(`<td([^>]*) data-label="${column}"><div>(.*?)</div></td>`, "g"))];
        for (const [, of = "", cell = ""] of filled(cells)) {
          const text = cell.replaceAll(/<[^>]*>/g, "");
          const isNumber = column === "Days" || text === "–" || /^(≈ )?-?\d+\.\d{2,}( \w+)?$/.test(text);
          expect([path, column, of, text, isNumber]).toEqual([path, column, ' class="right"', text, true]);
        }
      }
    }
    // The page of a wide report leaves out what is nothing in all its rows.
    expect(await ask("reports?report=settlement")).not.toContain("Refund reversed");
    expect(await ask("reports?report=settlement&format=csv&table=settlement")).toContain("Refund reversed");
    const csv = await ask("reports?report=trial-balance&format=csv&table=trial-balance");
    expect(csv).toMatch(/^customers:EUR,memo,EUR,0,91\.5,56\.5,35\r$/m);
  });

  test("settlement: what came to the issuer and went from it is its balance, also of a top-up that was announced late", async () => {
    const { services, log } = service.runtime;
    const euros = (rows: readonly Row[]) => rows.filter(({ currency }) => currency === "EUR");
    const ctx = () => createContext(services, { log, requestId: "test" });
    const countPostings = (type: string) => service.ownerDb.$count(bookPostings, eq(bookPostings.type, type));
    const [topUps, ends] = [await countPostings("top-up"), await countPostings("unannounced-end")];
    const { amount } = (await holder.person.sandbox("GET", "/issuer/balance")).body;
    await holder.person.sandbox("PUT", "/issuer/balance", { amount: amount + 5_000 });
    // Longer than the books wait for an event.
    await advance(7_200);
    await followIssuerEntries(ctx());
    await postAll(ctx());
    expect(await countPostings("top-up")).toBe(topUps + 1);
    const { id } = await askCli<ShownMove>(service, "treasury", "fund", "50", "--reason", "announced late");
    await until(async () => (await askCli<ShownMove>(service, "treasury", "show", id)).status === "DONE");
    // Its end is posted as final, and ends the other one after that.
    await advance(600);
    await until(async () => {
      await postAll(ctx());
      return (await countPostings("unannounced-end")) > ends;
    });
    const days = euros(await read("settlement"));
    const sum = (...columns: string[]) => columns.reduce((total, column) => total + sumOf(days, column), 0n);
    const came = sum("captureReversed", "refunded", "disputes", "interchange", "toppedUp");
    const balance = came - sum("captured", "refundReversed", "fees");
    const trial = await read("trial-balance");
    const there = trial.filter(({ account }) => account === "prefund:EUR");
    expect(balance).toBe(sumOf(there, "closing"));
  }, 60_000);

  test("are the same once the rows that were posted are gone", async () => {
    const before = await readAll();
    for (const [name, rows] of filled(before)) {
      expect([name, rows.length > 0]).toEqual([name, true]);
    }
    const tables = ["ledger_entries", "card_payments", "card_transfers", "card_clearings", "card_debts", "orders"];
    const rename = (change: (table: string) => string) =>
      service.ownerDb.transaction(async (tx) => {
        for (const table of [...tables, "order_returns", "treasury_moves"]) await tx.execute(sql.raw(change(table)));
      });
    await rename((table) => `alter table ${table} rename to gone_${table}`);
    try {
      expect(await readAll()).toEqual(before);
    } finally {
      await rename((table) => `alter table gone_${table} rename to ${table}`);
    }
  });
});

test("the books of a day have what happened behind a worker whose clock was hours ahead, and what one wrote whose clock was behind", async () => {
  const { services, log, db, clock } = service.runtime;
  const ctxOf = (of = clock) => createContext({ ...services, clock: of }, { log, requestId: "test" });
  const post = () => postAll(ctxOf());
  const ahead = async () => new Date((await clock.now(db)).getTime() + 7_200_000);
  const wrong = ctxOf({ ...clock, now: ahead, hold: ahead });
  await postAll(wrong);
  await followIssuerEntries(wrong);
  const now = await clock.now(db);
  for (const { reachedAt } of filled(await db.select().from(bookCursors)))
    expect((reachedAt ?? now).getTime()).toBeLessThanOrEqual(now.getTime());
  const spend = async (amount: number) => {
    const { threadId } = await use(holder, amount);
    await follow(holder, threadId, "clear");
    await untilSettled(service);
    const [clearing] = await db
      .select({ id: cardClearings.id })
      .from(cardClearings)
      .innerJoin(cardPayments, eq(cardPayments.id, cardClearings.paymentId))
      .where(eq(cardPayments.threadId, threadId));
    return clearing?.id ?? "";
  };
  const isPosted = async (id: string) => (await db.$count(bookPostings, eq(bookPostings.externalId, id))) > 0;
  const first = await spend(310);
  await post();
  expect(await isPosted(first)).toBe(true);
  const second = await service.ownerDb.transaction(async (tx) => {
    // No worker posts it before it is an hour old.
    await lockTable(tx, "book_postings");
    const id = await spend(320);
    const createdAt = sql`${cardClearings.createdAt} - interval '1 hour'`;
    await tx.update(cardClearings).set({ createdAt }).where(eq(cardClearings.id, id));
    return id;
  });
  await post();
  expect(await isPosted(second)).toBe(false);
  await advanceDay();
  const { items, comparisons } = await close();
  expect(await isPosted(second)).toBe(true);
  expect([items, comparisons.filter(({ difference }) => difference !== "0")]).toEqual([[], []]);
}, 60_000);

test("a day stays open while the node lacks the block that it has just named as its newest", async () => {
  await advanceDay();
  const through = startRpcProxy(service.rpcUrl);
  const runtime = await createRuntime(readSettings({ ...service.env, RPC_URL: through.url }), "worker");
  const ctx = createWorkerContext(runtime);
  try {
    const last = await findLastDay(runtime.services);
    const method = "eth_getBlockByNumber";
    through.intercept(method, (forward) => {
      through.intercept(method, async (_, { id }) => Response.json({ jsonrpc: "2.0", id, result: null }));
      return forward();
    });
    await expect(closeUpTo(ctx, last)).rejects.toBeInstanceOf(ChainUnavailable);
    expect(await findClose(runtime.db, last)).toBeNull();
    await closeUpTo(ctx, last);
    expect(await findClose(runtime.db, last)).not.toBeNull();
  } finally {
    await runtime.close();
    through.stop();
  }
}, 60_000);

test("a server closes the books also while its node answers as slowly as a worker waits for", async () => {
  await advanceDay();
  const through = startRpcProxy(service.rpcUrl);
  const settings = readSettings({ ...service.env, ...standardLimits, RPC_URL: through.url });
  const runtime = await createRuntime(settings, "server");
  try {
    through.intercept("eth_getBlockByNumber", (forward) => Bun.sleep(1_000).then(forward));
    const last = await findLastDay(runtime.services);
    expect(await closeAsOperator(operatorOf(runtime), { day: null })).toMatchObject({ day: last });
  } finally {
    await runtime.close();
    through.stop();
  }
});

test("the books of a day have no item any more of an order that a close found without its mint, once it is rejected", async () => {
  const { db, clock } = service.runtime;
  const person = await becomeEligible(new Person(service));
  const { timestamp } = (await holder.person.sandbox("GET", "/chain")).body;
  await advance(86_400 - (timestamp % 86_400) - 600);
  await close();
  const processedAt = await clock.now(db);
  const order = {
    id: "issue-rejected-after-a-close",
    institution: "monerium",
    userId: person.userId ?? "",
    kind: "issue",
    currency: "gbp",
    amount: "12.5",
    address: person.account.address,
    counterpart: { details: { name: "Charles" }, identifier: { standard: "iban", iban: "DE89370400440532013000" } },
    state: "processed",
    placedAt: processedAt,
    processedAt,
    reportedAt: processedAt,
    updatedAt: processedAt,
  } as const;
  await db.insert(ibanOrders).values(order);
  // A mint is looked for for a day.
  await advance(1_200);
  const found = await close();
  expect(found.items.map(({ account, reference, amount }) => [account, reference, amount])).toEqual([
    ["safes:GBP", order.id, String(1_250n * cent)],
  ]);
  const now = await clock.now(db);
  const rejected = { ...order, state: "rejected", reportedAt: now, updatedAt: now } as const;
  expect(await db.transaction((tx) => updateProcessedOrder(tx, rejected))).toMatchObject({ state: "rejected" });
  for (const resolved of filled([found.items.map(({ id }) => id), []])) {
    await advanceDay();
    const next = await close();
    const differing = next.comparisons.filter(({ difference }) => difference !== "0");
    expect([next.items, next.resolved, differing]).toEqual([[], resolved, []]);
  }
}, 60_000);

test("a person's proof has the card money of its month also once the payments of that were archived", async () => {
  const userId = holder.person.userId ?? "";
  const [first] = (await askCli<Close[]>(service, "books", "list", "--limit", "1000")).slice(-1);
  const month = first?.day.slice(0, 7) ?? "";
  const isOver = async () => (await findLastDay(service.runtime.services)).slice(0, 7) > month;
  while (!(await isOver())) await advance(7 * 86_400);
  expect((await holder.person.call("GET", `/statements/${month}`)).body).toMatchObject({ isFinal: true });
  const worker = createWorkerContext(service.runtime);
  await closeUpTo(worker, await findLastDay(worker));
  const prove = () => proveStatement(service.runtime.services, { user: userId, month });
  const before = await prove();
  for (const kind of ["settlement", "prefund"])
    expect(before.proofs.filter(({ leaf }) => leaf.includes(`"${kind}:`)).length).toBeGreaterThan(1);
  // An archive removes these rows, and no other.
  await service.ownerDb.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    for (const table of ["ledger_entries", "card_transfers", "card_decisions", "card_clearings", "card_payments"])
      await tx.execute(sql`delete from ${sql.identifier(table)} where user_id = ${userId}`);
  });
  expect(await prove()).toEqual(before);
}, 60_000);
