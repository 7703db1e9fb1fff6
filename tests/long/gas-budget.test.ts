/** Owners' contracts that behave in every estimate and burn the gas of blocks, on real contracts. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { buildAddOwner } from "@cardkeep/chain/owners";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { delayTransactions, openRelays, relayAttempts, relaySubjects, revertedGas } from "@cardkeep/db/schema/tables";
import { advanceJobs } from "@cardkeep/db/queue/reschedule";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { desc, eq, isNull, sql } from "drizzle-orm";
import { encodeFunctionData, parseAbi } from "viem";
import { openHostileOwner, queueCall, runQueue } from "../support/attacks.ts";
import { connectStranger, deployTestContract } from "../support/contracts.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const destination = "0x000000000000000000000000000000000000bEEF";
const abi = parseAbi(["function arm()", "function disarm()", "function mint(address to, uint256 amount)"]);
const call = (functionName: "arm" | "disarm") => encodeFunctionData({ abi, functionName });
const gwei = 1_000_000_000n;

let service: Service;
/** All of them use one lane. */
beforeAll(async () => {
  const env = { RELAYER_PRIVATE_KEYS: `0x${"ab".repeat(32)}`, REVERTED_GAS_PER_HOUR_MAX: "0.00001" };
  service = await startService({ env });
  const [relayer] = service.runtime.services.policy.relayerAddresses;
  await openNode(service.rpcUrl).client.setBalance({ address: relayer ?? destination, value: 10n ** 20n });
});
afterAll(() => service.stop());

const node = () => openNode(service.rpcUrl).client;

async function stopMining(): Promise<void> {
  await node().setAutomine(false);
  await node().setIntervalMining({ interval: 0 });
}
async function goOnMining(): Promise<void> {
  await node().mine({ blocks: 1 });
  await node().setIntervalMining({ interval: 1 });
  await node().setAutomine(true);
}

async function openAccount(): Promise<{ person: Person; safe: Address }> {
  const person = new Person(service);
  const safe = (await person.becomeAccountHolder()) as Address;
  await person.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount: "1000" });
  return { person, safe };
}

/** An account with an owner that is an armed wallet. */
async function openBurner(): Promise<{ person: Person; wallet: Address }> {
  const { person, safe } = await openAccount();
  const wallet = await deployTestContract(service.rpcUrl, "ArmedWallet");
  const owner = openHostileOwner(service, person, safe);
  await queueCall(owner, buildAddOwner(owner.addresses.delay, wallet));
  await runQueue(owner);
  return { person, wallet };
}

async function withdraw(person: Person, input: { wallet?: Address; tokenAddress?: string } = {}): Promise<string> {
  const { wallet, tokenAddress = eure } = input;
  const signed = await person.signWithdrawal({ tokenAddress, to: destination, amount: "1" });
  const body = { ...signed, ...(wallet && { smartWalletAddress: wallet }) };
  const answer = await person.call("POST", "/accounts/withdraw", body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

async function getRow(id: string) {
  const [row] = await service.runtime.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
  if (!row) throw new Error(`no row ${id}`);
  return row;
}
const reaches = (id: string, status: string) => until(async () => (await getRow(id)).status === status);

/** The attempts of an operation's transactions, the newest first. */
const listAttempts = (id: string) =>
  service.runtime.db
    .select({ hash: relayAttempts.hash, raw: relayAttempts.raw, broadcastAt: relayAttempts.broadcastAt })
    .from(relayAttempts)
    .innerJoin(relaySubjects, eq(relaySubjects.relayTransactionId, relayAttempts.relayTransactionId))
    .where(eq(relaySubjects.subjectId, id))
    .orderBy(desc(relayAttempts.createdAt));

/** The newest transaction of an operation, once the node has it and none is mined. */
async function untilSent(id: string, count = 1): Promise<Hex> {
  await until(async () => {
    const attempts = await listAttempts(id);
    // A block takes none whose predecessor of the same sender is still to be sent.
    const unsent = await service.runtime.db.$count(relayAttempts, isNull(relayAttempts.broadcastAt));
    return attempts.length >= count && attempts[0]?.broadcastAt != null && unsent === 0;
  });
  const [attempt] = await listAttempts(id);
  if (!attempt) throw new Error("There is no attempt");
  return attempt.hash;
}

/** A stranger's transaction before (50 gwei) or behind (nearly none) those of the relayers, in the same block. */
const send = (to: Address, data: Hex, tip: bigint): Promise<Hex> =>
  connectStranger(service.rpcUrl).sendTransaction({
    chain: null,
    to,
    data,
    gas: 1_000_000n,
    maxFeePerGas: 100n * gwei,
    maxPriorityFeePerGas: tip,
  });

/** No transaction of ours is open. */
const untilConfirmed = () => until(async () => (await service.runtime.db.$count(openRelays)) === 0);

const readCosts = (id: string) => service.runtime.db.select().from(revertedGas).where(eq(revertedGas.subjectId, id));

async function countDueJobs(): Promise<number> {
  const [row] = await service.runtime.db.execute<{ count: number }>(sql`
    select count(*)::int from graphile_worker.jobs where task_identifier = 'delay.relay' and run_at <= now()`);
  return row?.count ?? 0;
}

const findingOf = async (check: string) =>
  (await diagnose(service.runtime.services, { asksProviders: false })).find((each) => each.check === check);

test("a wallet that burns gas in blocks is paid for up to its person's budget, and its operation is queued later", async () => {
  const [burner, other] = [await openBurner(), await openAccount()];
  await stopMining();
  const id = await withdraw(burner.person, { wallet: burner.wallet });
  const hash = await untilSent(id);
  await send(burner.wallet, call("arm"), 50n * gwei);
  await node().mine({ blocks: 1 });
  await goOnMining();
  const receipt = await node().getTransactionReceipt({ hash });
  expect(receipt.status).toBe("reverted");
  await until(async () => (await readCosts(id)).length === 1);
  const [row] = await readCosts(id);
  expect(row?.cost).toBe(receipt.gasUsed * receipt.effectiveGasPrice);

  // Nobody moves the clock, so whatever waited for the budget would wait for ever.
  const theirs = await withdraw(other.person);
  await reaches(theirs, "WAITING");
  expect(await findingOf("reverted gas")).toMatchObject({ severity: "warning" });

  // Also another operation, which makes its Safe looked at, waits: nothing is tried before the hour is over.
  const second = await withdraw(burner.person, { wallet: burner.wallet });
  await other.person.sandbox("POST", "/chain/advance", { seconds: 1_800 });
  await reaches(theirs, "EXECUTED");
  expect(await findingOf("operations")).toMatchObject({ severity: "warning" });
  expect(await listAttempts(id)).toHaveLength(1);
  expect(await listAttempts(second)).toHaveLength(0);
  expect([(await getRow(id)).status, (await getRow(second)).status]).toEqual(["QUEUING", "QUEUING"]);

  await other.person.sandbox("POST", "/chain/advance", { seconds: 1_801 });
  await Promise.all([reaches(id, "WAITING"), reaches(second, "WAITING")]);
}, 120_000);

test("a Safe has one enqueue under way that its contract could refuse, and other people's are signed beside it", async () => {
  const [{ person, wallet }, other] = [await openBurner(), await openAccount()];
  await stopMining();
  const ids: string[] = [];
  for (let count = 0; count < 4; count++) ids.push(await withdraw(person, { wallet }));
  const theirs = await withdraw(other.person);
  await untilSent(theirs);
  await untilSent(ids[0] ?? "");
  // The Safe is looked at again, and again.
  for (let look = 0; look < 2; look++) {
    await service.runtime.db.transaction((tx) => advanceJobs(tx, 10));
    await until(async () => (await countDueJobs()) === 0);
  }
  expect((await Promise.all(ids.map(listAttempts))).map(({ length }) => length)).toEqual([1, 0, 0, 0]);
  await goOnMining();
  for (const id of ids) {
    await other.person.sandbox("POST", "/chain/advance", { seconds: 10 });
    await reaches(id, "WAITING");
  }
}, 120_000);

test("a token that burns gas in blocks is tried once, and once more shortly before its entry expires", async () => {
  const { person, safe } = await openAccount();
  const tokenAddress = await deployTestContract(service.rpcUrl, "ArmedToken");
  const mint = encodeFunctionData({ abi, functionName: "mint", args: [safe, 10n] });
  await openNode(service.rpcUrl).send({ to: tokenAddress, data: mint });
  const id = await withdraw(person, { tokenAddress });
  await reaches(id, "WAITING");
  await stopMining();
  await person.sandbox("POST", "/chain/advance", { seconds: 181 });
  const hash = await untilSent(id, 2);
  await send(tokenAddress, call("arm"), 50n * gwei);
  await node().mine({ blocks: 1 });
  await goOnMining();
  expect((await node().getTransactionReceipt({ hash })).status).toBe("reverted");
  await until(async () => (await readCosts(id)).length === 1);
  await person.sandbox("POST", "/chain/advance", { seconds: 1_200 });
  await until(async () => (await getRow(id)).reason !== null);
  expect(await listAttempts(id)).toHaveLength(2);
  await person.sandbox("POST", "/chain/advance", { seconds: 550 });
  await reaches(id, "EXECUTED");
}, 120_000);

test("a transaction that another sender of the same message overtook does not count", async () => {
  const { person } = await openAccount();
  await stopMining();
  const id = await withdraw(person);
  const hash = await untilSent(id);
  const { delayAddress, enqueueData } = await getRow(id);
  await send(delayAddress, enqueueData, 50n * gwei);
  await node().mine({ blocks: 1 });
  await goOnMining();
  expect((await node().getTransactionReceipt({ hash })).status).toBe("reverted");
  await reaches(id, "WAITING");
  await untilConfirmed();
  expect(await readCosts(id)).toEqual([]);
}, 120_000);

test("one that burned its gas counts, also where the owner sends the same message behind it in the same block", async () => {
  const { person, wallet } = await openBurner();
  await stopMining();
  const id = await withdraw(person, { wallet });
  const hash = await untilSent(id);
  const { delayAddress, enqueueData } = await getRow(id);
  await send(wallet, call("arm"), 50n * gwei);
  // The node orders by the highest fee that a sender would pay, and ours pays a little more than a gwei.
  const client = node();
  const fees = { gas: 1_000_000n, maxFeePerGas: gwei, maxPriorityFeePerGas: 1n };
  await client.setBalance({ address: destination, value: 10n ** 18n });
  await client.impersonateAccount({ address: destination });
  await client.sendTransaction({ account: destination, chain: null, to: wallet, data: call("disarm"), ...fees });
  await client.sendTransaction({ account: destination, chain: null, to: delayAddress, data: enqueueData, ...fees });
  await client.mine({ blocks: 1 });
  await goOnMining();
  expect((await client.getTransactionReceipt({ hash })).status).toBe("reverted");
  await reaches(id, "WAITING");
  await untilConfirmed();
  expect(await readCosts(id)).toHaveLength(1);
}, 120_000);

test("an owner's own entries that use much gas count in the person's budget, and the next one waits for it", async () => {
  const { person, safe } = await openAccount();
  const owner = openHostileOwner(service, person, safe);
  // It reads a word so far away that memory up to there costs 300,000 gas.
  const to = "0x00000000000000000000000000000000000de400";
  await node().setCode({ address: to, bytecode: "0x6205aa005100" });
  for (let count = 0; count < 2; count++) await queueCall(owner, { to, value: 0n, data: "0x" });
  const id = await withdraw(person);
  await reaches(id, "WAITING");
  await owner.advance(181);
  await until(async () => (await getRow(id)).reason?.includes("queued past the service") === true);
  const [cost, ...others] = await readCosts(id);
  expect([cost?.userId === person.userId, others]).toEqual([true, []]);
  // Its enqueue, and the first entry.
  expect(await listAttempts(id)).toHaveLength(2);
  await runQueue(owner);
  await until(async () => (await owner.advance(30), (await getRow(id)).status === "EXECUTED"), { everyMs: 2_000 });
}, 120_000);

test("an owner's own entry that wastes gas is not executed for the operator's gas: the operation behind it waits", async () => {
  const { person, safe } = await openAccount();
  const owner = openHostileOwner(service, person, safe);
  const to = await deployTestContract(service.rpcUrl, "WastefulReceiver");
  await queueCall(owner, { to, value: 0n, data: "0x" });
  const id = await withdraw(person);
  await reaches(id, "WAITING");
  await owner.advance(181);
  await until(async () => (await getRow(id)).reason === "It needs more gas than is paid for");
  // Its enqueue alone.
  expect(await listAttempts(id)).toHaveLength(1);
  await runQueue(owner);
  // A look that began before the queue ran may be put off for as long as the head was ready.
  const isExecuted = async () => {
    await owner.advance(60);
    return (await getRow(id)).status === "EXECUTED";
  };
  await until(isExecuted, { everyMs: 2_000 });
}, 120_000);
