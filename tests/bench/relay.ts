/**
 * `relay.enqueue` and `relay.lateness`: the delay relay, from accepted operations to the chain and out of its queues.
 *
 * The node mines like Gnosis Chain: 17 million gas per block, every second. So the blocks are the node's limit, and the
 * baseline reaches it: the same enqueues, signed beforehand and sent without a wait.
 */
import type { Hex } from "@cardkeep/contract/primitives";
import { delayTransactions } from "@cardkeep/db/schema/tables";
import { asc, eq, sql } from "drizzle-orm";
import type { PrivateKeyAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openNode } from "../support/node.ts";
import { until } from "../support/poll.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Benchmark, type Measure, median, type Run } from "./measure.ts";
import { acceptWithdrawals, startWorld, type World } from "./world.ts";

export const people = 30;
const perPerson = 20;
const blockSeconds = 1;
const blockGas = 17_000_000n;
const enqueueGas = 200_000n;
const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
/** A relayer that awaits each receipt sends one per block: a few are enough to measure it. */
const awaitedCount = 4;
const enqueueTarget = 0.7;
const awaitedTarget = 5;
const lateness = { p50Max: 2, p99Max: 4 };
/** The load of `relay.lateness`: how long, and each Safe once in six seconds. */
const feedSeconds = 24;
const fedPerSecond = 5;
const cooldownSeconds = 20;

export const relay: Benchmark = {
  names: ["relay.enqueue", "relay.lateness"],
  measure: async (run) => [
    ...(run.wanted.has("relay.enqueue") ? await measureEnqueue(run) : []),
    ...(run.wanted.has("relay.lateness") ? await measureLateness(run) : []),
  ],
};

type Node = ReturnType<typeof openNode>;

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
      rates[name as keyof typeof ways].push(await way());
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
  await world.service.runtime.db.execute(sql`create table accepted as select * from delay_transactions`);
}

/** Deletes the accepted operations and everything that followed from them; other rows stay. */
export async function forget({ service, relayerKeys }: World): Promise<void> {
  const { db } = service.runtime;
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
  const { db } = world.service.runtime;
  await db.execute(sql`insert into delay_transactions overriding system value select * from accepted`);
}

const nameKeys = (keys: readonly Hex[]) => ({ RELAYER_PRIVATE_KEYS: keys.join(",") });

/** Operations per second of the relay with these keys. */
export const relayAll = (world: World, keys: readonly Hex[]): Promise<number> => relayWith(world, nameKeys(keys));

/** The same with keys or signers as settings, from a worker's start to the last enqueue on chain. */
export async function relayWith({ service }: World, settings: Record<string, string>): Promise<number> {
  const { db } = service.runtime;
  const worker = await startRelay({ ...service.env, ...settings });
  const startedAt = performance.now();
  try {
    const isQueuing = eq(delayTransactions.status, "QUEUING");
    await until(async () => (await db.$count(delayTransactions, isQueuing)) === 0, { timeoutMs: 120_000, everyMs: 20 });
    return (people * perPerson * 1000) / (performance.now() - startedAt);
  } finally {
    worker.kill("SIGKILL");
    await worker.exited;
  }
}

async function startRelay(env: Record<string, string>): Promise<AppProcess> {
  const worker = await spawnApp("worker", env);
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

/** Blocks between the first one in which an operation could run and its execution. */
async function measureLateness(run: Run): Promise<Measure[]> {
  run.printProgress(`${people} account holders`);
  const world = await startWorld({ people, env: { COOLDOWN_SECONDS: String(cooldownSeconds) } });
  const { db } = world.service.runtime;
  const node = openNode(world.service.rpcUrl);
  await mineByClock(node);
  const worker = await startRelay({ ...world.service.env, ...nameKeys(world.relayerKeys) });
  run.printProgress(`relay.lateness: ${fedPerSecond} operations a second`);
  const everyMs = (people * 1000) / fedPerSecond;
  await acceptWithdrawals(world, (feedSeconds * fedPerSecond) / people, everyMs);
  const count = await db.$count(delayTransactions);
  run.printProgress(`relay.lateness: ${count} operations become ready`);
  const isExecuted = eq(delayTransactions.status, "EXECUTED");
  await until(async () => (await db.$count(delayTransactions, isExecuted)) === count, { timeoutMs: 120_000 });
  worker.kill("SIGKILL");
  const late = (await listLateness(world, node)).toSorted((a, b) => a - b);
  const at = (share: number) => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN;
  const [p50, p99] = [at(0.5), at(0.99)];
  return [
    {
      name: "relay.lateness",
      ratio: null,
      value: p50,
      unit: "blocks",
      baseline: null,
      p50,
      p99,
      spread: [late[0] ?? Number.NaN, late.at(-1) ?? Number.NaN],
      target: `p50 <= ${lateness.p50Max}, p99 <= ${lateness.p99Max}`,
      met: p50 <= lateness.p50Max && p99 <= lateness.p99Max,
    },
  ];
}

async function listLateness({ service }: World, { client }: Node): Promise<number[]> {
  const rows = await service.runtime.db.select().from(delayTransactions);
  const head = await client.getBlockNumber();
  const blocks = await Promise.all(
    Array.from({ length: Number(head) + 1 }, (_, number) => client.getBlock({ blockNumber: BigInt(number) })),
  );
  return rows.map(({ readyAt, endedBlock }) => {
    const readySeconds = (readyAt?.getTime() ?? Number.NaN) / 1000;
    const first = blocks.findIndex(({ timestamp }) => Number(timestamp) >= readySeconds);
    return Number(endedBlock) - first;
  });
}
