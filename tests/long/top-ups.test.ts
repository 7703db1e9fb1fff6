/** Top-ups of the keys that pay: once for each need, with any number of workers, and never beyond the day's limit. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { relayAttempts, relayTransactions, topUps } from "@cardkeep/db/schema/tables";
import { createContext, type WorkerContext } from "@cardkeep/domain/core/context";
import { checkHealth } from "@cardkeep/domain/operations/health/checkHealth";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { topUpRelayers } from "@cardkeep/domain/chain/topUps/topUpRelayers";
import { createRuntime } from "@cardkeep/runtime/compose";
import { createServiceMetrics } from "@cardkeep/runtime/serviceMetrics";
import { readSettings } from "@cardkeep/runtime/settings";
import { createWorkerKeys } from "@cardkeep/runtime/workerKeys";
import { startWorker } from "@cardkeep/worker/worker";
import { eq } from "drizzle-orm";
import { type Address, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { filled } from "../support/filled.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { reorganise } from "../support/reorganise.ts";
import { type Service, startService } from "../support/service.ts";
import { readWorkerSettings } from "../support/workerSettings.ts";

const privateKey = generatePrivateKey();
const account = privateKeyToAddress(privateKey);
const settings = {
  TOP_UP_PRIVATE_KEY: privateKey,
  TOP_UP_BELOW: "1",
  TOP_UP_TO: "2",
  TOP_UP_PER_DAY_MAX: "5",
};
const restSeconds = 61;
const daySeconds = 86_400;

let service: Service;
let node: ReturnType<typeof openNode>["client"];
let relayer: Address;
let others: readonly Address[];
let stopWorker = async (): Promise<void> => {};
beforeAll(async () => {
  service = await startService({ worker: false, env: settings });
  node = openNode(service.rpcUrl).client;
  const { relayerAddresses, spenderAddress } = service.runtime.services.policy;
  [relayer = spenderAddress] = relayerAddresses;
  others = [...relayerAddresses, spenderAddress].filter((address) => address !== relayer);
});
beforeEach(async () => {
  await stopWorker();
  for (const address of others) await node.setBalance({ address, value: parseEther("100") });
  await node.setBalance({ address: account, value: parseEther("1000") });
});
afterAll(async () => {
  await stopWorker();
  await service.stop();
});

async function runWorker(): Promise<void> {
  const runtime = await createRuntime(readWorkerSettings(service.env), "worker");
  const worker = await startWorker(runtime);
  stopWorker = async () => {
    stopWorker = async () => {};
    await worker.stop();
    await runtime.close();
  };
}

/** What a worker process looks with. */
function openWorker(): WorkerContext {
  const keys = createWorkerKeys(readSettings(service.env), () => {});
  const services = { ...service.runtime.services, ...keys, stopping: new AbortController().signal };
  return createContext(services, { log: service.runtime.log, requestId: "chain" });
}

/** Six looks of two workers at once. */
const look = (): Promise<unknown> =>
  Promise.all([openWorker(), openWorker()].flatMap((ctx) => [1, 2, 3].map(() => topUpRelayers(ctx))));

const advance = (seconds: number) => new Person(service).sandbox("POST", "/chain/advance", { seconds });
const holding = (value: string) => node.setBalance({ address: relayer, value: parseEther(value) });
const readBalance = (address: Address) => node.getBalance({ address });
const findRelayed = (topUpId = "") =>
  service.runtime.db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, topUpId));
const listTopUps = () => service.runtime.db.select().from(topUps).orderBy(topUps.createdAt);
const untilSettled = () => until(async () => (await listTopUps()).every(({ settledAt }) => settledAt !== null));
const readRelayers = async () => (await checkHealth(service.runtime.services)).parts.relayers;
const examine = async () => (await diagnose(service.runtime.services)).find(({ check }) => check === "top-ups");
const sumUp = (rows: readonly { amount: bigint }[]) => rows.reduce((sum, { amount }) => sum + amount, 0n);

test("a relayer below the floor is filled up once, though workers look at once and die before they send", async () => {
  await holding("0.5");
  await look();
  await look();
  const booked = await listTopUps();
  expect(booked.map(({ recipient, amount, settledAt }) => [recipient, amount, settledAt])).toEqual([
    [relayer, parseEther("1.5"), null],
  ]);
  expect(await readBalance(relayer)).toBe(parseEther("0.5"));
  await runWorker();
  await untilSettled();
  expect(await readBalance(relayer)).toBe(parseEther("2"));
  expect(await examine()).toMatchObject({ severity: "ok", text: expect.stringContaining("sent 1.5 of 5 in 24 h") });
});

test("a top-up whose block was removed is sent again as it is, and no second one is booked", async () => {
  const before = await listTopUps();
  await advance(restSeconds);
  await holding("0.9");
  await look();
  await runWorker();
  await untilSettled();
  const sent = (await listTopUps()).at(-1);
  const [mined] = await findRelayed(sent?.id);
  await stopWorker();
  // The node mines a block each second.
  const head = await node.getBlockNumber();
  await reorganise(service, Number(head - (mined?.blockNumber ?? head)) + 2);
  await holding("0.9");
  await advance(restSeconds);
  await look();
  await runWorker();
  await until(
    async () => {
      const [again] = await findRelayed(sent?.id);
      return again?.status === "MINED" && again.blockHash !== mined?.blockHash;
    },
    { timeoutMs: 50_000 },
  );
  const after = await listTopUps();
  expect(after.slice(0, -1)).toEqual(before);
  expect(after.at(-1)?.hash).toBe(sent?.hash ?? null);
  expect(await readBalance(relayer)).toBe(parseEther("2"));
});

test("requests that burn a relayer's gas take no more than the limit from the account, in any 24 hours", async () => {
  await advance(daySeconds + 1);
  await runWorker();
  const before = await listTopUps();
  const held = await readBalance(account);
  for (let burns = 0; burns < 4; burns++) {
    await holding("0");
    await look();
    await untilSettled();
    await advance(restSeconds);
  }
  const sent = (await listTopUps()).slice(before.length);
  expect(sent.map(({ amount }) => amount)).toEqual([parseEther("2"), parseEther("2")]);
  const gas = held - (await readBalance(account)) - sumUp(sent);
  expect(gas).toBeLessThan(parseEther("0.01"));
  const fault = new RegExp(
    `${relayer}: below TOP_UP_BELOW, and the top-up account ${account} cannot .* sent 4 of 5 in 24 h`,
  );
  expect((await readRelayers()).reason).toMatch(fault);
  expect(await examine()).toMatchObject({ severity: "fault", text: expect.stringMatching(fault) });
  const metrics = await createServiceMetrics(service.runtime.services).metrics();
  expect(metrics).toContain(`cardkeep_top_up_starving{account="${account}"} 1`);
  expect(metrics).toContain(`cardkeep_top_up_day_share{account="${account}"} 0.8`);
  await advance(daySeconds);
  await look();
  await untilSettled();
  expect(await readBalance(relayer)).toBe(parseEther("2"));
  expect(await readRelayers()).toEqual({ status: "ok" });
});

test("an account without funds books nothing, and is reported", async () => {
  await advance(restSeconds);
  const before = await listTopUps();
  await node.setBalance({ address: account, value: parseEther("1.99") });
  await holding("0");
  await look();
  expect(await listTopUps()).toEqual(before);
  expect((await readRelayers()).reason).toContain(`the top-up account ${account} cannot fill up: it holds 1.99`);
});

test("a relayer is filled up whose last top-up the node has forgotten", async () => {
  await stopWorker();
  await advance(daySeconds);
  const last = (await listTopUps()).filter(({ recipient }) => recipient === relayer).at(-1);
  const forgotten = {
    hash: `0x${"f0".repeat(32)}`,
    settledAt: new Date(Date.now() - 200 * daySeconds * 1_000),
  } as const;
  await service.runtime.db
    .update(topUps)
    .set(forgotten)
    .where(eq(topUps.id, last?.id ?? ""));
  await holding("0.5");
  await look();
  await runWorker();
  await untilSettled();
  expect(await readBalance(relayer)).toBe(parseEther("2"));
});

test("no nonce of the account is missing, and each was signed before it was sent", async () => {
  const { db } = service.runtime;
  const rows = filled((await db.select().from(relayTransactions)).filter((row) => row.relayer === account));
  const nonces = rows.map(({ nonce }) => Number(nonce)).sort((a, b) => a - b);
  expect(nonces).toEqual(nonces.map((_, place) => place));
  expect(await node.getTransactionCount({ address: account })).toBe(nonces.length);
  const attempts = await db.select().from(relayAttempts);
  expect(rows.every(({ minedHash }) => attempts.some(({ hash }) => hash === minedHash))).toBe(true);
});
