import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { buildDispatch } from "@cardkeep/chain/delay";
import { queueTopics } from "@cardkeep/chain/delayLogs";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { countCheckedEntries } from "@cardkeep/db/queries/accounts/integrity";
import { findComparedBlock } from "@cardkeep/db/queries/chain/comparison";
import { readFollowState } from "@cardkeep/db/queries/chain/followState";
import { countReorganisations } from "@cardkeep/db/queries/chain/blocks";
import { endlessTasks } from "@cardkeep/db/queue/catalogue";
import {
  cardCases,
  cardTransfers,
  chainBlocks,
  clock,
  delayTransactions,
  movements,
  relayAttempts,
  relayTransactions,
  safes,
} from "@cardkeep/db/schema/tables";
import { relayNext } from "@cardkeep/domain/accounts/delays/relayNext";
import { dispatch } from "@cardkeep/domain/accounts/delays/dispatch";
import { NodeBehind, requireFollowed } from "@cardkeep/domain/chain/guards/readHead";
import { restOn } from "@cardkeep/domain/chain/guards/reorgGuard";
import type { WorkerContext } from "@cardkeep/domain/core/context";
import { follow } from "@cardkeep/domain/sync/chainSync/follow";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer, type Server } from "@cardkeep/server/server";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq, sql } from "drizzle-orm";
import { createTestClient, http, numberToHex, publicActions } from "viem";
import { spamLogs } from "../support/logSpam.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type RpcMood, type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { type Service, standardLimits, startService } from "../support/service.ts";
import { becomeCardHolder, euro, give, use } from "../support/spending.ts";
import { eure } from "../support/tokens.ts";
import { createWorkerContext } from "../support/workerContext.ts";
import { readWorkerSettings } from "../support/workerSettings.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let proxy: RpcProxy;
let server: Server;
let worker: Worker;
let runtimes: Runtime[];
let ada: Person;
let paid = 0n;
afterEach(() => {
  proxy.mood = "fine";
});
beforeAll(async () => {
  service = await startService({ worker: false });
  proxy = startRpcProxy(service.rpcUrl);
  const env = { ...service.env, ...standardLimits, RPC_URL: proxy.url };
  runtimes = [await createRuntime(readSettings(env), "server"), await createRuntime(readWorkerSettings(env), "worker")];
  const [serverRuntime, workerRuntime] = runtimes;
  if (!serverRuntime || !workerRuntime) throw new Error("no runtime");
  server = createServer(serverRuntime);
  worker = await startWorker(workerRuntime);
  ada = new Person({ url: `http://127.0.0.1:${server.listen(0)}`, sandboxUrl: service.sandboxUrl });
  const address = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "100000" });
});
afterAll(async () => {
  proxy.mood = "fine";
  await worker.stop();
  await server.stop();
  for (const runtime of runtimes) await runtime.close();
  proxy.stop();
  await service.stop();
});

function workerRuntime(): Runtime {
  const [, runtime] = runtimes;
  if (!runtime) throw new Error("no runtime");
  return runtime;
}
const node = () => createTestClient({ mode: "anvil", transport: http(service.rpcUrl) }).extend(publicActions);
async function stopMining(): Promise<void> {
  await node().setAutomine(false);
  await node().setIntervalMining({ interval: 0 });
}
async function startMining(): Promise<void> {
  await node().setAutomine(true);
  await node().setIntervalMining({ interval: 1 });
}
const sign = () => ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
const getRow = async (id: string) => {
  const [row] = await service.runtime.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
  if (!row) throw new Error(`no row ${id}`);
  return row;
};
const reaches = (id: string, status: string) => until(async () => (await getRow(id)).status === status);
async function submit(): Promise<string> {
  const { status, body } = await ada.ask("POST", "/accounts/withdraw", await sign());
  expect(status).toBe(200);
  return body.data.id;
}
/** Executes the waiting operations, and checks that every unit was paid once. */
async function executeOnce(id: string): Promise<void> {
  await reaches(id, "WAITING");
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await reaches(id, "EXECUTED");
  paid += 1n;
  expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(paid);
}
const listTransactions = (subjectId: string) =>
  service.runtime.db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, subjectId));

/** Makes every waiting job run now. */
const wake = () =>
  service.runtime.db.execute(
    sql`select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs where locked_at is null), run_at := now())`,
  );
/** Jobs that do not always come again. */
const listJobs = () =>
  service.runtime.db.execute<{ id: string; attempts: number; isRunning: boolean }>(
    sql`select id, attempts, locked_at is not null as "isRunning" from graphile_worker.jobs where task_identifier not in ${endlessTasks}`,
  );
/** Runs every job once more, to its end. A job that waits for the node is replaced by another one at its end. */
async function untilTriedAgain(): Promise<void> {
  const waiting = new Map((await listJobs()).map((job) => [job.id, job.attempts]));
  await wake();
  await until(async () => {
    const jobs = new Map((await listJobs()).map((job) => [job.id, job]));
    for (const [id, attempts] of waiting) {
      const job = jobs.get(id);
      if (job === undefined || (!job.isRunning && job.attempts !== attempts)) waiting.delete(id);
    }
    return waiting.size === 0;
  });
}

// A time limit and a demand to wait. chain/reader has every kind of failure, which are all one to the service.
const moods: { mood: RpcMood }[] = [{ mood: "hang" }, { mood: "tooMany" }];

describe.each(moods)("a node in the mood $mood", ({ mood }) => {
  test("is a 503 where it is needed, at once, and has no effect elsewhere", async () => {
    const body = await sign();
    proxy.mood = mood;
    const needing = [
      ada.call("GET", "/account-balances"),
      ada.call("GET", "/safe/config"),
      ada.call("POST", "/accounts/withdraw", body),
    ];
    // A node that hangs does so for a minute, which is longer than the test may take.
    for (const { status } of await Promise.all(needing)) expect(status).toBe(503);
    for (const path of ["/user", "/delay-relay", "/safe/deploy"])
      expect((await ada.call("GET", path)).status).toBe(200);
    proxy.mood = "fine";
    // The node works again, but on a busy machine its answer may once more be late.
    await until(async () => (await ada.call("POST", "/accounts/withdraw", body)).status === 200);
    const [open] = (await ada.call("GET", "/delay-relay")).body.slice(-1);
    await reaches(open.id, "WAITING");
    // The next test executes it before its own.
    paid += 1n;
  });

  test("delays accepted operations, which are executed once after it recovers", async () => {
    proxy.intercept("eth_sendRawTransaction", async () => {
      proxy.mood = mood;
      return null;
    });
    const id = await submit();
    await until(() => proxy.mood === mood);
    await untilTriedAgain();
    expect((await getRow(id)).status).toBe("QUEUING");
    proxy.mood = "fine";
    await executeOnce(id);
    expect((await listTransactions(id)).map(({ purpose }) => purpose).sort()).toEqual([
      "delay.dispatch",
      "delay.enqueue",
    ]);
  });
});

test("lost answers of broadcasts use no second nonce", async () => {
  proxy.mood = "loseBroadcasts";
  const id = await submit();
  await reaches(id, "WAITING");
  proxy.mood = "fine";
  await executeOnce(id);
  expect(await listTransactions(id)).toHaveLength(2);
});

test("a node that lags neither doubles nor loses an operation", async () => {
  const id = await submit();
  await reaches(id, "WAITING");
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  proxy.mood = { staleAt: (await node().getBlock()).number };
  await untilTriedAgain();
  proxy.mood = "fine";
  await reaches(id, "EXECUTED");
  paid += 1n;
  expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(paid);
});

test("a node that is minutes behind and answers alone rolls nothing back", async () => {
  const staleAt = (await node().getBlock()).number;
  const settled = await submit();
  await reaches(settled, "WAITING");
  const reorganisations = await countReorganisations(service.runtime.db, 100);
  await moveServiceClock(60);
  proxy.mood = { staleAt };
  // Its enqueue is mined, which this node does not know: the lane stays open, and the node's count is below it.
  const open = await submit();
  await until(async () => (await listAttempts(open)).some(({ broadcastAt }) => broadcastAt !== null));
  const looks = proxy.countOf("eth_getTransactionCount");
  await until(() => proxy.countOf("eth_getTransactionCount") >= looks + 6);
  proxy.mood = "fine";
  await moveServiceClock(-60);
  await reaches(open, "WAITING");
  expect(await countReorganisations(service.runtime.db, 100)).toBe(reorganisations);
  expect((await getRow(settled)).status).toBe("WAITING");
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await Promise.all([settled, open].map((id) => reaches(id, "EXECUTED")));
  paid += 2n;
  expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(paid);
});

/** From whom the head is of which a node that lags refuses a call. */
const headsOf = [{ headOf: "itself" }, { headOf: "another node" }] as const;

/** The worker ends as a node stands still at a block, and begins; every job asks this node then. */
async function askLagging(staleAt: bigint, headOf: (typeof headsOf)[number]["headOf"]): Promise<void> {
  proxy.mood = { staleAt };
  const nameHead: Parameters<RpcProxy["intercept"]>[1] = (forward) => {
    if (proxy.mood !== "fine") proxy.intercept("eth_getBlockByNumber", nameHead);
    return forward();
  };
  if (headOf === "another node") proxy.intercept("eth_getBlockByNumber", nameHead);
  const asked = proxy.countOf("eth_estimateGas");
  worker = await startWorker(workerRuntime());
  await until(() => proxy.countOf("eth_estimateGas") > asked);
  await untilTriedAgain();
}

test.each(headsOf)(
  "a withdrawal of an owner unknown to a node that lags is not refused: the head is of $headOf",
  async ({ headOf }) => {
    const other = new Person(ada.service);
    other.token = ada.token;
    const added = await ada.call("POST", "/owners", await ada.signNewOwner(other.account.address));
    expect(added.status).toBe(200);
    await reaches(added.body.data.id, "WAITING");
    const staleAt = (await node().getBlock()).number;
    await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
    await reaches(added.body.data.id, "EXECUTED");
    await worker.stop();
    const signed = await other.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
    const { status, body } = await ada.call("POST", "/accounts/withdraw", signed);
    expect(status).toBe(200);
    await askLagging(staleAt, headOf);
    expect(await getRow(body.data.id)).toMatchObject({ status: "QUEUING", reason: null });
    proxy.mood = "fine";
    await wake();
    await executeOnce(body.data.id);
  },
);

test("a withdrawal that any account executed does not fail where a node that lags names the head", async () => {
  const id = await submit();
  await reaches(id, "WAITING");
  await worker.stop();
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  const { delayAddress: delay, to, value, data, operation } = await getRow(id);
  const { number: staleAt } = await node().getBlock();
  await openNode(service.rpcUrl).send(buildDispatch({ delay, call: { to, value, data }, operation }));
  proxy.intercept("eth_getBlockByNumber", (_, { id: callId, method }) => {
    const params = [numberToHex(staleAt), false];
    const body = JSON.stringify({ jsonrpc: "2.0", id: callId, method, params });
    return fetch(service.rpcUrl, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  });
  await dispatch(createWorkerContext(workerRuntime()), { delayId: id });
  expect(await getRow(id)).toMatchObject({ status: "WAITING", reason: null });
  worker = await startWorker(workerRuntime());
  await reaches(id, "EXECUTED");
  paid += 1n;
  expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(paid);
});

test("money that arrives in a block unknown to the node of the logs is recorded once a node has it", async () => {
  const { db } = service.runtime;
  const bob = await becomeCardHolder(service, 0n);
  await worker.stop();
  const { number: staleAt } = await node().getBlock();
  await give(bob.person, bob.safe, 50n * euro);
  const { number: funded } = await node().getBlock();
  proxy.mood = { staleAt };
  // Another node names the head.
  proxy.intercept("eth_getBlockByNumber", (forward) => forward());
  await expect(follow(createWorkerContext(workerRuntime()))).rejects.toThrow(ChainUnavailable);
  proxy.mood = "fine";
  worker = await startWorker(workerRuntime());
  await until(async () => ((await readFollowState(db, 100)).checkedBlock ?? 0n) >= funded);
  expect(await db.$count(movements, eq(movements.amount, 50n * euro))).toBe(1);
});

test.each(headsOf)(
  "a card payment with money unknown to a node that lags is not owed: the head is of $headOf",
  async ({ headOf }) => {
    const { db } = service.runtime;
    const earlier = new Set((await db.select().from(cardTransfers)).map(({ id }) => id));
    const bob = await becomeCardHolder(service, 0n);
    const staleAt = (await node().getBlock()).number;
    await give(bob.person, bob.safe, 50n * euro);
    const { number: funded } = await node().getBlock();
    await until(async () => ((await readFollowState(db, 100)).newest?.blockNumber ?? 0n) >= funded);
    await worker.stop();
    expect(await use(bob, 500)).toMatchObject({ approved: true });
    const statuses = async () =>
      (await db.select().from(cardTransfers)).filter(({ id }) => !earlier.has(id)).map(({ status }) => status);
    await askLagging(staleAt, headOf);
    expect(await statuses()).toEqual(["PLANNED"]);
    proxy.mood = "fine";
    await wake();
    await until(async () => (await statuses()).every((status) => status === "DONE"));
    expect(await db.$count(cardCases)).toBe(0);
  },
);

test("blocks that anyone filled with logs of our topic stop no queue from being followed and compared", async () => {
  const [topic] = queueTopics;
  if (typeof topic !== "string") throw new Error("There is no topic");
  const followed = async () => (await readFollowState(service.runtime.db, 100)).checkedBlock ?? 0n;
  const compared = async () => (await findComparedBlock(service.runtime.db, 100)) ?? 0n;
  proxy.mood = { logsMax: 200 };
  await spamLogs(openNode(service.rpcUrl), topic, { times: 3, gas: 3_000_000n });
  const filled = (await node().getBlock()).number;
  const id = await submit();
  await wake();
  await until(async () => (await followed()) >= filled && (await compared()) >= filled);
  await executeOnce(id);
});

test("a Safe whose history no node can answer holds no nonce of a lane, and its operation ends by the receipt", async () => {
  const id = await submit();
  await reaches(id, "WAITING");
  const { delayAddress, queueNonce } = await getRow(id);
  // From here on only the receipt says what the dispatch did.
  await until(async () => (await countCheckedEntries(service.runtime.db, delayAddress)) > (queueNonce ?? 0n));
  proxy.mood = { logsMax: 0 };
  await executeOnce(id);
  proxy.mood = "fine";
});

test("a message that one node calls consumed and another has no log of is not refused", async () => {
  await worker.stop();
  const id = await submit();
  const { delayAddress, enqueueData } = await getRow(id);
  await openNode(service.rpcUrl).send({ to: delayAddress, data: enqueueData });
  proxy.mood = "withoutLogs";
  const asked = proxy.countOf("eth_getLogs");
  worker = await startWorker(workerRuntime());
  await until(() => proxy.countOf("eth_getLogs") >= asked + 4);
  await untilTriedAgain();
  expect((await getRow(id)).status).toBe("QUEUING");
  proxy.mood = "fine";
  await wake();
  await executeOnce(id);
});

test("a set-up waits for a node that has its Safe's logs, and needs no second signature", async () => {
  const bob = new Person(ada.service);
  const address = await bob.becomeSafeOwner();
  await until(async () => (await bob.call("GET", "/safe/deploy")).body.status !== "processing");
  proxy.mood = "withoutLogs";
  expect((await bob.call("GET", "/account/signature-payload")).status).toBe(503);
  proxy.mood = "fine";
  const signature = await bob.signSetUp();
  await worker.stop();
  expect((await bob.call("PATCH", "/account/deploy-safe-modules", { signature })).status).toBe(200);
  proxy.mood = "withoutLogs";
  const asked = proxy.countOf("eth_getLogs");
  worker = await startWorker(workerRuntime());
  await until(() => proxy.countOf("eth_getLogs") >= asked + 4);
  await untilTriedAgain();
  const getSafe = async () => (await service.runtime.db.select().from(safes).where(eq(safes.address, address)))[0];
  expect(await getSafe()).toMatchObject({ status: "settingUp", setUpHash: expect.any(String) });
  proxy.mood = "fine";
  await wake();
  await until(async () => (await getSafe())?.status !== "settingUp");
  expect((await getSafe())?.status).toBe("ok");
});

async function listAttempts(subjectId: string) {
  const [transaction] = await listTransactions(subjectId);
  const rows = await service.runtime.db
    .select()
    .from(relayAttempts)
    .where(eq(relayAttempts.relayTransactionId, transaction?.id ?? ""));
  return rows.sort((a, b) => Number(a.maxFeePerGas - b.maxFeePerGas));
}

/** Moves the service's clock without its jobs and without the chain, so that they disagree by this much. */
async function moveServiceClock(seconds: number): Promise<void> {
  await service.runtime.db
    .insert(clock)
    .values({ id: 1, offsetSeconds: BigInt(seconds) })
    .onConflictDoUpdate({ target: clock.id, set: { offsetSeconds: sql`${clock.offsetSeconds} + ${seconds}` } });
}

test("without gas money operations wait, and continue after a deposit", async () => {
  const [relayer] = (await listTransactions((await submitAndWait()).id)).map((row) => row.relayer);
  if (!relayer) throw new Error("no relayer");
  const balance = await node().getBalance({ address: relayer });
  await node().setBalance({ address: relayer, value: 1n });
  const id = await submit();
  await until(async () => (await listTransactions(id)).length === 1);
  await untilTriedAgain();
  expect((await getRow(id)).status).toBe("QUEUING");
  const health = await (await fetch(`${ada.service.url}/readyz`)).json();
  expect(health.parts.relayers).toEqual({
    status: "degraded",
    reason: expect.stringContaining(`${relayer} is out of funds soon`),
  });
  const text = await (await fetch(`${ada.service.url}/metrics`)).text();
  expect(text).toContain(`cardkeep_relayer_funds{relayer="${relayer}"} 1e-18`);
  await node().setBalance({ address: relayer, value: balance });
  await executeOnce(id);
  expect(await listTransactions(id)).toHaveLength(2);
});

async function submitAndWait(): Promise<{ id: string }> {
  const id = await submit();
  await executeOnce(id);
  return { id };
}

// From here on the node mines by the clock alone; it cannot be switched back.
test("a transaction that the node drops is sent again, byte for byte", async () => {
  await stopMining();
  const id = await submit();
  await until(async () => (await node().getTxpoolStatus()).pending === 1);
  const [transaction] = await listTransactions(id);
  const [attempt] = await service.runtime.db
    .select()
    .from(relayAttempts)
    .where(eq(relayAttempts.relayTransactionId, transaction?.id ?? ""));
  await node().dropTransaction({ hash: attempt?.hash ?? "0x" });
  await until(async () => (await node().getTxpoolStatus()).pending === 1);
  await startMining();
  await executeOnce(id);
  const mined = (await listTransactions(id)).find(({ purpose }) => purpose === "delay.enqueue");
  expect(mined?.minedHash).toBe(attempt?.hash ?? "0x");
});

test("a transaction below the base fee is replaced at its nonce with the chain's present fees, and mined once", async () => {
  await stopMining();
  const id = await submit();
  await until(async () => (await node().getTxpoolStatus()).pending === 1);
  const [offered] = await listAttempts(id);
  await node().setNextBlockBaseFeePerGas({ baseFeePerGas: (offered?.maxFeePerGas ?? 0n) * 20n });
  await node().mine({ blocks: 1 });
  // Only the service's clock: for the service the transaction has now been waiting for a minute.
  await moveServiceClock(60);
  await until(async () => (await listAttempts(id)).length === 2);
  const [first, second] = await listAttempts(id);
  if (!first || !second) throw new Error("no attempts");
  expect(second.maxFeePerGas * 10n).toBeGreaterThanOrEqual(first.maxFeePerGas * 11n);
  expect(second.maxPriorityFeePerGas * 10n).toBeGreaterThanOrEqual(first.maxPriorityFeePerGas * 11n);
  await startMining();
  await reaches(id, "WAITING");
  const transactions = await listTransactions(id);
  expect(transactions.map((row) => row.minedHash)).toEqual([second.hash]);
  await moveServiceClock(-60);
  await executeOnce(id);
});

test("a removed block that a job records between two looks does not survive below the next blocks", async () => {
  await stopMining();
  const { db } = service.runtime;
  const { number } = await node().getBlock();
  await until(async () => (await readFollowState(db, 100)).newest?.blockNumber === number);
  const blockNumber = number + 1n;
  const recorded = Promise.withResolvers<void>();
  proxy.intercept("eth_getLogs", async (forward) => {
    await db.insert(chainBlocks).values({ blockNumber, blockHash: `0x${"ab".repeat(32)}` });
    recorded.resolve();
    return forward();
  });
  await node().mine({ blocks: 2 });
  await recorded.promise;
  const { hash } = await node().getBlock({ blockNumber });
  await until(async () => {
    const [row] = await db.select().from(chainBlocks).where(eq(chainBlocks.blockNumber, blockNumber));
    const newest = (await readFollowState(db, 100)).newest?.blockNumber ?? 0n;
    return newest > blockNumber && row?.blockHash === hash;
  });
  await startMining();
});

/** A test without a worker, on a chain that mines by hand alone; both go on after it. */
const byHand = (play: (ctx: WorkerContext) => Promise<void>) => async () => {
  await worker.stop();
  await stopMining();
  try {
    await play(createWorkerContext(workerRuntime()));
  } finally {
    proxy.mood = "fine";
    worker = await startWorker(workerRuntime());
    await startMining();
  }
};

/** An operation in the queue, its transaction, and one behind it that waits; asked of a node that lacks the first one's block. */
async function playLagging(
  look: (ctx: WorkerContext, mined: typeof relayTransactions.$inferSelect, count: number) => Promise<void>,
): Promise<void> {
  const { db } = service.runtime;
  const settled = await submit();
  await reaches(settled, "WAITING");
  const reorganisations = await countReorganisations(db, 100);
  let open = "";
  await moveServiceClock(60);
  await byHand(async (ctx) => {
    await follow(ctx);
    open = await submit();
    await relayNext(ctx, { safeId: (await getRow(open)).safeId });
    const [[mined], [signed]] = await Promise.all([listTransactions(settled), listTransactions(open)]);
    if (!mined || signed?.relayer !== mined.relayer) throw new Error("They are in no lane together");
    expect(await ctx.chain.getTransactionCount(mined.relayer, "latest")).toBe(Number(mined.nonce) + 1);
    await look(ctx, mined, Number(mined.nonce));
  })();
  await moveServiceClock(-60);
  expect(await countReorganisations(db, 100)).toBe(reorganisations);
  expect((await getRow(settled)).status).toBe("WAITING");
  await reaches(open, "WAITING");
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await Promise.all([settled, open].map((id) => reaches(id, "EXECUTED")));
  paid += 2n;
  expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(paid);
}

test("a count and a receipt of a node that lags, beside the head of another one, roll nothing back", () =>
  playLagging(async (ctx, { minedHash, blockNumber }, count) => {
    const { chain } = ctx;
    const staleAt = (blockNumber ?? 0n) - 1n;
    proxy.mood = { staleAt };
    expect(await chain.findReceipt(minedHash ?? "0x")).toBeNull();
    await expect(chain.findReceipt(minedHash ?? "0x", blockNumber ?? 0n)).rejects.toThrow(ChainUnavailable);
    proxy.mood = "fine";
    const lagging = {
      ...chain,
      getTransactionCount: async () => count,
      findReceipt: async (...[hash, block]: Parameters<typeof chain.findReceipt>) => {
        proxy.mood = { staleAt };
        return chain.findReceipt(hash, block).finally(() => (proxy.mood = "fine"));
      },
    };
    await expect(follow({ ...ctx, chain: lagging })).rejects.toThrow(ChainUnavailable);
    // A receipt that one node lost, and a count of which another one is right.
    await follow({ ...ctx, chain: { ...lagging, findReceipt: async () => null } });
  }));

test("a nonce that was lost long ago is no removed transaction", () =>
  playLagging(async (ctx, { id, status, minedHash, lostAt }, count) => {
    const { db } = service.runtime;
    const set = (change: Partial<typeof relayTransactions.$inferInsert>) =>
      db.update(relayTransactions).set(change).where(eq(relayTransactions.id, id));
    await set({ status: "LOST", minedHash: null, lostAt: new Date() });
    const counts = { getTransactionCount: async () => count, getTransactionCountOn: async () => count };
    await follow({ ...ctx, chain: { ...ctx.chain, ...counts } });
    await set({ status, minedHash, lostAt });
  }));

test(
  "logs of another branch than that of the head are no logs of a look",
  byHand(async (ctx) => {
    await node().mine({ blocks: 1 });
    const { checkedBlock } = await readFollowState(ctx.db, 100);
    const head = await ctx.chain.getBlock();
    // One node names the head, and another one, which has the logs, does not have it.
    const ofOther = { ...head, hash: `0x${"cd".repeat(32)}` } as const;
    await expect(follow({ ...ctx, chain: { ...ctx.chain, getBlock: async () => ofOther } })).rejects.toThrow(
      ChainUnavailable,
    );
    expect((await readFollowState(ctx.db, 100)).checkedBlock).toBe(checkedBlock);
    await follow(ctx);
    expect((await readFollowState(ctx.db, 100)).checkedBlock).toBe(head.number);
  }),
);

test(
  "a node that lacks a block that only a job recorded is behind",
  byHand(async (ctx) => {
    const { number: staleAt } = await node().getBlock();
    await node().mine({ blocks: 1 });
    const { number: blockNumber, hash: blockHash } = await node().getBlock();
    await ctx.commit(async (work) => restOn(work, { blockNumber, blockHash }));
    proxy.mood = { staleAt };
    await expect(requireFollowed(ctx)).rejects.toThrow(NodeBehind);
    proxy.mood = "fine";
    expect((await requireFollowed(ctx)).number).toBe(blockNumber);
  }),
);

test(
  "blocks that nodes answered of two branches are recorded by no look",
  byHand(async (ctx) => {
    const readNewest = async () => (await readFollowState(ctx.db, 100)).newest?.blockNumber;
    const before = await readNewest();
    await node().mine({ blocks: 3 });
    const { number } = await node().getBlock();
    const ofOthers = async (asked: bigint) => {
      const block = await ctx.chain.getBlockAt(asked);
      return block && asked === number - 1n ? { ...block, hash: `0x${"cd".repeat(32)}` as const } : block;
    };
    const look = follow({ ...ctx, chain: { ...ctx.chain, getBlockAt: ofOthers } });
    await expect(look).rejects.toThrow("The nodes answered of two branches");
    expect(await readNewest()).toBe(before);
    await follow(ctx);
    expect(await readNewest()).toBe(number);
  }),
);

describe.each([300, -300])("a machine whose clock is %d seconds off the chain's", (seconds) => {
  test("executes by the chain's time alone: not early, without excess attempts, and in time", async () => {
    await moveServiceClock(seconds);
    const id = await submit();
    await reaches(id, "WAITING");
    await node().increaseTime({ seconds: 120 });
    await node().mine({ blocks: 1 });
    await untilTriedAgain();
    expect((await getRow(id)).status).toBe("WAITING");
    await node().increaseTime({ seconds: 61 });
    await node().mine({ blocks: 1 });
    await wake();
    await reaches(id, "EXECUTED");
    paid += 1n;
    const transactions = await listTransactions(id);
    expect(transactions.map(({ status, purpose }) => `${purpose} ${status}`).sort()).toEqual([
      "delay.dispatch MINED",
      "delay.enqueue MINED",
    ]);
    await moveServiceClock(-seconds);
  });
});
