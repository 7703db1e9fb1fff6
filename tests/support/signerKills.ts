/** Withdrawals while the signers of all keys die again and again, and what came of them. */
import { relayTransactions } from "@cardkeep/db/schema/tables";
import { openNode } from "./node.ts";
import { until } from "./poll.ts";
import type { RunningService } from "./service.ts";
import { type CutProxy, heldAddresses } from "./signers.ts";
import { openPayers, startWithdrawals, untilExecuted } from "./withdrawalLoad.ts";

const upMs = 150;
const downMs = 150;

interface KillReport {
  kills: number;
  acknowledged: number;
  /** How often each withdrawal ran on chain. */
  executions: bigint[];
  /** Answers to clients that were no success and no 503. */
  surprises: readonly string[];
  laneFaults: string[];
}

/** Lets people withdraw while every connection to the signers is cut and refused, `kills` times. */
export async function loadWhileSignerDies(
  service: RunningService,
  proxy: CutProxy,
  input: { kills: number; people: number; withdrawalsMax: number },
): Promise<KillReport> {
  const { kills, people, withdrawalsMax } = input;
  const payers = await openPayers(service, { people, withdrawalsMax });
  const load = startWithdrawals(payers, { withdrawalsMax, pauseMs: 50 });
  const { target } = proxy;
  for (let count = 0; count < kills; count++) {
    await Bun.sleep(upMs);
    proxy.target = null;
    proxy.cut();
    await Bun.sleep(downMs);
    proxy.target = target;
  }
  await until(async () => load.countAcknowledged() === people * withdrawalsMax, { timeoutMs: 60_000 });
  await load.stop();
  const executions = await untilExecuted(service, load);
  const laneFaults = await findLaneFaults(service);
  return { kills, acknowledged: load.countAcknowledged(), executions, surprises: load.surprises, laneFaults };
}

/** Nonces of all lanes in our rows that are missing or twice, and lanes whose chain has another count. */
export async function findLaneFaults(service: RunningService): Promise<string[]> {
  const rows = await service.runtime.db.select().from(relayTransactions);
  const { client } = openNode(service.rpcUrl);
  const faults: string[] = [];
  for (const address of [...heldAddresses.relayers, heldAddresses.spender]) {
    const nonces = rows.filter(({ relayer }) => relayer === address).map(({ nonce }) => Number(nonce));
    nonces.sort((a, b) => a - b);
    const first = nonces[0] ?? 0;
    if (nonces.some((nonce, place) => nonce !== first + place)) faults.push(`${address}: ${nonces.join(" ")}`);
    const mined = await client.getTransactionCount({ address });
    if (nonces.length > 0 && mined !== first + nonces.length) faults.push(`${address}: ${mined} are mined`);
  }
  return faults;
}
