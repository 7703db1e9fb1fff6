/**
 * `bun run test:ha`: failovers on real engines under load from outside. Patroni, etcd and HAProxy with three nodes of Postgres,
 * two servers and two workers; then PgBouncer, pgBackRest and Citus. The last line is a row with outage p50 and max, lost and doubled.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { endEverything } from "../support/ends.ts";
import { Person } from "../support/person.ts";
import { openPayers } from "../support/withdrawalLoad.ts";
import { playBackup } from "./backup.ts";
import { playCitus } from "./citus.ts";
import { Cluster } from "./cluster.ts";
import { playIncidents } from "./incidents.ts";
import { type ModeReport, playMode, seconds } from "./modes.ts";
import { playPoolers } from "./poolers.ts";
import { startProduct } from "./product.ts";
import { findPrograms } from "./programs.ts";
import { playSplits } from "./split.ts";
import { playVanishing, vanishingNames } from "./vanishing.ts";
import { playWithoutSettings } from "./withoutSettings.ts";

const peopleCount = 6;
/** A play that hangs is a failure of its own, and the others are played all the same. */
const playMsMax = 15 * 60_000;
/** Of one failover with its wait until all is whole, and of what follows the last one. */
const failoverMsMax = 5 * 60_000;
const endMsMax = 25 * 60_000;
const fundsMax = 10_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    failovers: { type: "string", default: "20" },
    switchovers: { type: "string", default: "2" },
    "lag-seconds": { type: "string", default: "2" },
    ttl: { type: "string", default: "20" },
    "loop-wait": { type: "string", default: "5" },
    "without-settings": { type: "boolean", default: false },
  },
});
if (positionals.length > 0) process.exit(await playAlone(positionals));
const programs = findPrograms();
if (typeof programs === "string") {
  say(programs);
  process.exit(1);
}

const folder = await mkdtemp(join(tmpdir(), "cardkeep-ha-"));
// The programs run as another user under root.
await chmod(folder, 0o755);
const reports: ModeReport[] = [];
/** What was played besides and failed. */
const failures: string[] = [];
const timing = { ttl: Number(values.ttl), loopWait: Number(values["loop-wait"]) };
const cluster = await Cluster.start({ programs, folder, timing });
say(`Patroni, etcd, HAProxy and three nodes are up (ttl ${timing.ttl} s, loop_wait ${timing.loopWait} s)`);
const product = await startProduct(cluster.url);
try {
  const payers = await openPayers(
    { url: product.urls[0] ?? "", sandboxUrl: product.sandboxUrl },
    { people: peopleCount, withdrawalsMax: fundsMax },
  );
  // Half of the people use the second server.
  const people = payers.map((payer, index) => {
    const place = { url: product.urls[index % product.urls.length] ?? "", sandboxUrl: product.sandboxUrl };
    return Object.assign(new Person(place), { account: payer.account, token: payer.token, userId: payer.userId });
  });
  say(`${product.urls.length} servers and their workers are up, ${people.length} people have accounts`);
  for (const mode of ["asynchronous", "synchronous"] as const) {
    const [kills, switchovers] = [Number(values.failovers), Number(values.switchovers)];
    const lagMs = 1_000 * Number(values["lag-seconds"]);
    const played = playMode({ cluster, product, people }, { mode, kills, switchovers, lagMs, say });
    reports.push(await within((kills + switchovers) * failoverMsMax + endMsMax, `mode ${mode}`, played));
  }
  const extras: Readonly<Record<string, () => Promise<string[]>>> = {
    incidents: () => playIncidents({ cluster, product, people }),
    splits: () => playSplits({ cluster, product, people }),
    poolers: () => playPoolers(product, cluster.url),
    "vanished machines": () => playVanishing(folder),
    backup: async () => [await playBackup(programs, folder)],
    Citus: async () => [await playCitus(programs, { folder, env: product.env })],
  };
  for (const [name, play] of Object.entries(extras)) {
    try {
      for (const line of await within(playMsMax, name, play())) say(line);
    } catch (error) {
      failures.push(String(error));
      say(`Failed: ${String(error)}`);
    }
  }
} catch (error) {
  for (const { output } of product.processes) say(output().slice(-2_000));
  throw error;
} finally {
  await product.stop();
  await cluster.stop();
  await endEverything();
}
await rm(folder, { recursive: true, force: true });

const surprises = reports.flatMap((report) => report.surprises);
if (surprises.length > 0) say(`Unexpected answers: ${[...new Set(surprises)].slice(0, 10).join("; ")}`);
say(
  "| mode | failovers | outage p50 | outage max | reads max | acknowledged | lost | lost outside the gap | doubled | without row | healed by itself | back max |",
);
say("|---|---|---|---|---|---|---|---|---|---|---|---|");
for (const report of reports) say(formatRow(report.mode, [report]));
say(formatRow("both", reports));
const isGood =
  failures.length === 0 &&
  reports.every(
    ({ lostOutsideGap, doubled, withoutRow, failovers }) =>
      lostOutsideGap + doubled + withoutRow === 0 && failovers.every(({ backMs }) => backMs !== null),
  );
process.exit(isGood ? 0 : 1);

/** `bun run test:ha vanishing [NAME ...]` plays the vanished machines alone, which need none of the programs. Answers the exit code. */
async function playAlone([play, ...given]: readonly string[]): Promise<number> {
  const names = vanishingNames.filter((name) => given.includes(name));
  if (play !== "vanishing" || names.length !== given.length) {
    say(`There is no ${[play, ...given].join(" ")}; there is vanishing, and of it ${vanishingNames.join(", ")}`);
    return 1;
  }
  const own = await mkdtemp(join(tmpdir(), "cardkeep-vanishing-"));
  await chmod(own, 0o755);
  const chosen = names.length > 0 ? names : vanishingNames;
  const playChosen = values["without-settings"] ? playWithoutSettings : playVanishing;
  try {
    for (const line of await within(playMsMax, "vanished machines", playChosen(own, chosen))) say(line);
    return 0;
  } catch (error) {
    say(`Failed: ${String(error)}`);
    return 1;
  } finally {
    await endEverything();
    await rm(own, { recursive: true, force: true });
  }
}

/** @throws Error where it takes longer */
async function within<T>(msMax: number, name: string, played: Promise<T>): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => limit.reject(new Error(`${name} did not end within ${msMax / 60_000} minutes`)),
    msMax,
  );
  try {
    return await Promise.race([played, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function formatRow(name: string, of: readonly ModeReport[]): string {
  const failovers = of.flatMap((report) => report.failovers);
  const outages = failovers.map(({ writeOutageMs }) => writeOutageMs).toSorted((a, b) => a - b);
  const sum = (count: (report: ModeReport) => number): number => of.reduce((total, report) => total + count(report), 0);
  const max = (list: readonly number[]): string => `${seconds(Math.max(0, ...list))} s`;
  const healed = failovers.filter(({ backMs }) => backMs !== null);
  const cells = [
    name,
    failovers.length,
    `${seconds(outages[Math.floor(outages.length / 2)] ?? 0)} s`,
    max(outages),
    max(failovers.map(({ readOutageMs }) => readOutageMs)),
    sum(({ acknowledged }) => acknowledged),
    sum(({ lost }) => lost),
    sum(({ lostOutsideGap }) => lostOutsideGap),
    sum(({ doubled }) => doubled),
    sum(({ withoutRow }) => withoutRow),
    `${healed.length} of ${failovers.length}`,
    max(failovers.map(({ backMs }) => backMs ?? 0)),
  ];
  return `| ${cells.join(" | ")} |`;
}
