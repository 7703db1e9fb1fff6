/**
 * `growth.read`, `growth.relay`, `growth.deliver`: the same work beside tables with a thousand rows and with a million.
 *
 * Both worlds run side by side and are measured in turns. The large one prints each statement's plan, and warns of one
 * that reads too many rows.
 */
import { isDeepStrictEqual } from "node:util";
import { openNode } from "../support/node.ts";
import { fill } from "./fill.ts";
import { buildRequest, connections } from "./load.ts";
import { type Benchmark, type Measure, median, type Run } from "./measure.ts";
import { operatorLists } from "./operatorLists.ts";
import { explainQuestions } from "./plans.ts";
import { questions } from "./questions.ts";
import { acceptOperations, forget, mineByClock, people, relayAll, restore } from "./relay.ts";
import { compare, type Target } from "./rounds.ts";
import { deliverAll, prepareStage } from "./webhooks.ts";
import { startWorld, type World } from "./world.ts";

const sizes = {
  small: { users: 1_000, operations: 1_000, deliveries: 1_000, payments: 1_000, jobs: 1_000 },
  large: { users: 100_000, operations: 1_000_000, deliveries: 1_000_000, payments: 1_000_000, jobs: 1_000_000 },
};
const target = 0.8;
const readPath = "/api/v1/delay-relay";

type Pair = Readonly<Record<keyof typeof sizes, World>>;

export const growth: Benchmark = {
  names: ["growth.read", "growth.relay", "growth.deliver"],
  measure: async (run) => {
    const pair = { small: await startFilled(run, "small"), large: await startFilled(run, "large") };
    for (const { line } of await explainQuestions(
      pair.large.databaseUrl,
      { ...questions, ...operatorLists },
      "force_generic_plan",
    ))
      run.note(`plan: ${line}`);
    return [
      ...(run.wanted.has("growth.read") ? [await measureRead(run, pair)] : []),
      ...(run.wanted.has("growth.relay") ? [await measureRelay(run, pair)] : []),
      ...(run.wanted.has("growth.deliver") ? [await measureDeliver(run, pair)] : []),
    ];
  },
};

async function startFilled(run: Run, size: keyof typeof sizes): Promise<World> {
  run.printProgress(`growth: ${people} account holders`);
  const world = await startWorld({ people });
  await acceptOperations(world);
  run.printProgress(`growth: tables with ${sizes[size].operations} rows each`);
  const startedAt = performance.now();
  await fill(world.databaseUrl, sizes[size]);
  const seconds = (performance.now() - startedAt) / 1000;
  run.note(`growth: tables with ${sizes[size].operations} rows each, filled in ${seconds.toFixed(0)} s`);
  return world;
}

async function measureRead(run: Run, { small, large }: Pair): Promise<Measure> {
  const { baseline, targets } = await compare(
    await targetOf(run, "growth.read, small", small),
    [await targetOf(run, "growth.read, large", large)],
    run,
  );
  const [beside] = targets;
  if (!beside) throw new Error("A comparison needs a target");
  const { perSecond, ...figures } = beside.figures;
  return {
    name: "growth.read",
    value: perSecond,
    unit: "req/s",
    baseline: baseline.figures.perSecond,
    ...figures,
    target: `ratio >= ${target}`,
    met: figures.ratio >= target,
  };
}

/** A holder's list of operations, which does not change. */
async function targetOf({ options }: Run, name: string, { server, holder }: World): Promise<Target> {
  const ask = async () => {
    const headers = { Authorization: `Bearer ${holder.token}` };
    return (await fetch(`http://127.0.0.1:${server.port}${readPath}`, { headers })).text();
  };
  const body = await ask();
  if (JSON.parse(body).length === 0 || !isDeepStrictEqual(body, await ask())) throw new Error(`${name}: ${body}`);
  const requests = [buildRequest({ method: "GET", path: readPath, token: holder.token })];
  return { name, plan: { port: server.port, connections, requests, until: { seconds: options.seconds }, body } };
}

async function measureRelay(run: Run, pair: Pair): Promise<Measure> {
  const relayOnce = async (world: World) => {
    const { client } = openNode(world.service.rpcUrl);
    const id = await client.snapshot();
    const rate = await relayAll(world, world.relayerKeys);
    await client.revert({ id });
    await restore(world);
    return rate;
  };
  for (const world of [pair.small, pair.large]) await mineByClock(openNode(world.service.rpcUrl));
  return measureTurns(run, { name: "growth.relay", unit: "op/s" }, pair, relayOnce);
}

async function measureDeliver(run: Run, pair: Pair): Promise<Measure> {
  for (const world of [pair.small, pair.large]) await forget(world);
  const stages = { small: await prepareStage(pair.small), large: await prepareStage(pair.large) };
  return measureTurns(run, { name: "growth.deliver", unit: "deliveries/s" }, stages, deliverAll);
}

/** Rates of the large one over those of the small one, in turns; the first turn warms up. */
async function measureTurns<T>(
  { options, printProgress }: Run,
  { name, unit }: Pick<Measure, "name" | "unit">,
  { small, large }: { small: T; large: T },
  rateOf: (of: T) => Promise<number>,
): Promise<Measure> {
  const rounds: { small: number; large: number }[] = [];
  for (let round = 0; round <= options.rounds; round++) {
    printProgress(`${name}: ${round === 0 ? "warm-up" : `round ${round} of ${options.rounds}`}`);
    const rates = { small: await rateOf(small), large: await rateOf(large) };
    if (round > 0) rounds.push(rates);
  }
  const ratios = rounds.map((rates) => rates.large / rates.small);
  const ratio = median(ratios);
  return {
    name,
    ratio,
    value: median(rounds.map((rates) => rates.large)),
    unit,
    baseline: median(rounds.map((rates) => rates.small)),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    target: `ratio >= ${target}`,
    met: ratio >= target,
  };
}
