/** A database that is put back to an earlier state, while chain, issuer, e-money institution and identity provider stay. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildCreation } from "@cardkeep/chain/account";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { parseQueueLog, queueTopics } from "@cardkeep/chain/delayLogs";
import { predictAccount } from "@cardkeep/chain/predictAccount";
import { buildReturn, nameTransfer } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { openDatabase } from "@cardkeep/db/client";
import { findSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { answerRun } from "@cardkeep/cli/reconcile";
import { findLostSafe, type LostSafe } from "@cardkeep/db/queries/sync/lostSafes";
import { findNewestReconciliation, findReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import {
  cardPayments,
  cards,
  delayTransactions,
  discrepancies,
  events,
  foreignEntries,
  ibanOrders,
  ledgerEntries,
  orderReturns,
  reconciliations,
  relayers,
  relayTransactions,
  safes,
  users,
} from "@cardkeep/db/schema/tables";
import { openSafe } from "@cardkeep/domain/accounts/safes/openSafe";
import { requestDeployment } from "@cardkeep/domain/accounts/safes/requestDeployment";
import { carryOutReturn } from "@cardkeep/domain/cards/orders/carryOutReturn";
import { listActions } from "@cardkeep/domain/core/operators/listActions";
import { beginReconciliation } from "@cardkeep/domain/sync/reconciliations/beginReconciliation";
import { reconcileSafes } from "@cardkeep/domain/sync/reconciliations/reconcileSafes";
import { requestReconciliation } from "@cardkeep/domain/sync/reconciliations/requestReconciliation";
import { restoreEntries } from "@cardkeep/domain/sync/reconciliations/restoreEntries";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { seed } from "@cardkeep/sandbox/seed";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq, isNotNull, isNull, sql, TransactionRollbackError } from "drizzle-orm";
import type { Hex } from "viem";
import { createVirtual } from "../support/cards.ts";
import { runCliOn } from "../support/cli.ts";
import { becomeComplete } from "../support/completePerson.ts";
import { copyDatabase, putInPlace, untilConnected } from "../support/database.ts";
import { filled } from "../support/filled.ts";
import { becomeIbanHolder } from "../support/ibans.ts";
import { openNode } from "../support/node.ts";
import { operatorOf } from "../support/operator.ts";
import { fullPrice, order, payFromWallet } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { reorganise } from "../support/reorganise.ts";
import { type Service, startService } from "../support/service.ts";
import { registerPartner, subscribe } from "../support/webhooks.ts";
import { becomeCardHolder, type CardHolder, euro, follow, give, untilSettled, use } from "../support/spending.ts";
import { eure } from "../support/tokens.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const destination = "0x000000000000000000000000000000000000bEEF";
const patience = { timeoutMs: 40_000 };

let service: Service;
let worker: Worker;
let ada: Person;
let bea: CardHolder;
let cai: Person;
let eve: Person;
let evesSafe: Hex;
let signed: Awaited<ReturnType<Person["signWithdrawal"]>>[];
let before: Awaited<ReturnType<typeof readAll>>;
let wanted: string[];
let entries: number;
let shop: Person;
let pulled: PulledEvent[];

const countEntries = async (): Promise<number> => {
  const { number: toBlock } = await service.runtime.chain.getBlock();
  const range = { topics: queueTopics, fromBlock: 0n, toBlock, listAddresses: async () => [] };
  const parts = await Array.fromAsync(service.runtime.chain.readAllLogs(range));
  return parts.flat().filter((log) => parseQueueLog(log) !== null).length;
};

interface PulledEvent {
  id: string;
  sequence: number;
  subscriptionId: string;
  subscriptionSequence: number;
}

/** The feed of the partner from its beginning. */
const pull = async (): Promise<{ events: PulledEvent[]; gaps?: Record<string, unknown>[] }> =>
  (await shop.call("GET", "/partners/events?limit=500")).body;

/** What has to be the same again: all that chain and partners know too. */
async function readAll() {
  const { db } = service.runtime;
  const { id, kind, status, queueNonce, amount, executedHash, enqueuedHash, messageHash, signer } = delayTransactions;
  return {
    delays: await db
      .select({ id, kind, status, queueNonce, amount, executedHash, enqueuedHash, messageHash, signer })
      .from(delayTransactions)
      .orderBy(delayTransactions.delayAddress, queueNonce),
    ledger: await db
      .select({
        safe: sql<string>`sum(${ledgerEntries.safe})`,
        held: sql<string>`sum(${ledgerEntries.held})`,
        settlement: sql<string>`sum(${ledgerEntries.settlement})`,
      })
      .from(ledgerEntries),
    payments: await db
      .select({
        threadId: cardPayments.threadId,
        status: cardPayments.status,
        captured: cardPayments.capturedCents,
        refunded: cardPayments.refundedCents,
        owed: cardPayments.owed,
      })
      .from(cardPayments)
      .orderBy(cardPayments.threadId),
    cards: await db
      .select({ cardToken: cards.cardToken, status: cards.statusCode })
      .from(cards)
      .orderBy(cards.cardToken),
    orders: await db.select({ id: ibanOrders.id, state: ibanOrders.state }).from(ibanOrders).orderBy(ibanOrders.id),
    events: await db
      .select({ type: events.eventType, count: sql<number>`count(*)::int` })
      .from(events)
      .where(
        sql`${events.eventType} in ('account.withdrawal.completed', 'account.limit.changed', 'safe.owner.added') or ${events.eventType} in ('card.transaction.confirmed', 'card.transaction.cleared', 'card.transaction.refunded')`,
      )
      .groupBy(events.eventType)
      .orderBy(events.eventType),
  };
}

const submit = async (person: Person, path: string, body: unknown, method = "POST"): Promise<string> => {
  const answer = await person.call(method, path, body);
  if (answer.body.data?.id === undefined) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data.id;
};

const sign = (person: Person, amount: string) => person.signWithdrawal({ tokenAddress: eure, to: destination, amount });

const untilAll = (statuses: readonly string[]) =>
  until(async () => {
    const rows = await service.runtime.db.select({ status: delayTransactions.status }).from(delayTransactions);
    return rows.every(({ status }) => statuses.includes(status));
  }, patience);

/** Our transactions on chain that move operations and card money. */
const listMined = async (): Promise<string[]> =>
  (await service.runtime.db.select().from(relayTransactions).where(isNotNull(relayTransactions.minedHash)))
    .filter(({ purpose }) => !purpose.startsWith("safe."))
    .map(({ purpose, relayer, nonce, minedHash }) => `${purpose} ${relayer} ${nonce} ${minedHash}`)
    .sort();

/** Makes every waiting job run now, instead of in a minute. */
const wake = () =>
  service.runtime.db.execute(
    sql`select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs where locked_at is null), run_at := now())`,
  );

beforeAll(async () => {
  service = await startService({ worker: false, ownStore: true });
  const first = await startWorker(service.runtime);
  [ada, cai, eve] = [new Person(service), new Person(service), new Person(service)];
  const becomeHolder = async () => {
    await give(ada, await ada.becomeAccountHolder(), 1_000n * euro);
    await becomeIbanHolder(ada);
  };
  [bea] = await Promise.all([
    becomeCardHolder(service, 200n * euro),
    becomeHolder(),
    cai.signIn().then((person) => person.signUp()),
  ]);
  shop = Object.assign(new Person(service), { token: (await registerPartner(ada, "shop")).apiKey });
  await subscribe(ada, "shop");
  const known = await use(bea, 300);
  await submit(ada, "/accounts/withdraw", await sign(ada, "1"));
  await untilAll(["WAITING"]);
  await untilSettled(service);
  await first.stop();
  const copy = await copyDatabase(service.env["DATABASE_URL"] ?? "");
  await untilConnected(service.runtime.db);

  worker = await startWorker(service.runtime);
  signed = [];
  const withdraw = async (amount: string) => {
    const body = await sign(ada, amount);
    signed.push(body);
    await submit(ada, "/accounts/withdraw", body);
  };
  for (const amount of ["10", "20", "30"]) await withdraw(amount);
  await submit(ada, "/owners", await ada.signNewOwner("0x00000000000000000000000000000000DeaDBeef"));
  await submit(bea.person, "/accounts/daily-limit", await bea.person.signLimit(400), "PUT");
  await untilAll(["WAITING"]);
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await untilAll(["EXECUTED"]);
  for (const amount of ["40", "50"]) await withdraw(amount);

  await follow(bea, known.threadId, "clear");
  const used = await use(bea, 700);
  await follow(bea, used.threadId, "clear");
  await follow(bea, used.threadId, "refund", { amount: 200 });
  await untilSettled(service);
  // The issuer knows nothing of it: after the restore the chain alone names it.
  await refundPayment(operatorOf(service.runtime, "Broken goods"), { reference: used.threadId, amount: "1.25" });
  await use(bea, 900);
  await createVirtual(bea.person);
  const { body: list }: { body: { cardToken: string }[] } = await bea.person.call("GET", "/cards");
  const second = list.find(({ cardToken }) => cardToken !== bea.cardToken)?.cardToken ?? "";
  await use({ ...bea, cardToken: second }, 1_100);

  const { iban } = (await ada.call("GET", "/ibans/details")).body.data;
  const order = { iban, amount: "25.50", currency: "eur" };
  await ada.sandbox("POST", "/emoney/incoming", order);
  await ada.sandbox("POST", "/emoney/orders", { ...order, kind: "redeem", state: "placed" });
  await cai.sandbox("POST", `/kyc/${cai.userId}/review`, { outcome: "approved" });
  evesSafe = await eve.becomeAccountHolder();
  await untilAll(["WAITING", "EXECUTED"]);
  await untilSettled(service);
  before = await readAll();
  pulled = (await pull()).events;
  wanted = await listMined();
  entries = await countEntries();
  // An earlier run held one payment: it is not held any more once its transfers are restored.
  const backup = openDatabase({
    url: copy.url,
    connectionsMax: 1,
    statementTimeoutMs: 60_000,
    applicationName: "backup",
  });
  await backup.db.insert(discrepancies).values({
    id: `transfer:${used.threadId}`,
    kind: "transfer",
    text: "The chain has transfers that cannot be restored",
    foundAt: new Date(),
  });
  await backup.close();
  // Server, sandbox and worker go on running.
  await putInPlace(copy, service.env["DATABASE_URL"] ?? "");
  await untilConnected(service.runtime.db);
  await seed(service.runtime);
}, 120_000);
afterAll(async () => {
  await worker.stop();
  await service.stop();
});

describe("a database that went back", () => {
  test("gets the rows of every movement from chain and partners by itself, and nothing runs twice", async () => {
    await until(async () => Bun.deepEquals(await readAll(), before), patience).catch(async () => {
      expect(await readAll()).toEqual(before);
    });
    await until(async () => (await findNewestReconciliation(service.runtime.db))?.endedAt != null, patience);
    expect(await countEntries()).toBe(entries);
    const { settlementAddress } = service.runtime.settings.policy;
    const settled = before.ledger[0]?.settlement;
    expect(String(await service.runtime.chain.getTokenBalance(eure, settlementAddress))).toBe(settled ?? "");
    expect(await service.runtime.db.$count(foreignEntries)).toBe(0);
    const [user] = await service.runtime.db
      .select()
      .from(users)
      .where(eq(users.id, cai.userId ?? ""));
    expect(user?.kycStatus).toBe("approved");
  }, 60_000);

  test("gives no event a number that stood for another one, and names the gap and its instants", async () => {
    await until(async () => (await pull()).events.some(({ sequence }) => sequence > 1_000_000), patience);
    const { events: after, gaps = [] } = await pull();
    const numbersOf = ({ sequence, subscriptionId, subscriptionSequence }: PulledEvent) => [
      `${sequence}`,
      `${subscriptionId} ${subscriptionSequence}`,
    ];
    const given = new Map(pulled.flatMap((event) => numbersOf(event).map((number) => [number, event.id])));
    const isReused = (event: PulledEvent): boolean =>
      numbersOf(event).some((number) => (given.get(number) ?? event.id) !== event.id);
    expect(after.filter(isReused)).toEqual([]);
    const kept = after.filter(({ sequence }) => sequence < 1_000_000);
    expect(kept.length).toBeLessThan(pulled.length);
    expect(gaps).toHaveLength(1);
    expect(gaps[0]).toMatchObject({ after: kept.length, before: 1_000_001 + kept.length });
    const [since, until_] = [gaps[0]?.["since"], gaps[0]?.["until"]].map((instant) => Date.parse(String(instant)));
    expect(since).toBeLessThan(until_ ?? 0);
    expect((await runCliOn(service.runtime, "doctor")).out).toContain("The database went back: events after");
  });

  test("answers a client that sends a lost operation again with the restored one", async () => {
    const rows = await service.runtime.db.select().from(delayTransactions);
    for (const body of filled(signed)) {
      const id = await submit(ada, "/accounts/withdraw", body);
      expect(rows.find((row) => row.id === id)).toMatchObject({ kind: "withdrawal", amount: BigInt(body.amount) });
    }
    expect(await service.runtime.db.$count(delayTransactions)).toBe(rows.length);
    expect(await countEntries()).toBe(entries);
  });

  test("knows the transactions of its keys again, and blames no other program", async () => {
    await until(async () => {
      await wake();
      const found = new Set(await listMined());
      return wanted.every((each) => found.has(each));
    }, patience);
    const all = await service.runtime.db.select().from(relayTransactions);
    const known = new Set(wanted.map((each) => each.split(" ").at(-1)));
    expect(all.filter(({ purpose, minedHash }) => !purpose.startsWith("safe.") && !known.has(minedHash ?? ""))).toEqual(
      [],
    );
    for (const { address, nextNonce, foreignCount } of filled(await service.runtime.db.select().from(relayers))) {
      expect(Number(nextNonce)).toBe(await service.runtime.chain.getTransactionCount(address, "latest"));
      expect(foreignCount).toBe(0n);
    }
  }, 60_000);

  test("takes no entry for its owner's own while the node lacks its transaction or receipt", async () => {
    const [row] = await service.runtime.db
      .select()
      .from(delayTransactions)
      .where(isNotNull(delayTransactions.enqueuedHash));
    const ctx = createWorkerContext(service.runtime);
    const hash = row?.enqueuedHash ?? "0x";
    expect(await restoreEntries(ctx, hash)).not.toBeNull();
    for (const lacking of [{ findTransaction: async () => null }, { findReceipt: async () => null }]) {
      const restoring = restoreEntries({ ...ctx, chain: { ...ctx.chain, ...lacking } }, hash);
      await expect(restoring).rejects.toThrow(ChainUnavailable);
    }
    // An owner can enqueue in a transaction that creates a contract: it is none of ours, and stops nothing.
    const findTransaction: typeof ctx.chain.findTransaction = async (asked) => {
      const transaction = await ctx.chain.findTransaction(asked);
      return transaction && { ...transaction, to: null };
    };
    expect(await restoreEntries({ ...ctx, chain: { ...ctx.chain, findTransaction } }, hash)).toBeNull();
  });

  test("lists what was found and done, and a second reconciliation changes nothing", async () => {
    const all = await readAll();
    const { code, out } = await runCliOn(service.runtime, "reconcile", "--json", "--limit", "100");
    expect(code).toBe(0);
    const report: { reconciliation: { endedAt: string | null }; discrepancies: { kind: string; action: string }[] } =
      JSON.parse(out);
    expect(report.reconciliation.endedAt).not.toBeNull();
    const count = (kind: string) =>
      report.discrepancies.filter((row) => row.kind === kind && row.action !== null).length;
    expect(["entry", "transfer", "card", "order", "verdict"].map((kind) => [kind, count(kind)])).toEqual([
      ["entry", 7],
      ["transfer", 3],
      ["card", 1],
      ["order", 2],
      ["verdict", 1],
    ]);
    expect(count("thread")).toBeGreaterThanOrEqual(1);
    expect(report.discrepancies.filter(({ action }) => action === null)).toMatchObject([{ kind: "safe" }]);
    expect(await readAll()).toEqual(all);
    expect((await runCliOn(service.runtime, "doctor")).out).toContain("1 safe");
  });

  test("gives a person whose rows are gone their Safe back when they sign up again", async () => {
    eve.token = null;
    expect(await eve.becomeAccountHolder()).toBe(evesSafe);
    const [open] = await service.runtime.db.select().from(discrepancies).where(eq(discrepancies.kind, "safe"));
    expect(open).toMatchObject({ action: "Bound to the user of its wallet" });
    expect(await service.runtime.db.$count(safes, eq(safes.address, evesSafe))).toBe(1);
    expect((await runCliOn(service.runtime, "reconcile", "--report")).out).not.toContain(" open ");
  });

  test("serves on: a new operation takes the next place and runs", async () => {
    const id = await submit(ada, "/accounts/withdraw", await sign(ada, "60"));
    await until(async () => (await ada.findDelay(id))?.status === "WAITING", patience);
    expect(await countEntries()).toBe(entries + 1);
    await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
    await seed(service.runtime);
    await wake();
    await untilAll(["EXECUTED"]);
  }, 60_000);
});

describe("a callback that never came", () => {
  test("is asked for by the same verb: an order, a verdict, a capture", async () => {
    const dan = await new Person(service).signIn().then((person) => person.signUp());
    const { threadId } = await use(bea, 500);
    await ada.sandbox("PUT", "/faults/callbacks.lose", {});
    const { iban } = (await ada.call("GET", "/ibans/details")).body.data;
    const sent = await ada.sandbox("POST", "/emoney/incoming", { iban, amount: "9.75", currency: "eur" });
    await dan.sandbox("POST", `/kyc/${dan.userId}/review`, { outcome: "approved" });
    await follow(bea, threadId, "clear");
    await ada.sandbox("DELETE", "/faults");
    const { db } = service.runtime;
    const readStates = async () => ({
      order: (await db.select().from(ibanOrders).where(eq(ibanOrders.id, sent.body.orderId)))[0]?.state,
      verdict: (
        await db
          .select()
          .from(users)
          .where(eq(users.id, dan.userId ?? ""))
      )[0]?.kycStatus,
      payment: (await db.select().from(cardPayments).where(eq(cardPayments.threadId, threadId)))[0]?.status,
    });
    expect(await readStates()).toEqual({ order: undefined, verdict: "notStarted", payment: "AUTHORIZED" });
    expect((await runCliOn(service.runtime, "reconcile")).code).toBe(0);
    await untilSettled(service);
    expect(await readStates()).toEqual({ order: "processed", verdict: "approved", payment: "CLEARED" });
  }, 60_000);
});

test("a reconciliation that is under way stands for one that does as much, and for no restored database unless it is of one", async () => {
  const { clock, db, log } = service.runtime;
  const begun: string[] = [];
  await db
    .transaction(async (tx) => {
      await tx.delete(reconciliations);
      const work = { tx, now: new Date(), requestId: "test" };
      const begin = (reason: "daily" | "operator" | "restored") =>
        beginReconciliation({ clock, log }, work, { reason, evidence: null, fromBlock: null });
      for (const reason of ["daily", "daily", "restored", "daily", "operator", "restored"] as const) {
        begun.push(await begin(reason));
      }
      tx.rollback();
    })
    .catch((error: unknown) => {
      if (!(error instanceof TransactionRollbackError)) throw error;
    });
  expect(begun.map((id) => begun.indexOf(id))).toEqual([0, 0, 2, 2, 2, 2]);
});

test("a reconciliation that is under way stands for none that looks further back", async () => {
  const { clock, db, log } = service.runtime;
  const begun: string[] = [];
  await db
    .transaction(async (tx) => {
      await tx.delete(reconciliations);
      const work = { tx, now: new Date(), requestId: "test" };
      for (const fromBlock of [100n, 200n, 50n, 100n, null, 10n])
        begun.push(await beginReconciliation({ clock, log }, work, { reason: "operator", evidence: null, fromBlock }));
      tx.rollback();
    })
    .catch((error: unknown) => {
      if (!(error instanceof TransactionRollbackError)) throw error;
    });
  expect(begun.map((id) => begun.indexOf(id))).toEqual([0, 0, 2, 2, 4, 4]);
});

test("a reconciliation that has not ended is no success, and the action says from which block it reads", async () => {
  await worker.stop();
  const ctx = operatorOf(service.runtime);
  const whole = { reason: "operator", evidence: null, fromBlock: null } as const;
  const id = await createWorkerContext(service.runtime).commit((work) => beginReconciliation(ctx, work, whole));
  const report = await requestReconciliation(ctx, { days: 1, waitMs: 0, limit: 1 });
  expect(report.reconciliation).toMatchObject({ id, endedAt: null });
  const [action] = await listActions(ctx, { subjectId: id, limit: 1 });
  expect(action).toMatchObject({ verb: "reconcile.run", after: { days: 1, fromBlock: null } });
  expect(answerRun(report).exitCode).toBe(1);
  worker = await startWorker(service.runtime);
  await until(async () => (await findReconciliation(ctx.db, id))?.endedAt != null, patience);
  expect(answerRun(await requestReconciliation(ctx, { days: 1, waitMs: 60_000, limit: 1 })).exitCode).toBeUndefined();
}, 120_000);

describe("a Safe on chain that no row names", () => {
  /** Hides one Safe from its row, has the Safes reconciled, and looks at what was recorded. `added` owns it as well. */
  const findLost = async (
    look: (lost: LostSafe | null, known: Safe) => Promise<void>,
    added: readonly Hex[] = [],
  ): Promise<void> => {
    await worker.stop();
    const ctx = createWorkerContext(service.runtime);
    const [known] = await ctx.db
      .select()
      .from(safes)
      .where(eq(safes.userId, bea.person.userId ?? ""));
    const reconciliation = await findNewestReconciliation(ctx.db);
    if (!known || !reconciliation) throw new Error("nothing is recorded");
    const setAddress = (address: Hex) => ctx.db.update(safes).set({ address }).where(eq(safes.id, known.id));
    await setAddress(destination);
    try {
      const listOwners: typeof ctx.chain.listOwners = async (module) => {
        const owners = await ctx.chain.listOwners(module);
        return module === known.delayAddress ? [...added, ...owners] : owners;
      };
      const { chain, ...rest } = ctx;
      const asked = { ...rest, chain: { ...chain, listOwners } };
      await reconcileSafes(asked, { ...reconciliation, reason: "operator", fromBlock: 0n });
      await look(await findLostSafe(ctx.db, bea.person.account.address), known);
    } finally {
      await setAddress(known.address);
      await ctx.db.delete(discrepancies).where(isNull(discrepancies.resolvedAt));
      worker = await startWorker(service.runtime);
    }
  };

  test("and that a stranger created for the operator's key stops no reconciliation, and hides no lost one", async () => {
    const { operatorAddress: creator } = service.runtime.services.policy;
    const strange = { saltNonce: 4_711n, ...predictAccount({ creator, saltNonce: 4_711n }) };
    await openNode(service.rpcUrl).send(buildCreation({ creator, saltNonce: strange.saltNonce }));
    await findLost(async (lost, known) => {
      expect(lost).toMatchObject({ creator, saltNonce: known.saltNonce });
      const open = await service.runtime.db.select().from(discrepancies).where(isNull(discrepancies.resolvedAt));
      const names = open.map(({ id }) => id);
      expect(names).toContain(`safe:${known.address}`);
      expect(names).not.toContain(`safe:${strange.safe}`);
    });
  });

  test("is found for each wallet that owns it, and not for the newest alone", async () => {
    await findLost(
      async (lost, { saltNonce }) => {
        expect(lost).toMatchObject({ saltNonce });
        expect(await findLostSafe(service.runtime.db, destination)).toMatchObject({ saltNonce });
        expect(await findLostSafe(service.runtime.db, eure)).toBeNull();
      },
      [destination],
    );
  });

  test("is given to a wallet that owns it, and not to one that was removed from its owners since", async () => {
    const { address: wallet } = cai.account;
    await until(async () => (await cai.call("GET", "/user")).body.kycStatus === "approved", patience);
    await findLost(
      async (_, known) => {
        const ctx = createWorkerContext(service.runtime);
        const openAmong = async (owners: Hex[]): Promise<Hex | undefined> => {
          const chain = { ...ctx.chain, listOwners: async () => owners };
          const actor = { userId: cai.userId ?? "", signerAddress: wallet };
          const write = await requestDeployment({ ...ctx, chain, actor }, {});
          const read: Hex[] = [];
          const opened = ctx.commit(async (work) => {
            await write(work);
            const rows = await work.tx.select().from(safes).where(eq(safes.userId, actor.userId));
            read.push(...rows.map(({ address }) => address));
            throw new Error("it was looked at");
          });
          await expect(opened).rejects.toThrow("it was looked at");
          return read[0];
        };
        expect(await openAmong([destination, wallet])).toBe(known.address);
        expect(await openAmong([destination])).not.toBe(known.address);
      },
      [wallet],
    );
  });

  test("keeps its cooldown when it is opened again, also after the setting was raised", async () => {
    await findLost(async (lost, known) => {
      const ctx = createWorkerContext(service.runtime);
      const raised = { ...ctx, policy: { ...ctx.policy, cooldownSeconds: 3_600, expirationSeconds: 7_200 } };
      const read: (Safe | null)[] = [];
      const opened = ctx.commit(async (work) => {
        const account = { setUpBy: "operator", token: tokens.EURe, dailyLimit: 350, lost } as const;
        const firstOwner = bea.person.account.address;
        const id = await openSafe(raised, work, { userId: cai.userId ?? "", firstOwner, ...account });
        read.push(await findSafe(work.tx, id));
        throw new Error("it was looked at");
      });
      await expect(opened).rejects.toThrow("it was looked at");
      const { address, cooldownSeconds, expirationSeconds } = known;
      expect(read).toMatchObject([{ address, cooldownSeconds, expirationSeconds }]);
    });
  });
});

test("an order's return whose rows are lost counts as paid once its block is final: removed before, it is paid again", async () => {
  const { db } = service.runtime;
  const payer = await becomeComplete(new Person(service));
  const orderId = await order(payer);
  const { account } = payer;
  const transactionHash = await payFromWallet(service, account, { amount: fullPrice * 2n });
  await payer.call("PUT", `/order/${orderId}/attach-transaction`, { transactionHash });
  await until(async () => (await payer.call("PUT", `/order/${orderId}/confirm-payment`)).status === 200);
  await worker.stop();
  const { client, sendAs } = openNode(service.rpcUrl);
  await client.setIntervalMining({ interval: 0 });
  await client.setAutomine(true);
  const ctx = createWorkerContext(service.runtime);
  const patient = { ...ctx, policy: { ...ctx.policy, confirmations: 3 } };
  await runCliOn(service.runtime, "orders", "return", orderId, "--reason", "overpaid");
  const findReturn = async () => {
    const [row] = await db.select().from(orderReturns).where(eq(orderReturns.orderId, orderId));
    if (!row) throw new Error("nothing is returned");
    return row;
  };
  const { id: returnId } = await findReturn();
  const tag = nameTransfer(`order-return:${orderId}:0`);
  const { treasuryAddress: from, spenderAddress } = ctx.policy;
  const { to, data } = buildReturn({ token: eure, from, to: account.address, amount: fullPrice, tag });
  const pay = () => sendAs(spenderAddress, { to, data });
  await pay();
  await carryOutReturn(patient, { returnId });
  expect(await findReturn()).toMatchObject({ signedAt: null, paidAt: null });
  await reorganise(service, 1);
  expect(await service.runtime.chain.getTokenBalance(eure, account.address)).toBe(0n);
  const hash = await pay();
  await client.mine({ blocks: 2 });
  // A node without it says nothing about who was paid.
  const forgetful = { ...patient, chain: { ...patient.chain, findTransaction: async () => null } };
  await expect(carryOutReturn(forgetful, { returnId })).rejects.toThrow(ChainUnavailable);
  expect(await findReturn()).toMatchObject({ signedAt: null, paidAt: null });
  await carryOutReturn(patient, { returnId });
  expect(await findReturn()).toMatchObject({ signedAt: null, paidAt: expect.any(Date), hash });
  expect(await service.runtime.chain.getTokenBalance(eure, account.address)).toBe(fullPrice);
  await client.setIntervalMining({ interval: 1 });
  worker = await startWorker(service.runtime);
});
