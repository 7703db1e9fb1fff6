/** A split network: the primary's machine, with a server, a worker and clients of its own, loses etcd and the other nodes. */
import { countExecutions } from "../support/failover.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { askServer } from "../support/standby.ts";
import { startWithdrawals, type Withdrawal } from "../support/withdrawalLoad.ts";
import { type Cluster, urlOf } from "./cluster.ts";
import { countWorkers, findLongestGap, untilPrimary } from "./failovers.ts";
import { readDatabase } from "./incidents.ts";
import { executeAll, seconds, untilRows } from "./modes.ts";
import type { Network } from "./network.ts";
import { startOnMachine } from "./onMachine.ts";
import { type Product, workerCount } from "./product.ts";
import type { NodePlace } from "./topology.ts";

interface Parts {
  cluster: Cluster;
  product: Product;
  people: readonly Person[];
}

const splitMs = 60_000;
const askEveryMs = 200;
const backMsMax = 120_000;
const load = { withdrawalsMax: 1_000, pauseMs: 1_000 };

/** Plays a split for a minute in each mode. Answers a line each. */
export async function playSplits(parts: Parts): Promise<string[]> {
  const { network } = parts.cluster;
  if (network === null) return ["Network split: it needs root, for a network namespace of each node"];
  return [await playSplit(parts, network, "asynchronous"), await playSplit(parts, network, "synchronous")];
}

/** @throws Error if a withdrawal was doubled, or lost although it must not be, or if a row is missing */
async function playSplit(parts: Parts, network: Network, mode: "asynchronous" | "synchronous"): Promise<string> {
  const { cluster, product, people } = parts;
  const isSynchronous = mode === "synchronous";
  await cluster.configure({ synchronous_mode: isSynchronous });
  await cluster.untilWhole({ isSynchronous });
  const node = await cluster.getPrimary();
  const machine = await startOnMachine({ cluster, product, node }, network.outside);
  const half = people.length / 2;
  const inside = startWithdrawals(
    people.slice(0, half).map((person) => moveTo(person, machine.url)),
    load,
  );
  const outside = startWithdrawals(people.slice(half), load);
  const untilMore = async () => {
    const before = [inside.countAcknowledged(), outside.countAcknowledged()];
    const goal = ([a = 0, b = 0]: number[]) => inside.countAcknowledged() > a && outside.countAcknowledged() > b;
    await until(() => goal(before), { timeoutMs: backMsMax });
  };
  await untilMore();

  const cutAt = performance.now();
  network.cut(node.name);
  const times = Promise.all([untilDemoted(node), untilPrimary(cluster, node).then(() => performance.now())]);
  const seen = await watch(machine.url, splitMs);
  network.join(node.name);
  const joinedAt = performance.now();
  const [demotedAt, promotedAt] = await times;
  await cluster.untilWhole({ isSynchronous });
  await untilMore();
  const next = await cluster.getPrimary();
  await until(async () => (await countWorkers(next)) === workerCount + 1, { timeoutMs: backMsMax });
  const backMs = performance.now() - joinedAt;
  await Promise.all([inside.stop(), outside.stop()]);
  await machine.stop();

  const withoutRow = await untilRows(product);
  await executeAll(product, people);
  const withdrawals = [...inside.withdrawals, ...outside.withdrawals];
  const executed = await countExecutions(product.witness, withdrawals);
  const lost = executed.filter(({ acknowledged, times: count }) => acknowledged !== null && count === 0);
  const isAllowed = ({ acknowledged }: Withdrawal) =>
    !isSynchronous && acknowledged !== null && acknowledged.atMs >= cutAt && acknowledged.atMs <= demotedAt;
  const result = {
    acknowledged: listTimes(withdrawals).length,
    meanwhile: listTimes(inside.withdrawals).filter((at) => at > cutAt && at < joinedAt).length,
    lost: lost.length,
    lostOutsideGap: lost.filter((one) => !isAllowed(one)).length,
    doubled: executed.filter(({ times: count }) => count > 1).length,
    withoutRow,
  };
  const surprises = [...new Set([...inside.surprises, ...outside.surprises])];
  const line =
    `Network split for ${splitMs / 1_000} s, ${mode}: the old primary takes no writes after ${seconds(demotedAt - cutAt)} s, ` +
    `a new one does after ${seconds(promotedAt - cutAt)} s; outage outside ${seconds(findLongestGap(listTimes(outside.withdrawals)))} s; ` +
    `whole ${seconds(backMs)} s after its end; ${Object.entries(result)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ")}; database in /readyz inside: ${seen.join(" | ")}` +
    (surprises.length > 0 ? `; unexpected: ${surprises.slice(0, 5).join(", ")}` : "");
  if (result.lostOutsideGap + result.doubled + withoutRow > 0 || promotedAt < demotedAt) throw new Error(line);
  return line;
}

const moveTo = ({ account, token, userId, service }: Person, url: string): Person =>
  Object.assign(new Person({ ...service, url }), { account, token, userId });

const listTimes = (withdrawals: readonly Withdrawal[]): number[] =>
  withdrawals.flatMap(({ acknowledged }) => acknowledged?.atMs ?? []);

/** When the node has last taken writes, until it is in recovery or does not answer. @throws Error where it goes on for minutes */
async function untilDemoted(node: NodePlace): Promise<number> {
  const deadline = performance.now() + backMsMax;
  for (;;) {
    if (performance.now() > deadline)
      throw new Error(`${node.name} took writes for ${backMsMax / 1_000} s after it was cut off`);
    const rows = await askServer<{ standby: boolean }>(urlOf(node), "select pg_is_in_recovery() as standby").catch(
      () => [],
    );
    if (rows[0]?.standby !== false) return performance.now();
    await Bun.sleep(askEveryMs / 2);
  }
}

/** What a server's `/readyz` says about the database, each change with its time. */
async function watch(url: string, forMs: number): Promise<string[]> {
  const startedAt = performance.now();
  const seen: string[] = [];
  while (performance.now() - startedAt < forMs) {
    const text = await readDatabase(url);
    if (!seen.at(-1)?.endsWith(text)) seen.push(`${seconds(performance.now() - startedAt)} s: ${text}`);
    await Bun.sleep(askEveryMs);
  }
  return seen;
}
