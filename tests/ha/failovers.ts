/** One loss of the primary under load, measured from outside. */
import { until } from "../support/poll.ts";
import type { Person } from "../support/person.ts";
import { askServer } from "../support/standby.ts";
import { startWithdrawals, type Withdrawal } from "../support/withdrawalLoad.ts";
import { type Cluster, urlOf } from "./cluster.ts";
import type { NodePlace } from "./topology.ts";
import { type Product, workerCount } from "./product.ts";

export interface FailoverOptions {
  kind: "kill" | "switchover";
  isSynchronous: boolean;
  /** The replication hangs so long before the kill. */
  lagMs: number;
}

export interface Failover {
  kind: FailoverOptions["kind"];
  /** The longest time without an acknowledged withdrawal, and without an answered read. */
  writeOutageMs: number;
  readOutageMs: number;
  /** From the first answer of the new primary until every server and worker works again; null if one did not by itself. */
  backMs: number | null;
  withdrawals: readonly Withdrawal[];
  surprises: readonly string[];
  /** When the replication stopped, and when there was a new primary. */
  gap: { fromMs: number; toMs: number };
}

const pauseMs = 2_000;
const readEveryMs = 200;
const calmMs = 3_000;
const withdrawalsMax = 1_000;
const backMsMax = 60_000;

/** Kills the primary, or hands its place over, while people withdraw and read. Then waits until the cluster is whole. */
export async function failOver(
  { cluster, product, people }: { cluster: Cluster; product: Product; people: readonly Person[] },
  { kind, isSynchronous, lagMs }: FailoverOptions,
): Promise<Failover> {
  const load = startWithdrawals(people, { withdrawalsMax, pauseMs });
  const reads = startReads(people);
  await Bun.sleep(calmMs);
  const primary = await cluster.getPrimary();
  const fromMs = performance.now();
  if (kind === "switchover") await cluster.switchOver(primary);
  else {
    if (lagMs > 0) await cluster.hangReplication(primary);
    await Bun.sleep(lagMs);
    await cluster.killNode(primary);
  }
  const next = await untilPrimary(cluster, primary);
  const toMs = performance.now();
  const backMs = await untilBack(product, next, people).then(
    () => performance.now() - toMs,
    () => null,
  );
  await Bun.sleep(calmMs);
  await load.stop();
  const readAt = await reads.stop();
  if (kind === "kill") cluster.startNode(primary);
  await cluster.untilWhole({ isSynchronous });
  const acknowledgedAt = load.withdrawals.flatMap(({ acknowledged }) => acknowledged?.atMs ?? []);
  return {
    kind,
    writeOutageMs: findLongestGap(acknowledgedAt),
    readOutageMs: findLongestGap(readAt),
    backMs,
    withdrawals: load.withdrawals,
    surprises: load.surprises,
    gap: { fromMs, toMs },
  };
}

/** Workers that take jobs from a node. */
export async function countWorkers(node: NodePlace): Promise<number> {
  const announced = "select 1 from pg_stat_activity where application_name like 'cardkeep-liveness:%'";
  return (await askServer(urlOf(node), announced)).length;
}

/** The first node but `former` that takes writes. @throws Error where none does for minutes */
export async function untilPrimary(cluster: Cluster, former: NodePlace): Promise<NodePlace> {
  const deadline = performance.now() + backMsMax;
  for (;;) {
    const found = await cluster.findPrimary(former);
    if (found !== null) return found;
    if (performance.now() > deadline)
      throw new Error(`No node took the place of ${former.name} in ${backMsMax / 1_000} s`);
    await Bun.sleep(readEveryMs / 2);
  }
}

/** Each server writes again, and each worker takes jobs, without a restart. */
async function untilBack({ urls }: Product, next: NodePlace, people: readonly Person[]): Promise<void> {
  const limits = { timeoutMs: backMsMax };
  const person = people[0];
  const writes = urls.map((url) =>
    until(
      () =>
        fetch(`${url}/api/v1/auth/nonce`).then(
          ({ ok }) => ok,
          () => false,
        ),
      limits,
    ),
  );
  const working = until(async () => (await countWorkers(next)) === workerCount, limits);
  await Promise.all([...writes, working, person?.call("GET", "/delay-relay")]);
}

/** Reads as a different person each time; answers the times of success. */
function startReads(people: readonly Person[]): { stop(): Promise<number[]> } {
  const times: number[] = [];
  let isOver = false;
  const running = (async () => {
    for (let count = 0; !isOver; count++) {
      const person = people[count % people.length];
      const answer = await person?.call("GET", "/delay-relay").catch(() => null);
      if (answer?.status === 200) times.push(performance.now());
      await Bun.sleep(readEveryMs);
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

/** The longest time between two successes. */
export function findLongestGap(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.slice(1).map((time, index) => time - (sorted[index] ?? time)));
}
