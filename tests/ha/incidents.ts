/** Losses that are no failover, and what people and `/readyz` see meanwhile. */
import { z } from "zod";
import type { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { startWithdrawals } from "../support/withdrawalLoad.ts";
import type { Cluster } from "./cluster.ts";
import { findLongestGap } from "./failovers.ts";
import { seconds } from "./modes.ts";
import type { Product } from "./product.ts";

const readiness = z.object({
  parts: z.object({ database: z.object({ status: z.string(), reason: z.string().optional() }) }),
});
const awayMs = 45_000;
const askEveryMs = 500;
const withdrawalsMax = 1_000;
const pauseMs = 1_000;

interface Incident {
  name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** Plays each loss for 45 s under load in synchronous mode. Answers a line each: the longest outage and what `/readyz` said. */
export async function playIncidents(parts: {
  cluster: Cluster;
  product: Product;
  people: readonly Person[];
}): Promise<string[]> {
  const { cluster } = parts;
  await cluster.configure({ synchronous_mode: true });
  await cluster.untilWhole({ isSynchronous: true });
  const primary = await cluster.getPrimary();
  const standbys = cluster.nodes.filter(({ name }) => name !== primary.name);
  const incidents: Incident[] = [
    {
      name: "both standbys lost",
      begin: async () => void (await Promise.all(standbys.map((node) => cluster.killNode(node)))),
      end: async () => standbys.forEach((node) => cluster.startNode(node)),
    },
    { name: "etcd lost", begin: () => cluster.killEtcd(), end: async () => cluster.startEtcd() },
  ];
  const lines: string[] = [];
  for (const incident of incidents) lines.push(await play(parts, incident));
  return lines;
}

async function play(
  { cluster, product, people }: Parameters<typeof playIncidents>[0],
  incident: Incident,
): Promise<string> {
  const load = startWithdrawals(people, { withdrawalsMax, pauseMs });
  await until(() => load.countAcknowledged() >= people.length);
  const startedAt = performance.now();
  await incident.begin();
  const seen: string[] = [];
  while (performance.now() - startedAt < awayMs) {
    const text = await readDatabase(product.urls[0] ?? "");
    if (!seen.at(-1)?.endsWith(text)) seen.push(`${seconds(performance.now() - startedAt)} s: ${text}`);
    await Bun.sleep(askEveryMs);
  }
  await incident.end();
  await cluster.untilWhole({ isSynchronous: true });
  const before = load.countAcknowledged();
  await until(() => load.countAcknowledged() > before);
  await load.stop();
  const outageMs = findLongestGap(load.withdrawals.flatMap(({ acknowledged }) => acknowledged?.atMs ?? []));
  return `${incident.name} for ${awayMs / 1_000} s: outage ${seconds(outageMs)} s; database in /readyz: ${seen.join(" | ")}`;
}

/** What a server's `/readyz` says about the database. */
export async function readDatabase(url: string): Promise<string> {
  const response = await fetch(`${url}/readyz`);
  const { status, reason } = readiness.parse(await response.json()).parts.database;
  return `${response.status} ${status}${reason === undefined ? "" : ` (${reason})`}`;
}
