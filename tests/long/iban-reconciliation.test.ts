import { afterAll, beforeAll, expect, test } from "bun:test";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { readDatabaseIdentity } from "@cardkeep/db/queries/core/databaseIdentity";
import { insertReconciliation, listOpenNames } from "@cardkeep/db/queries/sync/reconciliations";
import { dayMs } from "@cardkeep/contract/core/durations";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { updateProcessedOrder } from "@cardkeep/db/queries/users/ibanOrders";
import { listOwnProfiles } from "@cardkeep/db/queries/users/ibans";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { findEmoneyRecord, putEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { emoneyRecords } from "@cardkeep/db/sandbox/tables";
import {
  cardCases,
  discrepancies,
  events,
  ibanOrders,
  ibans,
  reconciliations,
  users,
} from "@cardkeep/db/schema/tables";
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import { readLostTransfers } from "@cardkeep/domain/sync/reconciliations/readLostTransfers";
import { createContext, type WorkerContext } from "@cardkeep/domain/core/context";
import { acceptDiscrepancy } from "@cardkeep/domain/sync/reconciliations/requestReconciliation";
import { reconcileOrders } from "@cardkeep/domain/sync/reconciliations/reconcileOrders";
import { eraseUser } from "@cardkeep/domain/users/users/eraseUser";
import { settleIbanOrder } from "@cardkeep/domain/users/ibans/settleIbanOrder";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { and, eq, inArray, like, sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import { becomeIbanHolder } from "../support/ibans.ts";
import { operatorOf } from "../support/operator.ts";
import { Person } from "../support/person.ts";
import { openNode } from "../support/node.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";

/** More than the institution answers in a second. */
const peopleCount = 230;

/** Requests for orders since the last look, and after how many of them the institution is away. */
let asked = 0;
let awayAfter = Infinity;
let front: ReturnType<typeof Bun.serve>;
let service: Service;
let ada: Person;
let iban: string;
beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  service = await startService({ env: { EMONEY_URL: `http://127.0.0.1:${port}/emoney/api` } });
  front = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname.endsWith("/orders") && ++asked > awayAfter) return new Response(null, { status: 503 });
      const { method, headers } = request;
      return fetch(service.sandboxUrl + pathname + search, {
        method,
        headers,
        body: method === "GET" ? null : await request.text(),
      });
    },
  });
  ada = new Person(service);
  await ada.becomeAccountHolder();
  iban = await becomeIbanHolder(ada);
  await addPeople();
}, 60_000);
afterAll(async () => {
  await service.stop();
  await front.stop(true);
});

/** People with an IBAN, all before Ada in the order of ids; the institution does not know the profile of the third one. */
async function addPeople(): Promise<void> {
  const { db } = service.runtime;
  const at = new Date();
  const people = Array.from({ length: peopleCount }, (_, index) => ({ userId: `0-${index}`, profileId: randomUUID() }));
  await db.insert(users).values(
    people.map(({ userId }) => ({
      id: userId,
      email: `${userId}@example.org`,
      kycStatus: "approved" as const,
      createdAt: at,
    })),
  );
  const address = "0x000000000000000000000000000000000000bEEF";
  const fixed = { status: "NOTSTARTED", address, signature: "0x01", createdAt: at, updatedAt: at } as const;
  await db.insert(ibans).values(people.map((row) => ({ ...row, ...fixed, id: row.userId, requestId: "test" })));
  const isOne = like(ibans.userId, "0-%");
  await db.update(ibans).set({ status: "PENDING" }).where(isOne);
  await db
    .update(ibans)
    .set({ status: "ASSIGNED", iban: sql`'X' || ${ibans.userId}` })
    .where(isOne);
  const known = people.filter((_, index) => index !== 2);
  const data = { state: "approved", holder: null, own: false };
  for (const { profileId: id } of known) await putEmoneyRecord(db, { kind: "profile", id, data });
}

/** No later comparison asks about the many people: their profiles are of a consent, and unknown to the institution. */
async function leavePeopleOut(): Promise<void> {
  const { db } = service.runtime;
  const isOne = like(ibans.userId, "0-%");
  const profileIds = db.select({ id: ibans.profileId }).from(ibans).where(isOne);
  await db.delete(emoneyRecords).where(and(eq(emoneyRecords.kind, "profile"), inArray(emoneyRecords.id, profileIds)));
  await db.update(ibans).set({ linkedProfileId: ibans.profileId }).where(isOne);
}

/** Money that arrives while the callbacks about it are lost. */
async function receive(amount: string): Promise<string> {
  await ada.sandbox("PUT", "/faults/callbacks.lose", { match: "/callbacks/monerium" });
  const { body } = await ada.sandbox("POST", "/emoney/incoming", { iban, amount, currency: "eur" });
  await ada.sandbox("DELETE", "/faults");
  return body.orderId;
}

const isKnown = async (orderId: string) =>
  (await service.runtime.db.select().from(ibanOrders).where(eq(ibanOrders.id, orderId))).length === 1;

function isUnavailable(error: unknown): false {
  if (error instanceof ProviderUnavailable) return false;
  throw error;
}

async function begin(id: string, emoney: Partial<WorkerContext["emoney"]> = {}): Promise<() => Promise<void>> {
  const { services, log, db } = service.runtime;
  const { identity: databaseIdentity } = await readDatabaseIdentity(db);
  const row = { id, reason: "operator", evidence: null, databaseIdentity, fromBlock: null } as const;
  const startedAt = await service.runtime.clock.now(db);
  await db.transaction((tx) => insertReconciliation(tx, { ...row, requestId: id, startedAt, endedAt: startedAt }));
  const ctx = createContext(services, { log, requestId: id }) as WorkerContext;
  return async () => {
    const [reconciliation] = await db.select().from(reconciliations).where(eq(reconciliations.id, id));
    if (!reconciliation) throw new Error("There is no reconciliation");
    await reconcileOrders({ ...ctx, emoney: { ...ctx.emoney, ...emoney } }, reconciliation);
  };
}

/** The worker's comparison takes of the same requests in a second. A run that was refused one is continued, as by its job. */
async function compare(id: string): Promise<void> {
  const run = await begin(id);
  await until(() => run().then(() => true, isUnavailable));
}

test("more profiles than the institution answers in a second, and one that it refuses, hide no order behind them", async () => {
  const orderId = await receive("25.50");
  expect(await isKnown(orderId)).toBe(false);
  await compare("many");
  expect(await isKnown(orderId)).toBe(true);
  const found = await service.runtime.db.select().from(discrepancies).where(eq(discrepancies.kind, "profile"));
  expect(found.filter(({ id }) => id.startsWith("profile:orders:")).map(({ resolvedAt }) => resolvedAt)).toEqual([
    null,
  ]);
}, 60_000);

test("lost transfers of many Safes are looked for among the issuer's threads, which are hashed once for all", async () => {
  const { services, log } = service.runtime;
  const ctx = createContext(services, { log, requestId: "lost" }) as WorkerContext;
  const pay = async (person: Person) => {
    const { address } = (await person.call("GET", "/safe/config")).body;
    await person.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1" });
    const transfer = { token: tokens.EURe.address, to: ctx.policy.settlementAddress, amount: 1n };
    await openNode(service.rpcUrl).sendAs(address, buildTransfer(transfer));
  };
  const { number: fromBlock } = await ctx.chain.getBlock();
  const countReads = async () => {
    let reads = 0;
    const kept = ["iauth_1", "iauth_2"];
    const read = kept[Symbol.iterator].bind(kept);
    kept[Symbol.iterator] = () => {
      reads += 1;
      return read();
    };
    expect(await readLostTransfers(ctx, { fromBlock, kept })).toEqual([]);
    return reads;
  };
  await pay(ada);
  const ofOne = await countReads();
  const bea = new Person(service);
  await bea.becomeAccountHolder();
  await pay(bea);
  expect(await countReads()).toBe(ofOne);
}, 60_000);

test("a run that ends in the middle is continued there", async () => {
  const orderId = await receive("9.75");
  const run = await begin("twice");
  [asked, awayAfter] = [0, 150];
  expect(await run().catch((error: Error) => error.name)).toBe("ProviderUnavailable");
  [asked, awayAfter] = [0, Infinity];
  await run();
  // A page that was not finished is read again; those before it are not.
  expect(asked).toBeLessThan(peopleCount - 50);
  expect(await isKnown(orderId)).toBe(true);
  await leavePeopleOut();
}, 60_000);

// The worker compares once a day as well, so no test that counts its requests comes after this one.
test("a mint to the account that no order of the institution explains is a case, once and after a day", async () => {
  const { db } = service.runtime;
  const { address } = (await ada.call("GET", "/safe/config")).body;
  const orderId = await receive("4");
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "7000000000000000000" });
  const find = () => db.select().from(cardCases).where(eq(cardCases.kind, "iban_mint_unordered"));
  await compare("early");
  expect(await find()).toEqual([]);
  await ada.sandbox("POST", "/chain/advance", { seconds: 90_000 });
  for (const id of ["late", "again"]) await compare(id);
  expect(await isKnown(orderId)).toBe(true);
  const cases = await find();
  expect(cases.map(({ userId, amountCents, currency }) => [userId, amountCents, currency])).toEqual([
    [ada.userId ?? "", 700n, "EUR"],
  ]);
}, 60_000);

test("money that arrives by the IBAN of an erased person is a case for each mint, and no profile of erased people is asked for", async () => {
  const { db } = service.runtime;
  const eve = new Person(service);
  await eve.becomeAccountHolder();
  const ofEve = await becomeIbanHolder(eve);
  const userId = eve.userId ?? "";
  const { address } = (await eve.call("GET", "/safe/config")).body;
  const [row] = await db.select().from(ibans).where(eq(ibans.userId, userId));
  const isListed = async () =>
    (await listOwnProfiles(db, { after: null, limit: 1_000 })).some(({ profileId }) => profileId === row?.profileId);
  expect(await isListed()).toBe(true);
  await eraseUser(operatorOf(service.runtime, "test"), { reference: userId });
  expect(await isListed()).toBe(false);
  const late = await eve.sandbox("POST", "/emoney/incoming", { iban: ofEve, amount: "12.50", currency: "eur" });
  await eve.sandbox("POST", "/chain/faucet", { address, token: "GBPe", amount: "2000000000000000000" });
  await eve.sandbox("POST", "/chain/advance", { seconds: 90_000 });
  for (const id of ["erased", "erased again"]) await compare(id);
  expect(await isKnown(late.body.orderId)).toBe(false);
  const isUnordered = and(eq(cardCases.kind, "iban_mint_unordered"), eq(cardCases.userId, userId));
  const found = await db.select().from(cardCases).where(isUnordered);
  expect(found.map(({ amountCents, currency }) => [amountCents, currency]).toSorted()).toEqual([
    [1_250n, "EUR"],
    [200n, "GBP"],
  ]);
}, 60_000);

const rowOf = async (orderId: string) =>
  (await service.runtime.db.select().from(ibanOrders).where(eq(ibanOrders.id, orderId)))[0];

test("an order that names two mints at the same place of their transactions explains one of them", async () => {
  const { db } = service.runtime;
  const { address } = (await ada.call("GET", "/safe/config")).body;
  const orderId = await receive("3");
  await compare("named");
  await until(async () => (await rowOf(orderId))?.mintHash != null);
  const row = await rowOf(orderId);
  const mint = { address, token: "EURe", amount: "3000000000000000000" };
  const { transactionHash: second } = (await ada.sandbox("POST", "/chain/faucet", mint)).body;
  await db
    .update(ibanOrders)
    .set({ txHashes: [...(row?.txHashes ?? []), second] })
    .where(eq(ibanOrders.id, orderId));
  await ada.sandbox("POST", "/chain/advance", { seconds: 90_000 });
  await compare("second mint");
  const mintId = `${second}:${row?.mintIndex}`;
  await until(async () => (await db.$count(cardCases, eq(cardCases.mintId, mintId))) === 1);
}, 60_000);

test("a mint whose order is known as rejected alone is one that no order explains", async () => {
  const { db } = service.runtime;
  const { address } = (await ada.call("GET", "/safe/config")).body;
  const mint = { address, token: "EURe", amount: "8000000000000000000" };
  const { transactionHash } = (await ada.sandbox("POST", "/chain/faucet", mint)).body;
  const at = new Date();
  await db.insert(ibanOrders).values({
    id: "rejected alone",
    userId: ada.userId ?? "",
    kind: "issue",
    currency: "eur",
    amount: "8",
    address,
    counterpart: { details: {}, identifier: { standard: "iban", iban } },
    state: "rejected",
    txHashes: [transactionHash],
    placedAt: at,
    reportedAt: at,
  });
  await ada.sandbox("POST", "/chain/advance", { seconds: 90_000 });
  await compare("rejected");
  const isOfMint = and(eq(cardCases.kind, "iban_mint_unordered"), like(cardCases.mintId, `${transactionHash}:%`));
  expect((await db.select().from(cardCases).where(isOfMint)).map(({ amountCents }) => amountCents)).toEqual([800n]);
}, 60_000);

/** A job of an order that waits for the node's receipts until `release`; none is known of the transactions in `without`. */
function holdSettling(orderId: string, { without = [] }: { without?: readonly string[] } = {}) {
  const { services, log } = service.runtime;
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const chain: WorkerContext["chain"] = {
    ...services.chain,
    findReceipt: async (hash) => {
      asked.resolve();
      await gate.promise;
      return without.includes(hash) ? null : services.chain.findReceipt(hash);
    },
  };
  const ctx = createContext({ ...services, chain }, { log, requestId: "held" }) as WorkerContext;
  return { asked: asked.promise, release: gate.resolve, done: settleIbanOrder(ctx, { orderId }) };
}

/** An order that a lost callback is about, with the transaction that paid it, as its report would have been written. */
async function newPaidOrder(id: string, amount: string, report: Partial<typeof ibanOrders.$inferInsert> = {}) {
  const { address } = (await ada.call("GET", "/safe/config")).body;
  const mint = { address, token: "EURe", amount: `${amount}${"0".repeat(18)}` };
  const { transactionHash } = (await ada.sandbox("POST", "/chain/faucet", mint)).body;
  const at = await service.runtime.clock.now(service.runtime.db);
  const row: typeof ibanOrders.$inferInsert = {
    id,
    userId: ada.userId ?? "",
    kind: "issue",
    currency: "eur",
    amount,
    address,
    counterpart: { details: {}, identifier: { standard: "iban", iban } },
    state: "processed",
    txHashes: [transactionHash],
    placedAt: at,
    reportedAt: at,
    updatedAt: at,
  };
  await service.runtime.db.transaction(async (tx) => {
    await tx.insert(ibanOrders).values({ ...row, ...report });
    // With a job that waits for long, no worker begins one.
    await enqueue(tx, "iban.match", { orderId: id, requestId: "test" }, 365 * dayMs);
  });
  return { ...row, transactionHash: transactionHash as Hex };
}

const countReceived = async (orderId: string) =>
  (await service.runtime.db.select().from(events).where(eq(events.eventType, "iban.order.received"))).filter(
    ({ data }) => (data as { orderId: string }).orderId === orderId,
  ).length;

test("an order whose jobs run beside each other is published once, and never once it is rejected", async () => {
  const { db } = service.runtime;
  await newPaidOrder("twice", "11");
  const [first, second] = [holdSettling("twice"), holdSettling("twice")];
  await Promise.all([first.asked, second.asked]);
  first.release();
  second.release();
  await Promise.all([first.done, second.done]);
  expect(await countReceived("twice")).toBe(1);

  const { transactionHash: _, ...order } = await newPaidOrder("recalled", "12");
  const held = holdSettling("recalled");
  await held.asked;
  await db.transaction(async (tx) => {
    await lockUser(tx, order.userId);
    await updateProcessedOrder(tx, { ...order, state: "rejected" });
  });
  held.release();
  await held.done;
  expect(await countReceived("recalled")).toBe(0);
  expect(await rowOf("recalled")).toMatchObject({ state: "rejected", mintHash: null, unmatchedAt: null });
}, 60_000);

test("a job that reads an older report gives up no order whose later report names the transaction that paid it", async () => {
  const dropped: Hex = `0x${"d1".repeat(32)}`;
  const { transactionHash, ...order } = await newPaidOrder("renamed", "13", { txHashes: [dropped] });
  await ada.sandbox("POST", "/chain/advance", { seconds: 90_000 });
  const held = holdSettling("renamed", { without: [dropped] });
  await held.asked;
  const updatedAt = await service.runtime.clock.now(service.runtime.db);
  await service.runtime.db.transaction(async (tx) => {
    await lockUser(tx, order.userId);
    await updateProcessedOrder(tx, { ...order, txHashes: [transactionHash], updatedAt });
  });
  held.release();
  await held.done;
  expect(await rowOf("renamed")).toMatchObject({ unmatchedAt: null });
}, 60_000);

test("an order that names a transaction that was dropped beside the one that paid it is tied to that one", async () => {
  const dropped: Hex = `0x${"d0".repeat(32)}`;
  for (const [id, isFirst] of [
    ["dropped first", true],
    ["dropped last", false],
  ] as const) {
    const { transactionHash } = await newPaidOrder(id, isFirst ? "14" : "15", { txHashes: [] });
    const txHashes = isFirst ? [dropped, transactionHash] : [transactionHash, dropped];
    await service.runtime.db.update(ibanOrders).set({ txHashes }).where(eq(ibanOrders.id, id));
    const held = holdSettling(id, { without: [dropped] });
    held.release();
    await held.done;
    expect([id, (await rowOf(id))?.mintHash]).toEqual([id, transactionHash]);
    expect(await countReceived(id)).toBe(1);
  }
}, 60_000);

test("an order that a comparison finds has a day for its mint, and takes one that is named later", async () => {
  const { db, store, services, log } = service.runtime;
  const orderId = await receive("6");
  const record = await findEmoneyRecord(store, "order", orderId);
  if (!record) throw new Error("The institution has no such order");
  const data = record.data as { profile: string; meta: { txHashes: string[] } };
  const { txHashes, ...meta } = data.meta;
  const keep = (kept: object) =>
    putEmoneyRecord(store, { kind: "order", id: orderId, profile: data.profile, data: { ...data, meta: kept } });
  await keep(meta);
  await compare("unnamed");
  const ctx = createContext(services, { log, requestId: "settle" }) as WorkerContext;
  await settleIbanOrder(ctx, { orderId });
  expect(await rowOf(orderId)).toMatchObject({ state: "processed", unmatchedAt: null });
  await ada.sandbox("POST", "/chain/advance", { seconds: 90_000 });
  await until(async () => (await rowOf(orderId))?.unmatchedAt != null);
  const statusOf = async () => (await db.select().from(cardCases).where(eq(cardCases.ibanOrderId, orderId)))[0]?.status;
  expect(await statusOf()).toBe("OPEN");
  await keep({ ...meta, txHashes });
  await compare("named later");
  await until(async () => (await rowOf(orderId))?.mintHash === txHashes[0]);
  expect(await statusOf()).toBe("CLOSED");
}, 60_000);

/** The open discrepancies of some profiles after a comparison in which the institution has nothing but this about them. */
async function listUnread(id: string, profileIds: readonly string[], error: Error | null): Promise<string[]> {
  const listOrders: WorkerContext["emoney"]["listOrders"] = async ({ profileId }) => {
    if (error && profileIds.includes(profileId)) throw error;
    return { orders: [], unreadable: [] };
  };
  const run = await begin(id, { listOrders });
  await run();
  const names = await listOpenNames(service.runtime.db, "profile");
  return profileIds.filter((profileId) => names.includes(`orders:${profileId}`));
}

test("a profile that the institution refuses again is recorded again, unless operators settled it", async () => {
  const [profile] = await listOwnProfiles(service.runtime.db, { after: null, limit: 1 });
  const asked = [profile?.profileId ?? ""];
  const refused = new ProviderRefused(404, "It has no such profile");
  expect(await listUnread("refused", asked, refused)).toEqual(asked);
  expect(await listUnread("read", asked, null)).toEqual([]);
  expect(await listUnread("refused again", asked, refused)).toEqual(asked);
  await acceptDiscrepancy(operatorOf(service.runtime), { id: `profile:orders:${asked[0]}` });
  expect(await listUnread("settled", asked, refused)).toEqual([]);
}, 60_000);

test("neighbours that an institution which is there never answers hold up no profile behind them", async () => {
  const { db } = service.runtime;
  await leavePeopleOut();
  await db
    .update(ibans)
    .set({ linkedProfileId: null })
    .where(inArray(ibans.userId, ["0-0", "0-1", "0-2"]));
  const all = await listOwnProfiles(db, { after: null, limit: 100 });
  // Ada's is behind them.
  const silent = all.slice(0, -1).map(({ profileId }) => profileId);
  expect(silent).toHaveLength(3);
  const error = new ProviderUnavailable("It answered 503");
  expect(await listUnread("silent", silent, error)).toEqual(silent);
}, 60_000);
