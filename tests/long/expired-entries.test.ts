/** Hundreds of entries that expired at once: in front of an operation that a person signed, or of no known kind. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { buildModuleCall } from "@cardkeep/chain/delay";
import { predictModules } from "@cardkeep/chain/predictAccount";
import { buildTransfer } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { accountViolations, delayTransactions, relayTransactions, safes } from "@cardkeep/db/schema/tables";
import { findEnd } from "@cardkeep/domain/accounts/delays/chainHistory";
import { dispatch } from "@cardkeep/domain/accounts/delays/dispatch";
import { findHead } from "@cardkeep/domain/accounts/delays/queueHead";
import { integrityStatuses, readAccountState } from "@cardkeep/domain/accounts/integrity/readAccountState";
import { readTimestamps } from "@cardkeep/domain/chain/guards/findBlockSince";
import { NodeBehind } from "@cardkeep/domain/chain/guards/readHead";
import { settleViolations } from "@cardkeep/domain/accounts/integrity/settleViolations";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { and, eq, sql } from "drizzle-orm";
import { createWalletClient, encodeFunctionData, http, numberToHex, parseAbi } from "viem";
import { approveThief, openHostileOwner, queueCall, runQueue } from "../support/attacks.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { repeatCall } from "../support/repeatCall.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";
import { becomeCardHolder, euro, use } from "../support/spending.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const destination = "0x000000000000000000000000000000000000bEEF";
const gwei = 1_000_000_000n;

let service: Service;
let worker: Worker;
let ada: Person;
let safe: Address;
beforeAll(async () => {
  service = await startService({ worker: false });
  worker = await startWorker(service.runtime);
  ada = new Person(service);
  safe = (await ada.becomeAccountHolder()) as Address;
  await ada.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount: "1000" });
});
afterAll(async () => {
  await worker.stop();
  await service.stop();
});

const advance = (seconds: number) => ada.sandbox("POST", "/chain/advance", { seconds });

/** The owner's key queues transfers of money that the Safe lacks, as many as fit into a few blocks. */
async function queueEntries(count: number): Promise<void> {
  const { client } = openNode(service.rpcUrl);
  const to = predictModules(safe).delay;
  const data = buildModuleCall(buildTransfer({ token: eure, to: destination, amount: 10n ** 18n }), "CALL");
  await client.setBalance({ address: ada.account.address, value: 10n ** 20n });
  const owner = createWalletClient({ account: ada.account, transport: http(service.rpcUrl) });
  await client.setAutomine(false);
  const fees = { gas: 150_000n, maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: gwei, type: "eip1559" } as const;
  for (let nonce = 0; nonce < count; nonce++) {
    const serializedTransaction = await owner.signTransaction({ to, data, nonce, chainId: 100, chain: null, ...fees });
    await owner.sendRawTransaction({ serializedTransaction });
  }
  const { address } = ada.account;
  await until(async () => {
    await client.mine({ blocks: 1 });
    return (await client.getTransactionCount({ address })) === count;
  });
  await client.setAutomine(true);
}

async function getRow(id: string) {
  const [row] = await service.runtime.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
  if (!row) throw new Error(`no row ${id}`);
  return row;
}
const reaches = (id: string, status: string) => until(async () => (await getRow(id)).status === status);

async function withdraw(person: Person): Promise<string> {
  const signed = await person.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
  const { status, body } = await person.call("POST", "/accounts/withdraw", signed);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.id;
}

/** Skipping one costs about 2,300 gas. */
const entries = 1_000;
const expiresAfter = 180 + 1_800;
const acceptedAfter = 1_000;

test("an operation behind hundreds of entries that expired at once runs, for more gas than an operation may cost", async () => {
  await queueEntries(entries);
  expect((await service.runtime.chain.getDelayState(predictModules(safe).delay)).queueNonce).toBe(BigInt(entries));
  await advance(acceptedAfter);
  const id = await withdraw(ada);
  await reaches(id, "WAITING");
  await worker.stop();
  await advance(expiresAfter - acceptedAfter + 10);
  worker = await startWorker(service.runtime);
  await reaches(id, "EXECUTED");
}, 120_000);

test("violations that expired at once are skipped by one transaction", async () => {
  const { client } = openNode(service.rpcUrl);
  const { delay } = predictModules(safe);
  const nonce = await client.getTransactionCount({ address: ada.account.address });
  await client.setBalance({ address: ada.account.address, value: 10n ** 20n });
  await client.impersonateAccount({ address: ada.account.address });
  const data = buildModuleCall({ to: eure, value: 0n, data: "0x12345678" }, "CALL");
  for (let count = 0; count < 5; count++)
    await client.sendTransaction({ account: ada.account.address, chain: null, to: delay, data, nonce: nonce + count });
  const { db } = service.runtime;
  const countIn = (status: "QUEUED" | "CLEARED") => db.$count(accountViolations, eq(accountViolations.status, status));
  await until(async () => (await countIn("QUEUED")) === 5);
  const skips = () => db.$count(relayTransactions, eq(relayTransactions.purpose, "delay.skip"));
  const before = await skips();
  await advance(expiresAfter + 10);
  await until(async () => {
    // Each look at an entry is five seconds after the one before.
    await advance(5);
    return (await countIn("CLEARED")) === 5;
  });
  expect(await skips()).toBe(before + 1);
}, 120_000);

/** Has an owner's queue end at another place: entries that were never queued count as expired. */
async function moveQueueEnd(delay: Address, from: bigint, to: bigint): Promise<void> {
  const { client } = openNode(service.rpcUrl);
  for (let slot = 0; slot < 20; slot++) {
    const index = numberToHex(slot, { size: 32 });
    if (BigInt((await client.getStorageAt({ address: delay, slot: index })) ?? "0x0") !== from) continue;
    return client.setStorageAt({ address: delay, index, value: numberToHex(to, { size: 32 }) });
  }
  throw new Error("The queue does not end there");
}

/**
 * Jobs that look at the violations of a Safe, what caused each, and in how many seconds it is due. One that runs is among them, also
 * where another one has its key by now: an older look may plan the next one last.
 */
const listLooks = async (safeId: string) =>
  service.runtime.db.execute<{ task: string; request: string; inSeconds: number }>(sql`
    select task_identifier as task, payload ->> 'requestId' as request,
      extract(epoch from job.run_at - now())::int as "inSeconds"
    from graphile_worker.jobs job join graphile_worker._private_jobs using (id)
    where (task_identifier = 'safe.violations' and payload ->> 'safeId' = ${safeId})
      or job.key in (select 'safe.violation:' || id from account_violations where safe_id = ${safeId})`);

/** A new account, whose owner may queue entries of no known kind. */
async function openHostile() {
  const { db } = service.runtime;
  const eve = new Person(service);
  const address = (await eve.becomeAccountHolder()) as Address;
  const { delay } = predictModules(address);
  const [safe] = await db.select({ id: safes.id }).from(safes).where(eq(safes.address, address));
  if (!safe) throw new Error("no Safe");
  const isOwn = eq(accountViolations.safeId, safe.id);
  const data = buildModuleCall({ to: eure, value: 0n, data: "0x12345678" }, "CALL");
  return {
    delay,
    safeId: safe.id,
    queue: (count: number) => repeatCall(service.rpcUrl, { from: eve.account.address, to: delay, data, count }),
    countIn: (status: "QUEUED" | "CLEARED") =>
      db.$count(accountViolations, and(isOwn, eq(accountViolations.status, status))),
    findViolationId: async () => (await db.select().from(accountViolations).where(isOwn).limit(1))[0]?.id ?? "",
  };
}

test("thousands of violations of one account hold up no other person's job", async () => {
  const { db } = service.runtime;
  const count = 1_000;
  const { delay, safeId, queue, countIn, findViolationId } = await openHostile();
  await queue(count);
  await until(async () => (await countIn("QUEUED")) === count);
  expect((await listLooks(safeId)).map(({ task }) => task)).toEqual(["safe.violations"]);

  // The module skips all expired entries or none, and so many cost more than a block has room for.
  await moveQueueEnd(delay, BigInt(count), 10_000n);
  await advance(expiresAfter + 10);
  const isAtRest = async () => {
    const [look, ...others] = await listLooks(safeId);
    return others.length === 0 && look !== undefined && look.inSeconds > 250;
  };
  await until(isAtRest);

  // Neither a further violation nor a job of the release before hurries the next look.
  await moveQueueEnd(delay, 10_000n, BigInt(count));
  await queue(1);
  await until(async () => (await countIn("QUEUED")) === count + 1);
  await enqueue(db, "safe.violation", { violationId: await findViolationId(), requestId: "old" });
  await until(async () => (await listLooks(safeId)).length === 1);
  expect(await isAtRest()).toBe(true);

  await advance(300);
  await until(async () => (await countIn("CLEARED")) === count);
  expect(await countIn("QUEUED")).toBe(1);
}, 120_000);

test("a job of the release before hands its violation over to the job of its Safe", async () => {
  const { db } = service.runtime;
  const { safeId, queue, countIn, findViolationId } = await openHostile();
  await queue(1);
  await until(async () => (await countIn("QUEUED")) === 1);
  const violationId = await findViolationId();
  // A lost job of the Safe comes back by itself, but with no request of a job of the release before.
  await until(async () => {
    await enqueue(db, "safe.violation", { violationId, requestId: "old" });
    return (await listLooks(safeId)).some(({ task, request }) => task === "safe.violations" && request === "old");
  });
  await until(async () => (await listLooks(safeId)).every(({ task }) => task === "safe.violations"));
}, 60_000);

/** Two operations of a new person that failed because so many expired entries are behind them. */
async function failUnskippable() {
  const bob = new Person(service);
  const address = (await bob.becomeAccountHolder()) as Address;
  await bob.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
  const ids = [await withdraw(bob), await withdraw(bob)];
  for (const id of ids) await reaches(id, "WAITING");
  await worker.stop();
  // So many expired entries cost more than a block has room for.
  const { delay } = predictModules(address);
  await moveQueueEnd(delay, 2n, 10_000n);
  await advance(expiresAfter + 10);
  worker = await startWorker(service.runtime);
  for (const id of ids) await reaches(id, "FAILED");
  return { delay, rows: await Promise.all(ids.map(getRow)) };
}

test("an operation behind an own one that could not be skipped ends when it expires", async () => {
  const { rows } = await failUnskippable();
  const reason = expect.stringContaining("Expired entries before it cannot be skipped");
  expect(rows).toMatchObject([0n, 1n].map((queueNonce) => ({ queueNonce, reason })));
}, 120_000);

test("an own operation that ended is the head only where a node that knows its end still shows it there", async () => {
  const { delay, rows } = await failUnskippable();
  const ctx = createWorkerContext(service.runtime);
  const [state, head] = await Promise.all([ctx.chain.getDelayState(delay), ctx.chain.getBlock()]);
  const [, second] = rows;
  if (!second) throw new Error("no second operation");
  const find = (chain: Partial<typeof ctx.chain>) =>
    findHead({ ...ctx, chain: { ...ctx.chain, ...chain } }, second, state);
  expect(await find({})).toMatchObject({ isOurs: false });
  expect(await find({ getDelayState: async () => ({ ...state, txNonce: 1n }) })).toBeNull();
  await expect(find({ getBlock: async () => ({ ...head, number: 0n }) })).rejects.toBeInstanceOf(NodeBehind);
}, 120_000);

test("an entry that changed the account is not cleared where the node that names the head lacks its execution", async () => {
  const { db } = service.runtime;
  const bob = new Person(service);
  const address = (await bob.becomeAccountHolder()) as Address;
  const owner = openHostileOwner(service, bob, address);
  const [account] = await db.select().from(safes).where(eq(safes.address, address));
  const safeId = account?.id ?? "";
  const statuses = async () =>
    (await db.select().from(accountViolations).where(eq(accountViolations.safeId, safeId))).map(({ status }) => status);
  await approveThief(owner, { token: eure, thief: destination, amount: 1n });
  await until(async () => (await statuses()).length === 1);
  await worker.stop();
  const ctx = createWorkerContext(service.runtime);
  const { chain } = ctx;
  let before = await chain.getBlock();
  const advanceFirst = async (seconds: number) => {
    await owner.advance(seconds);
    before = await chain.getBlock();
  };
  await runQueue({ ...owner, advance: advanceFirst });
  await settleViolations({ ...ctx, chain: { ...chain, getBlock: async () => before } }, { safeId });
  expect(await statuses()).toEqual(["QUEUED"]);
  if (!account) throw new Error("The account is not on record");
  // The owner chooses how long the account's history is, so a request reads none of it.
  const getBlockAt = () => Promise.reject(new Error("A request reads blocks of the history"));
  const state = await readAccountState({ ...ctx, chain: { ...chain, getBlockAt } }, account);
  expect(state).toMatchObject({ status: integrityStatuses.safeMisconfigured, isChanged: true });
  worker = await startWorker(service.runtime);
  await until(async () => (await statuses()).includes("EXECUTED"));
}, 60_000);

test("the blocks of a long history are asked for a few at a time", async () => {
  const { chain } = service.runtime;
  const { number } = await chain.getBlock();
  let [asking, most] = [0, 0];
  const getBlockAt: typeof chain.getBlockAt = async (block) => {
    most = Math.max(most, (asking += 1));
    return chain.getBlockAt(block).finally(() => (asking -= 1));
  };
  const logs = Array.from({ length: 200 }, (_, index) => ({ blockNumber: BigInt(index) }));
  const timestamps = await readTimestamps({ chain: { ...chain, getBlockAt } }, logs);
  expect(timestamps.size).toBe(Math.min(200, Number(number) + 1));
  expect(most).toBeLessThanOrEqual(32);
});

/** Code that answers every call with true, and logs nothing. */
const silent = { address: "0x0000000000000000000000000000000000005151", bytecode: "0x600160005260206000f3" } as const;
const settings = parseAbi(["function setTxExpiration(uint256 period)", "function setTarget(address target)"]);

test("what leaves the queue of a changed account without a log ends, and is looked at less and less", async () => {
  const { db } = service.runtime;
  const dan = new Person(service);
  const address = (await dan.becomeAccountHolder()) as Address;
  await dan.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
  const owner = openHostileOwner(service, dan, address);
  const { delay } = owner.addresses;
  const { client } = openNode(service.rpcUrl);
  await client.setCode(silent);
  const change = (data: Hex) => queueCall(owner, { to: delay, value: 0n, data });
  await change(encodeFunctionData({ abi: settings, functionName: "setTxExpiration", args: [0n] }));
  await change(encodeFunctionData({ abi: settings, functionName: "setTarget", args: [silent.address] }));
  const id = await withdraw(dan);
  await reaches(id, "WAITING");
  await approveThief(owner, { token: eure, thief: destination, amount: 1n });
  const [account] = await db.select().from(safes).where(eq(safes.address, address));
  const safeId = account?.id ?? "";
  const statuses = async () =>
    (await db.select().from(accountViolations).where(eq(accountViolations.safeId, safeId)))
      .toSorted((a, b) => Number((a.queueNonce ?? 0n) - (b.queueNonce ?? 0n)))
      .map(({ status }) => status);
  await until(async () => (await statuses()).length === 3);
  await runQueue(owner);
  await client.mine({ blocks: 20 });
  await until(async () => {
    // Each look at a violation is five seconds after the one before.
    await advance(5);
    return (await statuses()).join() === "EXECUTED,EXECUTED,QUEUED";
  });
  await reaches(id, "FAILED");
  expect(await getRow(id)).toMatchObject({ reason: "It left the queue, and no log shows that it ran" });
  const isOfIt = sql`key = ${`delay.dispatch:${id}`}`;
  const jobs = await db.execute(sql`select from graphile_worker.jobs where ${isOfIt}`);
  expect(jobs).toHaveLength(0);
  const ctx = createWorkerContext(service.runtime);
  const [row, head] = [await getRow(id), await ctx.chain.getBlock()];
  expect(await findEnd(ctx, row)).toMatchObject({ executedHash: null, isUnseen: true });
  // A moment after it left: the node with its execution may not have answered yet.
  const getDelayState: typeof ctx.chain.getDelayState = async (asked, block) => {
    const state = await ctx.chain.getDelayState(asked, block);
    return block === head.number ? state : { ...state, txNonce: 0n };
  };
  expect(await findEnd({ ...ctx, chain: { ...ctx.chain, getBlock: async () => head, getDelayState } }, row)).toBeNull();
  await advance(1_000_000);
  await until(async () => ((await listLooks(safeId))[0]?.inSeconds ?? 0) > 600);
}, 120_000);

test("an operation of an account that was not changed stays open while no log shows how it left the queue", async () => {
  const fay = new Person(service);
  const address = (await fay.becomeAccountHolder()) as Address;
  await fay.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
  const id = await withdraw(fay);
  await reaches(id, "WAITING");
  await worker.stop();
  await runQueue(openHostileOwner(service, fay, address));
  await openNode(service.rpcUrl).client.mine({ blocks: 20 });
  const { chain, ...ctx } = createWorkerContext(service.runtime);
  await dispatch({ ...ctx, chain: { ...chain, getLogs: async () => [] } }, { delayId: id });
  expect((await getRow(id)).status).toBe("WAITING");
  worker = await startWorker(service.runtime);
  await reaches(id, "EXECUTED");
}, 60_000);

test("an owner's entry of a known kind that expires behind an operation pauses the card no longer", async () => {
  const { db, chain } = service.runtime;
  const holder = await becomeCardHolder(service, 50n * euro);
  const owner = openHostileOwner(service, holder.person, holder.safe as Address);
  const queueTransfer = () => queueCall(owner, buildTransfer({ token: eure, to: destination, amount: 1n }));
  const isEmpty = async () => {
    const { txNonce, queueNonce } = await chain.getDelayState(owner.addresses.delay);
    return txNonce === queueNonce;
  };
  const id = await withdraw(holder.person);
  await reaches(id, "WAITING");
  await queueTransfer();
  await advance(200);
  await reaches(id, "EXECUTED");
  expect(await isEmpty()).toBe(false);
  await advance(expiresAfter);
  await until(isEmpty);
  expect(await use(holder, 100)).toMatchObject({ approved: true });

  // An operator deletes the job that looks at the queue.
  const { safeId } = await getRow(id);
  await advance(10);
  await until(async () => (await listLooks(safeId)).length === 0);
  await queueTransfer();
  await advance(60);
  await until(async () => {
    const key = `safe.violations:${safeId}`;
    const deleted = sql`delete from graphile_worker._private_jobs where key = ${key} and locked_at is null returning id`;
    return (await db.execute(deleted)).length === 1;
  });
  await advance(expiresAfter + 10);
  expect(await use(holder, 100)).toMatchObject({ approved: false, reason: "account_paused" });
  await advance(5);
  await until(isEmpty);
}, 60_000);
