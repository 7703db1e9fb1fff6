import {
  countConnections,
  countForeignEntries,
  measureDelays,
  measureDeliveries,
  type OpenDeliveries,
} from "@cardkeep/db/queries/operations/health";
import { findOldestHold } from "@cardkeep/db/queries/spending/liveTransfers";
import { countOpenCases, type OpenCases } from "@cardkeep/db/queries/spending/cases";
import { sumDebts, type TokenDebt } from "@cardkeep/db/queries/spending/debts";
import { countChangedAccounts } from "@cardkeep/db/queries/accounts/integrity";
import { countOpenDiscrepancies } from "@cardkeep/db/queries/sync/reconciliations";
import { countUnmatchedThreads, type WaitingReturns } from "@cardkeep/db/queries/spending/refunds";
import { measureOverdueReturns } from "./checkRefunds.ts";
import { listStopped, type StopSwitch } from "@cardkeep/db/queries/operators/stops";
import { countJobs, type JobCount } from "@cardkeep/db/queue/inspect";
import type { DelayStatus } from "@cardkeep/contract/accounts/delays";
import type { ViolationStatus } from "@cardkeep/contract/accounts/integrity";
import { readRevertedGas, sumPeople } from "../../chain/relay/readRevertedGas.ts";
import type { Services } from "../../core/services.ts";

/** The states in which the chain may execute an operation once it has cooled down. */
const isQueuedOnChain = (status: DelayStatus): boolean => status === "WAITING" || status === "EXECUTING";

export interface WorkMeasures {
  jobs: JobCount[];
  /** How long the longest-waiting job could have run, in seconds. */
  oldestJobSeconds: number;
  delays: { status: DelayStatus; count: number }[];
  /** How long the oldest accepted operation has waited to be queued on chain, in seconds. */
  queuingSeconds: number;
  /** What refused transactions cost in 24 hours, in base units of the native token, and how many people wait for it. */
  revertedGas: { cost: bigint; held: number };
  /** How long the most belated operation could have been executed, in seconds. */
  latenessSeconds: number;
  /** Entries in the queues of our Safes without an operation of ours. */
  foreignEntries: number;
  /** Accounts with a standing violation, by its status. */
  changedAccounts: { status: ViolationStatus; count: number }[];
  /** How long the oldest approved spend has been on its way to the chain, in seconds; 0 without any. */
  oldestHoldSeconds: number;
  /** What users owe for card payments, token by token; no row for a token without a debt. */
  debts: TokenDebt[];
  /** Returns of card money that the chain refuses, and how long the oldest has waited. */
  waitingReturns: WaitingReturns;
  /** Threads of the card issuer that cannot be booked, by the reason. */
  unmatchedThreads: { reason: string; count: number }[];
  /** Cases that an operator has to settle, by kind. */
  openCases: OpenCases[];
  /** What chain and partners know and no row does, by its kind. */
  openDiscrepancies: { kind: string; count: number }[];
  deliveries: OpenDeliveries[];
  /** How long the most belated event could have been sent to an endpoint that takes any, in seconds. */
  deliveryLagSeconds: number;
  connections: { part: string; state: string; count: number }[];
  /** Parts that an operator has stopped. */
  stopped: StopSwitch[];
}

/** Whether anyone waits: the queue, the delayed operations, partners, the database's connections. */
export async function measureWork(ctx: Services): Promise<WorkMeasures> {
  const { db, clock } = ctx;
  const now = await clock.now(db);
  const [jobs, delays, deliveries, connections, foreignEntries, changedAccounts, oldestHoldAt, debts] =
    await Promise.all([
      countJobs(db),
      measureDelays(db, now),
      measureDeliveries(db, now),
      countConnections(db),
      countForeignEntries(db),
      countChangedAccounts(db),
      findOldestHold(db),
      sumDebts(db, null),
    ]);
  const [people, waitingReturns, unmatchedThreads, openDiscrepancies, openCases, stopped] = await Promise.all([
    readRevertedGas(ctx),
    measureOverdueReturns(db, now),
    countUnmatchedThreads(db),
    countOpenDiscrepancies(db),
    countOpenCases(db),
    listStopped(db),
  ]);
  const waiting = jobs.filter(({ state }) => state === "waiting");
  const queued = delays.filter(({ status }) => isQueuedOnChain(status));
  const sendable = deliveries.filter(({ state }) => state !== "held");
  return {
    jobs,
    oldestJobSeconds: Math.max(0, ...waiting.map(({ oldestSeconds }) => oldestSeconds)),
    delays,
    queuingSeconds: Math.max(0, ...delays.map(({ status, ageSeconds }) => (status === "QUEUING" ? ageSeconds : 0))),
    revertedGas: sumPeople(people),
    latenessSeconds: Math.max(0, ...queued.map(({ latenessSeconds }) => latenessSeconds)),
    deliveries,
    deliveryLagSeconds: Math.max(0, ...sendable.map(({ lagSeconds }) => lagSeconds)),
    connections,
    foreignEntries,
    debts,
    changedAccounts,
    waitingReturns,
    unmatchedThreads,
    openDiscrepancies,
    openCases,
    stopped,
    oldestHoldSeconds: oldestHoldAt === null ? 0 : (now.getTime() - oldestHoldAt.getTime()) / 1000,
  };
}
