/** Jobs of the relay that a test runs itself, between two steps of another process or at a chosen instant of the chain. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BroadcastRefused, CallReverted, ChainUnavailable, ReplacementUnderpriced } from "@cardkeep/chain/errors";
import { type Fees, raiseFees, suggestFees } from "@cardkeep/chain/relayer";
import type { Tx } from "@cardkeep/db/client";
import { insertOrderReturn } from "@cardkeep/db/queries/cards/orderReturns";
import { findNewestReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { endGathering } from "@cardkeep/db/queries/chain/relay/lanes";
import { insertRelayAttempt, listRelayAttempts, type RelayAttempt } from "@cardkeep/db/queries/chain/relay/attempts";
import {
  findRelayTransaction,
  insertRelayTransaction,
  lockOpenRelayTransaction,
  type RelayTransaction,
} from "@cardkeep/db/queries/chain/relay/transactions";
import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { readFollowState } from "@cardkeep/db/queries/chain/followState";
import {
  delayTransactions,
  events,
  reconciliations,
  relayAttempts,
  relayers,
  relayTransactions,
  revertedGas,
} from "@cardkeep/db/schema/tables";
import { findMove, insertMove } from "@cardkeep/db/queries/treasury/moves";
import { carryOutReturn } from "@cardkeep/domain/cards/orders/carryOutReturn";
import { createRestoreDetector } from "@cardkeep/domain/sync/reconciliations/detectRestore";
import { reconcileTransactions } from "@cardkeep/domain/sync/reconciliations/reconcileTransactions";
import { compareQueues } from "@cardkeep/domain/sync/chainSync/compareQueues";
import { dispatch } from "@cardkeep/domain/accounts/delays/dispatch";
import { relayNext } from "@cardkeep/domain/accounts/delays/relayNext";
import { settleRefusedEnqueue } from "@cardkeep/domain/accounts/delays/settleEnqueue";
import { compareNonces } from "@cardkeep/domain/chain/relay/compareNonces";
import { confirm } from "@cardkeep/domain/chain/relay/confirm";
import { recordLoss } from "@cardkeep/domain/chain/relay/recordLoss";
import { replaceStuck } from "@cardkeep/domain/chain/relay/replaceStuck";
import type { RelayContext } from "@cardkeep/domain/chain/relay/settler";
import { signAttempt, signReserved } from "@cardkeep/domain/chain/relay/signAttempt";
import { quoteRelay } from "@cardkeep/domain/chain/relay/signRelayTransaction";
import { generateId } from "@cardkeep/domain/core/generateId";
import { checkHealth } from "@cardkeep/domain/operations/health/checkHealth";
import { carryOutMove } from "@cardkeep/domain/treasury/moves/carryOutMove";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { startWorker } from "@cardkeep/worker/worker";
import { and, eq, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { countLockWaits } from "../support/locks.ts";
import { openNode } from "../support/node.ts";
import { order } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";
import { createWorkerContext } from "../support/workerContext.ts";
import { readWorkerSettings } from "../support/workerSettings.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let workerRuntime: Runtime;
let ctx: RelayContext;
let ada: Person;
beforeAll(async () => {
  service = await startService({ worker: false });
  workerRuntime = await createRuntime(readWorkerSettings(service.env), "worker");
  ctx = createWorkerContext(workerRuntime);
  const worker = await startWorker(workerRuntime);
  ada = new Person(service);
  const address = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
  await until(async () => (await ctx.db.$count(relayTransactions, eq(relayTransactions.status, "SIGNED"))) === 0);
  await worker.stop();
});
afterAll(async () => {
  await workerRuntime.close();
  await service.stop();
});

test("what is signed never has more gas than its purpose may use, its margin included", async () => {
  const [relayer] = ctx.relayers;
  if (!relayer) throw new Error("no relayer");
  const call = { to: destination, value: 0n, data: "0x" } as const;
  const quote = (gas: bigint, gasMax?: bigint) =>
    quoteRelay(
      { ...ctx, chain: { ...ctx.chain, estimateGas: async () => gas } },
      relayer,
      call,
      gasMax ? { gasMax } : {},
    );
  expect((await quote(50_000n, 100_000n)).gasLimit).toBe(65_000n);
  expect((await quote(90_000n, 100_000n)).gasLimit).toBe(100_000n);
  expect(quote(100_001n, 100_000n)).rejects.toThrow(CallReverted);
  expect(quote(14_000_000n)).rejects.toThrow(CallReverted);
});

test("a node runs a call for its estimate with what is paid for, and with a few times of it to name the reason", async () => {
  const [relayer] = ctx.relayers;
  if (!relayer) throw new Error("no relayer");
  const asked: [boolean, bigint | undefined][] = [];
  const estimateGas: typeof ctx.chain.estimateGas = async ({ fees, gasMax }) => {
    asked.push([fees !== undefined, gasMax]);
    if (fees) throw new CallReverted({ reason: "Out of gas: gas required exceeds allowance" });
    return 100_001n;
  };
  const call = { to: destination, value: 0n, data: "0x" } as const;
  const quoted = quoteRelay({ ...ctx, chain: { ...ctx.chain, estimateGas } }, relayer, call, { gasMax: 100_000n });
  expect(await quoted.catch((error: unknown) => error)).toMatchObject({ reason: "It needs more gas than is paid for" });
  // Without a verdict of a node that lags, the block of the head is asked too.
  expect(asked.slice(0, 2)).toEqual([
    [true, 100_000n],
    [false, 400_000n],
  ]);
});

test("what a node refuses that lacks a followed block is tried again", async () => {
  const [relayer] = ctx.relayers;
  const { newest } = await readFollowState(ctx.db, ctx.policy.chainId);
  const head = await ctx.chain.getBlock();
  if (!relayer || !newest) throw new Error("no relayer, or nothing was followed");
  const call = { to: destination, value: 0n, data: "0x" } as const;
  const quoteAt = (number: bigint, estimateGas: typeof ctx.chain.estimateGas) =>
    quoteRelay(
      { ...ctx, chain: { ...ctx.chain, getBlock: async () => ({ ...head, number }), estimateGas } },
      relayer,
      call,
    );
  const refuse = () => Promise.reject(new CallReverted({ reason: "NotAuthorized" }));
  const refusals = [refuse, async () => 14_000_000n];
  for (const refusal of refusals) {
    await expect(quoteAt(newest.blockNumber - 1n, refusal)).rejects.toThrow(ChainUnavailable);
    await expect(quoteAt(newest.blockNumber, refusal)).rejects.toThrow(CallReverted);
  }
  expect(await quoteAt(newest.blockNumber - 1n, async () => 50_000n)).toMatchObject({ gasLimit: 65_000n });
});

test("what one node refuses, and the block that another one named as the head allows, is tried again", async () => {
  const [relayer] = ctx.relayers;
  if (!relayer) throw new Error("no relayer");
  const refusal = new CallReverted({ reason: "NotAuthorized" });
  const quote = (isRefusedThere: boolean) => {
    const estimateGas: typeof ctx.chain.estimateGas = async ({ blockTag }) => {
      if (typeof blockTag !== "bigint" || isRefusedThere) throw refusal;
      return 50_000n;
    };
    const call = { to: destination, value: 0n, data: "0x" } as const;
    return quoteRelay({ ...ctx, chain: { ...ctx.chain, estimateGas } }, relayer, call);
  };
  await expect(quote(false)).rejects.toThrow(ChainUnavailable);
  const error = await quote(true).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CallReverted);
  expect(error).toMatchObject({ reason: "NotAuthorized", block: (await ctx.chain.getBlock()).number });
});

const node = () => openNode(service.rpcUrl).client;
const getDelay = async (id: string) => {
  const [row] = await ctx.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
  if (!row) throw new Error(`no row ${id}`);
  return row;
};

/** An accepted withdrawal with its signed enqueue, which nobody has sent. */
async function signEnqueue(
  person = ada,
): Promise<{ id: string; transaction: RelayTransaction; attempts: RelayAttempt[] }> {
  const body = await person.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
  const answer = await person.call("POST", "/accounts/withdraw", body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  const { id } = answer.body.data;
  await relayNext(ctx, { safeId: (await getDelay(id)).safeId });
  const transaction = await getTransaction(id, "SIGNED");
  return { id, transaction, attempts: await listRelayAttempts(ctx.db, transaction.id) };
}

/** A further attempt with these fees, the newest one. */
async function addAttempt(transaction: RelayTransaction, fees: Fees): Promise<RelayAttempt> {
  const relayer = ctx.relayers.find(({ address }) => address === transaction.relayer);
  if (!relayer) throw new Error(`no key of ${transaction.relayer}`);
  const attempt = await signAttempt(ctx, relayer, transaction, fees);
  await ctx.commit(({ tx, now }) => insertRelayAttempt(tx, { ...attempt, createdAt: now }));
  const [newest] = await listRelayAttempts(ctx.db, transaction.id);
  if (newest?.hash !== attempt.hash) throw new Error("Another attempt is newer");
  return newest;
}

async function getTransaction(subjectId: string, status: RelayTransaction["status"]): Promise<RelayTransaction> {
  const isOfSubject = and(eq(relayTransactions.subjectId, subjectId), eq(relayTransactions.status, status));
  const [row, ...others] = await ctx.db.select().from(relayTransactions).where(isOfSubject);
  if (!row || others.length > 0) throw new Error(`${subjectId} has not one ${status} transaction`);
  return row;
}

/** Mines signed bytes, or an empty transaction of the same key where another program uses the nonce. */
async function mine(transaction: RelayTransaction, raw: Hex | null): Promise<Hex> {
  const key = readSettings({}).relayerPrivateKeys.find(
    (each) => privateKeyToAccount(each).address === transaction.relayer,
  );
  if (!key) throw new Error(`no key of ${transaction.relayer}`);
  const account = privateKeyToAccount(key);
  const hash = raw
    ? await node().sendRawTransaction({ serializedTransaction: raw })
    : await node().sendTransaction({ account, to: account.address, nonce: Number(transaction.nonce), chain: null });
  await openNode(service.rpcUrl).waitForReceipt(hash);
  return hash;
}

/** Another process holds a row until so many jobs wait for it; then it writes and ends. */
async function whileHeld(
  hold: (tx: Tx) => Promise<unknown>,
  waits: number,
  write: (tx: Tx) => Promise<void> = async () => {},
): Promise<{ ended: Promise<void> }> {
  const held = Promise.withResolvers<void>();
  const ended = service.runtime.db.transaction(async (tx) => {
    await hold(tx);
    held.resolve();
    await until(async () => (await countLockWaits(service.runtime.db)) >= waits, { everyMs: 10 });
    await write(tx);
  });
  await Promise.race([held.promise, ended]);
  return { ended };
}

const lock =
  ({ id }: RelayTransaction) =>
  (tx: Tx) =>
    lockOpenRelayTransaction(tx, id);

/** Has a worker bring an operation to the queue on chain. */
async function finish(id: string): Promise<void> {
  const worker = await startWorker(workerRuntime);
  await until(async () => (await getDelay(id)).status === "WAITING");
  await worker.stop();
}

/** A further person with money. */
async function openOther(): Promise<Person> {
  const worker = await startWorker(workerRuntime);
  const bea = new Person(service);
  const address = await bea.becomeAccountHolder();
  await bea.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "10" });
  await worker.stop();
  return bea;
}

/** Any number of operations that stay open, copied from one and accepted before all others. */
const copyOpen = (id: string, count: number) =>
  service.ownerDb.execute(sql`
    insert into delay_transactions (id, sequence, safe_id, user_id, kind, "to", value, data, operation, delay_address, signer,
      message_hash, enqueue_data, status, enqueue_task_id, request_id, created_at, updated_at)
      overriding system value
    select 'copy-' || n, -n, safe_id, user_id, kind, "to", value, data, operation, delay_address, signer,
      '0x' || lpad(to_hex(n), 64, '0'), enqueue_data, 'QUEUING', 'copy-' || n, request_id, created_at, updated_at
    from delay_transactions, generate_series(1, ${count}::int) n where id = ${id}`);

/** An operation that has come to the queue on chain; its transaction names the Safe's relayer. */
async function finishOne(): Promise<RelayTransaction> {
  const { id, transaction } = await signEnqueue();
  await finish(id);
  return transaction;
}

const foreignCountOf = async ({ relayer }: RelayTransaction) =>
  (await ctx.db.select().from(relayers).where(eq(relayers.address, relayer)))[0]?.foreignCount ?? 0n;

describe("a nonce that another transaction used", () => {
  test("is not lost where that is a replacement of ours, signed after the job had read the attempts", async () => {
    const { id, transaction, attempts } = await signEnqueue();
    const [stuck] = attempts;
    const relayer = ctx.relayers.find(({ address }) => address === transaction.relayer);
    const fees = stuck && raiseFees(stuck, await ctx.chain.getBlock());
    if (!relayer || !fees) throw new Error("There is nothing to replace");
    const replacement = await signAttempt(ctx, relayer, transaction, fees);
    await mine(transaction, replacement.raw);
    const { ended } = await whileHeld(lock(transaction), 1, (tx) =>
      insertRelayAttempt(tx, { ...replacement, createdAt: new Date() }),
    );
    await Promise.all([confirm(ctx, { relayTransactionId: transaction.id }), ended]);
    expect(await getTransaction(id, "SIGNED")).toMatchObject({ id: transaction.id, lostAt: null });
    await confirm(ctx, { relayTransactionId: transaction.id });
    expect(await getTransaction(id, "MINED")).toMatchObject({ id: transaction.id, minedHash: replacement.hash });
    expect(await getDelay(id)).toMatchObject({ status: "WAITING", enqueuedHash: replacement.hash });
  });

  test("is lost once where two jobs find it at the same time", async () => {
    const { id, transaction, attempts } = await signEnqueue();
    const before = await foreignCountOf(transaction);
    const lostToHash = await mine(transaction, null);
    const patient = { ...ctx, policy: { ...ctx.policy, confirmations: 3 } };
    expect(await recordLoss(patient, transaction, attempts)).toBe(false);
    const { ended } = await whileHeld(lock(transaction), 2);
    const found = await Promise.all([recordLoss(ctx, transaction, attempts), recordLoss(ctx, transaction, attempts)]);
    await ended;
    expect(found.toSorted()).toEqual([false, true]);
    expect(await getTransaction(id, "LOST")).toMatchObject({ lostToHash });
    expect(await foreignCountOf(transaction)).toBe(before + 1n);
    await finish(id);
  });

  test("is lost without its block where that lies deep: after five sends in vain, and not before a younger transaction", async () => {
    const { id, transaction, attempts } = await signEnqueue();
    await mine(transaction, null);
    await node().mine({ blocks: 70, interval: 1 });
    const sent = (resends: number) => attempts.map((attempt) => ({ ...attempt, resends }));
    expect(await recordLoss(ctx, transaction, sent(4))).toBe(false);
    const { timestamp } = await node().getBlock();
    const younger = { ...transaction, createdAt: new Date((Number(timestamp) + 1) * 1000) };
    expect(await recordLoss(ctx, younger, sent(5))).toBe(false);
    // A node that was set up anew knows no receipt of so long ago, of no transaction.
    const forgetful = { ...ctx, chain: { ...ctx.chain, findReceipt: async () => null } };
    expect(await recordLoss(forgetful, transaction, sent(5))).toBe(false);
    expect(await recordLoss(ctx, transaction, sent(5))).toBe(true);
    expect(await getTransaction(id, "LOST")).toMatchObject({ lostToHash: null });
    await finish(id);
  });

  test("is not lost where an attempt of ours used it, however deep its block lies", async () => {
    const { id, transaction, attempts } = await signEnqueue();
    await mine(transaction, attempts[0]?.raw ?? null);
    expect(await recordLoss(ctx, transaction, attempts)).toBe(false);
    await node().mine({ blocks: 70, interval: 1 });
    const sent = attempts.map((attempt) => ({ ...attempt, resends: 5 }));
    expect(await recordLoss(ctx, transaction, sent)).toBe(false);
    await finish(id);
    expect(await getTransaction(id, "MINED")).toMatchObject({ minedHash: attempts[0]?.hash });
  });
});

describe("a nonce that another program used before us", () => {
  test("is skipped and counted, and the operation takes the next one", async () => {
    const usual = await finishOne();
    const before = await foreignCountOf(usual);
    const nonce = BigInt(await node().getTransactionCount({ address: usual.relayer }));
    await mine({ ...usual, nonce }, null);
    const { id, transaction } = await signEnqueue();
    expect(transaction).toMatchObject({ relayer: usual.relayer, nonce: nonce + 1n });
    expect(await foreignCountOf(transaction)).toBe(before + 1n);
    await finish(id);
  });

  test("is counted by the comparison, but not while a database that went back lacks rows of ours", async () => {
    const usual = await finishOne();
    const before = await foreignCountOf(usual);
    await mine({ ...usual, nonce: BigInt(await node().getTransactionCount({ address: usual.relayer })) }, null);
    const setIdentity = (databaseIdentity: string) => ctx.db.update(reconciliations).set({ databaseIdentity });
    const newest = await findNewestReconciliation(ctx.db);
    await setIdentity("another database");
    await compareNonces(ctx);
    expect(await foreignCountOf(usual)).toBe(before);
    await setIdentity(newest?.databaseIdentity ?? "");
    await compareNonces(ctx);
    expect(await foreignCountOf(usual)).toBe(before + 1n);
  });
});

test("a nonce that no row has is filled once, after the lane's first transaction waited for it for five minutes", async () => {
  const usual = await finishOne();
  const nonce = BigInt(await node().getTransactionCount({ address: usual.relayer }));
  const before = await foreignCountOf(usual);
  // As after a reorganisation that removed another program's transaction.
  await ctx.db
    .update(relayers)
    .set({ nextNonce: nonce + 1n })
    .where(eq(relayers.address, usual.relayer));
  const { id, transaction } = await signEnqueue();
  expect(transaction).toMatchObject({ relayer: usual.relayer, nonce: nonce + 1n });
  const listFilling = () =>
    ctx.db.select().from(relayTransactions).where(eq(relayTransactions.purpose, "relayer.fill"));
  await compareNonces(ctx);
  expect(await listFilling()).toEqual([]);
  await ctx.db
    .update(relayTransactions)
    .set({ createdAt: new Date(transaction.createdAt.getTime() - 5 * 60_000) })
    .where(eq(relayTransactions.id, transaction.id));
  await Promise.all([compareNonces(ctx), compareNonces(ctx)]);
  expect(await listFilling()).toMatchObject([{ relayer: usual.relayer, nonce, to: usual.relayer, value: 0n }]);
  await finish(id);
  expect(await getTransaction(`${usual.relayer}:${nonce}`, "MINED")).toMatchObject({ purpose: "relayer.fill", nonce });
  expect(await foreignCountOf(usual)).toBe(before);
});

test("many nonces that no row has are filled fifty at a time, and those of another program not again", async () => {
  const usual = await finishOne();
  await mine({ ...usual, nonce: BigInt(await node().getTransactionCount({ address: usual.relayer })) }, null);
  const nonce = BigInt(await node().getTransactionCount({ address: usual.relayer }));
  await ctx.db
    .update(relayers)
    .set({ nextNonce: nonce + 53n })
    .where(eq(relayers.address, usual.relayer));
  const { id, transaction } = await signEnqueue();
  const isFilling = and(eq(relayTransactions.purpose, "relayer.fill"), eq(relayTransactions.status, "SIGNED"));
  const listFilling = async () =>
    (await ctx.db.select().from(relayTransactions).where(isFilling)).map((row) => row.nonce - nonce).toSorted(byNumber);
  const span = (from: number, length: number) => Array.from({ length }, (_, index) => BigInt(from + index));
  await ctx.db
    .update(relayTransactions)
    .set({ createdAt: new Date(transaction.createdAt.getTime() - 5 * 60_000) })
    .where(eq(relayTransactions.id, transaction.id));
  // One answer of another network.
  await compareNonces({ ...ctx, chain: { ...ctx.chain, getTransactionCount: async () => 0 } });
  expect(await listFilling()).toEqual(span(0, 50));
  const worker = await startWorker(workerRuntime);
  await until(async () => (await listFilling()).length === 0);
  await worker.stop();
  await compareNonces(ctx);
  expect(await listFilling()).toEqual(span(50, 3));
  await finish(id);
}, 120_000);

const byNumber = (a: bigint, b: bigint): number => Number(a - b);

describe("one count of another chain", () => {
  const listLanes = async () => ctx.db.select().from(relayers).orderBy(relayers.address);
  const elsewhere = { getTransactionCount: async () => 100_000 };
  const withoutBlock = {
    ...elsewhere,
    getTransactionCountOn: () => Promise.reject(new ChainUnavailable("The node has another block")),
  };

  test("moves no lane ahead, whether the node is asked again or has another chain's blocks", async () => {
    const before = await listLanes();
    await compareNonces({ ...ctx, chain: { ...ctx.chain, ...elsewhere } });
    expect(await listLanes()).toEqual(before);
    const looking = compareNonces({ ...ctx, chain: { ...ctx.chain, ...withoutBlock } });
    await expect(looking).rejects.toThrow(ChainUnavailable);
    expect(await listLanes()).toEqual(before);
  });

  test("moves none after a restore, and begins none", async () => {
    const newest = await findNewestReconciliation(ctx.db);
    if (!newest) throw new Error("No reconciliation");
    const before = await listLanes();
    const there = { ...ctx, chain: { ...ctx.chain, ...elsewhere } };
    await reconcileTransactions(there, { ...newest, reason: "restored", evidence: "Nonces without rows: test" });
    expect(await listLanes()).toEqual(before);
    await createRestoreDetector()(there);
    expect((await findNewestReconciliation(ctx.db))?.id).toBe(newest.id);
  });

  test("is no nonce of the next transaction", async () => {
    const [relayer] = ctx.relayers;
    if (!relayer) throw new Error("no relayer");
    const call = { to: destination, value: 0n, data: "0x" } as const;
    const quote = (chain: Partial<typeof ctx.chain>) =>
      quoteRelay({ ...ctx, chain: { ...ctx.chain, ...chain } }, relayer, call);
    const count = BigInt(await node().getTransactionCount({ address: relayer.address }));
    expect(await quote(elsewhere)).toMatchObject({ chainNonce: count });
    await expect(quote(withoutBlock)).rejects.toThrow(ChainUnavailable);
  });
});

test("a lost transaction that is mined after all settles nothing: its operation was signed anew", async () => {
  const { id, transaction, attempts } = await signEnqueue();
  // As after a reorganisation: the nonce is free again.
  await ctx.db.update(relayTransactions).set({ lostAt: new Date() }).where(eq(relayTransactions.id, transaction.id));
  await mine(transaction, attempts[0]?.raw ?? null);
  await confirm(ctx, { relayTransactionId: transaction.id });
  expect(await getTransaction(id, "MINED")).toMatchObject({ minedHash: attempts[0]?.hash });
  expect(await getDelay(id)).toMatchObject({ status: "QUEUING", enqueuedHash: null });
  await finish(id);
});

test("a lost transaction whose nonce is free again is not sent, for each purpose: the nonce is filled by a cancellation", async () => {
  const { id, transaction, attempts } = await signEnqueue();
  const [original] = attempts;
  if (!original) throw new Error("Nothing was signed");
  await ctx.db.update(relayTransactions).set({ lostAt: new Date() }).where(eq(relayTransactions.id, transaction.id));
  // Signed while the chain was dear.
  const fees = { maxFeePerGas: original.maxFeePerGas * 20n, maxPriorityFeePerGas: original.maxPriorityFeePerGas * 20n };
  await ctx.db.update(relayAttempts).set(fees).where(eq(relayAttempts.hash, original.hash));
  // Offered for less since, and a node may still hold the dear one.
  await addAttempt(transaction, { ...original, maxFeePerGas: original.maxFeePerGas + 1n });
  await confirm(ctx, { relayTransactionId: transaction.id });
  expect(await ctx.chain.hasTransaction(original.hash)).toBe(false);
  const [newest] = await listRelayAttempts(ctx.db, transaction.id);
  expect(newest).toMatchObject({ isCancellation: true });
  expect(newest?.maxFeePerGas).toBeGreaterThan(fees.maxFeePerGas);
  await finish(id);
  expect((await findRelayTransaction(ctx.db, transaction.id))?.minedHash).toBe(newest?.hash ?? null);
});

test("a return of an order and a move of the treasury wait while an earlier transaction for them may be mined", async () => {
  const usual = await finishOne();
  const { userId, account } = ada;
  const planned = { requestId: "test", createdAt: new Date() };
  const orderId = await order(ada);
  const owed = { ...planned, orderId, userId: userId ?? "", ordinal: 0, recipient: account.address, amount: 1n };
  const asked = { ...planned, kind: "sweep", token: "EURe", amount: 1n, askedBy: "test", note: "test" } as const;
  const moved = { ...asked, source: ctx.policy.settlementAddress, destination: ctx.policy.treasuryAddress };
  const [returnId, moveId] = [generateId(), generateId()];
  const open = { ...usual, status: "SIGNED", minedHash: null, blockNumber: null, blockHash: null } as const;
  const [returning, moving] = [generateId(), generateId()];
  await ctx.db.transaction(async (tx) => {
    await insertOrderReturn(tx, { id: returnId, ...owed });
    await insertMove(tx, { id: moveId, ...moved });
    const ofReturn = { purpose: "order.return", subjectId: returnId, nonce: usual.nonce + 1_000n } as const;
    await insertRelayTransaction(tx, { ...open, ...ofReturn, id: returning }, []);
    const ofMove = { purpose: "treasury.transfer", subjectId: moveId, nonce: usual.nonce + 1_001n } as const;
    await insertRelayTransaction(tx, { ...open, ...ofMove, id: moving }, []);
  });
  await expect(carryOutReturn(ctx, { returnId })).rejects.toThrow("may still be mined");
  await expect(carryOutMove(ctx, { moveId })).rejects.toThrow("may still be mined");
  for (const id of [returning, moving])
    await ctx.db.update(relayTransactions).set({ status: "REVERTED" }).where(eq(relayTransactions.id, id));
  await carryOutMove(ctx, { moveId });
  expect(await findMove(ctx.db, moveId)).toMatchObject({ status: "FAILED" });
});

describe("two jobs at once", () => {
  test("sign a reserved nonce as one attempt", async () => {
    const { id, transaction } = await signEnqueue();
    // As with a signer outside of this process: the nonce is taken, and nothing is signed yet.
    await ctx.db.delete(relayAttempts).where(eq(relayAttempts.relayTransactionId, transaction.id));
    const { ended } = await whileHeld(lock(transaction), 2);
    const signed = await Promise.all([signReserved(ctx, transaction), signReserved(ctx, transaction)]);
    await ended;
    const [attempt, ...others] = await listRelayAttempts(ctx.db, transaction.id);
    expect(others).toEqual([]);
    expect(signed.map((each) => each?.hash)).toEqual([attempt?.hash, attempt?.hash]);
    await finish(id);
  });

  test("replace a stuck attempt by one, and not before it waited 45 s", async () => {
    const { id, transaction, attempts } = await signEnqueue();
    const [stuck] = attempts;
    if (!stuck) throw new Error("Nothing was signed");
    await replaceStuck(ctx, transaction, stuck, true);
    expect(await listRelayAttempts(ctx.db, transaction.id)).toEqual(attempts);
    const older = { ...stuck, createdAt: new Date(stuck.createdAt.getTime() - 46_000) };
    const { ended } = await whileHeld(lock(transaction), 2);
    await Promise.all([replaceStuck(ctx, transaction, older, true), replaceStuck(ctx, transaction, older, true)]);
    await ended;
    const [replacement, ...others] = await listRelayAttempts(ctx.db, transaction.id);
    expect(others.map(({ hash }) => hash)).toEqual([stuck.hash]);
    expect(replacement?.maxFeePerGas).toBeGreaterThanOrEqual((stuck.maxFeePerGas * 110n) / 100n);
    await finish(id);
  });
});

test("an operation is not refused by a node that lacks a followed block", async () => {
  const { id } = await signEnqueue();
  const head = await ctx.chain.getBlock();
  const lagging = { ...ctx, chain: { ...ctx.chain, getBlock: async () => ({ ...head, number: 0n }) } };
  const item = await getDelay(id);
  await expect(settleRefusedEnqueue(lagging, item, { reason: "NotAuthorized" })).rejects.toThrow(ChainUnavailable);
  await finish(id);
});

test("an operation is refused by no node that lacks the block of the refusal", async () => {
  const { id } = await signEnqueue();
  const { number } = await ctx.chain.getBlock();
  const refusal = { reason: "NotAuthorized", block: number + 100n };
  await expect(settleRefusedEnqueue(ctx, await getDelay(id), refusal)).rejects.toThrow(ChainUnavailable);
  await finish(id);
});

test("an operation that others queued is not refused where the node that is asked for it lacks their block", async () => {
  const { id } = await signEnqueue();
  const item = await getDelay(id);
  await openNode(service.rpcUrl).send({ to: item.delayAddress, data: item.enqueueData });
  const isMessageConsumed: typeof ctx.chain.isMessageConsumed = async (message, block) =>
    block !== undefined && ctx.chain.isMessageConsumed(message, block);
  const lagging = { ...ctx, chain: { ...ctx.chain, isMessageConsumed } };
  await ctx.commit(await settleRefusedEnqueue(lagging, item, { reason: "HashAlreadyConsumed" }));
  expect(await getDelay(id)).toMatchObject({ status: "WAITING", reason: null });
  await finish(id);
});

test("an operation that another job signed does not fail where a node refuses it meanwhile", async () => {
  const body = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
  const { id } = (await ada.call("POST", "/accounts/withdraw", body)).body.data;
  const { safeId } = await getDelay(id);
  const countFailures = () => ctx.db.$count(events, eq(events.eventType, "account.withdrawal.failed"));
  const before = [await countFailures(), await ctx.db.$count(revertedGas)];
  // The other job signs after this one has read the operation, and before the node answers.
  let signing: Promise<void> | null = null;
  const estimateGas = async () => {
    await (signing ??= signBeside(safeId));
    throw new CallReverted({ reason: "NotAuthorized" });
  };
  await relayNext({ ...ctx, chain: { ...ctx.chain, estimateGas } }, { safeId });
  expect(await getDelay(id)).toMatchObject({ status: "QUEUING", reason: null });
  await finish(id);
  expect([await countFailures(), await ctx.db.$count(revertedGas)]).toEqual(before);
});

/** Another job signs the enqueues of a lane whose gathering lasts longer than it may. */
async function signBeside(safeId: string): Promise<void> {
  for (const { address } of ctx.relayers) await endGathering(ctx.db, address);
  await relayNext(ctx, { safeId });
}

test("an operation runs by the chain's time alone: its job waits until the end of the cooldown, and two at once sign it once", async () => {
  // Of its own Safe: the chain's time moves on while the tests before this one run.
  const { id } = await signEnqueue(await openOther());
  await finish(id);
  const head = await getDelay(id);
  if (!head.readyAt) throw new Error("Nothing is queued");
  const readyAt = head.readyAt.getTime() / 1000;
  await node().setNextBlockTimestamp({ timestamp: BigInt(readyAt - 6) });
  await node().mine({ blocks: 1 });
  await dispatch(ctx, { delayId: head.id });
  // A try would have left the chain's refusal as the reason.
  expect(await getDelay(head.id)).toEqual(head);
  const [job] = await ctx.db.execute<{ seconds: string }>(
    sql`select extract(epoch from run_at - updated_at) as seconds from graphile_worker.jobs
      where key = ${`delay.dispatch:${head.id}`}`,
  );
  expect(Number(job?.seconds)).toBeWithin(4, 7);
  await node().setNextBlockTimestamp({ timestamp: BigInt(readyAt) });
  await node().mine({ blocks: 1 });
  const { ended } = await whileHeld((tx) => lockSafe(tx, head.safeId), 2);
  await Promise.all([dispatch(ctx, { delayId: head.id }), dispatch(ctx, { delayId: head.id })]);
  await ended;
  expect(await getDelay(head.id)).toMatchObject({ status: "EXECUTING", reason: null });
  expect(await getTransaction(head.id, "SIGNED")).toMatchObject({ purpose: "delay.dispatch" });
});

test("an operation whose enqueue was removed comes back, however many operations of another Safe stay open", async () => {
  const { id: lasting } = await signEnqueue();
  await finish(lasting);
  const { id } = await signEnqueue(await openOther());
  await finish(id);
  await copyOpen(lasting, 1_500);
  await node().mine({ blocks: 5 });
  const { delayAddress, enqueuedHash } = await getDelay(id);
  const { chain } = ctx;
  const withoutEnqueue: RelayContext["chain"] = {
    ...chain,
    getDelayState: async (delay) => {
      const state = await chain.getDelayState(delay);
      return delay === delayAddress ? { ...state, queueNonce: 0n, head: null } : state;
    },
    findReceipt: async (hash) => (hash === enqueuedHash ? null : chain.findReceipt(hash)),
  };
  const key = "chain.reconcile:100";
  try {
    await until(async () => {
      const [job] = await ctx.db.execute<{ payload: { after?: string } }>(
        sql`select payload from graphile_worker._private_jobs where key = ${key}`,
      );
      await compareQueues({ ...ctx, chain: withoutEnqueue }, job?.payload ?? {});
      return (await getDelay(id)).status === "QUEUING";
    });
  } finally {
    await service.ownerDb.execute(sql`delete from delay_transactions where id like 'copy-%'`);
  }
}, 60_000);

test("a transaction whose settlement takes long is settled by one job, however often the chain is looked at", async () => {
  const { id, transaction, attempts } = await signEnqueue();
  await mine(transaction, attempts[0]?.raw ?? null);
  const held = Promise.withResolvers<void>();
  let begun = 0;
  const settleEnqueue: RelayContext["settlers"]["delay.enqueue"] = async (...input) => {
    begun += 1;
    await held.promise;
    return ctx.settlers["delay.enqueue"](...input);
  };
  const slow = { ...ctx, settlers: { ...ctx.settlers, "delay.enqueue": settleEnqueue } };
  const look = () => confirm(slow, { relayTransactionId: transaction.id });
  const first = look();
  await until(async () => begun === 1);
  const others = Promise.all([look(), look()]);
  await Promise.race([others, Bun.sleep(2_000)]);
  expect(begun).toBe(1);
  // One that fails is followed by a job that waits.
  const key = `relay.confirm:${transaction.id}`;
  expect(await ctx.db.execute(sql`select key from graphile_worker.jobs where key = ${key}`)).toMatchObject([{ key }]);
  held.resolve();
  await Promise.all([first, others]);
  expect(await getTransaction(id, "MINED")).toMatchObject({ id: transaction.id });
  await finish(id);
});

describe("a transaction that a node without it refuses", () => {
  const refuse = async (error: Error) => {
    const { id, transaction, attempts } = await signEnqueue();
    const createdAt = new Date(transaction.createdAt.getTime() - 60_000);
    await ctx.db.update(relayAttempts).set({ createdAt }).where(eq(relayAttempts.relayTransactionId, transaction.id));
    const chain = { ...ctx.chain, hasTransaction: async () => false, broadcast: () => Promise.reject(error) };
    await confirm({ ...ctx, chain }, { relayTransactionId: transaction.id });
    const [stuck] = attempts;
    if (!stuck) throw new Error("Nothing was signed");
    return { id, stuck, after: await listRelayAttempts(ctx.db, transaction.id) };
  };

  test("as too cheap is offered for more", async () => {
    const { id, stuck, after } = await refuse(new ReplacementUnderpriced("transaction underpriced"));
    const [newest, ...others] = after;
    expect(others).toMatchObject([{ hash: stuck.hash, refusal: "transaction underpriced" }]);
    expect(newest?.maxFeePerGas).toBeGreaterThanOrEqual((stuck.maxFeePerGas * 110n) / 100n);
    await finish(id);
  });

  test("for want of money is not offered for more", async () => {
    const { id, stuck, after } = await refuse(new BroadcastRefused("insufficient funds"));
    expect(after).toMatchObject([{ hash: stuck.hash, refusal: "insufficient funds" }]);
    await finish(id);
  });

  const gwei = 10n ** 9n;
  const setBaseFee = async (baseFeePerGas: bigint) => {
    // A block that the node makes at the same moment computes the next one's fee anew.
    await until(async () => {
      await node().setNextBlockBaseFeePerGas({ baseFeePerGas });
      await node().mine({ blocks: 1 });
      return (await ctx.chain.getBlock()).baseFeePerGas === baseFeePerGas;
    });
  };
  const setFunds = async (value: bigint) => {
    for (const { address } of ctx.relayers) await node().setBalance({ address, value });
  };
  /** A node that holds at most one attempt, and refuses all others for want of money. */
  const refuseAt = (baseFeePerGas: bigint, held?: RelayAttempt): RelayContext => {
    const getBlock = async () => ({ ...(await ctx.chain.getBlock()), baseFeePerGas });
    const hasTransaction = async (hash: Hex) => hash === held?.hash;
    const broadcast = () => Promise.reject(new BroadcastRefused("insufficient funds"));
    return { ...ctx, chain: { ...ctx.chain, getBlock, hasTransaction, broadcast } };
  };
  const listAttempts = ({ id }: RelayTransaction) => listRelayAttempts(ctx.db, id);
  /** Another look, also where the node was asked a moment ago. */
  const confirmAgain = async ({ id: relayTransactionId }: RelayTransaction, by: RelayContext = ctx) => {
    const sentLongAgo = { resentAt: new Date(Date.now() - 60_000) };
    await ctx.db.update(relayAttempts).set(sentLongAgo).where(eq(relayAttempts.relayTransactionId, relayTransactionId));
    await confirm(by, { relayTransactionId });
  };

  test("for want of money at fees that are over is offered for the fees of now", async () => {
    await setFunds(10n ** 18n / 2n);
    try {
      await setBaseFee(3_000n * gwei);
      const { id, transaction, attempts } = await signEnqueue();
      await confirmAgain(transaction);
      expect(await listAttempts(transaction)).toMatchObject([{ hash: attempts[0]?.hash, refusal: expect.any(String) }]);
      await setBaseFee(gwei);
      await confirmAgain(transaction);
      const [newest, ...others] = await listAttempts(transaction);
      expect(others.map(({ hash }) => hash)).toEqual(attempts.map(({ hash }) => hash));
      expect(newest?.maxFeePerGas).toBeLessThan(4n * gwei);
      await until(async () => {
        await confirmAgain(transaction);
        return (await findRelayTransaction(ctx.db, transaction.id))?.status === "MINED";
      });
      expect(await getTransaction(id, "MINED")).toMatchObject({ id: transaction.id, minedHash: newest?.hash });
      await finish(id);
    } finally {
      await setFunds(10n ** 20n);
    }
  });

  test("for want of money is offered for the fees of now each time that these fall, and by any clock", async () => {
    const { id, transaction, attempts } = await signEnqueue();
    const look = async (baseFeePerGas: bigint) => {
      await confirmAgain(transaction, refuseAt(baseFeePerGas));
      return (await listAttempts(transaction))[0];
    };
    const moveTo = (attempt: RelayAttempt | undefined, createdAt: Date) =>
      ctx.db
        .update(relayAttempts)
        .set({ createdAt })
        .where(eq(relayAttempts.hash, attempt?.hash ?? "0x"));
    const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    const dear = await addAttempt(transaction, suggestFees({ baseFeePerGas: 3_000n * gwei }));
    await moveTo(attempts[0], minutesFromNow(-20));
    await moveTo(dear, minutesFromNow(5));
    const low = await look(gwei);
    expect(low).toMatchObject(suggestFees({ baseFeePerGas: gwei }));
    expect(await look(gwei)).toMatchObject({ hash: low?.hash });
    await moveTo(dear, minutesFromNow(-10));
    await moveTo(low, minutesFromNow(-5));
    expect((await look(3_000n * gwei))?.maxFeePerGas).toBeGreaterThan(3_000n * gwei);
    // The same base fee as before, and no other bytes would follow from it.
    const lowest = await look(gwei);
    expect(lowest?.maxFeePerGas).toBe((low?.maxFeePerGas ?? 0n) + 1n);
    expect(lowest?.hash).not.toBe(low?.hash);
    expect(await listAttempts(transaction)).toHaveLength(attempts.length + 4);
    await finish(id);
  });

  test("for want of money is not offered for less while the node holds one that can be mined", async () => {
    const { id, transaction, attempts } = await signEnqueue();
    const [held] = attempts;
    const dear = await addAttempt(transaction, suggestFees({ baseFeePerGas: 3_000n * gwei }));
    await confirmAgain(transaction, refuseAt(held?.maxFeePerGas ?? 0n, held));
    expect((await listAttempts(transaction)).map(({ hash }) => hash)).toEqual([dear.hash, held?.hash ?? "0x"]);
    await confirmAgain(transaction, refuseAt((held?.maxFeePerGas ?? 0n) + 1n, held));
    const [newest] = await listAttempts(transaction);
    expect(newest?.maxFeePerGas).toBeLessThan(dear.maxFeePerGas / 2n);
    // Nodes replace the one that they hold for at least a tenth more.
    expect(newest?.maxPriorityFeePerGas).toBeGreaterThanOrEqual(((held?.maxPriorityFeePerGas ?? 0n) * 110n) / 100n);
    await finish(id);
  });

  test("for half a minute, first in its lane, is named by /readyz until the node takes it", async () => {
    const { id, transaction } = await signEnqueue();
    const setResends = (resends: number) =>
      ctx.db
        .update(relayAttempts)
        .set({ resends, refusal: "insufficient funds" })
        .where(eq(relayAttempts.relayTransactionId, transaction.id));
    const readReason = async () => (await checkHealth(service.runtime.services)).parts.relayers.reason ?? "";
    const reason = `The node refuses transaction ${transaction.nonce} of ${transaction.relayer}, and all behind it wait: insufficient funds`;
    await setResends(4);
    expect(await readReason()).not.toContain("refuses transaction");
    await setResends(5);
    expect(await readReason()).toContain(reason);
    await finish(id);
    expect(await readReason()).not.toContain("refuses transaction");
  });
});
