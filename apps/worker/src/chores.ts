/** The worker's chores: each name of the catalogue runs its own verb. */
import { createContext } from "@cardkeep/domain/core/context";
import { addMissingJobs, recoverJobs } from "@cardkeep/domain/operations/housekeeping/recoverJobs";
import { type ChoreName, chores, turnMsOf } from "@cardkeep/domain/operations/housekeeping/chores";
import type { ChoreContext } from "@cardkeep/domain/operations/housekeeping/runEach";
import { reportAlerts } from "@cardkeep/domain/operations/alerts/reportAlerts";
import { countFigures } from "@cardkeep/domain/operations/figures/countFigures";
import { runBackfills } from "@cardkeep/domain/operations/backfills/runBackfills";
import { addPartitions } from "@cardkeep/domain/operations/housekeeping/addPartitions";
import { deleteOldRows, forgetRemovedWallets } from "@cardkeep/domain/operations/housekeeping/deleteOldRows";
import { expireCards } from "@cardkeep/domain/operations/housekeeping/expireCards";
import { expireApprovals } from "@cardkeep/domain/operators/approvals/expireApprovals";
import { createHeadReport } from "@cardkeep/domain/core/operators/reportHead";
import { checkVerdicts } from "@cardkeep/domain/verification/kyc/checkVerdicts";
import { closeStatements } from "@cardkeep/domain/spending/statements/closeStatements";
import { closeBooks } from "@cardkeep/domain/books/closes/closeDay";
import { postBooks } from "@cardkeep/domain/books/postings/postBooks";
import { resealSecrets } from "@cardkeep/domain/operations/housekeeping/resealSecrets";
import type { WorkerKeys } from "@cardkeep/domain/core/services";
import { createSignerReport } from "@cardkeep/domain/chain/signers/reportSigners";
import { fanOut, enqueueMissedDeliveries } from "@cardkeep/domain/partners/webhooks/fanOut";
import type { Runtime } from "@cardkeep/runtime/compose";
import { enqueueMessages } from "@cardkeep/domain/users/messages/sendMessages";
import { startChore } from "./chore.ts";
import { createSuccessRecord } from "./recordSuccess.ts";
import { runTurn } from "./runTurn.ts";

type Verb = (ctx: ChoreContext) => Promise<void>;

const verbs: { readonly [N in Exclude<ChoreName, "reportSigners" | "detectRestore">]: Verb } = {
  recoverJobs,
  fanOut,
  wakeEndpoints: enqueueMissedDeliveries,
  enqueueMessages,
  addMissingJobs,
  expireCards,
  forgetRemovedWallets,
  deleteOldRows,
  checkVerdicts,
  reportHead: createHeadReport(),
  expireApprovals,
  reportAlerts,
  resealSecrets,
  closeStatements,
  postBooks,
  closeBooks,
  countFigures,
  addPartitions,
  runBackfills,
};

/**
 * Pause between the first runs of two chores. Most take less, so they share a connection: each further one would cost
 * Postgres 10 ms of processor time, and the plans of its statements.
 */
const betweenFirstMs = 40;

export interface Chores {
  /** Runs a chore now. If it is running, runs it once more afterwards. */
  wake(name: ChoreName): void;
  /** Resolves when no chore runs and none will run again. */
  stop(): Promise<void>;
}

/** Starts every chore. A chore that fails or hangs delays no other. */
export function startChores(
  runtime: Runtime,
  own: Pick<WorkerKeys, "signerWatches"> & { workerId: string; detectRestore: Verb },
): Chores {
  const { db, log, metrics } = runtime;
  const stopping = new AbortController();
  const all: { readonly [N in ChoreName]: Verb } = {
    ...verbs,
    detectRestore: own.detectRestore,
    reportSigners: createSignerReport(own),
  };
  const recordSuccess = createSuccessRecord(db, own.workerId);
  const start = (name: ChoreName, index: number) => {
    metrics.countChoreFailures(name, 0);
    return startChore(log, {
      name,
      firstMs: index * betweenFirstMs,
      everyMs: chores[name].periodMs,
      run: async () => {
        const ctx = createContext(runtime.services, { log, requestId: name });
        const turn = { stopping: stopping.signal, turnMs: turnMsOf(name) };
        await runTurn(turn, (signal) => all[name]({ ...ctx, stopping: signal }));
        await recordSuccess(name);
      },
      onFailure: () => metrics.countChoreFailures(name, 1),
    });
  };
  const running = new Map((Object.keys(all) as ChoreName[]).map((name, index) => [name, start(name, index)]));
  return {
    wake: (name) => running.get(name)?.wake(),
    stop: async () => {
      stopping.abort();
      await Promise.all([...running.values()].map((chore) => chore.stop()));
    },
  };
}
