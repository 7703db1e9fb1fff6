/**
 * `webhook.deliver`: events from their commit to the receivers of several partners.
 *
 * The baseline is the same queue with as many slots; each job is only an unsigned POST of the same body.
 */
import { publish } from "@cardkeep/domain/core/publish";
import { type SQL, sql } from "drizzle-orm";
import { atEnd } from "../support/ends.ts";
import { findFreePorts } from "../support/ports.ts";
import { until } from "../support/poll.ts";
import { spawnApp } from "../support/process.ts";
import { contextOf, registerPartner, subscribe } from "../support/webhooks.ts";
import { productionWorker } from "../support/workerSettings.ts";
import { type Benchmark, type Measure, median, type Run } from "./measure.ts";
import { startTarget, startWorld, type World } from "./world.ts";

const partners = 20;
const eventsPerRound = 500;
const perRound = partners * eventsPerRound;
const deliverTarget = 0.6;
/** Its endpoint never answers. */
const hanging = "hangs";
/** The worker's own values for endpoints. */
const slots = { CONCURRENCY: "24", POOL: "8" };
const latencyEveryMs = 100;
const latencyEvents = 100;

export const webhooks: Benchmark = {
  names: ["webhook.deliver"],
  measure: async (run) => {
    run.printProgress(`${partners} partners`);
    return [await measureDeliver(run, await prepareStage(await startWorld({ people: 1 })))];
  },
};

export interface Stage {
  world: World;
  /** The number of deliveries, and of those with a marker since `takeArrivals`. */
  countArrivals(): Promise<{ count: number; marked: number }>;
  /** Arrival times of deliveries with a marker, each once. */
  takeArrivals(): Promise<[string, number][]>;
  /** Subscribes a further partner to the holder; its endpoint is the receiver's path `id`. */
  addPartner(id: string): Promise<void>;
}

/** Partners subscribed to a world's holder, their receivers and a worker. */
export async function prepareStage(world: World): Promise<Stage> {
  const { service, holder } = world;
  // The receiver uses the sandbox's address: the only place on this machine that the worker delivers to.
  const receiver = await startTarget("receiver.ts", {});
  const inbox = `http://127.0.0.1:${receiver.port}/inbox/`;
  const addPartner = async (id: string) => {
    await registerPartner(holder.person, id);
    await service.runtime.db.execute(sql`update partners set webhook_url = ${inbox} || id where id = ${id}`);
    await subscribe(holder.person, id);
  };
  for (let index = 0; index < partners; index++) await addPartner(`bench-${index}`);
  const worker = await spawnApp("worker", {
    ...service.env,
    ...productionWorker,
    SANDBOX_PORT: String(receiver.port),
  });
  atEnd(async () => {
    worker.kill("SIGKILL");
    await worker.exited;
  });
  await worker.ready("taking jobs");
  const body = JSON.stringify({ eventType: "physical.card.pin.changed", data: dataOf(world, "card-1") });
  const [port = 0] = await findFreePorts(1);
  const env = { DATABASE_URL: world.databaseUrl, RECEIVER_PORT: String(receiver.port), BODY: body, ...slots };
  await startTarget("queue.ts", { ...env, PORT: String(port) });
  return {
    world,
    countArrivals: async () => (await fetch(`http://127.0.0.1:${receiver.port}/`)).json(),
    takeArrivals: async () => (await fetch(`http://127.0.0.1:${receiver.port}/arrivals`)).json(),
    addPartner,
  };
}

const dataOf = ({ holder }: World, cardToken: string) => ({ userId: holder.userId, cardToken });

async function commitEvents(world: World, tokens: readonly string[]): Promise<void> {
  await contextOf(world.service.runtime).commit(async (work) => {
    for (const token of tokens)
      await publish(work, "physical.card.pin.changed", world.holder.userId, dataOf(world, token));
  });
}

/** Deliveries per second after `begin`. */
async function measureRate({ countArrivals }: Stage, begin: () => Promise<void>): Promise<number> {
  const { count: before } = await countArrivals();
  await begin();
  const startedAt = performance.now();
  await until(async () => (await countArrivals()).count >= before + perRound, { timeoutMs: 120_000, everyMs: 10 });
  return (perRound * 1000) / (performance.now() - startedAt);
}

const tokens = Array.from({ length: eventsPerRound }, (_, index) => `card-${index}`);

/** Deliveries per second of a round's events. */
export const deliverAll = (stage: Stage): Promise<number> =>
  measureRate(stage, () => commitEvents(stage.world, tokens));

const postAll = (stage: Stage): Promise<number> =>
  measureRate(stage, () =>
    writeAtLength(
      stage,
      sql`select count(*) from graphile_worker.add_jobs(array(select json_populate_record(
        null::graphile_worker.job_spec, '{"identifier":"bench.post"}') from generate_series(1, ${perRound})))`,
    ),
  );

/** Runs a statement without a time limit. */
const writeAtLength = ({ world }: Stage, statement: SQL): Promise<void> =>
  world.service.runtime.db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`);
    await tx.execute(statement);
  });

async function measureDeliver(run: Run, stage: Stage): Promise<Measure> {
  const rounds: { ours: number; bare: number }[] = [];
  for (let round = 0; round <= run.options.rounds; round++) {
    run.printProgress(`webhook.deliver: ${round === 0 ? "warm-up" : `round ${round} of ${run.options.rounds}`}`);
    const ours = await deliverAll(stage);
    const bare = await postAll(stage);
    if (round > 0) rounds.push({ ours, bare });
  }
  run.printProgress("webhook.deliver: from commit to first attempt");
  const latencies = await measureLatencies(stage);
  run.printProgress("webhook.deliver: one endpoint hangs");
  const aloneMs = await measureBurst(stage, 2);
  await stage.addPartner(hanging);
  const besideMs = await measureBurst(stage, 3);
  await stage.world.holder.person.call("DELETE", `/webhooks/subscription/${hanging}`);
  run.note(
    `webhook.deliver: of ${perRound} deliveries at once, 99 % arrive within ${aloneMs} ms; beside one more endpoint, which hangs, within ${besideMs} ms`,
  );
  const ratios = rounds.map(({ ours, bare }) => ours / bare);
  run.note(
    `webhook.deliver: ${eventsPerRound} events to ${partners} partners each round, both signature families on each; p50 and p99 are from commit to arrival, one event each ${latencyEveryMs} ms`,
  );
  const ratio = median(ratios);
  return {
    name: "webhook.deliver",
    ratio,
    value: median(rounds.map(({ ours }) => ours)),
    unit: "deliveries/s",
    baseline: median(rounds.map(({ bare }) => bare)),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    target: `ratio >= ${deliverTarget}`,
    met: ratio >= deliverTarget,
  };
}

/** Milliseconds from commit to arrival at every partner, in order, for a slow series of events. */
async function measureLatencies(stage: Stage): Promise<number[]> {
  const series = Array.from({ length: latencyEvents }, (_, index) => [`at-1-${index}`]);
  return measureArrivals(stage, series, latencyEveryMs);
}

/** Milliseconds until 99 of 100 of a burst's deliveries arrive at the partners whose receivers answer. */
async function measureBurst(stage: Stage, turn: number): Promise<number> {
  const burst = Array.from({ length: eventsPerRound }, (_, index) => `at-${turn}-${index}`);
  return percentile(await measureArrivals(stage, [burst], 0), 0.99);
}

async function measureArrivals(
  stage: Stage,
  series: readonly (readonly string[])[],
  everyMs: number,
): Promise<number[]> {
  const committed = new Map<string, number>();
  for (const markers of series) {
    await commitEvents(stage.world, markers);
    const at = Date.now();
    for (const marker of markers) committed.set(marker, at);
    await Bun.sleep(everyMs);
  }
  const all = committed.size * partners;
  await until(async () => (await stage.countArrivals()).marked >= all, { timeoutMs: 120_000, everyMs: 50 });
  const arrivals = await stage.takeArrivals();
  return arrivals.map(([marker, at]) => Math.max(0, at - (committed.get(marker) ?? at))).toSorted((a, b) => a - b);
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
