import { afterAll, beforeAll, expect, test } from "bun:test";
import { buildAddOwner } from "@cardkeep/chain/owners";
import { beginResend } from "@cardkeep/db/queries/chain/relay/attempts";
import { delayTransactions, relayAttempts, relayTransactions, safes } from "@cardkeep/db/schema/tables";
import { gatherLane } from "@cardkeep/domain/accounts/delays/batch";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { and, eq, gt, sql } from "drizzle-orm";
import { createWalletClient, encodeFunctionData, http, maxUint256, parseAbi, publicActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const destination = "0x000000000000000000000000000000000000bEEF";
const delayAbi = parseAbi([
  "function invalidate(bytes32 hash)",
  "function setTxCooldown(uint256 cooldown)",
  "function setTxExpiration(uint256 expiration)",
]);

let service: Service;
let people: Person[];
let worker: Worker | null = null;
/** Earlier signatures do not belong to the test. */
let since: Date;

beforeAll(async () => {
  // One relayer: all Safes use its lane.
  service = await startService({ worker: false, env: { RELAYER_PRIVATE_KEYS: `0x${"ab".repeat(32)}` } });
  const [relayer] = service.runtime.services.policy.relayerAddresses;
  await openNode(service.rpcUrl).client.setBalance({ address: relayer ?? destination, value: 10n ** 20n });
  await resume();
  people = await Promise.all([1, 2, 3].map(() => openAccount()));
  await pause();
});
afterAll(async () => {
  await pause();
  await service.stop();
});

async function openAccount(): Promise<Person> {
  const person = new Person(service);
  const address = await person.becomeAccountHolder();
  await person.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
  const gas = { address: person.account.address, token: "native", amount: "1000000000000000000" };
  await person.sandbox("POST", "/chain/faucet", gas);
  return person;
}
async function resume(): Promise<void> {
  worker ??= await startWorker(service.runtime);
}
async function pause(): Promise<void> {
  await worker?.stop();
  worker = null;
}

/** One accepted operation per Safe, without a worker; all of them are equal. */
async function submitAll(): Promise<string[]> {
  since = new Date();
  return Promise.all(people.map(submit));
}
async function submit(person: Person): Promise<string> {
  const signed = await person.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
  return (await person.call("POST", "/accounts/withdraw", signed)).body.data.id;
}
async function getRow(id: string | undefined) {
  const [row] = await service.runtime.db
    .select()
    .from(delayTransactions)
    .where(eq(delayTransactions.id, id ?? ""));
  if (!row) throw new Error(`no row ${id}`);
  return row;
}
const reaches = (id: string | undefined, status: string) => until(async () => (await getRow(id)).status === status);
const listEnqueues = () =>
  service.runtime.db
    .select()
    .from(relayTransactions)
    .where(and(eq(relayTransactions.purpose, "delay.enqueue"), gt(relayTransactions.createdAt, since)));

/** Makes an owner invalidate its signed message, with a higher fee than the relay's. */
async function invalidate(person: Person | undefined, id: string | undefined): Promise<`0x${string}`> {
  const { delayAddress, messageHash } = await getRow(id);
  const account = person?.account;
  if (!account) throw new Error("There is no person");
  return createWalletClient({ account, transport: http(service.rpcUrl) })
    .extend(publicActions)
    .writeContract({
      address: delayAddress,
      abi: delayAbi,
      functionName: "invalidate",
      args: [messageHash],
      gas: 100_000n,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 50_000_000_000n,
      chain: null,
    });
}

/** Lets the worker send its enqueue, and an owner invalidate a message of it before it in its block. */
async function invalidateBefore(person: Person | undefined, id: string | undefined): Promise<void> {
  const { client } = openNode(service.rpcUrl);
  await client.setAutomine(false);
  await client.setIntervalMining({ interval: 0 });
  await resume();
  const isSent = async () => {
    const [enqueue] = await listEnqueues();
    const attempts = service.runtime.db.select().from(relayAttempts);
    const [attempt] = enqueue ? await attempts.where(eq(relayAttempts.relayTransactionId, enqueue.id)) : [];
    return attempt?.broadcastAt != null;
  };
  await until(isSent);
  await invalidate(person, id);
  await client.mine({ blocks: 1 });
  await client.setIntervalMining({ interval: 1 });
  await client.setAutomine(true);
}

test("operations of several Safes are enqueued by one transaction, each in its own queue", async () => {
  const ids = [...(await submitAll()), ...(await submitAll())];
  await resume();
  await Promise.all(ids.map((id) => reaches(id, "WAITING")));
  const rows = await Promise.all(ids.map(getRow));
  expect(new Set(rows.map(({ enqueuedHash }) => enqueuedHash)).size).toBe(1);
  expect(rows.map(({ queueNonce }) => queueNonce)).toEqual([0n, 0n, 0n, 1n, 1n, 1n]);
  await pause();
  // Only the first of each queue has a job at the end of its cooldown; its end moves the job of the next to that moment.
  const jobs = await service.runtime.db.execute<{ key: string; seconds: number }>(sql`
    select key, round(extract(epoch from run_at - min(run_at) over ()))::int as seconds from graphile_worker._private_jobs
    where key like 'delay.dispatch:%'`);
  const secondsOf = (id: string) => jobs.find(({ key }) => key === `delay.dispatch:${id}`)?.seconds;
  expect(ids.map(secondsOf)).toEqual([0, 0, 0, 61, 61, 61]);
});

test("a person's first operation is in the next batch, however many others have accepted before", async () => {
  const [first, behind] = await submitAll();
  const { db } = service.runtime;
  // As if one person had asked for three hundred before.
  await db.execute(sql`
    insert into delay_transactions (id, sequence, safe_id, user_id, kind, "to", value, data, operation, delay_address, signer,
      message_hash, enqueue_data, status, enqueue_task_id, request_id, created_at, updated_at)
    overriding system value select 'many-' || n, -n, safe_id, user_id, kind, "to", value, data, operation, delay_address, signer,
      message_hash || n, enqueue_data, status, 'many-' || n, request_id, created_at, updated_at
    from delay_transactions, generate_series(1, 300) n where id = ${first}`);
  const ctx = createWorkerContext(service.runtime);
  const [relayer] = ctx.relayers;
  if (!relayer) throw new Error("no relayer");
  const batch = await gatherLane(ctx, () => relayer, { relayer, held: new Map() });
  expect(batch).toHaveLength(25);
  expect(batch.slice(0, 3).map(({ id }) => id)).toContain(behind ?? "");
  expect(new Set(batch.slice(0, 3).map(({ userId }) => userId)).size).toBe(3);
  await db.execute(sql`delete from delay_transactions where id like 'many-%'`);
  await resume();
  await reaches(behind, "WAITING");
  await pause();
});

test("one that the chain rejects is sent separately, and the others travel on", async () => {
  const [first, second, third] = await submitAll();
  const hash = await invalidate(people[1], second);
  await openNode(service.rpcUrl).waitForReceipt(hash);
  await resume();
  await Promise.all([reaches(first, "WAITING"), reaches(second, "FAILED"), reaches(third, "WAITING")]);
  expect((await getRow(second)).reason).toBe("The signer invalidated the signed message");
  expect((await getRow(first)).enqueuedHash).toBe((await getRow(third)).enqueuedHash);
  expect(await listEnqueues()).toHaveLength(1);
  await pause();
});

test("one that fails in the transaction itself affects no other, and is never sent again", async () => {
  const ids = await submitAll();
  const [first, second, third] = ids;
  await invalidateBefore(people[1], second);
  await Promise.all([reaches(first, "WAITING"), reaches(second, "FAILED"), reaches(third, "WAITING")]);
  expect((await getRow(second)).reason).toBe("The signer invalidated the signed message");
  const enqueues = await listEnqueues();
  expect(enqueues.map(({ status }) => status)).toEqual(["MINED"]);
  expect((await getRow(first)).enqueuedHash).toBe(enqueues[0]?.minedHash ?? null);
});

test("equal operations of one Safe, one of which fails in the transaction itself: each has its own entry", async () => {
  await pause();
  // Operations of the second one may wait, because a block refused one before.
  const [other, , person] = people;
  if (!other || !person) throw new Error("There is no person");
  since = new Date();
  const ofOther = await submit(other);
  const invalidated = await submit(person);
  const equal = [await submit(person), await submit(person)];
  await invalidateBefore(person, invalidated);
  await Promise.all([reaches(invalidated, "FAILED"), ...[ofOther, ...equal].map((id) => reaches(id, "WAITING"))]);
  const [second, third] = await Promise.all(equal.map(getRow));
  expect((second?.queueNonce ?? 0n) + 1n).toBe(third?.queueNonce ?? 0n);
  expect((await listEnqueues()).map(({ status }) => status)).toEqual(["MINED"]);
});

test("a message that two owners of a Safe sign is accepted once, and no other operation waits for it", async () => {
  await pause();
  const [ada] = people;
  if (!ada) throw new Error("There is no person");
  const transfer = { tokenAddress: eure, to: destination, amount: "1" };
  const { body } = await ada.call("GET", `/accounts/withdraw/transaction-data?${new URLSearchParams(transfer)}`);
  const second = privateKeyToAccount(generatePrivateKey());
  const { address: safe } = (await ada.call("GET", "/safe/config")).body;
  const delay = body.data.domain.verifyingContract;
  await openNode(service.rpcUrl).sendAs(safe, buildAddOwner(delay, second.address));
  const submit = async (owner: typeof second) => {
    const signature = await owner.signTypedData(body.data);
    return ada.call("POST", "/accounts/withdraw", { ...transfer, signature, message: body.data.message });
  };
  const accepted = await submit(ada.account);
  const repeated = await submit(second);
  const others = await submitAll();
  await resume();
  await Promise.all([accepted.body.data.id, ...others].map((id) => reaches(id, "WAITING")));
  expect(repeated).toMatchObject({ status: 409, body: { error: "This signed message was already submitted" } });
});

test("periods that an owner set to never and to for ever concern its own operations alone, and never is no expiry", async () => {
  await pause();
  const set = async (person: Person | undefined, functionName: "setTxCooldown" | "setTxExpiration", value: bigint) => {
    const { address: safe } = (await person?.call("GET", "/safe/config"))?.body ?? {};
    const [row] = await service.runtime.db.select().from(safes).where(eq(safes.address, safe));
    const data = encodeFunctionData({ abi: delayAbi, functionName, args: [value] });
    await openNode(service.rpcUrl).sendAs(safe, { to: row?.delayAddress ?? safe, data });
  };
  await set(people[0], "setTxExpiration", 0n);
  await set(people[1], "setTxCooldown", maxUint256);
  const ids = await submitAll();
  await resume();
  await Promise.all(ids.map((id) => reaches(id, "WAITING")));
  expect((await getRow(ids[0])).expiresAt).toBeNull();
  await people[0]?.sandbox("POST", "/chain/advance", { seconds: 900 });
  await Promise.all([reaches(ids[0], "EXECUTED"), reaches(ids[2], "EXECUTED")]);
  expect((await getRow(ids[1])).status).toBe("WAITING");
});

test("a transaction that the node refused for hours is sent again as before", async () => {
  const { db } = service.runtime;
  const [attempt] = await db
    .update(relayAttempts)
    .set({ resends: 100_000, resentAt: sql`now() - interval '17 seconds'` })
    .where(eq(relayAttempts.hash, db.select({ hash: relayAttempts.hash }).from(relayAttempts).limit(1)))
    .returning();
  if (!attempt) throw new Error("There is no attempt");
  expect(await beginResend(db, attempt, 4)).toBe(true);
  expect(await beginResend(db, attempt, 4)).toBe(false);
});
