/** Many failovers in one mode of replication, and what chain and rows say afterwards. */
import { delayTransactions } from "@cardkeep/db/schema/tables";
import { countExecutions, countWithoutRow } from "../support/failover.ts";
import type { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import type { Cluster } from "./cluster.ts";
import { type Failover, failOver } from "./failovers.ts";
import type { Product } from "./product.ts";

export interface ModeReport {
  mode: "synchronous" | "asynchronous";
  failovers: readonly Failover[];
  acknowledged: number;
  /** Acknowledged and never executed. */
  lost: number;
  /** Lost although it was acknowledged before the replication stopped. */
  lostOutsideGap: number;
  /** Executed more often than once. */
  doubled: number;
  /** Entries on chain without a row, a minute after the last failover. */
  withoutRow: number;
  surprises: readonly string[];
}

const minuteMs = 60_000;
const executeMsMax = 600_000;

export async function playMode(
  parts: { cluster: Cluster; product: Product; people: readonly Person[] },
  input: {
    mode: ModeReport["mode"];
    kills: number;
    switchovers: number;
    lagMs: number;
    say(line: string): void;
  },
): Promise<ModeReport> {
  const { cluster, product, people } = parts;
  const { witness } = product;
  const isSynchronous = input.mode === "synchronous";
  await cluster.configure({ synchronous_mode: isSynchronous });
  await cluster.untilWhole({ isSynchronous });
  const failovers: Failover[] = [];
  for (let count = 0; count < input.kills + input.switchovers; count++) {
    const kind = count < input.kills ? "kill" : "switchover";
    const lagMs = isSynchronous || kind === "switchover" ? 0 : input.lagMs;
    const failover = await failOver(parts, { kind, isSynchronous, lagMs });
    failovers.push(failover);
    input.say(
      `${input.mode} ${kind} ${count + 1}: outage ${seconds(failover.writeOutageMs)} s, reads ${seconds(failover.readOutageMs)} s, ` +
        `back after ${failover.backMs === null ? "never" : `${seconds(failover.backMs)} s`}, ${failover.withdrawals.length} withdrawals`,
    );
  }
  const withoutRow = await untilRows(product);
  await executeAll(product, people);
  const results = await Promise.all(
    failovers.map(async ({ withdrawals, gap }) => ({ gap, executed: await countExecutions(witness, withdrawals) })),
  );
  const executed = results.flatMap(({ executed: some, gap }) => some.map((one) => ({ ...one, gap })));
  const acknowledged = executed.flatMap((one) => (one.acknowledged === null ? [] : [{ ...one, ...one.acknowledged }]));
  const lost = acknowledged.filter(({ times }) => times === 0);
  return {
    mode: input.mode,
    failovers,
    acknowledged: acknowledged.length,
    lost: lost.length,
    lostOutsideGap: lost.filter(({ atMs, gap }) => isSynchronous || atMs < gap.fromMs || atMs > gap.toMs).length,
    doubled: executed.filter(({ times }) => times > 1).length,
    withoutRow,
    surprises: failovers.flatMap(({ surprises }) => surprises),
  };
}

/** Entries on chain without a row, after a minute at most. */
export async function untilRows({ witness }: Pick<Product, "witness">): Promise<number> {
  const complete = async () => (await countWithoutRow(witness)) === 0;
  await until(complete, { timeoutMs: minuteMs }).catch(() => {});
  return countWithoutRow(witness);
}

/** Waits until every operation with a row has ended. */
export async function executeAll({ witness }: Pick<Product, "witness">, people: readonly Person[]): Promise<void> {
  const isOnly = async (...allowed: string[]) => {
    const rows = await witness.db.selectDistinct({ status: delayTransactions.status }).from(delayTransactions);
    return rows.every(({ status }) => allowed.includes(status));
  };
  const ended = ["EXECUTED", "FAILED"];
  await until(() => isOnly("WAITING", ...ended), { timeoutMs: executeMsMax });
  await people[0]?.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(() => isOnly(...ended), { timeoutMs: executeMsMax });
}

/** Milliseconds as seconds with one decimal. */
export const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
