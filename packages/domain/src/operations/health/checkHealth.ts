/** Whether the service can do its work, part by part; each part is asked by itself and none can fail the others. */
import { findNodeFault } from "@cardkeep/db/errors";
import { countLivingWorkers, findSurplus, type Surplus } from "@cardkeep/db/queue/liveness";
import { compareMigrations } from "@cardkeep/db/migrations";
import { readDatabaseState } from "@cardkeep/db/queries/operations/health";
import { readReplication } from "@cardkeep/db/queries/core/replication";
import { listStopped } from "@cardkeep/db/queries/operators/stops";
import { findOldestWaitSeconds } from "@cardkeep/db/queue/inspect";
import { findOldestHold } from "@cardkeep/db/queries/spending/liveTransfers";
import pTimeout from "p-timeout";
import { silenceSecondsMax } from "../../spending/decision/checkFreshness.ts";
import type { Services } from "../../core/services.ts";
import { describeFailingSigners } from "../../chain/signers/describeSigners.ts";
import { listCover } from "@cardkeep/db/queries/treasury/issuerMoney";
import { listOpenTreasuryItems } from "@cardkeep/db/queries/treasury/unannounced";
import { describeCover } from "../../treasury/issuerMoney/describeCover.ts";
import { describeShortfall, listFunds } from "../../chain/funds/compareFunds.ts";
import { listSharedKeys } from "../../chain/relay/compareNonces.ts";
import { listRefusedLanes } from "../../chain/relay/listRefusedLanes.ts";
import { describeOverdueChores, listOverdueChores } from "../housekeeping/chores.ts";
import { describeTopUps, readTopUps } from "../../chain/topUps/readTopUps.ts";
import { describeStopped } from "../../operators/stops/describeStopped.ts";
import { formatInstant } from "../../core/wording.ts";
import { measureSkewMs, skewSecondsMax } from "./databaseClock.ts";
import { describeRefusedLane, describeRelayers } from "./describeRelayers.ts";
import { describeReplication } from "./describeReplication.ts";
import { findFullDisk } from "./diskSpace.ts";
import { listRelayers } from "./listRelayers.ts";

/** Degraded: what was accepted waits. Down: nothing can be accepted. */
export type HealthStatus = "ok" | "degraded" | "down";

export interface PartHealth {
  status: HealthStatus;
  /** What is wrong, for the operator. */
  reason?: string;
}

export interface Health {
  /** The worst of the parts. */
  status: HealthStatus;
  parts: Record<
    | "database"
    | "migrations"
    | "clock"
    | "worker"
    | "chores"
    | "chain"
    | "signers"
    | "relayers"
    | "spends"
    | "funds"
    | "stops",
    PartHealth
  >;
}

/** A job that waits for longer means that no worker takes jobs, or too few do. */
export const jobWaitSecondsMax = 30;

const ok: PartHealth = { status: "ok" };
const degraded = (reason: string): PartHealth => ({ status: "degraded", reason });
const down = (reason: string): PartHealth => ({ status: "down", reason });

/** Longer than each part takes on a busy machine. Commits that wait for a standby may hold every connection. */
const answerMsMax = 5_000;

/** Leaves the node the rest of the time. */
const timeMsMax = 3_000;

/** Asks every part how it is; answers always, within 5 s. */
export async function checkHealth(ctx: Services): Promise<Health> {
  const [database, migrations, clock, worker, chores, chain, signers, found, spends, funds, stops] = await Promise.all([
    ask(() => checkDatabase(ctx), down("The database does not answer")),
    ask(() => checkMigrations(ctx), down("The database does not answer")),
    ask(() => checkClock(ctx), degraded("The clocks cannot be compared")),
    ask(() => checkWorker(ctx), degraded("The queue cannot be read")),
    ask(() => checkChores(ctx), degraded("The chores cannot be read")),
    ask(() => checkChain(ctx), degraded("The chain's node does not answer: operations wait")),
    ask(() => checkSigners(ctx), degraded("The signers' reports cannot be read")),
    ask<PartHealth | null>(() => checkRelayers(ctx), null),
    ask(() => checkSpends(ctx), degraded("The spends cannot be read")),
    ask(() => checkFunds(ctx), degraded("The settlement funds cannot be read")),
    ask(() => checkStops(ctx), degraded("The stop switches cannot be read")),
  ]);
  const silent = database.status === "down" ? "database" : "chain's node";
  const relayers = found ?? degraded(`The relayers cannot be looked at: the ${silent} does not answer`);
  const parts = { database, migrations, clock, worker, chores, chain, signers, relayers, spends, funds, stops };
  const statuses = Object.values(parts).map((part) => part.status);
  const status = statuses.includes("down") ? "down" : statuses.includes("degraded") ? "degraded" : "ok";
  return { status, parts };
}

const ask = <T extends PartHealth | null>(check: () => Promise<T>, otherwise: T): Promise<T> =>
  pTimeout(check(), { milliseconds: answerMsMax }).catch(() => otherwise);

/** Connections that have to be left for another process to start, as a share of all. */
const connectionsTakenMax = 0.9;

async function checkDatabase({ db, lists }: Services): Promise<PartHealth> {
  try {
    const [{ isReadOnly, connections, connectionsMax }, replication, replicaFault] = await Promise.all([
      readDatabaseState(db),
      readReplication(db),
      lists.findFault(),
    ]);
    if (isReadOnly) return down("The database is read-only: see its disk, and default_transaction_read_only");
    if (await findFullDisk(db)) return down("The database's disk is full: free space on it");
    const fault = describeReplication(replication);
    if (fault?.kind === "blocked") return down(fault.text);
    const warnings = [
      ...(connections < connectionsMax * connectionsTakenMax
        ? []
        : [`${connections} of the database's ${connectionsMax} connections are taken: raise max_connections`]),
      ...(fault === null ? [] : [fault.text]),
      ...(replicaFault === null ? [] : [replicaFault]),
    ];
    return warnings.length === 0 ? ok : degraded(warnings.join("; "));
  } catch (error) {
    const refusal = findNodeFault(error);
    if (refusal === null) throw error;
    return down(refusal);
  }
}

/** Whether program and database are of one version. Rejects when the database is away. */
export async function checkMigrations({ db }: Pick<Services, "db">): Promise<PartHealth> {
  const state = await compareMigrations(db);
  if (state === "current") return ok;
  if (state === "behind") return down("The database is older than this program: run `bun run migrate`");
  if (state === "ahead") return degraded("The database is newer than this program: put the newer program into service");
  return down("The database is of another version, with other migrations: use an empty one, or start that version");
}

/** Callbacks, sign-ins and tokens count by this machine's clock. */
async function checkClock({ db }: Services): Promise<PartHealth> {
  const skewSeconds = Math.round((await measureSkewMs(db)) / 1000);
  if (Math.abs(skewSeconds) <= skewSecondsMax) return ok;
  const place = skewSeconds > 0 ? "behind" : "ahead of";
  return degraded(
    `This machine's clock is ${Math.abs(skewSeconds)} s ${place} the database's: a clock that is wrong refuses callbacks and sign-ins. Set both by one time service`,
  );
}

async function checkWorker(ctx: Services): Promise<PartHealth> {
  const [living, surplus, oldestSeconds] = await Promise.all([
    countLivingWorkers(ctx.db),
    findSurplus(ctx.db),
    findOldestWaitSeconds(ctx.db),
  ]);
  if (living === 0) return degraded("No worker is running: run `bun run worker`");
  if (surplus !== null) return degraded(describeSurplus(surplus));
  if (oldestSeconds <= jobWaitSecondsMax) return ok;
  return degraded(`A job has been waiting for ${Math.round(oldestSeconds)} s: run more workers`);
}

async function checkChores(ctx: Services): Promise<PartHealth> {
  const overdue = await listOverdueChores(ctx);
  return overdue.length === 0 ? ok : degraded(describeOverdueChores(overdue));
}

/** What a worker holds beyond its own, for an operator. */
export const describeSurplus = ({ workerId, announcements, connections }: Surplus): string =>
  `Worker ${workerId} holds ${announcements} heartbeats and ${connections} connections of the queue, more than one worker has: restart it`;

async function checkChain(ctx: Services): Promise<PartHealth> {
  const chainId = await ctx.chain.getChainId();
  if (chainId !== ctx.policy.chainId) return degraded(`The node is on chain ${chainId}, not on ${ctx.policy.chainId}`);
  // Without the database the service's time is unknown. That part says so; the node is not to blame.
  const [{ timestamp }, now] = await Promise.all([
    ctx.chain.getBlock(),
    pTimeout(ctx.clock.now(ctx.db), { milliseconds: timeMsMax }).catch(() => null),
  ]);
  const age = now === null ? 0 : Math.round(now.getTime() / 1000 - timestamp);
  if (age <= silenceSecondsMax(ctx.policy.cooldownSeconds)) return ok;
  return degraded(`The newest block is ${age} s old: cards decline until the node has a newer one`);
}

async function checkSigners(ctx: Services): Promise<PartHealth> {
  const failing = await describeFailingSigners(ctx);
  return failing === null ? ok : degraded(failing);
}

/** An approved spend that does not move leaves time to empty its account. */
async function checkSpends(ctx: Services): Promise<PartHealth> {
  const [oldest, now] = await Promise.all([findOldestHold(ctx.db), ctx.clock.now(ctx.db)]);
  const age = oldest === null ? 0 : Math.round((now.getTime() - oldest.getTime()) / 1000);
  if (age <= silenceSecondsMax(ctx.policy.cooldownSeconds)) return ok;
  return degraded(`An approved spend has not moved for ${age} s: cards decline until the worker has settled it`);
}

async function checkFunds(ctx: Services): Promise<PartHealth> {
  const [funds, items, cover] = await Promise.all([listFunds(ctx), listOpenTreasuryItems(ctx.db), listCover(ctx.db)]);
  const shortfall = describeShortfall(funds, ctx.policy.settlementAddress, items);
  const short = describeCover(cover.filter(({ shortSince }) => shortSince !== null));
  const warnings = [shortfall, short].filter((text) => text !== null);
  return warnings.length === 0 ? ok : degraded(warnings.join("; "));
}

async function checkStops({ db }: Services): Promise<PartHealth> {
  const stopped = describeStopped(await listStopped(db));
  return stopped === null ? ok : degraded(stopped);
}

async function checkRelayers(ctx: Services): Promise<PartHealth> {
  const [listed, refused, sharedKeys, state] = await Promise.all([
    listRelayers(ctx),
    listRefusedLanes(ctx),
    listSharedKeys(ctx),
    readTopUps(ctx),
  ]);
  const faults = [...describeRelayers(listed), ...refused.map(describeRefusedLane)];
  const shared = sharedKeys.map(
    ({ address, foreignCount, foreignSeenAt }) =>
      `${address} sent ${foreignCount} transactions that this service did not sign, the last was noticed at ${formatInstant(foreignSeenAt)}: give each program its own RELAYER_PRIVATE_KEYS and SPENDER_PRIVATE_KEY`,
  );
  const topUps = describeTopUps(state);
  const warnings = [...faults, ...shared, ...(topUps === null ? [] : [topUps])];
  return warnings.length === 0 ? ok : degraded(warnings.join("; "));
}
