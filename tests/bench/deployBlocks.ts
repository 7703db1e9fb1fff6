/**
 * `deploy.blocks`: fifty people ask for their Safe at once, and the blocks until each Safe is on chain.
 *
 * A deployment costs a thirteenth of a block, so fifty fill four blocks whatever the worker does. The target adds two.
 */
import { relaySubjects, relayTransactions, safes } from "@cardkeep/db/schema/tables";
import { and, eq, inArray } from "drizzle-orm";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { readFilledBlocks } from "./filledBlocks.ts";
import type { Benchmark, Measure, Run } from "./measure.ts";
import { awaitBlock, blockGas, mineByClock, nameKeys, type Node, startRelay } from "./relay.ts";
import { startWorld, type World } from "./world.ts";

const people = 50;
/** Blocks beyond those that the gas of all deployments fills. */
const spareBlocks = 2;

export const deployBlocks: Benchmark = {
  names: ["deploy.blocks"],
  measure: measureDeployments,
};

async function measureDeployments(run: Run): Promise<Measure[]> {
  run.printProgress(`deploy.blocks: ${people} people`);
  // The first account of a chain makes its relayers' and contracts' first entries.
  const world = await startWorld({ people: 1 });
  const node = openNode(world.service.rpcUrl);
  await mineByClock(node);
  const worker = await startRelay({ ...world.service.env, ...nameKeys(world.relayerKeys) });
  const rounds: Awaited<ReturnType<typeof deployAll>>[] = [];
  for (let round = 1; round <= run.options.rounds; round++) {
    run.printProgress(`deploy.blocks: round ${round} of ${run.options.rounds}`);
    rounds.push(await deployAll(run, world, node));
  }
  worker.kill("SIGKILL");
  await worker.exited;
  const blocks = rounds.flatMap((round) => round.blocks).toSorted((a, b) => a - b);
  const at = (share: number) => blocks[Math.min(blocks.length - 1, Math.floor(blocks.length * share))] ?? Number.NaN;
  const filled = Math.max(...rounds.map((round) => round.filled));
  const most = at(1);
  return [
    {
      name: "deploy.blocks",
      ratio: null,
      value: most,
      unit: "blocks",
      baseline: filled,
      p50: at(0.5),
      p99: at(0.99),
      spread: [blocks[0] ?? Number.NaN, most],
      target: `value <= filled blocks + ${spareBlocks}`,
      met: most <= filled + spareBlocks,
    },
  ];
}

/** Blocks from each accepted request to its Safe, and the blocks that the gas of all deployments fills. */
async function deployAll(run: Run, { service }: World, node: Node) {
  const holders = await Promise.all(Array.from({ length: people }, () => new Person(service).becomeApproved()));
  await awaitBlock(node);
  const after = await node.client.getBlockNumber({ cacheTime: 0 });
  const accepted = new Map<string, bigint>();
  await Promise.all(
    holders.map(async (person) => {
      const { status } = await person.call("POST", "/safe/deploy");
      if (status !== 202) throw new Error(`A deployment was refused with ${status}`);
      accepted.set(person.userId ?? "", await node.client.getBlockNumber({ cacheTime: 0 }));
    }),
  );
  const { db } = service.runtime;
  const areTheirs = inArray(safes.userId, [...accepted.keys()]);
  const isDone = and(areTheirs, eq(safes.status, "ok"));
  await until(async () => (await db.$count(safes, isDone)) === people, { timeoutMs: 60_000, everyMs: 50 });
  const rows = await db
    .select({ userId: safes.userId, id: relayTransactions.id, block: relayTransactions.blockNumber })
    .from(safes)
    .innerJoin(relaySubjects, eq(relaySubjects.subjectId, safes.id))
    .innerJoin(relayTransactions, eq(relayTransactions.id, relaySubjects.relayTransactionId))
    .where(areTheirs);
  const { gas, percents } = await readFilledBlocks(node.client, after);
  const filled = Math.ceil(Number(gas) / Number(blockGas));
  const sent = new Set(rows.map(({ id }) => id)).size;
  run.note(
    `deploy.blocks: ${people} Safes in ${sent} transactions, ${gas / BigInt(people)} gas each, fill ${filled} blocks; percent of each block: ${percents.join(" ")}`,
  );
  return { filled, blocks: rows.map(({ userId, block }) => Number((block ?? 0n) - (accepted.get(userId) ?? 0n))) };
}
