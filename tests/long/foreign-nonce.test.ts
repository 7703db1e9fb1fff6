import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseQueueLog } from "@cardkeep/chain/delayLogs";
import { findReturnTag } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { findNewestReconciliation, listDiscrepancies } from "@cardkeep/db/queries/sync/reconciliations";
import { delayTransactions, relayAttempts, relayers, relayTransactions } from "@cardkeep/db/schema/tables";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq, inArray } from "drizzle-orm";
import { type Hex, parseTransaction, recoverTransactionAddress, type TransactionSerializedEIP1559 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { reorganise } from "../support/reorganise.ts";
import { type Service, startService } from "../support/service.ts";
import { balancesOf, becomeCardHolder, type CardHolder, euro, follow, untilSettled, use } from "../support/spending.ts";
import { readWorkerSettings } from "../support/workerSettings.ts";

const destination = "0x000000000000000000000000000000000000bEEF";
const eure = tokens.EURe.address;

let service: Service;
let proxy: RpcProxy;
let workerRuntime: Runtime;
let worker: Worker;
let ada: CardHolder;
let paid = 0n;
beforeAll(async () => {
  service = await startService({ worker: false });
  proxy = startRpcProxy(service.rpcUrl);
  workerRuntime = await createRuntime(readWorkerSettings({ ...service.env, RPC_URL: proxy.url }), "worker");
  worker = await startWorker(workerRuntime);
  ada = await becomeCardHolder(service, 100n * euro);
});
afterAll(async () => {
  await worker.stop();
  await workerRuntime.close();
  proxy.stop();
  await service.stop();
});

/** Runs the job now that otherwise runs every half minute. */
const lookAtNonces = `select graphile_worker.add_job('chain.nonces', job_key := 'chain.nonces:100',
  payload := '{"chainId":"100","requestId":"chain"}')`;
const db = () => service.runtime.db;
const node = () => openNode(service.rpcUrl).client;
/** Also where the service has them at signers. */
const developmentKeys = readSettings({});
/** The keys of the service, as another program would hold them. */
const listKeys = () =>
  [...developmentKeys.relayerPrivateKeys, developmentKeys.spenderPrivateKey]
    .filter((key) => key !== null)
    .map((key) => privateKeyToAccount(key));

/** Sends an empty transaction with the nonce and key of a signed one, and waits until it is mined. */
async function takeNonce(raw: TransactionSerializedEIP1559): Promise<Hex> {
  const { nonce } = parseTransaction(raw);
  const sender = await recoverTransactionAddress({ serializedTransaction: raw });
  const account = listKeys().find(({ address }) => address === sender);
  if (!account) throw new Error(`no key of ${sender}`);
  const call = { account, to: account.address, chain: null, ...(nonce !== undefined && { nonce }) };
  const hash = await node().sendTransaction(call);
  await openNode(service.rpcUrl).waitForReceipt(hash);
  return hash;
}

/** Makes another program use the nonce of the next transaction before the node gets ours; returns its hash. */
function stealNext(): Promise<Hex> {
  const { promise, resolve } = Promise.withResolvers<Hex>();
  proxy.intercept("eth_sendRawTransaction", async (forward, { params: [raw] }) => {
    resolve(await takeNonce(raw as TransactionSerializedEIP1559));
    return forward();
  });
  return promise;
}

async function submit({ person }: CardHolder): Promise<string> {
  const body = await person.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
  const answer = await person.call("POST", "/accounts/withdraw", body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}
const getDelay = async (id: string) => {
  const [row] = await db().select().from(delayTransactions).where(eq(delayTransactions.id, id));
  if (!row) throw new Error(`no row ${id}`);
  return row;
};
const reaches = (id: string, status: string) => until(async () => (await getDelay(id)).status === status);
const advance = async () => {
  await ada.person.sandbox("POST", "/chain/advance", { seconds: 181 });
};
async function executeOnce(id: string): Promise<void> {
  await reaches(id, "WAITING");
  await advance();
  await reaches(id, "EXECUTED");
  paid += 1n;
  expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(paid);
}
const listRelayed = async (subjectId: string) =>
  (await db().select().from(relayTransactions).where(eq(relayTransactions.subjectId, subjectId))).toSorted((a, b) =>
    Number(a.nonce - b.nonce),
  );
const listRaces = async (subjectId: string) =>
  (await listRelayed(subjectId)).map(({ purpose, status }) => `${purpose} ${status}`);
/** Subject of the transaction that lost its nonce to another one. */
async function getLost(lostToHash: Hex): Promise<string> {
  const [row] = await db().select().from(relayTransactions).where(eq(relayTransactions.lostToHash, lostToHash));
  return row?.subjectId ?? "";
}

describe("another program takes the nonce of the relayer key", () => {
  test("before an enqueue: it is signed anew, queued once, executed once", async () => {
    const stolen = stealNext();
    const id = await submit(ada);
    const hash = await stolen;
    await executeOnce(id);
    const [lost, enqueued] = await listRelayed(id);
    expect(lost).toMatchObject({ purpose: "delay.enqueue", status: "LOST", lostToHash: hash });
    expect(enqueued).toMatchObject({ purpose: "delay.enqueue", status: "MINED", relayer: lost?.relayer });
    const { delayAddress, queueNonce } = await getDelay(id);
    const { number: toBlock } = await service.runtime.chain.getBlock();
    const logs = await service.runtime.chain.getLogs({ addresses: [delayAddress], fromBlock: 0n, toBlock });
    expect(logs.map(parseQueueLog).filter((entry) => entry?.queueNonce === queueNonce)).toHaveLength(1);
    expect(logs.map(parseQueueLog).filter((entry) => entry !== null)).toHaveLength(1);
  });

  test("before an execution: it is signed anew, executed once, and later operations follow", async () => {
    const [id, next] = [await submit(ada), await submit(ada)];
    await reaches(next, "WAITING");
    const stolen = stealNext();
    await advance();
    await stolen;
    for (const each of [id, next]) await reaches(each, "EXECUTED");
    paid += 2n;
    expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(paid);
    const dispatches = [...(await listRaces(id)), ...(await listRaces(next))].filter((one) => !/enqueue/.test(one));
    expect(dispatches.toSorted()).toEqual(["delay.dispatch LOST", "delay.dispatch MINED", "delay.dispatch MINED"]);
  });

  test("before a spend: it runs once", async () => {
    // Cards wait until the latest queue entries are classified.
    await until(async () => (await use(ada, 1)).approved);
    await untilSettled(service);
    const before = await balancesOf(ada);
    const stolen = stealNext();
    expect(await use(ada, 700)).toMatchObject({ approved: true });
    const subjectId = await stolen.then(async (hash) => {
      await untilSettled(service);
      return getLost(hash);
    });
    expect(await listRaces(subjectId)).toEqual(["card.spend LOST", "card.spend MINED"]);
    expect((await balancesOf(ada)).total).toBe(before.total - 7n * euro);
  });

  test("before a return: it runs once", async () => {
    const { threadId } = await use(ada, 900);
    await follow(ada, threadId, "clear");
    await untilSettled(service);
    const before = await balancesOf(ada);
    const stolen = stealNext();
    await follow(ada, threadId, "refund", { amount: 400 });
    const hash = await stolen;
    await untilSettled(service);
    const races = await listRelayed(await getLost(hash));
    expect(races.map(({ status }) => status)).toEqual(["LOST", "MINED"]);
    expect(new Set(races.map(({ data }) => findReturnTag(data))).size).toBe(1);
    expect((await balancesOf(ada)).total).toBe(before.total + 4n * euro);
  });

  test("before a deployment: the Safe is deployed", async () => {
    const bob = await new Person(service).becomeApproved();
    const stolen = stealNext();
    await bob.call("POST", "/safe/deploy");
    const hash = await stolen;
    await until(async () => (await bob.call("GET", "/safe/deploy")).body.status === "ok");
    expect(await listRaces(await getLost(hash))).toEqual(["safe.deploy LOST", "safe.deploy MINED"]);
  });

  test("the operator sees it: in /readyz, doctor and /metrics", async () => {
    const { parts } = await (await fetch(`${service.url}/readyz`)).json();
    expect(parts.relayers.status).toBe("degraded");
    expect(parts.relayers.reason).toContain("transactions that this service did not sign");
    const [finding] = (await diagnose(service.runtime.services)).filter(({ check }) => check === "relayers");
    expect(finding).toMatchObject({ severity: "warning", text: expect.stringContaining("give each program its own") });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const counts = [...metrics.matchAll(/cardkeep_relayer_foreign_transactions\{.*\} (\d+)/g)].map(([, n]) =>
      Number(n),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5);
  });
});

test("a node with the block of our transaction but without its receipt never makes it lost", async () => {
  const id = await submit(ada);
  await reaches(id, "WAITING");
  proxy.intercept("eth_sendRawTransaction", async (forward) => {
    const answer = await forward();
    proxy.mood = "withoutReceipts";
    return answer;
  });
  const sends = proxy.countOf("eth_sendRawTransaction");
  await advance();
  // Sent again without success: the node says that its nonce is used.
  await until(() => proxy.countOf("eth_sendRawTransaction") >= sends + 3);
  expect((await listRaces(id)).at(-1)).toBe("delay.dispatch SIGNED");
  proxy.mood = "fine";
  await reaches(id, "EXECUTED");
  paid += 1n;
  expect(await listRaces(id)).toEqual(["delay.enqueue MINED", "delay.dispatch MINED"]);
});

/** Executes an operation, and returns the key that enqueued it. */
async function executeByKey() {
  const id = await submit(ada);
  await executeOnce(id);
  const [enqueued] = await listRelayed(id);
  const key = listKeys().find(({ address }) => address === enqueued?.relayer);
  if (!key) throw new Error("no key");
  return key;
}

test("nonces that another program used while we had no open transaction are skipped, and counted", async () => {
  const key = await executeByKey();
  const countOf = async () => (await db().select().from(relayers).where(eq(relayers.address, key.address)))[0];
  const before = await countOf();
  const send = () => node().sendTransaction({ account: key, to: key.address, chain: null });
  for (const hash of [await send(), await send()]) await openNode(service.rpcUrl).waitForReceipt(hash);
  await until(async () => {
    await db().execute(lookAtNonces);
    return (await countOf())?.foreignCount === (before?.foreignCount ?? 0n) + 2n;
  });
  await executeOnce(await submit(ada));
});

test("nonces that another program used while no worker ran begin a reconciliation, and are counted all the same", async () => {
  const key = await executeByKey();
  const laneOf = async () => (await db().select().from(relayers).where(eq(relayers.address, key.address)))[0];
  const before = await laneOf();
  await worker.stop();
  for (let sent = 0; sent < 2; sent++) {
    const hash = await node().sendTransaction({ account: key, to: key.address, chain: null });
    await openNode(service.rpcUrl).waitForReceipt(hash);
  }
  worker = await startWorker(workerRuntime);
  const newest = await findNewestReconciliation(db());
  expect(newest).toMatchObject({ reason: "restored", evidence: expect.stringContaining(key.address) });
  await until(async () => (await findNewestReconciliation(db()))?.endedAt != null);
  const count = (before?.foreignCount ?? 0n) + 2n;
  expect(await laneOf()).toMatchObject({ foreignCount: count, nextNonce: (before?.nextNonce ?? 0n) + 2n });
  expect((await listDiscrepancies(db(), 100)).filter(({ kind }) => kind === "nonce")).toEqual([]);
  const { parts } = await (await fetch(`${service.url}/readyz`)).json();
  expect(parts.relayers.reason).toContain(`${key.address} sent ${count} transactions that this service did not sign`);
  await executeOnce(await submit(ada));
});

test("before the other transaction is final, ours is not lost, and is sent at growing intervals", async () => {
  const patient = await startService({ worker: false, env: { CONFIRMATIONS: "30" } });
  const through = startRpcProxy(patient.rpcUrl);
  const runtime = await createRuntime(readWorkerSettings({ ...patient.env, RPC_URL: through.url }), "worker");
  const own = await startWorker(runtime);
  const { client, waitForReceipt } = openNode(patient.rpcUrl);
  const bob = new Person(patient);
  let isMining = true;
  const mineAlong = async () => {
    while (isMining) await client.mine({ blocks: 30 }).then(() => Bun.sleep(600));
  };
  const mined = mineAlong();
  const address = await bob.becomeAccountHolder();
  await bob.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "10" });
  isMining = false;
  await mined;
  const { promise: isStolen, resolve } = Promise.withResolvers<void>();
  through.intercept("eth_sendRawTransaction", async (forward, { params: [raw] }) => {
    const { nonce } = parseTransaction(raw as TransactionSerializedEIP1559);
    const sender = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerializedEIP1559 });
    const account = listKeys().find((key) => key.address === sender);
    if (!account || nonce === undefined) throw new Error("no key");
    const hash = await client.sendTransaction({ account, to: account.address, nonce, chain: null });
    await waitForReceipt(hash);
    resolve();
    return forward();
  });
  const { body } = await bob.call(
    "POST",
    "/accounts/withdraw",
    await bob.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" }),
  );
  await isStolen;
  const attemptsOf = async () =>
    runtime.db
      .select({ resends: relayAttempts.resends, status: relayTransactions.status })
      .from(relayAttempts)
      .innerJoin(relayTransactions, eq(relayTransactions.id, relayAttempts.relayTransactionId))
      .where(inArray(relayTransactions.subjectId, [body.data.id]));
  const asked = through.countOf("eth_getTransactionReceipt");
  // The follower checks it every half second.
  await until(() => through.countOf("eth_getTransactionReceipt") >= asked + 4);
  const [waiting, ...others] = await attemptsOf();
  expect(others).toEqual([]);
  expect(waiting?.status).toBe("SIGNED");
  expect(waiting?.resends).toBeWithin(1, 5);
  await client.mine({ blocks: 30 });
  await until(async () => (await attemptsOf()).some(({ status }) => status === "LOST"));
  isMining = true;
  const minedAgain = mineAlong();
  await until(async () => (await bob.findDelay(body.data.id))?.status === "WAITING");
  isMining = false;
  await minedAgain;
  await own.stop();
  await runtime.close();
  through.stop();
  await patient.stop();
});

test("two services with one set of keys: both report it, both continue, everything is executed once", async () => {
  // The key of Ada's lane alone, so that both use the same one.
  const own = await submit(ada);
  await reaches(own, "WAITING");
  const [enqueued] = await listRelayed(own);
  const lane = developmentKeys.relayerPrivateKeys.find((key) => privateKeyToAccount(key).address === enqueued?.relayer);
  const other = await startService({
    env: { RPC_URL: service.rpcUrl, ...(lane && { RELAYER_PRIVATE_KEYS: lane }) },
  });
  const bob = await becomeCardHolder(other, 100n * euro);
  const to = { ada: "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1", bob: "0xb1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1" };
  const submitTo = async ({ person }: CardHolder, receiver: string) => {
    const body = await person.signWithdrawal({ tokenAddress: eure, to: receiver, amount: "1" });
    const answer = await person.call("POST", "/accounts/withdraw", body);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body.data.id as string;
  };
  const count = 5;
  const ids: Record<"ada" | "bob", string[]> = { ada: [], bob: [] };
  // They sign at the same time: each sees the nonces that the other has not used yet.
  for (let index = 0; index < count; index++) {
    const [one, two] = await Promise.all([submitTo(ada, to.ada), submitTo(bob, to.bob)]);
    ids.ada.push(one);
    ids.bob.push(two);
  }
  const have = async ({ person }: CardHolder, ofPerson: readonly string[], status: string) =>
    (await Promise.all(ofPerson.map((id) => person.findDelay(id)))).every((found) => found?.status === status);
  const bothHave = (status: string) =>
    until(async () => (await have(ada, ids.ada, status)) && (await have(bob, ids.bob, status)), { timeoutMs: 50_000 });
  await bothHave("WAITING");
  // The first moves the chain, which is then ahead of the second's clock; each moves its own jobs.
  await advance();
  await bob.person.sandbox("POST", "/chain/advance", { seconds: 181 });
  await bothHave("EXECUTED");
  await reaches(own, "EXECUTED");
  paid += 1n;
  for (const receiver of [to.ada, to.bob] as const)
    expect(await service.runtime.chain.getTokenBalance(eure, receiver as Hex)).toBe(BigInt(count));
  for (const each of [service, other]) {
    await until(async () => {
      await each.runtime.db.execute(lookAtNonces);
      const { parts } = await (await fetch(`${each.url}/readyz`)).json();
      return /transactions that this service did not sign/.test(parts.relayers.reason ?? "");
    });
  }
  await other.stop();
});

test("a reorganisation that drops the other transaction leaves no gap: the nonce is cancelled, nothing runs twice", async () => {
  // Earlier transactions stay, with the account's deposit.
  await node().mine({ blocks: 4 });
  const stolen = stealNext();
  const id = await submit(ada);
  const hash = await stolen;
  await reaches(id, "WAITING");
  const { blockNumber } = await node().getTransactionReceipt({ hash });
  const isMined = () =>
    node()
      .getTransactionReceipt({ hash })
      .then(Boolean, () => false);
  // A block mined meanwhile makes it reach less far.
  while (await isMined()) {
    const head = await node().getBlockNumber({ cacheTime: 0 });
    await reorganise(service, Number(head - blockNumber) + 2);
  }
  await until(async () => (await listRelayed(id)).some(({ status, lostAt }) => lostAt !== null && status === "MINED"));
  const [lost] = (await listRelayed(id)).filter(({ lostAt }) => lostAt !== null);
  const attempts = await db()
    .select()
    .from(relayAttempts)
    .where(eq(relayAttempts.relayTransactionId, lost?.id ?? ""));
  expect(attempts.find((attempt) => attempt.hash === lost?.minedHash)?.isCancellation).toBe(true);
  await executeOnce(id);
  // Another Safe of the same lane continues too.
  await executeOnce(await submit(ada));
});
