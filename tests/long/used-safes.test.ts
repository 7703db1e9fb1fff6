/** What an owner of the older way runs in the Safe by DELEGATECALL before its set-up, beside it and around it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { buildSafeExecution, buildSafeTypedData } from "@cardkeep/chain/safeTransaction";
import { accountViolations, openRelays, relayTransactions, revertedGas, safes } from "@cardkeep/db/schema/tables";
import { addMissingJobs } from "@cardkeep/db/queue/missing";
import { CallReverted, ChainUnavailable } from "@cardkeep/chain/errors";
import { deploySafe } from "@cardkeep/domain/accounts/safes/deploySafe";
import { settleSetUp } from "@cardkeep/domain/accounts/safes/settleSetUp";
import { readSetUpHistory } from "@cardkeep/domain/accounts/safes/setUpHistory";
import { wasUsedBefore } from "@cardkeep/domain/accounts/safes/usedBefore";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq } from "drizzle-orm";
import { type Address, encodeFunctionData, type Hex, parseAbi, toEventSelector } from "viem";
import { deployTestContract } from "../support/contracts.ts";
import { openNode } from "../support/node.ts";
import { type Answer, Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { reorganise } from "../support/reorganise.ts";
import { type Service, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const abi = parseAbi([
  "function writeSingleton(address singleton)",
  "function writeModuleUnseen(address module)",
  "function writeModuleAround(address module, bytes inner)",
]);
const used = {
  status: 400,
  body: { error: "The Safe was used before its set-up and cannot be set up: reset it and begin again" },
};
const usedReason = "It ran a transaction of its own before its set-up";
const revertsAlways: Hex = "0x60006000fd";
const burnsAll: Hex = "0xfe";
/** Writes 170 slots, for 3.8 million gas. */
const costsMuch: Hex = "0x60aa5b808055600190038060025700";

let service: Service;
let node: ReturnType<typeof openNode>;
let worker: Worker | null = null;
let writer: Address;
beforeAll(async () => {
  service = await startService({ worker: false });
  node = openNode(service.rpcUrl);
  writer = await deployTestContract(service.rpcUrl, "StorageWriter");
  await resume();
});
afterAll(async () => {
  await worker?.stop();
  await service.stop();
});

async function resume(): Promise<void> {
  worker ??= await startWorker(service.runtime);
}
async function pause(): Promise<void> {
  await worker?.stop();
  worker = null;
}
async function stopMining(): Promise<void> {
  await node.client.setAutomine(false);
  await node.client.setIntervalMining({ interval: 0 });
}
async function goOnMining(): Promise<void> {
  await node.client.mine({ blocks: 1 });
  await node.client.setIntervalMining({ interval: 1 });
  await node.client.setAutomine(true);
}

const shortOf = ({ status, body }: Answer) => ({ status, body });
const setUp = (person: Person, signature: string) =>
  person.call("PATCH", "/account/deploy-safe-modules", { signature });
const getSafe = async (person: Person) => {
  const [safe] = await service.runtime.db
    .select()
    .from(safes)
    .where(eq(safes.userId, person.userId ?? ""));
  if (!safe) throw new Error("no Safe");
  return safe;
};
const listRelayed = (subjectId: string) =>
  service.runtime.db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, subjectId));
const listSetUps = async (person: Person) =>
  (await listRelayed((await getSafe(person)).id)).filter(({ purpose }) => purpose === "safe.setUp");
const listOpen = () => service.runtime.db.select().from(openRelays);
const listBudget = (person: Person) =>
  service.runtime.db
    .select()
    .from(revertedGas)
    .where(eq(revertedGas.userId, person.userId ?? ""));

/** A person of the older way whose Safe is created, with the signature of its set-up. */
async function openOwner() {
  const person = new Person(service);
  const safe = await person.becomeSafeOwner();
  return { person, safe, signature: await person.signSetUp() };
}
type Owner = Awaited<ReturnType<typeof openOwner>>;

const hide = ({ person }: Owner): Hex =>
  encodeFunctionData({ abi, functionName: "writeModuleUnseen", args: [person.account.address] });

/** Replaces the Safe's code by some bytes. */
async function buildSwap(runtime: Hex): Promise<Hex> {
  const singleton: Address = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString("hex")}`;
  await node.client.setCode({ address: singleton, bytecode: runtime });
  return encodeFunctionData({ abi, functionName: "writeSingleton", args: [singleton] });
}

/** The owner runs the writer's code in the Safe, in a transaction of its own. */
const runAsSafe = ({ person, safe }: Owner, data: Hex): Promise<Hex> =>
  node.execute(person.account, safe, { to: writer, data, operation: "DELEGATECALL" });

/** The call of the Safe's first transaction, which runs the writer's code; its owner can pay for it. */
async function signAsSafe({ person, safe }: Owner, data: Hex) {
  const typed = buildSafeTypedData({ safe, chainId: 100, nonce: 0, operation: "DELEGATECALL", to: writer, data });
  await node.client.setBalance({ address: person.account.address, value: 10n ** 18n });
  return buildSafeExecution(typed, await person.account.signTypedData(typed));
}

/** The same in the block of our set-up and in front of it. Answers what the request for the set-up got. */
async function runInFront(owner: Owner, data: Hex): Promise<Answer> {
  const { person, signature } = owner;
  const { to, data: execution } = await signAsSafe(owner, data);
  await stopMining();
  const answer = setUp(person, signature);
  try {
    await until(async () => (await listSetUps(person)).length === 1);
    await until(async () => (await node.client.getTxpoolStatus()).pending > 0);
    const fees = { maxPriorityFeePerGas: 50n * 10n ** 9n, maxFeePerGas: 100n * 10n ** 9n };
    const request = { account: person.account, chain: null, to, data: execution, gas: 500_000n, ...fees };
    await node.client.sendTransaction(request);
  } finally {
    await goOnMining();
  }
  return answer;
}

const failed = { status: 400, body: { error: "The set-up failed on chain: get the payload and sign it again" } };

describe("a Safe whose owner granted a hidden right before the set-up, and took back that it ran a transaction", () => {
  test("is refused: the log of that transaction stays", async () => {
    const owner = await openOwner();
    await runAsSafe(owner, hide(owner));
    expect(shortOf(await owner.person.call("GET", "/account/signature-payload"))).toEqual(used);
    expect(shortOf(await setUp(owner.person, owner.signature))).toEqual(used);
    expect(await getSafe(owner.person)).toMatchObject({ status: "created" });
    expect((await owner.person.call("DELETE", "/safe/reset")).status).toBe(200);
  });

  test("gets no transaction of ours where that came after the request", async () => {
    const owner = await openOwner();
    await pause();
    const answer = setUp(owner.person, owner.signature);
    await until(async () => (await getSafe(owner.person)).status === "settingUp");
    await runAsSafe(owner, hide(owner));
    await resume();
    expect(shortOf(await answer)).toEqual(failed);
    expect(await getSafe(owner.person)).toMatchObject({ status: "created", reason: usedReason });
    expect(await listSetUps(owner.person)).toEqual([]);
  });

  test("is not taken into service where that was mined just before the set-up, and the gas counts", async () => {
    const owner = await openOwner();
    expect(shortOf(await runInFront(owner, hide(owner)))).toEqual(failed);
    expect(await listSetUps(owner.person)).toMatchObject([{ status: "MINED" }]);
    expect(await getSafe(owner.person)).toMatchObject({ status: "created", reason: usedReason });
    expect(await listBudget(owner.person)).toHaveLength(1);
    expect(shortOf(await owner.person.call("GET", "/account/signature-payload"))).toEqual(used);
    expect((await owner.person.call("DELETE", "/safe/reset")).status).toBe(200);
  });

  test("is not taken into service where the set-up ran within that transaction, whose log comes after it", async () => {
    const owner = await openOwner();
    const { person, signature } = owner;
    await pause();
    const answer = setUp(person, signature);
    await until(async () => (await getSafe(person)).status === "settingUp");
    const { setUpData } = await getSafe(person);
    const args = [person.account.address, setUpData ?? "0x"] as const;
    await runAsSafe(owner, encodeFunctionData({ abi, functionName: "writeModuleAround", args }));
    await resume();
    expect(shortOf(await answer)).toEqual(failed);
    expect(await getSafe(person)).toMatchObject({ status: "created", reason: usedReason });
  });
});

describe("a Safe whose owner replaced its code just before our set-up", () => {
  test("by code that refuses everything: our transaction ends, and so does the set-up", async () => {
    const owner = await openOwner();
    expect(shortOf(await runInFront(owner, await buildSwap(revertsAlways)))).toEqual(failed);
    expect(await listSetUps(owner.person)).toMatchObject([{ status: "REVERTED" }]);
    expect(await listOpen()).toEqual([]);
    expect(await getSafe(owner.person)).toMatchObject({ status: "created", reason: usedReason });
    expect(shortOf(await owner.person.call("GET", "/account/signature-payload"))).toEqual(used);
    expect((await owner.person.call("GET", "/safe/config")).status).toBe(200);
    expect((await owner.person.call("DELETE", "/safe/reset")).status).toBe(200);
  });

  test("by code that burns all gas: it counts for its person, and nothing is tried again", async () => {
    const owner = await openOwner();
    expect(shortOf(await runInFront(owner, await buildSwap(burnsAll)))).toEqual(failed);
    const [row] = await listSetUps(owner.person);
    const receipt = await node.client.getTransactionReceipt({ hash: row?.minedHash ?? "0x" });
    expect(Number(receipt.gasUsed)).toBeWithin(1_000_000, 2_000_001);
    const cost = receipt.gasUsed * receipt.effectiveGasPrice;
    expect(await listBudget(owner.person)).toMatchObject([{ relayTransactionId: row?.id, cost }]);
    expect(shortOf(await setUp(owner.person, owner.signature))).toEqual(used);
    expect(await listSetUps(owner.person)).toHaveLength(1);
  });
});

/** Removes the block of a set-up and all behind it. */
async function removeFrom(block: bigint | null): Promise<void> {
  if (block === null) throw new Error("The set-up is in no block");
  const head = await node.client.getBlockNumber();
  await reorganise(service, Number(head - block) + 1);
}

/** The request for a set-up, which no worker of this test takes up before `resume`. */
async function request({ person, signature }: Owner) {
  await pause();
  const answer = setUp(person, signature);
  await until(async () => (await getSafe(person)).status === "settingUp");
  return { answer, row: await getSafe(person) };
}

const listViolations = async (person: Person) =>
  service.runtime.db
    .select()
    .from(accountViolations)
    .where(eq(accountViolations.safeId, (await getSafe(person)).id));
const readConfig = async (person: Person) => (await person.call("GET", "/safe/config")).body;

test("a set-up waits while its person's budget of reverted gas is used up", async () => {
  const owner = await openOwner();
  const { answer, row } = await request(owner);
  const { id: safeId, userId } = row;
  const { db } = service.runtime;
  const spent = { subjectId: safeId, safeId, userId, cost: 10n ** 15n, createdAt: new Date() };
  await db
    .insert(revertedGas)
    .values(["a", "b", "c"].map((id) => ({ ...spent, relayTransactionId: `${safeId} ${id}` })));
  await deploySafe(createWorkerContext(service.runtime), { safeId });
  expect(await listSetUps(owner.person)).toEqual([]);
  await db.delete(revertedGas).where(eq(revertedGas.userId, userId));
  await deploySafe(createWorkerContext(service.runtime), { safeId });
  expect(await listSetUps(owner.person)).toHaveLength(1);
  await resume();
  expect((await answer).body).toMatchObject({ deployed: true });
  expect(await listBudget(owner.person)).toEqual([]);
});

test("a set-up of which the pending block asks for more gas than one needs is not signed", async () => {
  const owner = await openOwner();
  const { answer, row } = await request(owner);
  await stopMining();
  try {
    const { to, data } = await signAsSafe(owner, await buildSwap(costsMuch));
    await node.client.sendTransaction({ account: owner.person.account, chain: null, to, data, gas: 500_000n });
    const deploying = deploySafe(createWorkerContext(service.runtime), { safeId: row.id });
    await expect(deploying).rejects.toThrow(ChainUnavailable);
  } finally {
    await goOnMining();
  }
  await resume();
  expect(shortOf(await answer)).toEqual(failed);
  expect(await listSetUps(owner.person)).toEqual([]);
});

test("a node that lacks the Safe's creation proves nothing", async () => {
  const { person } = await openOwner();
  const { chain } = createWorkerContext(service.runtime);
  const safe = await getSafe(person);
  const blank = { chain: { ...chain, getLogs: async () => [] } };
  await expect(readSetUpHistory(blank, safe)).rejects.toThrow(ChainUnavailable);
  expect(await readSetUpHistory({ chain }, safe)).toEqual({ hasCreation: true, own: null, other: null });
});

/** A chain on which a Safe was opened a year of 5 s blocks ago, and what it was asked for. */
async function openLongAgo(person: Person) {
  const { chain } = createWorkerContext(service.runtime);
  const safe = await getSafe(person);
  const head = await chain.getBlock();
  const known = await chain.getLogs({ addresses: [safe.address], fromBlock: 0n, toBlock: head.number });
  const yearSeconds = 31_536_000;
  const opened = 30_000_000n;
  const newest = opened + BigInt(yearSeconds / 5);
  const logs = known.map((log) => ({ ...log, blockNumber: opened }));
  const atBlock = (number: bigint) => ({
    ...head,
    number,
    timestamp: head.timestamp + 5 * Number(number - opened) - yearSeconds,
  });
  const asked: string[] = [];
  const slow: typeof chain = {
    ...chain,
    getBlock: async () => atBlock(newest),
    getBlockAt: async (number) => {
      asked.push("block");
      return atBlock(number);
    },
    getLogs: async ({ addresses, fromBlock, toBlock }) => {
      asked.push("logs");
      const ofSafe = addresses.includes(safe.address) ? logs : [];
      return ofSafe.filter(({ blockNumber }) => blockNumber >= fromBlock && blockNumber <= toBlock);
    },
  };
  const createdAt = new Date((head.timestamp - yearSeconds) * 1000);
  return { safe: { ...safe, createdAt }, chain: slow, logs, opened, newest, listAsked: () => asked.splice(0) };
}

test("is read by few questions where it was opened years ago", async () => {
  const { person } = await openOwner();
  const { safe, chain, logs, opened, listAsked } = await openLongAgo(person);
  const setUpHash = logs[0]?.topics[0] ?? "0x";
  expect(await readSetUpHistory({ chain }, { ...safe, setUpHash }, { upTo: opened + 10_000n })).toMatchObject({
    hasCreation: true,
  });
  expect(listAsked().filter((question) => question === "logs").length).toBeWithin(1, 4);
});

test("that waits for its set-up for a year is read whole once; from then on what its owner asks costs the newest blocks", async () => {
  const { person } = await openOwner();
  const { safe, chain, logs, newest, listAsked } = await openLongAgo(person);
  expect(await wasUsedBefore({ chain }, safe)).toBe(false);
  expect(listAsked().length).toBeGreaterThan(600);
  expect(await wasUsedBefore({ chain }, safe)).toBe(false);
  expect(listAsked()).toEqual(["logs", "logs"]);
  const data = `0x${"12".repeat(32)}${"00".repeat(32)}` as const;
  const [creation] = logs;
  if (!creation) throw new Error("The Safe has no logs");
  const topics = [toEventSelector("ExecutionSuccess(bytes32,uint256)")];
  logs.push({ ...creation, topics, data, blockNumber: newest });
  expect(await wasUsedBefore({ chain }, safe)).toBe(true);
  expect(listAsked()).toEqual(["logs", "logs"]);
  expect(await wasUsedBefore({ chain }, safe)).toBe(true);
  expect(listAsked()).toEqual([]);
});

test.each(["reverted", "success"] as const)(
  "a set-up of ours that was mined and says %s without its log ends its transaction, and its gas counts, also while the node answers nothing about the Safe",
  async (status) => {
    const owner = await openOwner();
    const { answer, row } = await request(owner);
    const { chain, ...ctx } = createWorkerContext(service.runtime);
    const { number: blockNumber, hash: blockHash } = await chain.getBlock();
    const receipt: ChainReceipt = {
      transactionHash: blockHash,
      from: row.firstOwner,
      status,
      blockNumber,
      blockHash,
      transactionIndex: 0,
      logs: [],
      gasUsed: 7n,
      gasPrice: 11n,
    };
    const transaction = { id: `mined ${row.id}` };
    for (const error of [new ChainUnavailable("too many logs"), new CallReverted({ reason: "it refuses" })]) {
      const getLogs = () => Promise.reject(error);
      const write = await settleSetUp({ ...ctx, chain: { ...chain, getLogs } }, row, { transaction, receipt });
      await ctx.commit(write);
    }
    expect(await listBudget(owner.person)).toMatchObject([{ relayTransactionId: transaction.id, cost: 77n }]);
    expect(await getSafe(owner.person)).toMatchObject({ status: "settingUp" });
    await service.runtime.db.delete(revertedGas).where(eq(revertedGas.userId, row.userId));
    await resume();
    expect((await answer).body).toMatchObject({ deployed: true });
  },
);

describe("an account that a release before took into service by the Safe's nonce", () => {
  test("is looked at once: one that was used before its set-up is changed, and may be reset; another one stays as it is", async () => {
    const [owner, honest] = [await openOwner(), await openOwner()];
    const waiting = [await request(owner), await request(honest)];
    await runAsSafe(owner, hide(owner));
    for (const { row } of waiting) {
      await node.send({ to: row.address, data: row.setUpData ?? "0x" });
      await service.runtime.db.update(safes).set({ status: "ok" }).where(eq(safes.id, row.id));
    }
    expect(await readConfig(owner.person)).toMatchObject({ accountStatus: 0 });
    expect(await addMissingJobs(service.runtime.db, { chainId: 100, now: new Date() })).toBeGreaterThan(1);
    await resume();
    for (const { answer } of waiting) expect((await answer).body).toMatchObject({ deployed: true });
    await until(async () => (await getSafe(owner.person)).setUpBlock !== null);
    await until(async () => (await getSafe(honest.person)).setUpBlock !== null);
    expect(await listViolations(owner.person)).toMatchObject([
      { status: "EXECUTED", reason: usedReason, queueNonce: null, transferId: null },
    ]);
    expect(await readConfig(owner.person)).toMatchObject({ accountStatus: 2 });
    expect(await listViolations(honest.person)).toEqual([]);
    expect(await readConfig(honest.person)).toMatchObject({ accountStatus: 0 });
    expect((await owner.person.call("DELETE", "/safe/reset")).status).toBe(200);
  });
});

describe("an owner who uses the Safe where a reorganisation removed its set-up", () => {
  test("leaves the service: ours runs again, and is not the first transaction any more", async () => {
    const owner = await openOwner();
    await node.client.mine({ blocks: 5 });
    expect((await setUp(owner.person, owner.signature)).body).toMatchObject({ deployed: true });
    const { setUpBlock } = await getSafe(owner.person);
    expect(setUpBlock).toBe((await listSetUps(owner.person))[0]?.blockNumber ?? 0n);
    await pause();
    await removeFrom(setUpBlock);
    await runAsSafe(owner, hide(owner));
    await resume();
    await until(async () => (await getSafe(owner.person)).status === "created");
    expect(await getSafe(owner.person)).toMatchObject({ reason: usedReason, setUpBlock: null });
  });

  test("has a changed account where a stranger sent the set-up", async () => {
    const owner = await openOwner();
    const { answer, row } = await request(owner);
    const sent = { to: row.address, data: row.setUpData ?? "0x" } as const;
    await node.client.mine({ blocks: 5 });
    await node.send(sent);
    await resume();
    expect((await answer).body).toMatchObject({ deployed: true });
    await pause();
    await removeFrom((await getSafe(owner.person)).setUpBlock);
    await runAsSafe(owner, hide(owner));
    await node.send(sent);
    await resume();
    await until(async () => (await listViolations(owner.person)).length === 1);
    expect(await readConfig(owner.person)).toMatchObject({ accountStatus: 2 });
  });
});
