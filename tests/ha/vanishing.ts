/**
 * Machines that vanish without a packet, under load: a worker's, a server's, a chain node's and the primary's. Each loses its link by
 * `ip link set down`. For everybody else that is a failure of at most 30 s, and acknowledged work goes on.
 */
import { delayTransactions } from "@cardkeep/db/schema/tables";
import type { SandboxRuntime } from "@cardkeep/sandbox/core/openStore";
import { isNotNull } from "drizzle-orm";
import { mainOf } from "../support/bundles.ts";
import { countExecutions, countWithoutRow } from "../support/failover.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnProcess } from "../support/process.ts";
import { askServer } from "../support/standby.ts";
import type { Person } from "../support/person.ts";
import { mayMakeMachines, type VanishingMachine } from "../support/vanishingMachine.ts";
import { startWithdrawals } from "../support/withdrawalLoad.ts";
import { findLongestGap } from "./failovers.ts";
import { executeAll, seconds, untilRows } from "./modes.ts";
import { startWorld, withdrawalsMax, type World } from "./vanishingWorld.ts";

/** What everybody else may lose. */
const failureMsMax = 30_000;
/** How long a machine is away: longer than that. */
const awayMs = 45_000;
const calmMs = 5_000;
const backMsMax = 60_000;
const askEveryMs = 200;
const load = { withdrawalsMax, pauseMs: 400 };
const endHolders = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holding'";
const holdingProgram = new URL("holding.ts", import.meta.url).pathname;

/** Whose machine vanishes. The primary's comes last: its standby takes its place. */
export const vanishingNames = ["worker", "server", "node", "primary"] as const;
export type VanishingName = (typeof vanishingNames)[number];

const losses: Readonly<Record<VanishingName, (world: World) => Promise<Loss>>> = {
  worker: (world) => onMachine(world, "worker"),
  server: (world) => onMachine(world, "server"),
  node: async ({ machines }) => ({ machine: machines.node }),
  primary: async (world) => ({ machine: world.machines.primary, meanwhile: () => promote(world) }),
};

/** Plays each loss. Answers a line each, or one that says what was skipped. @throws Error where one took too long, or lost work */
export async function playVanishing(
  folder: string,
  names: readonly VanishingName[] = vanishingNames,
): Promise<string[]> {
  if (!mayMakeMachines) return ["Vanished machines: skipped, they need root and network namespaces"];
  const world = await startWorld(folder);
  const lines: string[] = [];
  try {
    for (const name of names) lines.push(await play(world, name, losses[name]));
    return lines;
  } finally {
    await world.stop();
  }
}

interface Loss {
  machine: VanishingMachine;
  /** Begins what is under way when it vanishes. */
  before?(): Promise<void>;
  /** What an operator's tools do while it is away. */
  meanwhile?(): Promise<void>;
  /** Waits until what is on the machine works again. */
  untilBack?(): Promise<void>;
  stop?(): Promise<void>;
}

/** A further server or worker, on a machine of its own. A server has a client that keeps it busy. A transaction is open when it vanishes. */
async function onMachine(world: World, app: "server" | "worker"): Promise<Loss> {
  const { machines, service, databaseUrl, people } = world;
  const { programs: machine } = machines;
  const [port = 0] = await findFreePorts(1);
  const env = { ...service.env, DATABASE_URL: databaseUrl, PORT: String(port), LOG_LEVEL: "info" };
  const program = spawnProcess([...machine.enter, process.execPath, mainOf(app)], env);
  await program.ready(app === "server" ? "listening" : "taking jobs");
  const url = `http://${machine.own}:${port}`;
  const headers = { Authorization: `Bearer ${people[0]?.token}` };
  const ask = (): Promise<boolean> =>
    fetch(`${url}/api/v1/delay-relay`, { headers, signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  let isOver = app === "worker";
  const asking = (async () => {
    while (!isOver) {
      await ask();
      await Bun.sleep(askEveryMs);
    }
  })();
  let holder: AppProcess | undefined;
  return {
    machine,
    before: async () => {
      const command = [process.execPath, holdingProgram, databaseUrl, people[0]?.userId ?? ""];
      holder = spawnProcess([...machine.enter, ...command], {});
      await holder.ready("holds");
    },
    untilBack: async () => {
      holder?.kill("SIGKILL");
      // Without its settings Postgres may never learn that this one ended.
      await askServer(world.primary.url, endHolders);
      await until(async () => (app === "server" ? ask() : (await countWorkers(world)) === 2), { timeoutMs: backMsMax });
    },
    stop: async () => {
      isOver = true;
      await asking;
      program.kill("SIGTERM");
      await program.exited;
    },
  };
}

const countWorkers = async ({ primary }: World): Promise<number> => {
  const announced = "select 1 from pg_stat_activity where application_name like 'cardkeep-liveness:%'";
  return (await askServer(primary.url, announced)).length;
};

/** The standby has all that was acknowledged; then it takes writes, and the former primary is gone. */
async function promote({ primary, standby }: World): Promise<void> {
  const [sent] = await askServer<{ lsn: string }>(primary.url, "select pg_current_wal_lsn()::text as lsn");
  const hasAll = `select 1 where pg_last_wal_receive_lsn() >= '${sent?.lsn}'`;
  await until(async () => (await askServer(standby.url, hasAll)).length === 1);
  process.kill(primary.pid, "SIGKILL");
  await standby.promote();
}

/** Plays one loss under load. @throws Error where the others were held up for too long, or work was lost or doubled */
async function play(world: World, name: VanishingName, begin: (world: World) => Promise<Loss>): Promise<string> {
  const { witness, people } = world;
  const loss = await begin(world);
  const withdrawals = startWithdrawals(people, load);
  const queued = watchQueued(witness);
  await Bun.sleep(calmMs);
  await loss.before?.();
  loss.machine.vanish();
  const vanishedAt = performance.now();
  await loss.meanwhile?.();
  await Bun.sleep(Math.max(0, awayMs - (performance.now() - vanishedAt)));
  const endedAt = performance.now();
  loss.machine.appear();
  await loss.untilBack?.();
  const backMs = performance.now() - endedAt;
  await withdrawals.stop();
  const times = await queued.stop();
  await loss.stop?.();
  const withoutRow = await untilRows({ witness });
  await executeAll({ witness }, people);
  const executed = await countExecutions(witness, withdrawals.withdrawals);
  const acknowledged = executed.flatMap((one) => one.acknowledged?.atMs ?? []);
  const gapOf = (list: readonly number[]): number =>
    findLongestGap([...list, vanishedAt, endedAt].filter((at) => at <= endedAt));
  const listOf = (person: Person): number[] =>
    executed.flatMap((one) => (one.person === person && one.acknowledged ? [one.acknowledged.atMs] : []));
  const gaps = [Math.max(...people.map((person) => gapOf(listOf(person)))), gapOf(times)];
  const counts = {
    acknowledged: acknowledged.length,
    meanwhile: acknowledged.filter((at) => at > vanishedAt && at < endedAt).length,
    lost: executed.filter(({ acknowledged: known, times: count }) => known !== null && count === 0).length,
    doubled: executed.filter(({ times: count }) => count > 1).length,
    withoutRow: withoutRow + (await countWithoutRow(witness)),
  };
  const said = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
  const line =
    `Vanished for ${awayMs / 1_000} s: the ${name}'s machine: the person who waited longest waited ${seconds(gaps[0] ?? 0)} s, the next operation on chain came after ` +
    `${seconds(gaps[1] ?? 0)} s; the machine was back after ${seconds(backMs)} s; ${said.join(", ")}; unexpected answers ${withdrawals.surprises.length}`;
  const isHarmless = counts.lost + counts.doubled + counts.withoutRow === 0 && counts.meanwhile > 0;
  if (!isHarmless || gaps.some((ms) => ms > failureMsMax)) throw new Error(line);
  return line;
}

/** When operations reached their queue on chain. */
function watchQueued({ db }: SandboxRuntime): { stop(): Promise<number[]> } {
  const times: number[] = [];
  let isOver = false;
  const running = (async () => {
    for (let known = -1; !isOver; await Bun.sleep(askEveryMs)) {
      const count = await db.$count(delayTransactions, isNotNull(delayTransactions.queueNonce)).catch(() => known);
      if (count > known) times.push(performance.now());
      known = count;
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await running;
      return times;
    },
  };
}
