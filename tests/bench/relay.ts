/**
 * `relay.enqueue`: the delay relay, from accepted operations to the queues on chain.
 *
 * The node mines like Gnosis Chain: 17 million gas per block, every second. So the blocks are the node's limit, and the
 * baseline reaches it: the same enqueues, signed beforehand and sent without a wait.
 */
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { Executor } from "@cardkeep/db/client";
import { enqueueAll } from "@cardkeep/db/queue/enqueue";
import { delayTransactions } from "@cardkeep/db/schema/tables";
import { asc, eq, sql } from "drizzle-orm";
import type { PrivateKeyAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openNode } from "../support/node.ts";
import { until } from "../support/poll.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { productionWorker } from "../support/workerSettings.ts";
import { readFilledBlocks } from "./filledBlocks.ts";
import { type Benchmark, type Measure, median, type Run } from "./measure.ts";
import { acceptWithdrawals, startWorld, type World } from "./world.ts";

export const people = 30;
const perPerson = 20;
const blockSeconds = 1;
export const blockGas = 17_000_000n;
const enqueueGas = 200_000n;
const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
/** A relayer that awaits each receipt sends one per block: a few are enough to measure it. */
const awaitedCount = 4;
const enqueueTarget = 0.85;
const awaitedTarget = 5;

export const relay: Benchmark = {
  names: ["relay.enqueue"],
  measure: measureEnqueue,
};

export type Node = ReturnType<typeof openNode>;

/** Switches the node to mining by the clock alone. */
export async function mineByClock({ client }: Node): Promise<void> {
  await client.setAutomine(false);
  await client.setBlockGasLimit({ gasLimit: blockGas });
  await client.setIntervalMining({ interval: blockSeconds });
}

async function measureEnqueue(run: Run): Promise<Measure[]> {
  run.printProgress(`${people} account holders`);
  const world = await startWorld({ people });
  const node = openNode(world.service.rpcUrl);
  run.printProgress(`${people * perPerson} accepted operations`);
  await acceptOperations(world);
  await mineByClock(node);
  const oneKey = world.relayerKeys.slice(0, 1);
  const ways = {
    baseline: () => sendAtOnce(world, node, world.relayerKeys),
    awaited: () => awaitEach(world, node, oneKey),
    relay: () => relayAll(world, world.relayerKeys),
    "relay with one key": () => relayAll(world, oneKey),
  };
  const rates: Record<keyof typeof ways, number[]> = { baseline: [], awaited: [], relay: [], "relay with one key": [] };
  for (let round = 1; round <= run.options.rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      run.printProgress(`relay.enqueue: ${name}, round ${round} of ${run.options.rounds}`);
      const id = await node.client.snapshot();
      const after = await node.client.getBlockNumber({ cacheTime: 0 });
      const rate = await way();
      rates[name as keyof typeof ways].push(rate);
      const { percents } = await readFilledBlocks(node.client, after);
      run.note(`relay.enqueue: ${name}, ${rate.toFixed(0)} op/s, percent of each block: ${percents.join(" ")}`);
      await node.client.revert({ id });
      await restore(world);
    }
  }
  const over = (baseline: number[]) => rates.relay.map((rate, round) => rate / (baseline[round] ?? Number.NaN));
  const [ratios, times] = [over(rates.baseline), over(rates.awaited)];
  run.note(
    `relay.enqueue: ${people * perPerson} operations of ${people} Safes, a block of ${blockGas} gas each second`,
  );
  run.note(
    `relay.enqueue: ${median(times).toFixed(0)} times a relayer that awaits each receipt; to reach: ${awaitedTarget}`,
  );
  run.note(`relay.enqueue: with one relayer key ${median(rates["relay with one key"]).toFixed(0)} op/s`);
  return [
    {
      name: "relay.enqueue",
      ratio: median(ratios),
      value: median(rates.relay),
      unit: "op/s",
      baseline: median(rates.baseline),
      spread: [Math.min(...ratios), Math.max(...ratios)],
      target: `ratio >= ${enqueueTarget}`,
      met: median(ratios) >= enqueueTarget && median(times) >= awaitedTarget,
    },
  ];
}

/** Submits all people's operations and saves their rows. */
export async function acceptOperations(world: World): Promise<void> {
  await acceptWithdrawals(world, perPerson);
  await world.service.ownerDb.execute(sql`create table accepted as select * from delay_transactions`);
}

/** Deletes the accepted operations and everything that followed from them; other rows stay. */
export async function forget({ service, relayerKeys }: World): Promise<void> {
  // The service's role may not truncate, nor make a table.
  const db = service.ownerDb;
  const addresses = JSON.stringify(relayerKeys.map((key) => privateKeyToAccount(key).address));
  const ours = sql`(select json_array_elements_text(${addresses}::json))`;
  const relayed = sql`select id from relay_transactions where relayer in ${ours}`;
  await db.execute(sql`delete from relay_attempts where relay_transaction_id in (${relayed})`);
  await db.execute(sql`delete from relay_subjects where relay_transaction_id in (${relayed})`);
  await db.execute(sql`delete from relay_transactions where id in (${relayed})`);
  await db.execute(sql`delete from relay_nonces where relayer in ${ours}`);
  await db.execute(sql`delete from open_relays where relayer in ${ours}`);
  await db.execute(sql`delete from relayers where address in ${ours}`);
  await db.execute(sql`delete from delay_transactions where id in (select id from accepted)`);
  await db.execute(sql`delete from events where user_id in (select user_id from accepted)`);
  await db.execute(sql`truncate chain_blocks, chain_cursor, foreign_entries`);
  await db.execute(sql`delete from graphile_worker._private_jobs where run_at < now() + interval '1 day'`);
}

/** Restores the rows for the next round: accepted, without any later step. */
export async function restore(world: World): Promise<void> {
  await forget(world);
  await insertAccepted(world.service.ownerDb);
}

const insertAccepted = (on: Executor) =>
  on.execute(sql`insert into delay_transactions overriding system value select * from accepted`);

export const nameKeys = (keys: readonly Hex[]) => ({ RELAYER_PRIVATE_KEYS: keys.join(",") });

/** Operations per second of the relay with these keys. */
export const relayAll = (world: World, keys: readonly Hex[]): Promise<number> => relayWith(world, nameKeys(keys));

/**
 * The same with keys or signers as settings: all operations are accepted in one commit beside an idle worker, just after a
 * block, and the last one is WAITING at the end.
 */
export async function relayWith(world: World, settings: Record<string, string>): Promise<number> {
  const { service } = world;
  const db = service.ownerDb;
  await forget(world);
  const worker = await startRelay({ ...service.env, ...settings });
  try {
    await awaitBlock(openNode(service.rpcUrl));
    const startedAt = performance.now();
    await db.transaction(async (tx) => {
      await insertAccepted(tx);
      const accounts = await tx.execute<{ safeId: string }>(sql`select distinct safe_id as "safeId" from accepted`);
      const jobs = accounts.map(({ safeId }) => ({ payload: { safeId, requestId: "bench" } }));
      await enqueueAll(tx, "delay.relay", jobs);
    });
    const isQueuing = eq(delayTransactions.status, "QUEUING");
    await until(async () => (await db.$count(delayTransactions, isQueuing)) === 0, { timeoutMs: 120_000, everyMs: 20 });
    return (people * perPerson * 1000) / (performance.now() - startedAt);
  } finally {
    worker.kill("SIGKILL");
    await worker.exited;
  }
}

/** Resolves just after the next block, so that every way begins at the same distance from its first one. */
export async function awaitBlock({ client }: Node): Promise<void> {
  const before = await client.getBlockNumber({ cacheTime: 0 });
  await until(async () => (await client.getBlockNumber({ cacheTime: 0 })) > before, { everyMs: 10 });
}

export async function startRelay(env: Record<string, string>): Promise<AppProcess> {
  const worker = await spawnApp("worker", { ...env, ...productionWorker });
  await worker.ready("taking jobs");
  return worker;
}

/** Every enqueue signed beforehand by relayers in turn, in the order of acceptance. */
async function signEnqueues(
  { service }: World,
  { client }: Node,
  keys: readonly Hex[],
  count?: number,
): Promise<Hex[]> {
  const { db } = service.runtime;
  const rows = await db.select().from(delayTransactions).orderBy(asc(delayTransactions.sequence));
  const lanes = await Promise.all(
    keys.map(async (key) => {
      const account: PrivateKeyAccount = privateKeyToAccount(key);
      return { account, nonce: await client.getTransactionCount({ address: account.address }) };
    }),
  );
  return Promise.all(
    rows.slice(0, count).map(({ delayAddress, enqueueData }, place) => {
      const lane = lanes[place % lanes.length];
      if (!lane) throw new Error("There is no relayer key");
      const call = { to: delayAddress, data: enqueueData, gas: enqueueGas, chainId: 100, ...fees };
      return lane.account.signTransaction({ ...call, type: "eip1559", nonce: lane.nonce++ });
    }),
  );
}

/** The node's own limit: all are sent at once, and the chain mines what its blocks hold. */
async function sendAtOnce(world: World, node: Node, keys: readonly Hex[]): Promise<number> {
  const signed = await signEnqueues(world, node, keys);
  await awaitBlock(node);
  const startedAt = performance.now();
  const hashes = await Promise.all(
    signed.map((serializedTransaction) => node.client.sendRawTransaction({ serializedTransaction })),
  );
  await Promise.all(hashes.map((hash) => node.client.waitForTransactionReceipt({ hash })));
  return (signed.length * 1000) / (performance.now() - startedAt);
}

async function awaitEach(world: World, node: Node, keys: readonly Hex[]): Promise<number> {
  const signed = await signEnqueues(world, node, keys, awaitedCount);
  const startedAt = performance.now();
  for (const serializedTransaction of signed) {
    const hash = await node.client.sendRawTransaction({ serializedTransaction });
    await node.client.waitForTransactionReceipt({ hash });
  }
  return (signed.length * 1000) / (performance.now() - startedAt);
}
