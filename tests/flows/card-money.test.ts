import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { type TokenSymbol, tokens } from "@cardkeep/chain/tokens";
import { dayMs } from "@cardkeep/contract/core/durations";
import { paymentMachine, transferMachine } from "@cardkeep/contract/spending/spending";
import type { Machine } from "@cardkeep/contract/core/machine";
import {
  cardholders,
  cardPayments,
  cardTransfers,
  discrepancies,
  events,
  ledgerEntries,
  liveTransfers,
  reconciliations,
  relayTransactions,
  safes,
  users,
} from "@cardkeep/db/schema/tables";
import { publishBalance } from "@cardkeep/domain/accounts/balances/publishBalance";
import { insertPostings } from "@cardkeep/db/queries/books/postings";
import { openAccounts } from "@cardkeep/domain/books/postings/openAccounts";
import { dayOf } from "@cardkeep/domain/core/calendar";
import { chainSearchSkewMs } from "@cardkeep/domain/core/clockSkew";
import { acceptDiscrepancy } from "@cardkeep/domain/sync/reconciliations/requestReconciliation";
import { listOpenNames } from "@cardkeep/db/queries/sync/reconciliations";
import { reconcileTransfers } from "@cardkeep/domain/sync/reconciliations/reconcileTransfers";
import { ProviderPostponed, ProviderUnavailable } from "@cardkeep/providers/http";
import { ThreadUnreadable } from "@cardkeep/providers/issuer/spending";
import { setStop } from "@cardkeep/domain/operators/stops/setStop";
import { mirrorCardholders } from "@cardkeep/domain/core/cardholders/mirrorCardholders";
import { syncCardholder } from "@cardkeep/domain/core/cardholders/syncCardholder";
import { NodeBehind } from "@cardkeep/domain/chain/guards/readHead";
import { createContext, type WorkerContext } from "@cardkeep/domain/core/context";
import { authorize } from "@cardkeep/domain/spending/decision/authorize";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { collectDebts } from "@cardkeep/domain/spending/payments/collectDebts";
import { carryOutTransfer } from "@cardkeep/domain/spending/payments/carryOutTransfer";
import { completeTransfer, failSpend, rollBackTransfer } from "@cardkeep/domain/spending/payments/endTransfer";
import { recordStandIn } from "@cardkeep/domain/spending/payments/recordStandIn";
import { openPayment, settleThread } from "@cardkeep/domain/spending/payments/settleThread";
import { findSpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import { findSafe, hasCurrency } from "@cardkeep/db/queries/accounts/safes";
import { findTransfer, listTransfers, moveTransfer, nameTransferRow } from "@cardkeep/db/queries/spending/transfers";
import { listCases } from "@cardkeep/domain/spending/cases/listCases";
import { getPaymentDetails } from "@cardkeep/domain/spending/payments/listAllPayments";
import { listPaymentSteps } from "@cardkeep/domain/spending/payments/paymentSteps";
import { jobKeyOf } from "@cardkeep/db/queue/catalogue";
import { listRelayTransactions } from "@cardkeep/db/queries/chain/relay/bySubject";
import { findStandIn } from "@cardkeep/db/queries/spending/standIns";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import { settleRefusedSpend } from "@cardkeep/domain/spending/payments/settleSpend";
import { follow as followChain } from "@cardkeep/domain/sync/chainSync/follow";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createWorkerKeys } from "@cardkeep/runtime/workerKeys";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { and, eq, inArray, lt, sql } from "drizzle-orm";
import { createHmac, randomUUID } from "node:crypto";
import { erc20Abi, getAddress } from "viem";
import { readOpenSums } from "../support/bookSums.ts";
import { readCardBooks, sumLedger } from "../support/cardBooks.ts";
import { requireGuard } from "../support/guards.ts";
import { payFromNowhere } from "../support/orders.ts";
import { recordMoves } from "../support/moves.ts";
import { countLockWaits } from "../support/locks.ts";
import { openNode } from "../support/node.ts";
import { operatorOf } from "../support/operator.ts";
import { expectWithin, retry, until } from "../support/poll.ts";
import { type RpcMood, type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { reorganise } from "../support/reorganise.ts";
import { type Service, standardLimits, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";
import { readWorkerSettings } from "../support/workerSettings.ts";
import {
  balancesOf,
  becomeCardHolder,
  type CardHolder,
  cent,
  euro,
  follow,
  give,
  historyOf,
  isInTime,
  issuerMsMax,
  setHolding,
  statusAtIssuer,
  untilSettled,
  use,
  useOnce,
} from "../support/spending.ts";

let service: Service;
let workerRuntime: Runtime;
let worker: Worker | null = null;
let proxy: RpcProxy;
/** A service whose chain reads go through the proxy. */
let away: Runtime;
beforeAll(async () => {
  service = await startService({
    worker: false,
    env: { CARD_COUNTRIES: "DE,GB,BR", CARD_PRICES: "EUR=30.23,GBP=26.50,USD=33" },
  });
  workerRuntime = await createRuntime(readWorkerSettings(service.env), "worker");
  proxy = startRpcProxy(service.rpcUrl);
  away = await createRuntime(readSettings({ ...service.env, ...standardLimits, RPC_URL: proxy.url }), "server");
  await begin();
});
afterAll(async () => {
  await end();
  proxy.stop();
  await Promise.all([workerRuntime.close(), away.close()]);
  await service.stop();
});

async function begin(): Promise<void> {
  worker ??= await startWorker(workerRuntime);
}
async function end(): Promise<void> {
  await worker?.stop();
  worker = null;
}

const requestOf = ({ cardToken: issuerCardId }: CardHolder, amountCents: bigint) => ({
  threadId: `iauth_${randomUUID()}`,
  issuerCardId,
  amountCents,
  currency: "EUR",
  merchantMinor: amountCents,
  merchantCurrency: "EUR",
  merchant: { networkId: "1", name: "Shop", city: "Berlin", country: "DE", mcc: "5411" },
  transactionType: "00",
  channel: "online" as const,
  ordinal: 0,
  isAmountControllable: false,
  feeCents: 0n,
  cashbackCents: 0n,
  verification: { walletTokenId: null, threeDSecure: null, authenticationExemption: null },
  hasWrongSecurityCode: false,
});
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const contextOf = ({ services }: Runtime) => createContext(services, { log: quiet, requestId: "test" });
const paymentsOf = (threadId: string) =>
  service.runtime.db.select().from(cardPayments).where(eq(cardPayments.threadId, threadId));

const sumBooked = (safeId: string) => sumLedger(service, safeId);

describe("a node that does not answer", () => {
  let ada: CardHolder;
  beforeAll(async () => {
    ada = await becomeCardHolder(service, 50n * euro);
    // The first decision of a process compiles code.
    await authorize(contextOf(away), requestOf(ada, 1n));
  });

  test.each<RpcMood>(["hang", "refuse", "garbage", "tooMany"])("%s: declined in time, and on record", async (mood) => {
    await expectWithin(issuerMsMax, async () => {
      proxy.mood = mood;
      const request = requestOf(ada, 100n);
      const startedAt = performance.now();
      const decision = await authorize(contextOf(away), request);
      const ms = performance.now() - startedAt;
      proxy.mood = "fine";
      expect(decision).toEqual({ approved: false, reason: "unavailable" });
      const recorded = await paymentsOf(request.threadId);
      // A machine too slow for the row declines without one; that play is none in time.
      if (recorded.length === 0) return Infinity;
      expect(recorded).toMatchObject([{ status: "DECLINED", declineResult: "Other" }]);
      return ms;
    });
  });
});

test("money that a spend has moved is approved no second time where the node that is asked lags behind that block, whatever a worker's clock says", async () => {
  const ada = await becomeCardHolder(service, 50n * euro);
  expect(await use(ada, 5_000)).toMatchObject({ approved: true });
  await untilSettled(service);
  const { db } = service.runtime;
  const [spend] = await db
    .select()
    .from(cardTransfers)
    .where(eq(cardTransfers.userId, ada.person.userId ?? ""));
  expect(spend).toMatchObject({ status: "DONE" });
  proxy.mood = { staleAt: (spend?.endedBlock ?? 0n) - 1n };
  const again = await retry(() => authorize(contextOf(away), requestOf(ada, 5_000n)), isInTime);
  // So it ended by a worker whose clock is behind.
  await db.update(liveTransfers).set({ endedAt: sql`ended_at - interval '300 seconds'` });
  const behind = await retry(() => authorize(contextOf(away), requestOf(ada, 5_000n)), isInTime);
  proxy.mood = "fine";
  const declined = { approved: false, reason: "insufficient_funds" };
  expect([again, behind]).toEqual([declined, declined]);
  await give(ada.person, ada.safe, 50n * euro);
  const later = await retry(() => authorize(contextOf(away), requestOf(ada, 5_000n)), isInTime);
  expect(later).toEqual({ approved: true, reason: "approved" });
}, 60_000);

test("a node that stands still longer than the cooldown approves nothing, also for a server whose clock is minutes behind", async () => {
  const ada = await becomeCardHolder(service, 50n * euro);
  const { number } = await openNode(service.rpcUrl).client.getBlock();
  await ada.person.sandbox("POST", "/chain/advance", { seconds: 200 });
  proxy.mood = { staleAt: number };
  setSystemTime(new Date(Date.now() - 150_000));
  try {
    const decision = await retry(() => authorize(contextOf(away), requestOf(ada, 100n)), isInTime);
    expect(decision).toEqual({ approved: false, reason: "chain_stale" });
  } finally {
    setSystemTime();
    proxy.mood = "fine";
  }
});

test("a balance is published of no node that lacks the block in which money was spent", async () => {
  const ada = await becomeCardHolder(service, 50n * euro);
  expect(await use(ada, 1_000)).toMatchObject({ approved: true });
  await untilSettled(service);
  const { db } = service.runtime;
  const userId = ada.person.userId ?? "";
  const [spend] = await db.select().from(cardTransfers).where(eq(cardTransfers.userId, userId));
  if (spend?.endedBlock == null) throw new Error("nothing is spent");
  const publish = () => publishBalance(createWorkerContext(away), { safeId: spend.safeId });
  const isOfIt = and(eq(events.userId, userId), eq(events.eventType, "account.balance.changed"));
  const listPublished = async () => (await db.select().from(events).where(isOfIt)).map(({ data }) => data);
  proxy.mood = { staleAt: spend.endedBlock - 1n };
  await expect(publish()).rejects.toThrow("The node lags");
  expect(await listPublished()).toEqual([]);
  proxy.mood = "fine";
  await publish();
  const { total, spendable, pending } = await balancesOf(ada);
  expect([total, pending]).toEqual([40n * euro, 0n]);
  expect(await listPublished()).toMatchObject([
    { total: String(total), spendable: String(spendable), pending: String(pending) },
  ]);
}, 60_000);

describe("where rows of transfers are lost", () => {
  const threads: string[] = [];
  let ctx: ReturnType<typeof createWorkerContext>;
  beforeAll(async () => {
    const holders = [await becomeCardHolder(service, 50n * euro), await becomeCardHolder(service, 50n * euro)];
    for (const holder of holders) threads.push((await use(holder, 1_000)).threadId);
    await untilSettled(service);
    await service.ownerDb.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      const lost = tx.select({ id: cardPayments.id }).from(cardPayments).where(inArray(cardPayments.threadId, threads));
      await tx
        .update(cardTransfers)
        .set({ hash: sql`${cardTransfers.messageHash}` })
        .where(inArray(cardTransfers.paymentId, lost));
    });
    ctx = createWorkerContext(workerRuntime);
  }, 60_000);

  /** Asks issuer and chain for the lost transfers of a database that went back. */
  async function reconcile(changed: {
    findThread?: WorkerContext["issuer"]["findThread"];
    listThreads?: WorkerContext["issuer"]["listThreads"];
    chain?: Partial<WorkerContext["chain"]>;
    clock?: Partial<WorkerContext["clock"]>;
    startedAt?: Date;
  }) {
    const { findThread = (threadId) => ctx.issuer.findThread(threadId) } = changed;
    const { listThreads = (since) => ctx.issuer.listThreads(since) } = changed;
    const { startedAt = new Date() } = changed;
    const ended = { reason: "restored", databaseIdentity: "1", fromBlock: 1n, startedAt, endedAt: new Date() } as const;
    const [row] = await ctx.db
      .insert(reconciliations)
      .values({ id: randomUUID(), requestId: "test", ...ended })
      .returning();
    if (!row) throw new Error("nothing is compared");
    const chain = { ...ctx.chain, ...changed.chain };
    const clock = { ...ctx.clock, ...changed.clock };
    await reconcileTransfers({ ...ctx, issuer: { ...ctx.issuer, findThread, listThreads }, chain, clock }, row);
  }

  async function listHeld(): Promise<string[]> {
    const rows = await ctx.db.select().from(discrepancies).where(eq(discrepancies.kind, "transfer"));
    return rows.flatMap(({ id }) => threads.filter((threadId) => id === `transfer:${threadId}`));
  }

  test("a use that the issuer answers unreadably holds up no other one: it is a discrepancy", async () => {
    const asked: string[] = [];
    const findThread: typeof ctx.issuer.findThread = (threadId) => {
      asked.push(threadId);
      if (asked.length === 1) throw new ThreadUnreadable("It has a currency of no country", { issuerCardId: null });
      return ctx.issuer.findThread(threadId);
    };
    await reconcile({ findThread });
    expect(asked.toSorted()).toEqual(threads.toSorted());
    expect(await listHeld()).toEqual(asked.slice(0, 1));
    await ctx.db.delete(discrepancies).where(eq(discrepancies.kind, "transfer"));
  }, 60_000);

  test.each([
    ["does not answer about", () => new ProviderUnavailable("It answered 503")],
    ["answers later about", () => new ProviderPostponed("It answered 429")],
  ])(
    "a use that the issuer %s begins the step again, and waits for no operator",
    async (_, fail) => {
      const [silent] = threads;
      const findThread: typeof ctx.issuer.findThread = (threadId) => {
        if (threadId === silent) throw fail();
        return ctx.issuer.findThread(threadId);
      };
      // The worker's clock may be ahead.
      const now = async () => new Date(Date.now() + 3_600_000);
      await expect(reconcile({ findThread, clock: { now } })).rejects.toThrow(ProviderUnavailable);
      expect(await listHeld()).toEqual([]);
    },
    60_000,
  );

  test("uses that an issuer which is there never answers hold up no other one, and wait for operators after a while", async () => {
    const asked = new Set<string>();
    const silent: typeof ctx.issuer.findThread = async (threadId) => {
      asked.add(threadId);
      throw new ProviderUnavailable("It answered 500");
    };
    await expect(reconcile({ findThread: silent })).rejects.toThrow(ProviderUnavailable);
    expect([...asked].toSorted()).toEqual(threads.toSorted());
    const startedAt = new Date(Date.now() - 3_600_000);
    let lists = 0;
    // It answers the step's own list, and is away afterwards.
    const listThreads: typeof ctx.issuer.listThreads = async (since) => {
      if (++lists > 1) throw new ProviderUnavailable("It answered 503");
      return ctx.issuer.listThreads(since);
    };
    await expect(reconcile({ findThread: silent, listThreads, startedAt })).rejects.toThrow(ProviderUnavailable);
    expect(lists).toBe(2);
    expect(await listHeld()).toEqual([]);
    await reconcile({ findThread: silent, startedAt });
    expect((await listHeld()).toSorted()).toEqual(threads.toSorted());
    await ctx.db.delete(discrepancies).where(eq(discrepancies.kind, "transfer"));
  }, 60_000);

  test("a use whose transfers are lost is held again: also after a restore, and after operators settled other transfers", async () => {
    const [threadId = ""] = threads;
    const [id, foundAt] = [`transfer:${threadId}`, new Date()];
    const row = { id, kind: "transfer", text: "The chain has transfers", foundAt } as const;
    await ctx.db.insert(discrepancies).values({ ...row, action: "Restored their rows", resolvedAt: foundAt });
    const findThread: typeof ctx.issuer.findThread = async (asked) => {
      if (asked === threadId) throw new ThreadUnreadable("It has a currency of no country", { issuerCardId: null });
      return null;
    };
    const listHeldAgain = async () => {
      await reconcile({ findThread });
      return listOpenNames(ctx.db, "transfer");
    };
    expect(await listHeldAgain()).toEqual([threadId]);
    await acceptDiscrepancy(operatorOf(service.runtime), { id });
    expect(await listHeldAgain()).toEqual([]);
    await ctx.db
      .update(discrepancies)
      .set({ details: { "0": "0x00" } })
      .where(eq(discrepancies.id, id));
    expect(await listHeldAgain()).toEqual([threadId]);
    await ctx.db.delete(discrepancies).where(eq(discrepancies.kind, "transfer"));
  }, 60_000);

  test("a node that lacks the transaction of a transfer, or the first block, begins the step again", async () => {
    let asked = 0;
    const findThread: typeof ctx.issuer.findThread = (threadId) => {
      asked++;
      return ctx.issuer.findThread(threadId);
    };
    for (const chain of [{ findTransaction: async () => null }, { getBlockAt: async () => null }])
      await expect(reconcile({ findThread, chain })).rejects.toThrow(ChainUnavailable);
    // Anyone can have a Safe pay in a transaction that creates a contract: it is none of ours, and stops nothing.
    const findTransaction: typeof ctx.chain.findTransaction = async (hash) => {
      const transaction = await ctx.chain.findTransaction(hash);
      return transaction && { ...transaction, to: null };
    };
    await reconcile({ findThread, chain: { findTransaction } });
    expect(asked).toBe(0);
    await reconcile({ findThread });
    expect(asked).toBe(threads.length);
  }, 60_000);
});

test("a change of a person that is committed while a call to the issuer ends reaches the issuer too", async () => {
  const ada = await becomeCardHolder(service, 10n * euro);
  await untilSettled(service);
  await end();
  const set = (status: "ACTIVE" | "DEACTIVATED") =>
    setUserStatus(operatorOf(service.runtime), { reference: ada.person.userId ?? "", status });
  await set("DEACTIVATED");
  const ctx = contextOf(service.runtime);
  let isChanged = false;
  const commit: typeof ctx.commit = (write) =>
    ctx.commit(async (work) => {
      const output = await write(work);
      if (!isChanged && (await statusAtIssuer(ada)) === "inactive") {
        isChanged = true;
        await set("ACTIVE");
      }
      return output;
    });
  await syncCardholder({ ...ctx, commit } as WorkerContext, { userId: ada.person.userId ?? "" });
  expect(isChanged).toBe(true);
  await begin();
  await until(async () => (await statusAtIssuer(ada)) === "active");
}, 60_000);

test("a block that the issuer takes only later leaves a job behind, and no call that others wait for", async () => {
  const ada = await becomeCardHolder(service, 10n * euro);
  await untilSettled(service);
  await end();
  const userId = ada.person.userId ?? "";
  await setUserStatus(operatorOf(service.runtime), { reference: userId, status: "DEACTIVATED" });
  const { db } = service.runtime;
  const isOfPerson = sql`key = ${jobKeyOf("cardholder.sync", userId)}`;
  await db.execute(sql`delete from graphile_worker._private_jobs where ${isOfPerson}`);
  const ctx = createWorkerContext(workerRuntime);
  const setCardholderStatus = () => Promise.reject(new ProviderPostponed("Too many calls at once"));
  await syncCardholder({ ...ctx, issuer: { ...ctx.issuer, setCardholderStatus } }, { userId });
  expect(await db.execute(sql`select id from graphile_worker._private_jobs where ${isOfPerson}`)).toHaveLength(1);
  const [known] = await db.select().from(cardholders).where(eq(cardholders.userId, userId));
  expect(known).toMatchObject({ issuerStatus: "inactive", issuerSyncedStatus: "active", issuerCallEndsAt: null });
  await begin();
  await until(async () => (await statusAtIssuer(ada)) === "inactive");
}, 60_000);

test("a block that the issuer lost is set again, also where it takes that call only later", async () => {
  const ada = await becomeCardHolder(service, 10n * euro);
  const userId = ada.person.userId ?? "";
  await setUserStatus(operatorOf(service.runtime), { reference: userId, status: "DEACTIVATED" });
  await until(async () => (await statusAtIssuer(ada)) === "inactive");
  await untilSettled(service);
  await end();
  const { db } = service.runtime;
  const readRow = async () => (await db.select().from(cardholders).where(eq(cardholders.userId, userId)))[0];
  const ctx = createWorkerContext(workerRuntime);
  await ctx.issuer.setCardholderStatus((await readRow())?.issuerId ?? "", "active");
  // As the comparison notes it, with the job that it adds.
  await db.update(cardholders).set({ issuerCallEndsAt: new Date() }).where(eq(cardholders.userId, userId));
  const setCardholderStatus = () => Promise.reject(new ProviderPostponed("Too many calls at once"));
  await syncCardholder({ ...ctx, issuer: { ...ctx.issuer, setCardholderStatus } }, { userId });
  expect(await readRow()).toMatchObject({ issuerSyncedStatus: "inactive", issuerCallEndsAt: expect.any(Date) });
  await begin();
  await until(async () => (await statusAtIssuer(ada)) === "inactive");
}, 60_000);

test("a block within the window of a changed contact goes to the issuer at once, also while another call ends", async () => {
  const ada = await becomeCardHolder(service, 10n * euro);
  const userId = ada.person.userId ?? "";
  await untilSettled(service);
  await end();
  const { db } = service.runtime;
  const ctx = createWorkerContext(workerRuntime);
  const contactSettlesAt = new Date((await ctx.clock.now(db)).getTime() + dayMs);
  await db.update(users).set({ contactSettlesAt }).where(eq(users.id, userId));
  await db.update(cardholders).set({ issuerCallEndsAt: new Date() }).where(eq(cardholders.userId, userId));
  const setCardholderStatus: typeof ctx.issuer.setCardholderStatus = async (...call) => {
    await ctx.issuer.setCardholderStatus(...call);
    await setUserStatus(operatorOf(service.runtime), { reference: userId, status: "DEACTIVATED" });
  };
  await syncCardholder({ ...ctx, issuer: { ...ctx.issuer, setCardholderStatus } }, { userId });
  const isOfPerson = sql`key = ${jobKeyOf("cardholder.sync", userId)}`;
  const due = sql`run_at < now() + interval '1 hour'`;
  const jobs = await db.execute(sql`select id from graphile_worker._private_jobs where ${isOfPerson} and ${due}`);
  expect(jobs).toHaveLength(1);
  await begin();
  await until(async () => (await statusAtIssuer(ada)) === "inactive");
}, 60_000);

test("a stop of card payments that is lifted while everybody is told ends that run at once", async () => {
  const [ada, bob] = [await becomeCardHolder(service), await becomeCardHolder(service)];
  await untilSettled(service);
  await end();
  const operator = operatorOf(service.runtime, "A test of the stop");
  const set = (isStopped: boolean) => setStop(operator, { name: "card-payments", isStopped });
  await set(true);
  await setUserStatus(operator, { reference: bob.person.userId ?? "", status: "DEACTIVATED" });
  const ctx = createWorkerContext(workerRuntime);
  const statuses: string[] = [];
  const setCardholderStatus: typeof ctx.issuer.setCardholderStatus = async (...call) => {
    statuses.push(call[1]);
    await ctx.issuer.setCardholderStatus(...call);
    if (statuses.length === 1) await set(false);
  };
  const policy = { ...ctx.policy, issuerCallsPerSecond: 1 };
  await mirrorCardholders({ ...ctx, policy, issuer: { ...ctx.issuer, setCardholderStatus } });
  // The run that the end of the stop added has the rest.
  expect(statuses).toEqual(["inactive"]);
  await begin();
  await until(async () => (await statusAtIssuer(ada)) === "active" && (await statusAtIssuer(bob)) === "inactive");
}, 60_000);

describe("the same request", () => {
  test("twice in parallel, and once more, gets the same answer and is held once", async () => {
    const ada = await becomeCardHolder(service, 200n * euro);
    // One of them may be late on a busy machine. What was decided in time is the same.
    const play = async () => {
      const request = requestOf(ada, 600n);
      const ask = () => authorize(contextOf(service.runtime), request);
      return { request, answers: [...(await Promise.all([ask(), ask()])), await ask()] };
    };
    const { request, answers } = await retry(play, (played) => played.answers.every(isInTime));
    expect(answers).toEqual(Array.from({ length: 3 }, () => ({ approved: true, reason: "approved" })));
    const payments = await paymentsOf(request.threadId);
    expect(payments).toHaveLength(1);
    const [payment] = payments;
    const transfers = await service.runtime.db
      .select()
      .from(cardTransfers)
      .where(eq(cardTransfers.paymentId, payment?.id ?? ""));
    expect(transfers).toHaveLength(1);
  });

  test("with a known thread's id and another card, amount or currency is declined, and the first decision stands", async () => {
    const [ada, bob] = await Promise.all([
      becomeCardHolder(service, 10n * euro),
      becomeCardHolder(service, 10n * euro),
    ]);
    const request = requestOf(ada, 600n);
    const ask = (change: object) => authorize(contextOf(service.runtime), { ...request, ...change });
    await until(async () => {
      const { approved } = await authorize(contextOf(service.runtime), request);
      if (!approved) request.threadId = `iauth_${randomUUID()}`;
      return approved;
    });
    for (const change of [{ issuerCardId: bob.cardToken }, { amountCents: 599n }, { amountCents: 601n }])
      expect(await ask(change)).toEqual({ approved: false, reason: "thread_conflict" });
    expect((await ask({ currency: "USD" })).approved).toBe(false);
    expect(await ask({})).toEqual({ approved: true, reason: "approved" });
    expect(await paymentsOf(request.threadId)).toMatchObject([{ authorizedCents: 600n, billingCurrency: "EUR" }]);
    await untilSettled(service);
    expect(await balancesOf(bob)).toEqual({ total: 10n * euro, spendable: 10n * euro, pending: 0n });
  });

  test("with a forged signature, or none, is rejected", async () => {
    const body = JSON.stringify({ id: "evt_1", object: "event", type: "issuing_authorization.request", data: {} });
    const seconds = Math.floor(Date.now() / 1000);
    const forged = createHmac("sha256", "whsec_other").update(`${seconds}.${body}`).digest("hex");
    for (const signature of [undefined, "t=1,v1=00", `t=${seconds},v1=${forged}`]) {
      const headers = { ...(signature !== undefined && { "Stripe-Signature": signature }) };
      const { status } = await fetch(`${service.url}/callbacks/stripe`, { method: "POST", body, headers });
      expect(status).toBe(401);
    }
  });
});

test("callbacks that arrive late, twice and in parallel end in the same state", async () => {
  const ada = await becomeCardHolder(service, 100n * euro);
  await end();
  const { threadId } = await use(ada, 5_000);
  expect(await balancesOf(ada)).toEqual({ total: 100n * euro, spendable: 50n * euro, pending: 50n * euro });
  await follow(ada, threadId, "reverse", { amount: 500 });
  await follow(ada, threadId, "clear", { amount: 2_000, close: false });
  await follow(ada, threadId, "clear", { amount: 1_500 });
  await follow(ada, threadId, "refund", { amount: 300 });
  await begin();
  await untilSettled(service);
  const left = 100n * euro - 32n * euro;
  expect(await balancesOf(ada)).toEqual({ total: left, spendable: left, pending: 0n });
  const { results } = await historyOf(ada);
  expect(results).toMatchObject([
    { kind: "Refund", refundAmount: "300" },
    { kind: "Reversal", reversalAmount: "500" },
    { kind: "Payment", billingAmount: "3500", status: "PartialReversal", isPending: false },
  ]);
  // The same callback again changes nothing.
  await service.runtime.db.execute(
    sql`select graphile_worker.add_job('card.settle', json_build_object('threadId', ${threadId}::text, 'requestId', 'again'))`,
  );
  await untilSettled(service);
  expect(await historyOf(ada)).toMatchObject({ results });
});

test("a late refund of a payment whose rows are archived moves no money; the doctor names its thread", async () => {
  const { db, services } = service.runtime;
  const ada = await becomeCardHolder(service, 100n * euro);
  const { threadId } = await use(ada, 1_000);
  await follow(ada, threadId, "clear");
  await untilSettled(service);
  const left = await balancesOf(ada);
  // An archive removes these rows, and no other.
  await service.ownerDb.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    const [payment] = await tx.execute<{ id: string }>(
      sql`delete from card_payments where thread_id = ${threadId} returning id`,
    );
    for (const table of ["card_clearings", "card_transfers", "ledger_entries"])
      await tx.execute(sql`delete from ${sql.identifier(table)} where payment_id = ${payment?.id ?? ""}`);
  });
  const findRefunds = async () => (await diagnose(services)).find(({ check }) => check === "unbooked threads")?.text;
  try {
    await follow(ada, threadId, "refund", { amount: 300 });
    await until(async () => (await findRefunds())?.includes(threadId) === true);
    expect(await findRefunds()).toContain("its payment is in an archive");
    expect((await historyOf(ada)).results).toEqual([]);
    expect(await balancesOf(ada)).toEqual(left);
  } finally {
    await db.execute(sql`delete from unmatched_threads where thread_id = ${threadId}`);
  }
});

/** A payment of 10 EUR, and our approval of 5 more that the issuer never records; answers its thread. */
async function approveUnrecorded(holder: CardHolder): Promise<string> {
  const { threadId } = await use(holder, 1_000);
  await untilSettled(service);
  let ordinal = 0;
  await until(async () => {
    ordinal += 1;
    const asked = { ...requestOf(holder, 500n), threadId, ordinal };
    return (await authorize(contextOf(service.runtime), asked)).approved;
  });
  return threadId;
}

test("an approval whose answer the issuer never records is held for ten minutes, and then goes back", async () => {
  const ada = await becomeCardHolder(service, 100n * euro);
  const threadId = await approveUnrecorded(ada);
  // A report of the issuer in between does not know it either.
  await service.runtime.db.execute(
    sql`select graphile_worker.add_job('card.settle', json_build_object('threadId', ${threadId}::text, 'requestId', 'again'))`,
  );
  await until(async () => (await balancesOf(ada)).total === 85n * euro);
  const findJob = async () => {
    const [job] = await service.runtime.db.execute<{ id: string; seconds: number }>(sql`
      select id, extract(epoch from run_at - now())::int as seconds from graphile_worker.jobs
      where key = ${jobKeyOf("card.settle", threadId)} and run_at > now()`);
    return job;
  };
  await until(async () => (await findJob()) !== undefined);
  const job = await findJob();
  expect(job?.seconds).toBeGreaterThan(540);
  expect(job?.seconds).toBeLessThanOrEqual(602);
  await ada.person.sandbox("POST", "/chain/advance", { seconds: 601 });
  await service.runtime.db.execute(
    sql`select graphile_worker.reschedule_jobs(array[${job?.id ?? ""}::bigint], run_at := now())`,
  );
  await until(async () => (await balancesOf(ada)).total === 90n * euro);
  expect(await paymentsOf(threadId)).toMatchObject([{ status: "AUTHORIZED", authorizedCents: 1_000n }]);
});

test("a capture of more than the issuer approved is a case, though our approval of the rest waited for its record", async () => {
  const ada = await becomeCardHolder(service, 100n * euro);
  const threadId = await approveUnrecorded(ada);
  await follow(ada, threadId, "clear", { amount: 1_400 });
  await until(async () => (await paymentsOf(threadId))[0]?.status === "CLEARED");
  const [payment] = await paymentsOf(threadId);
  expect(payment).toMatchObject({ authorizedCents: 1_000n, capturedCents: 1_400n, excessCents: 400n });
  expect(await listCases(service.runtime, { payment: payment?.id ?? "", limit: 10 })).toMatchObject([
    { kind: "over_capture", amountCents: 400n, status: "OPEN" },
  ]);
});

describe("refunds that come in one report", () => {
  const refund = async (holder: CardHolder, threadId: string, amounts: readonly number[]) => {
    await end();
    for (const amount of amounts) await follow(holder, threadId, "refund", { amount });
    await begin();
    await until(async () => (await refundsOf(holder, threadId)).length === amounts.length);
    await untilSettled(service);
  };
  const refundsOf = async (holder: CardHolder, threadId: string) =>
    (await historyOf(holder)).results
      .filter((line: { threadId: string; kind: string }) => line.threadId === threadId && line.kind === "Refund")
      .map((line: { refundAmount: string; transactions: { status: string }[] }) => [
        Number(line.refundAmount),
        line.transactions.map(({ status }) => status),
      ])
      .toSorted(([one]: [number], [other]: [number]) => one - other);

  test("each have a transaction of their own", async () => {
    const ada = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(ada, 5_000);
    await follow(ada, threadId, "clear");
    await untilSettled(service);
    await refund(ada, threadId, [700, 1_000]);
    const ran = ["ExecSuccess"];
    expect(await refundsOf(ada, threadId)).toEqual([
      [700, ran],
      [1_000, ran],
    ]);
    expect(await balancesOf(ada)).toMatchObject({ total: 67n * euro });
  });

  test.each(["this", "an earlier"])(
    "end what an operator gave by hand in the books that %s version made",
    async (made) => {
      const ada = await becomeCardHolder(service, 50n * euro);
      const { threadId } = await use(ada, 1_000);
      await follow(ada, threadId, "clear");
      await untilSettled(service);
      await refundPayment(operatorOf(service.runtime, "Goodwill"), { reference: threadId, amount: "10" });
      await untilSettled(service);
      const ids = (await paymentsOf(threadId)).map(({ id }) => id);
      if (made === "an earlier") await bookGiftAsBefore(ids[0] ?? "");
      expect(await readOpenSums(service, ids)).toEqual({ "goodwill:EUR": 10n * euro });
      await refund(ada, threadId, [1_000]);
      expect(await balancesOf(ada)).toMatchObject({ total: 50n * euro });
      expect(await readOpenSums(service, ids)).toEqual({});
    },
  );

  /** Earlier versions booked the entry of a return by hand against the gift at once. */
  const bookGiftAsBefore = async (paymentId: string) => {
    const isReturn = and(eq(ledgerEntries.paymentId, paymentId), lt(ledgerEntries.settlement, 0n));
    const [entry] = await service.runtime.db.select().from(ledgerEntries).where(isReturn);
    const lines = (["goodwill:EUR", "settlement:EUR"] as const).map((account, index) => ({
      account,
      currency: "EUR",
      amount: index === 0 ? 10n * euro : -10n * euro,
      reference: null,
    }));
    const posted = await contextOf(service.runtime).commit(async ({ tx, now }) => {
      await openAccounts(tx, lines, now);
      const named = { type: "return", externalId: entry?.id ?? "", cause: paymentId };
      return insertPostings(tx, [{ ...named, effectiveOn: dayOf(now, "UTC"), lines }], now);
    });
    expect(posted).toBe(1);
  };

  test("pay a debt first, one after the other", async () => {
    const ada = await becomeCardHolder(service, 100n * euro);
    const { threadId } = await use(ada, 5_000);
    await follow(ada, threadId, "clear");
    await untilSettled(service);
    await end();
    const owing = await use(ada, 600);
    await setHolding(service, ada.safe, 0n);
    await begin();
    await until(async () => (await paymentsOf(owing.threadId))[0]?.owed === 6n * euro);
    await untilSettled(service);
    await refund(ada, threadId, [500, 700]);
    expect(await refundsOf(ada, threadId)).toEqual([
      [500, []],
      [700, ["ExecSuccess"]],
    ]);
    expect(await paymentsOf(owing.threadId)).toMatchObject([{ owed: 0n, setOff: 6n * euro }]);
    // What paid the debt is neither returned nor spent again.
    const moves = await service.runtime.db
      .select({ direction: cardTransfers.direction, amount: cardTransfers.amount })
      .from(cardTransfers)
      .innerJoin(cardPayments, eq(cardPayments.id, cardTransfers.paymentId))
      .where(eq(cardPayments.threadId, threadId))
      .orderBy(cardTransfers.ordinal);
    expect(moves).toEqual([
      { direction: "spend", amount: 50n * euro },
      { direction: "return", amount: 6n * euro },
    ]);
    expect(await balancesOf(ada)).toMatchObject({ total: 6n * euro });
  });
});

test("after a reorganisation the removed transactions are mined again, once, and the ledger follows", async () => {
  const { client } = openNode(service.rpcUrl);
  await client.mine({ blocks: 12 });
  const ada = await becomeCardHolder(service, 50n * euro);
  // A block may come before the reorganisation, which counts from the newest one: so it removes some empty blocks too.
  const marginBlocks = 3;
  await client.mine({ blocks: marginBlocks });
  const { threadId } = await use(ada, 2_000);
  await untilSettled(service);
  await follow(ada, threadId, "clear", { amount: 1_500 });
  await untilSettled(service);
  const listRows = async () => {
    const [payment] = await paymentsOf(threadId);
    const isOfThread = eq(cardTransfers.paymentId, payment?.id ?? "");
    return service.runtime.db.select().from(cardTransfers).where(isOfThread).orderBy(cardTransfers.ordinal);
  };
  const before = await listRows();
  const listMoves = await recordMoves(service.ownerDb, "card_transfers");
  const head = await client.getBlockNumber({ cacheTime: 0 });
  const oldest = before.map(({ endedBlock }) => endedBlock ?? head).reduce((a, b) => (a < b ? a : b));
  await reorganise(service, Number(head - oldest) + 1 + marginBlocks);
  // At that height: the worker may have sent everything again by now.
  const args = [getAddress(ada.safe)] as const;
  const spent = { address: tokens.EURe.address, abi: erc20Abi, functionName: "balanceOf", args } as const;
  expect(await client.readContract({ ...spent, blockNumber: head })).toBe(50n * euro);
  await until(async () => (await listMoves()).some(({ from }) => from === "DONE"));
  await untilSettled(service);
  expect(await balancesOf(ada)).toEqual({ total: 35n * euro, spendable: 35n * euro, pending: 0n });
  const after = await listRows();
  expect(after.map(({ status }) => status)).toEqual(["DONE", "DONE"]);
  // The same bytes. A return may have run before its spend, reverted, and been signed again.
  expect(after[0]?.hash).toBe(before[0]?.hash ?? null);
  const booked = { held: 0n, safe: -15n * euro, settlement: 15n * euro };
  expect(await sumBooked(before[0]?.safeId ?? "")).toEqual(booked);
});

describe("a return that reverted and was signed anew", () => {
  /** A captured payment whose refund is signed, and reverts because the settlement account is empty when it is mined. */
  const revertReturn = async () => {
    const { client } = openNode(service.rpcUrl);
    const ada = await becomeCardHolder(service, 50n * euro);
    const { threadId } = await use(ada, 2_000);
    await follow(ada, threadId, "clear");
    await untilSettled(service);
    await end();
    const ctx = createWorkerContext(workerRuntime);
    await follow(ada, threadId, "refund", { amount: 500 });
    await settleThread(ctx, { threadId });
    const [payment] = await paymentsOf(threadId);
    const transferId = nameTransferRow(payment?.id ?? "", 1);
    await carryOutTransfer(ctx, { transferId });
    const { settlementAddress } = ctx.policy;
    const funds = await ctx.chain.getTokenBalance(tokens.EURe.address, settlementAddress);
    const listSent = async () => (await listRelayTransactions(ctx.db, transferId)).map((each) => each.transaction);
    const findStatus = async () => (await findTransfer(ctx.db, transferId))?.status;
    await setHolding(service, settlementAddress, 0n);
    await begin();
    await until(async () => (await listSent())[0]?.status === "REVERTED");
    const fund = () => setHolding(service, settlementAddress, funds);
    /** Replaces the blocks from its own on, and has money at the settlement account from there on. */
    const dropBlock = async () => {
      const { blockNumber, blockHash } = (await listSent())[0] ?? {};
      await end();
      if (typeof blockNumber !== "bigint") throw new Error("It is in no block");
      // A block mined meanwhile makes it reach less far.
      while ((await client.getBlock({ blockNumber })).hash === blockHash) {
        const head = await client.getBlockNumber({ cacheTime: 0 });
        await reorganise(service, Number(head - blockNumber) + 1);
      }
      await fund();
    };
    /** Jobs that wait for the settlement account run now. */
    const untilPaidBack = () =>
      until(async () => {
        await ctx.db.execute(sql`select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs
          where task_identifier = 'card.transfer' and locked_at is null), run_at := now())`);
        return (await findStatus()) === "DONE";
      });
    const untilDone = async () => {
      await until(async () => (await listSent()).every(({ status }) => status === "MINED"));
      await untilPaidBack();
      await untilSettled(service);
    };
    const expectOnce = async () => {
      expect(await ctx.chain.getTokenBalance(tokens.EURe.address, getAddress(ada.safe))).toBe(35n * euro);
      expect(await ctx.chain.getTokenBalance(tokens.EURe.address, settlementAddress)).toBe(funds - 5n * euro);
      expect(await sumBooked(payment?.safeId ?? "")).toEqual({ held: 0n, safe: -15n * euro, settlement: 15n * euro });
    };
    return { ctx, transferId, listSent, findStatus, dropBlock, fund, untilPaidBack, untilDone, expectOnce };
  };

  test("pays once also where a reorganisation removes the block in which it reverted", async () => {
    const { dropBlock, fund, untilPaidBack, untilDone, expectOnce } = await revertReturn();
    await fund();
    await untilPaidBack();
    await dropBlock();
    await begin();
    await untilDone();
    await expectOnce();
  });

  test("is not signed anew while the first one may still be mined after a reorganisation", async () => {
    const { ctx, transferId, listSent, findStatus, dropBlock, untilDone, expectOnce } = await revertReturn();
    await until(async () => (await findStatus()) === "PLANNED");
    await dropBlock();
    await followChain(ctx);
    expect(await listSent()).toMatchObject([{ status: "ROLLED_BACK" }]);
    await expect(carryOutTransfer(ctx, { transferId })).rejects.toThrow("may still be mined");
    expect(await listSent()).toHaveLength(1);
    await begin();
    await untilDone();
    await expectOnce();
  });
});

test("a spend that a reorganisation revives is returned once, whatever returns were planned meanwhile", async () => {
  const ada = await becomeCardHolder(service, 150n * euro);
  await end();
  const services = workerRuntime.services;
  const keys = createWorkerKeys(readSettings(service.env), () => {});
  const ctx = { ...contextOf(workerRuntime), ...keys, stopping: new AbortController().signal };
  const { threadId } = await use(ada, 10_000);
  const [payment] = await paymentsOf(threadId);
  if (!payment) throw new Error("nothing is recorded");
  const safe = await findSafe(services.db, payment.safeId);
  if (!safe || !hasCurrency(safe)) throw new Error("the Safe has no currency");
  const getTransfer = async (ordinal: number) => {
    const transfer = await findTransfer(services.db, nameTransferRow(payment.id, ordinal));
    if (!transfer) throw new Error(`no transfer ${ordinal}`);
    return transfer;
  };
  const { number: blockNumber, hash: blockHash } = await services.chain.getBlock();
  const block = { blockNumber, blockHash };
  const fail = async (ordinal: number) => {
    const transfer = await getTransfer(ordinal);
    await ctx.commit((work) => failSpend(ctx, work, safe, transfer, { reason: "refused", hash: null, block }));
  };
  const rollBack = async (ordinal: number) => {
    const transfer = await getTransfer(ordinal);
    await ctx.commit((work) => rollBackTransfer(work, transfer));
  };
  // The first spend is refused, half of its debt is about to be collected, and the merchant reverses the other half.
  await fail(0);
  await setHolding(service, ada.safe, 50n * euro);
  await collectDebts(ctx, { userId: payment.userId });
  await follow(ada, threadId, "reverse", { amount: 5_000 });
  await settleThread(ctx, { threadId });
  // A reorganisation: the first spend runs after all, and the collection, signed by then, is refused.
  const collection = await getTransfer(1);
  await ctx.commit(({ tx, now }) =>
    moveTransfer(tx, collection, "SIGNED", { hash: `0x${"01".repeat(32)}`, updatedAt: now }),
  );
  await rollBack(0);
  const first = await getTransfer(0);
  await ctx.commit((work) => completeTransfer(ctx, work, first, { hash: blockHash, block }));
  await fail(1);
  const list = async () =>
    (await listTransfers(services.db, payment.userId, [payment.id])).map(({ direction, amount, status }) => [
      direction,
      amount / euro,
      status,
    ]);
  expect(await list()).toEqual([
    ["spend", 100n, "DONE"],
    ["spend", 50n, "FAILED"],
    ["return", 100n, "FAILED"],
    ["return", 50n, "PLANNED"],
  ]);
  // One more takes all of this back, and then both spends run.
  for (const ordinal of [0, 1, 2]) await rollBack(ordinal);
  await setHolding(service, ada.safe, 150n * euro);
  await begin();
  await untilSettled(service);
  expect((await list()).filter(([, , status]) => status !== "DONE")).toEqual([]);
  expect(await balancesOf(ada)).toEqual({ total: 100n * euro, spendable: 100n * euro, pending: 0n });
});

test("a spend that one job signs while another is refused stays signed, and its money moves once", async () => {
  const ada = await becomeCardHolder(service, 150n * euro);
  await end();
  const keys = createWorkerKeys(readSettings(service.env), () => {});
  const ctx = { ...contextOf(workerRuntime), ...keys, stopping: new AbortController().signal };
  const { threadId } = await use(ada, 10_000);
  const [payment] = await paymentsOf(threadId);
  const transferId = nameTransferRow(payment?.id ?? "", 0);
  // The second job signs after the first has read the transfer; then the chain refuses the first.
  const signBefore: typeof ctx.chain.estimateGas = async (asked) => {
    if ((await findTransfer(ctx.db, transferId))?.status === "PLANNED") {
      await carryOutTransfer(ctx, { transferId });
      await setHolding(service, ada.safe, 0n);
    }
    return ctx.chain.estimateGas(asked);
  };
  // Where a block comes in between, the refusal is no verdict, and the job is tried again.
  await carryOutTransfer({ ...ctx, chain: { ...ctx.chain, estimateGas: signBefore } }, { transferId }).catch(
    (error: unknown) => {
      if (!(error instanceof NodeBehind)) throw error;
    },
  );
  expect(await findTransfer(ctx.db, transferId)).toMatchObject({ status: "SIGNED" });
  await setHolding(service, ada.safe, 150n * euro);
  await begin();
  await untilSettled(service);
  expect(await listTransfers(ctx.db, payment?.userId ?? "", [payment?.id ?? ""])).toMatchObject([{ status: "DONE" }]);
  expect(await balancesOf(ada)).toEqual({ total: 50n * euro, spendable: 50n * euro, pending: 0n });
});

test("a spend that a stranger ran first is settled by few questions, however old its Safe is", async () => {
  const ada = await becomeCardHolder(service, 50n * euro);
  await end();
  const { threadId } = await use(ada, 500);
  const transferId = nameTransferRow((await paymentsOf(threadId))[0]?.id ?? "", 0);
  const ctx = createWorkerContext(workerRuntime);
  await carryOutTransfer(ctx, { transferId });
  const [signed] = await ctx.db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, transferId));
  if (!signed) throw new Error("nothing was signed");
  await openNode(service.rpcUrl).send({ to: signed.to, data: signed.data });
  const transfer = await findTransfer(ctx.db, transferId);
  const safe = await findSafe(ctx.db, transfer?.safeId ?? "");
  if (!transfer || !safe || !hasCurrency(safe)) throw new Error("nothing is recorded");
  // As where another account deployed it: nothing says in which block.
  await ctx.db.update(safes).set({ deployedBlock: null }).where(eq(safes.id, safe.id));
  const asked: { fromBlock: bigint; toBlock: bigint }[] = [];
  const { chain } = ctx;
  const getLogs: typeof chain.getLogs = ({ fromBlock, toBlock, ...rest }) => {
    asked.push({ fromBlock, toBlock });
    return chain.getLogs({ fromBlock, toBlock, ...rest });
  };
  /** As if the spend had been planned so many seconds before the head, by the skew that is allowed. */
  const settle = async (seconds: number) => {
    asked.length = 0;
    const head = await chain.getBlock();
    const createdAt = new Date((head.timestamp - seconds) * 1000 + chainSearchSkewMs);
    const refusal = { reason: "it ran", hash: null };
    const write = await settleRefusedSpend(
      { ...ctx, chain: { ...chain, getLogs } },
      safe,
      { ...transfer, createdAt },
      refusal,
    );
    return { write, head: head.number };
  };
  const { write, head } = await settle(5);
  expect(asked).toEqual([{ fromBlock: head - 5n, toBlock: head }]);
  // A row that was restored is younger than its run.
  await openNode(service.rpcUrl).client.mine({ blocks: 10, interval: 1 });
  const later = await settle(5);
  expect(asked).toEqual([
    { fromBlock: later.head - 5n, toBlock: later.head },
    { fromBlock: 0n, toBlock: later.head - 6n },
  ]);
  await ctx.commit(write);
  expect(await findTransfer(ctx.db, transferId)).toMatchObject({ status: "DONE" });
  await begin();
  await untilSettled(service);
  expect(await balancesOf(ada)).toMatchObject({ total: 45n * euro });
});

test("a thread that another commit opens while its report is written is settled again, and no job fails", async () => {
  const ada = await becomeCardHolder(service, 5n * euro);
  await end();
  const keys = createWorkerKeys(readSettings(service.env), () => {});
  const ctx = { ...contextOf(workerRuntime), ...keys, stopping: new AbortController().signal };
  const path = `/issuer/cards/${ada.cardToken}/clearings`;
  const { threadId }: { threadId: string } = (await ada.person.sandbox("POST", path, { amount: 100 })).body;
  const [report, owner] = [await ctx.issuer.findThread(threadId), await findSpendingCard(ctx.db, ada.cardToken)];
  if (!report || !owner) throw new Error("the issuer has no capture");
  // As a decline does, without the Safe's lock.
  const settled = await ctx.commit(async (work) => {
    await openPayment(work, report, owner);
    const promise = settleThread(ctx, { threadId });
    await until(async () => (await countLockWaits(service.runtime.db)) > 0);
    return { promise };
  });
  expect(await settled.promise).toBeUndefined();
  await begin();
  await until(async () => (await paymentsOf(threadId))[0]?.capturedCents === 100n);
});

test("a card spends in its Safe's currency, and its order is paid in it: ledger, issuer and chain agree", async () => {
  await fetch(`${service.sandboxUrl}/coupons`, {
    method: "POST",
    body: JSON.stringify({ code: "TENTH", percent: 10 }),
  });
  await Promise.all(
    (
      [
        ["EUR", "DE", "EURe", 30.23, 3_023n],
        ["GBP", "GB", "GBPe", 26.5, 2_650n],
        ["USD", "BR", "USDCe", 33, 3_300n],
      ] as const
    ).map(async ([currency, country, token, price, priceCents]) => {
      const centOf = 10n ** BigInt(tokens[token].decimals - 2);
      const given = 100_00n * centOf;
      const holder = await becomeCardHolder(service, given, { country, token });
      const { person, cardToken } = holder;
      const { body: atIssuer } = await person.sandbox("GET", `/issuer/cards/${cardToken}`);
      expect(atIssuer.currency).toBe(currency.toLowerCase());
      const other = currency === "EUR" ? "GBP" : "EUR";
      expect((await use(holder, 100, { currency: other })).reason).toBe("currency_not_supported");
      const foreign = { currency, merchantCurrency: other, merchantAmount: 3_000 };
      const { approved, threadId } = await use(holder, 2_550, foreign);
      expect(approved).toBe(true);
      await follow(holder, threadId, "clear", { amount: 2_000 });
      await follow(holder, threadId, "refund", { amount: 500 });
      await until(async () => (await paymentsOf(threadId))[0]?.refundedCents === 500n);
      await untilSettled(service);
      const amount = 1_500n * centOf;
      const books = { ledger: amount, payments: amount, issuer: amount, chain: amount, api: amount };
      expect(await readCardBooks(service, holder, given, token)).toEqual(books);

      const { body: ordered } = await person.call("POST", "/order/create", { personalizationSource: "KYC" });
      expect(ordered).toMatchObject({ currency, totalAmount: price, totalDiscount: 0, totalAmountEUR: 30.23 });
      await person.call("POST", `/order/${ordered.id}/attach-coupon`, { couponCode: `TENTH` });
      const discount = (priceCents * 302n * 2n + 3_023n) / (2n * 3_023n);
      const { body: lowered } = await person.call("GET", `/order/${ordered.id}`);
      expect(lowered).toMatchObject({ totalDiscount: Number(discount) / 100, totalDiscountEUR: 3.02 });
      const pay = async (paid: { token: TokenSymbol; amount: bigint }): Promise<number> => {
        const transactionHash = await payFromNowhere(service, paid);
        await person.call("PUT", `/order/${ordered.id}/attach-transaction`, { transactionHash });
        return (await person.call("PUT", `/order/${ordered.id}/confirm-payment`)).status;
      };
      const due = (priceCents - discount) * centOf;
      expect(await pay({ token: other === "EUR" ? "EURe" : "GBPe", amount: 10n ** 20n })).toBe(400);
      expect(await pay({ token, amount: due - 1n })).toBe(400);
      expect(await pay({ token, amount: due })).toBe(200);
      expect((await person.call("GET", `/order/${ordered.id}`)).body.status).toBe("READY");
    }),
  );
});

describe("what the issuer decided without us", () => {
  let ada: CardHolder;
  let bob: CardHolder;
  const given = 100n * euro;
  const set = (path: string, body: object) => ada.person.sandbox("PUT", path, body);
  const standInOf = async (threadId: string) => {
    const [payment] = await paymentsOf(threadId);
    const standIn = payment && (await findStandIn(service.runtime.db, payment.id));
    return standIn && { ...standIn, status: payment.status };
  };
  const casesOf = async (threadId: string) => {
    const [payment] = await paymentsOf(threadId);
    const cases = await listCases(service.runtime, { payment: payment?.id ?? "none", limit: 10 });
    return cases.map(({ kind, amountCents, currency, status }) => [kind, amountCents, currency, status]);
  };
  const eventTypesOf = async (threadId: string) => {
    const isOfThread = sql`${events.data} -> 'event' ->> 'threadId' = ${threadId}`;
    const rows = await service.runtime.db.select().from(events).where(isOfThread).orderBy(events.sequence);
    return rows.map(({ eventType }) => eventType);
  };
  const untilMarked = (...threadIds: string[]) =>
    until(async () => (await Promise.all(threadIds.map(standInOf))).every((standIn) => standIn != null));
  const same = (cents: bigint) => {
    const amount = cents * cent;
    return { ledger: amount, payments: amount, issuer: amount, chain: amount, api: amount };
  };
  beforeAll(async () => {
    [ada, bob] = await Promise.all([becomeCardHolder(service, given), becomeCardHolder(service, 8n * euro)]);
    await set("/issuer/stand-in", { decision: "approve", amountMax: 2_000 });
  });
  afterAll(() => set("/issuer/stand-in", {}));

  test("while the service was stopped is booked, marked and moved on chain when it is back; a shortfall is a debt and a case", async () => {
    await Promise.all([end(), service.stopServer()]);
    // Nothing that changes meanwhile stops the booking, and no worker lives that could tell the issuer.
    const setBob = (status: "ACTIVE" | "DEACTIVATED") =>
      setUserStatus(operatorOf(service.runtime, "test"), { reference: bob.person.userId ?? "", status });
    await setBob("DEACTIVATED");
    const [paid, above, uncovered] = await Promise.all([useOnce(ada, 1_500), useOnce(ada, 2_001), useOnce(bob, 1_900)]);
    expect([paid, above, uncovered].map(({ approved, reason }) => [approved, reason])).toEqual([
      [true, "webhook_timeout"],
      [false, "webhook_timeout"],
      [true, "webhook_timeout"],
    ]);
    await follow(ada, paid.threadId, "clear", { amount: 1_200 });
    service.startServer();
    await begin();
    await untilMarked(paid.threadId, above.threadId, uncovered.threadId);
    await until(async () => (await paymentsOf(paid.threadId))[0]?.status === "CLEARED");
    await until(async () => (await casesOf(uncovered.threadId)).length === 3);
    await untilSettled(service);
    expect(await standInOf(paid.threadId)).toMatchObject({
      status: "CLEARED",
      decision: "APPROVED",
      approvedCents: 1_500n,
    });
    expect(await standInOf(above.threadId)).toMatchObject({
      status: "DECLINED",
      decision: "DECLINED",
      approvedCents: 0n,
    });
    expect(await readCardBooks(service, ada, given)).toEqual(same(1_200n));
    expect(await casesOf(paid.threadId)).toEqual([["stand_in_excess", 1_500n, "EUR", "OPEN"]]);
    expect(await casesOf(above.threadId)).toEqual([]);
    expect((await casesOf(uncovered.threadId)).toSorted()).toEqual([
      ["stand_in_blocked", 1_900n, "EUR", "OPEN"],
      ["stand_in_excess", 1_900n, "EUR", "OPEN"],
      ["stand_in_shortfall", 1_900n, "EUR", "OPEN"],
    ]);
    const shown = await getPaymentDetails(operatorOf(service.runtime), { reference: paid.threadId });
    expect(listPaymentSteps(shown).map(({ word }) => word)).toContain("stand-in");
    // The debt of the other one does not hold the queue up, and is collected from the next deposit.
    await give(bob.person, bob.safe, 11n * euro);
    await until(async () => (await paymentsOf(uncovered.threadId))[0]?.owed === 0n);
    await untilSettled(service);
    expect(await readCardBooks(service, bob, 19n * euro)).toEqual(same(1_900n));
    await until(async () => (await statusAtIssuer(bob)) === "inactive");
    await set("/faults/callbacks.late", { match: "issuing_authorization.request", count: 1 });
    expect(await useOnce(bob, 100)).toMatchObject({ approved: false, reason: "cardholder_inactive" });
    await ada.person.sandbox("DELETE", "/faults/callbacks.late", {});
    await setBob("ACTIVE");
    await until(async () => (await statusAtIssuer(bob)) === "active");
  });

  test("when our answer came too late or unreadable stands, whichever it was, and without a case where we approved too", async () => {
    await set("/faults/callbacks.late", { match: "issuing_authorization.request", count: 1 });
    const declined = await useOnce(ada, 700, { cvc: "mismatch" });
    await set("/faults/callbacks.bare", { match: "issuing_authorization.request", count: 1, status: 500 });
    const approved = await use(ada, 600);
    await set("/issuer/stand-in", {});
    await set("/faults/callbacks.late", { match: "issuing_authorization.request", count: 1 });
    const taken = await useOnce(ada, 500);
    expect([declined, approved, taken].map((used) => [used.approved, used.reason])).toEqual([
      [true, "webhook_timeout"],
      [true, "webhook_error"],
      [false, "webhook_timeout"],
    ]);
    await untilMarked(declined.threadId, approved.threadId, taken.threadId);
    await untilSettled(service);
    const shown = await Promise.all([declined, approved, taken].map(({ threadId }) => standInOf(threadId)));
    expect(shown.map((standIn) => standIn && [standIn.status, standIn.decision])).toEqual([
      ["AUTHORIZED", "APPROVED"],
      ["AUTHORIZED", "APPROVED"],
      ["DECLINED", "DECLINED"],
    ]);
    // The partner first heard of a decline.
    expect((await eventTypesOf(declined.threadId)).slice(0, 2)).toEqual([
      "card.transaction.declined",
      "card.transaction.created",
    ]);
    expect(await casesOf(declined.threadId)).toEqual([["stand_in_excess", 700n, "EUR", "OPEN"]]);
    expect([await casesOf(approved.threadId), await casesOf(taken.threadId)]).toEqual([[], []]);
    expect(await readCardBooks(service, ada, given)).toEqual(same(1_200n + 700n + 600n));
    // An increment is decided without us like a first request: here we decline it, because it is above the balance.
    await set("/issuer/stand-in", { decision: "approve" });
    await set("/faults/callbacks.late", { match: "issuing_authorization.request", count: 1 });
    await follow(ada, approved.threadId, "increment", { amount: 9_000 });
    await until(async () => (await standInOf(approved.threadId))?.approvedCents === 9_600n);
    await until(async () => (await casesOf(approved.threadId)).length === 2);
    expect(await casesOf(approved.threadId)).toContainEqual(["stand_in_excess", 9_000n, "EUR", "OPEN"]);
    await give(ada.person, ada.safe, 50n * euro);
    await until(async () => (await paymentsOf(approved.threadId))[0]?.owed === 0n);
    await untilSettled(service);
    expect(await readCardBooks(service, ada, given + 50n * euro)).toEqual(same(1_200n + 700n + 600n + 9_000n));
  });

  test("counts for the day's limit with what the issuer approved alone", async () => {
    const eve = await becomeCardHolder(service, 50n * euro);
    const ctx = contextOf(service.runtime);
    const policy = { ...ctx.policy, standIn: { paymentCentsMax: 5_000n, dayCentsMax: 1_000n } };
    const decidedAt = await ctx.clock.now(ctx.db);
    const standIn = async (cents: bigint) => {
      const { threadId } = await use(eve, 600);
      const [payment] = await paymentsOf(threadId);
      if (!payment) throw new Error("nothing is recorded");
      const request = { isApproved: true, amountCents: cents, merchantMinor: cents, feeCents: 0n, cashbackCents: 0n };
      const requests = [{ ...request, decidedBy: "stand_in" as const, decidedAt, reason: "webhook_timeout" }];
      const authorization = {
        isApproved: true,
        status: "pending" as const,
        amountCents: cents,
        requests,
        reason: null,
      };
      const report = { ...requestOf(eve, cents), threadId, authorization, clearings: [], faults: [] };
      await ctx.commit((work) => recordStandIn({ ...ctx, policy }, work, payment, report));
      return casesOf(threadId);
    };
    // Of the first all was approved here too, of the others 600 cents.
    expect(await standIn(600n)).toEqual([]);
    expect(await standIn(1_600n)).toEqual([]);
    expect(await standIn(601n)).toEqual([["stand_in_excess", 1n, "EUR", "OPEN"]]);
    await untilSettled(service);
  });

  test("on a payment that is in debt already is a shortfall with a case", async () => {
    const eve = await becomeCardHolder(service, 9n * euro);
    await end();
    const { threadId } = await use(eve, 800);
    await setHolding(service, eve.safe, 0n);
    await begin();
    await until(async () => (await paymentsOf(threadId))[0]?.owed === 8n * euro);
    expect(await casesOf(threadId)).toEqual([["refused_spend", 800n, "EUR", "OPEN"]]);
    await set("/issuer/stand-in", { decision: "approve" });
    await set("/faults/callbacks.bare", { match: "issuing_authorization.request", count: 1, status: 500 });
    const raised = await eve.person.sandbox("POST", `/issuer/authorizations/${threadId}/increment`, { amount: 300 });
    expect(raised.body).toMatchObject({ approved: true, amount: 1_100 });
    await until(async () => (await paymentsOf(threadId))[0]?.owed === 11n * euro);
    expect(await casesOf(threadId)).toContainEqual(["stand_in_shortfall", 1_100n, "EUR", "OPEN"]);
    await give(eve.person, eve.safe, 11n * euro);
    await until(async () => (await paymentsOf(threadId))[0]?.owed === 0n);
  });

  test("and never reported is found at the comparison with the issuer, also behind newer uses", async () => {
    await set("/issuer/stand-in", { decision: "approve" });
    await set("/faults/callbacks.late", { match: "issuing_authorization.request", count: 1 });
    await set("/faults/callbacks.lose", { match: "issuing_authorization.created" });
    const declined = await useOnce(ada, 250, { cvc: "mismatch" });
    expect((await paymentsOf(declined.threadId))[0]?.status).toBe("DECLINED");
    await set("/faults/callbacks.lose", { match: "/callbacks/stripe" });
    const { threadId } = await useOnce(ada, 300);
    await ada.person.sandbox("DELETE", "/faults/callbacks.lose", {});
    await end();
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 4 * 3_600 });
    await ada.person.signIn();
    const newer = await useOnce(ada, 100);
    await begin();
    await untilMarked(threadId, declined.threadId);
    await untilSettled(service);
    expect(await readCardBooks(service, ada, given + 50n * euro)).toEqual(
      same(1_200n + 700n + 600n + 9_000n + 250n + 300n + (newer.approved ? 100n : 0n)),
    );
  });
});

describe("the database", () => {
  const refusal = (work: PromiseLike<unknown>): Promise<string | null> =>
    Promise.resolve(work).then(
      () => null,
      (error: Error) => String(error.cause),
    );

  test("keeps every entry of the ledger at zero, and unchanged", async () => {
    const { db } = service.runtime;
    const [entry] = await db.select().from(ledgerEntries).limit(1);
    if (!entry) throw new Error("nothing is booked");
    const crooked = { ...entry, id: "crooked", held: entry.held + 1n };
    expect(await refusal(db.insert(ledgerEntries).values(crooked))).toContain("ledger_entries_balance");
    const { ownerDb } = service;
    expect(await refusal(ownerDb.update(ledgerEntries).set({ held: 2n }))).toContain("what is booked stays");
    expect(await refusal(ownerDb.delete(ledgerEntries))).toContain("what is booked stays");
    expect(await refusal(ownerDb.execute(sql`truncate ledger_entries`))).toContain("what is booked stays");
    // The service's own role has no right to either.
    for (const work of [db.update(ledgerEntries).set({ held: 2n }), db.delete(ledgerEntries)])
      expect(await refusal(work)).toContain("permission denied");
    const [whole] = await db.execute<{ sum: string }>(sql`
      select sum(safe + held + settlement + owed + advanced + written_off) as sum from ledger_entries`);
    expect(Number(whole?.sum)).toBe(0);
  });

  test.each<[string, Machine]>([
    ["card_payments", paymentMachine],
    ["card_transfers", transferMachine],
  ])("guards the moves of %s as the table has them", async (table, machine) => {
    requireGuard(machine, table, "status");
    const { db } = service.runtime;
    const back = db.execute(sql`update ${sql.identifier(table)} set status = 'NOWHERE'`);
    expect(await refusal(back)).toContain("is not in the table");
  });
});
