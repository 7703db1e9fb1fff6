/** `endurance`: growth of `bun start` under an hour of mixed load. */
import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generous } from "../../support/service.ts";
import { becomeCardHolder, euro } from "../../support/spending.ts";
import type { Benchmark, Measure } from "../measure.ts";
import { listIngredients, startMixedLoad } from "./mixedLoad.ts";
import type { PartName } from "./processes.ts";
import { startProgram } from "./program.ts";
import { createCertificate, startReceivers } from "./receivers.ts";
import { describeGrowth } from "./report.ts";
import { type Sample, takeSamples } from "./samples.ts";
import { fitSlope, type Point } from "./slope.ts";

const people = 8;
const mbPerHourMax = 1;
const hoursDefault = 1;
/** What is not measured: the first ten minutes, or a sixth of a shorter run. */
const warmUpHours = 1 / 6;
/**
 * How many times faster the load is in the first half of the warm-up. A process under moderate load takes hours to fill the memory
 * that full load fills at once.
 */
const warmUpSpeed = 8;
const msPerHour = 3_600_000;
const env = { ...generous, COOLDOWN_SECONDS: "5", RELAYED_OPERATIONS_PER_HOUR: "1000000" };

export const endurance: Benchmark = {
  names: ["endurance"],
  isByNameOnly: true,
  measure: async ({ options, printProgress, note }) => {
    const hours = options.hours ?? hoursDefault;
    printProgress("endurance: starts the program");
    const certificate = await createCertificate();
    const program = await startProgram({ ...env, NODE_EXTRA_CA_CERTS: certificate.file });
    const countDeadlocks = await watchDeadlocks(program.databaseUrl);
    printProgress(`endurance: ${people} people with a card`);
    const holders = await Promise.all(Array.from({ length: people }, () => becomeCardHolder(program, 1_000n * euro)));
    const countDeliveries = await startReceivers(
      certificate,
      holders.map(({ person }) => person),
    );
    const load = startMixedLoad(listIngredients(holders, Number(new URL(program.url).port)));
    const file = join(tmpdir(), `cardkeep-endurance-${Date.now()}.jsonl`);
    const samples = await takeSamples(program, file);
    const skipped = Math.min(warmUpHours, hours / 6);
    const startedAt = Date.now();
    const run = async (speed: number, untilHours: number) => {
      load.setSpeed(speed);
      const endsAt = startedAt + untilHours * msPerHour;
      while (Date.now() < endsAt) {
        const minutes = Math.ceil((startedAt + hours * msPerHour - Date.now()) / 60_000);
        printProgress(`endurance: ${minutes} minutes left; samples in ${file}`);
        await Bun.sleep(Math.min(60_000, endsAt - Date.now()));
        appendFileSync(file, `${JSON.stringify({ counts: load.counts })}\n`);
      }
    };
    await run(warmUpSpeed, skipped / 2);
    await run(1, hours);
    await samples.stop();
    await load.stop();
    for (const text of describeGrowth(samples, skipped)) note(text);
    note(`endurance: ${await countDeadlocks()} deadlocks`);
    note(
      `endurance: ${hours} hours, ${await countDeliveries()} deliveries over TLS; by kind, with unexpected answers: ${describeCounts(load.counts)}`,
    );
    if (hours < hoursDefault) note("endurance: a run below an hour proves no slope of 1 MB an hour; see the intervals");
    return (["server", "worker"] as const).map((part) => judge(part, listResident(samples.samples, part, skipped)));
  },
};

/** Has Postgres look for a deadlock after 10 ms; the returned function counts those since. */
async function watchDeadlocks(databaseUrl: string): Promise<() => Promise<number>> {
  const ask = async (statement: string): Promise<{ count: number } | undefined> => {
    const client = new Bun.SQL(databaseUrl, { max: 1 });
    try {
      const [row] = await client.unsafe(statement);
      return row;
    } finally {
      await client.close();
    }
  };
  const count = "select deadlocks::int as count from pg_stat_database where datname = current_database()";
  const before = await ask(count);
  await ask("alter system set deadlock_timeout = '10ms'");
  await ask("select pg_reload_conf()");
  return async () => ((await ask(count))?.count ?? Number.NaN) - (before?.count ?? 0);
}

const describeCounts = (counts: Readonly<Record<string, { all: number; unexpected: number }>>): string =>
  Object.entries(counts)
    .map(([name, { all, unexpected }]) => `${name} ${all}${unexpected === 0 ? "" : ` (${unexpected})`}`)
    .join(", ");

/** Resident memory of a part after the warm-up. */
const listResident = (samples: readonly Sample[], part: PartName, skippedHours: number): Point[] =>
  samples.flatMap(({ hours, parts }) => {
    const sample = parts[part];
    return hours < skippedHours || sample === undefined ? [] : [[hours, sample.residentMb]];
  });

/** Met only where the whole interval is below the limit, missed only where it is above; otherwise undecided. */
function judge(part: PartName, points: readonly Point[]): Measure {
  const { perHour, interval } = fitSlope(points);
  return {
    name: `endurance.${part}`,
    ratio: null,
    value: perHour,
    unit: "MB/h",
    baseline: null,
    spread: interval,
    target: `value <= ${mbPerHourMax}`,
    met: interval[1] <= mbPerHourMax ? true : interval[0] > mbPerHourMax ? false : null,
  };
}
