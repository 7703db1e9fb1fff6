/** Relayers leave service and come back while people withdraw; a worker dies in between. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  openRelays,
  relayAttempts,
  relayers,
  relaySubjects,
  relayTransactions,
  safes,
} from "@cardkeep/db/schema/tables";
import { retireLane } from "@cardkeep/db/queries/chain/relay/laneStates";
import { development } from "@cardkeep/runtime/development";
import type { Address } from "@cardkeep/contract/core/primitives";
import { eq } from "drizzle-orm";
import { parseEther } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { runCli, runCliOn } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { openNode } from "../support/node.ts";
import type { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";
import { openPayers, startWithdrawals, untilExecuted, type WithdrawalLoad } from "../support/withdrawalLoad.ts";
import { createWorkerInTurn } from "../support/workerInTurn.ts";

const keys = development.RELAYER_PRIVATE_KEYS.split(",") as `0x${string}`[];
const addresses = keys.map((key) => privateKeyToAddress(key));

let service: Service;
let first: AppProcess;
let payers: Person[];
/** The relayer of the first payer's Safe, and the other one. */
let drained: Address;
let other: Address;
const { restart, stop: stopWorker } = createWorkerInTurn();
beforeAll(async () => {
  // The test moves these keys itself.
  service = await startService({ worker: false, env: { RELAYER_PRIVATE_KEYS: development.RELAYER_PRIVATE_KEYS } });
  first = await spawnApp("worker", { ...service.env, LOG_LEVEL: "info" });
  await first.ready("taking jobs");
  payers = await openPayers(service, { people: 2, withdrawalsMax: 20 });
  const [row] = await db()
    .select({ relayer: relayTransactions.relayer })
    .from(relayTransactions)
    // Deployments may share a transaction.
    .innerJoin(relaySubjects, eq(relaySubjects.relayTransactionId, relayTransactions.id))
    .innerJoin(safes, eq(safes.id, relaySubjects.subjectId))
    .where(eq(safes.userId, payers[0]?.userId ?? ""))
    .limit(1);
  drained = row?.relayer ?? "0x";
  other = addresses.find((address) => address !== drained) ?? "0x";
});
afterAll(async () => {
  await stopWorker();
  first.kill("SIGKILL");
  await first.exited;
  await service.stop();
});

const db = () => service.runtime.db;
const node = () => openNode(service.rpcUrl).client;
const keyOf = (address: Address) => keys[addresses.indexOf(address)] ?? "";
const withKeyOf = (address: Address) => ({ ...service.env, RELAYER_PRIVATE_KEYS: keyOf(address) });

async function stopMining(): Promise<void> {
  await node().setAutomine(false);
  await node().setIntervalMining({ interval: 0 });
}
async function startMining(): Promise<void> {
  await node().setAutomine(true);
  await node().setIntervalMining({ interval: 1 });
  await node().mine({ blocks: 1 });
}

const relayer = (verb: string, address: Address) => runCliOn(service.runtime, "relayers", verb, address);
async function list(env: Record<string, string> = service.env) {
  const { out } = await runCli(env, "relayers", "list", "--json");
  const rows: { address: Address; state: string; isConfigured: boolean; openCount: number }[] = JSON.parse(out);
  return new Map(rows.map((row) => [row.address, row]));
}
const readLane = async (address: Address) =>
  (await db().select().from(relayers).where(eq(relayers.address, address)))[0];
const countOpen = (address: Address) => db().$count(openRelays, eq(openRelays.relayer, address));
const withdraw = (people: Person[], withdrawalsMax: number) =>
  startWithdrawals(people, { withdrawalsMax, pauseMs: 10 });
async function finish(load: WithdrawalLoad, count: number): Promise<void> {
  await until(() => load.countAcknowledged() === count);
  await load.stop();
  expect(load.surprises).toEqual([]);
  expect(await untilExecuted(service, load)).toEqual(Array.from({ length: count }, () => 1n));
}
/** What a command prints of a relayer whose state it changed. */
const isNow = (state: string) => ({
  code: 0,
  out: expect.stringMatching(new RegExp(`^Address +${drained}\nState +${state}\n$`)),
});
/** What the doctor says of the relayers under these settings. */
async function examine(env: Record<string, string>): Promise<{ severity: string; text: string }> {
  const { out } = await runCli(env, "doctor", "--json");
  const found = JSON.parse(out).checks.find(({ check }: { check: string }) => check === "relayers");
  return { severity: found.severity, text: found.text };
}

test("a drained relayer finishes what has a nonce, takes no other, and is retired, although the worker dies", async () => {
  await stopMining();
  const load = withdraw(payers, 3);
  await until(async () => (await countOpen(drained)) > 0);
  expect(await relayer("drain", drained)).toMatchObject(isNow("draining"));
  first.kill("SIGKILL");
  await first.exited;
  const before = await readLane(drained);
  expect((await list()).get(drained)).toMatchObject({ state: "DRAINING", isConfigured: true });
  expect(await countOpen(drained)).toBeGreaterThan(0);
  // Asked at any time, it is not retired before its last transaction is final.
  expect(await retireLane(db(), drained)).toBe(false);
  expect((await readLane(drained))?.state).toBe("DRAINING");
  await restart(service.env);
  await startMining();
  await until(async () => (await readLane(drained))?.state === "RETIRED");
  await finish(load, 6);
  const after = await readLane(drained);
  expect(after).toMatchObject({ state: "RETIRED", nextNonce: before?.nextNonce ?? -1n });
  expect(BigInt(await node().getTransactionCount({ address: drained }))).toBe(after?.nextNonce ?? -1n);
  expect(await relayer("drain", drained)).toMatchObject(isNow("retired"));
});

test("its key leaves the settings without a loss, and its Safes withdraw by the other relayer", async () => {
  expect((await examine(service.env)).text).toContain(`remove from the settings what is retired: ${drained}`);
  await restart(withKeyOf(other));
  await finish(withdraw(payers, 1), 2);
  expect(await examine(withKeyOf(other))).toMatchObject({ severity: "ok" });
  expect((await list(withKeyOf(other))).get(drained)).toMatchObject({ state: "RETIRED", isConfigured: false });
});

test("a retired relayer sends its funds to the treasury once, and keeps about three fees", async () => {
  await restart(service.env);
  const { treasuryAddress } = service.runtime.services.policy;
  const read = (address: Address) => node().getBalance({ address });
  const [held, before] = [await read(drained), await read(treasuryAddress)];
  expect(await relayer("sweep", other)).toMatchObject({ code: 1 });
  await Promise.all([relayer("sweep", drained), relayer("sweep", drained)]);
  await until(async () => (await read(treasuryAddress)) > before);
  const left = await read(drained);
  expect(left).toBeLessThan(parseEther("0.001"));
  const paid = (await read(treasuryAddress)) - before;
  expect(paid + left).toBeLessThan(held);
  expect(paid + left).toBeGreaterThan(held - parseEther("0.001"));
  await until(async () => (await countOpen(drained)) === 0);
  const sweeps = await db().select().from(relayTransactions).where(eq(relayTransactions.purpose, "relayer.sweep"));
  expect(sweeps.map(({ status }) => status)).toEqual(["MINED"]);
  await node().setBalance({ address: drained, value: parseEther("10") });
});

test("it comes back, and of two operators who drain one relayer each, one is refused", async () => {
  expect(await relayer("undrain", drained)).toMatchObject(isNow("active"));
  const answers = await Promise.all(addresses.map((address) => relayer("drain", address)));
  expect(answers.map(({ code }) => code).toSorted()).toEqual([0, 1]);
  expect(answers.map(({ err }) => err).join("")).toContain("No other relayer takes transactions");
  for (const address of filled(addresses)) expect(await relayer("undrain", address)).toMatchObject({ code: 0 });
  const used = await readLane(drained);
  await finish(withdraw(payers.slice(0, 1), 1), 1);
  expect((await readLane(drained))?.nextNonce).toBeGreaterThan(used?.nextNonce ?? 0n);
  const unknown = privateKeyToAddress(`0x${"7".repeat(64)}`);
  expect((await relayer("drain", unknown)).err).toContain("No relayer of the settings has this address");
  const { spenderAddress } = service.runtime.services.policy;
  expect((await relayer("drain", spenderAddress)).err).toContain("Only a relayer can be drained");
});

test("a key that leaves the settings too early stops neither the other lane nor itself once it is back", async () => {
  await stopMining();
  const load = withdraw(payers.slice(0, 1), 1);
  await until(async () => (await countOpen(drained)) > 0);
  await stopWorker();
  // As after a worker that died before the signer answered: the nonce is reserved, and nothing was signed.
  const [open] = await db().select().from(openRelays).where(eq(openRelays.relayer, drained));
  const id = open?.relayTransactionId ?? "";
  const attempts = await db().delete(relayAttempts).where(eq(relayAttempts.relayTransactionId, id)).returning();
  for (const { hash } of attempts) await node().dropTransaction({ hash });
  await startMining();
  await restart(withKeyOf(other));
  await until(async () => load.countAcknowledged() === 1);
  await load.stop();
  const others = await openPayers(service, { people: 1, withdrawalsMax: 1 });
  const served = withdraw(others, 1);
  await until(() => served.countAcknowledged() === 1);
  await served.stop();
  expect(await countOpen(drained)).toBe(1);
  const fault = { severity: "fault", text: expect.stringContaining(`${drained} has 1 open transactions and is in no`) };
  expect(await examine(withKeyOf(other))).toMatchObject(fault);
  await restart(service.env);
  expect(await untilExecuted(service, load)).toEqual([1n]);
  expect(await untilExecuted(service, served)).toEqual([1n]);
});
