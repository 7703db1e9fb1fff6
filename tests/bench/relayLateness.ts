/** `relay.lateness`: how many blocks after the first possible one the worker executes an operation. */
import { delayTransactions } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { openNode } from "../support/node.ts";
import { until } from "../support/poll.ts";
import type { Benchmark, Measure, Run } from "./measure.ts";
import { mineByClock, nameKeys, type Node, people, startRelay } from "./relay.ts";
import { acceptWithdrawals, startWorld, type World } from "./world.ts";

const lateness = { p50Max: 1, p99Max: 2 };
/** The load: how long, and each Safe once in six seconds. */
const feedSeconds = 24;
const fedPerSecond = 5;
const cooldownSeconds = 20;

export const relayLateness: Benchmark = {
  names: ["relay.lateness"],
  measure: measureLateness,
};

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
