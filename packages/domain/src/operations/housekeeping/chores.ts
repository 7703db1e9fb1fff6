/** The periodic work: the catalogue of a worker's chores, and how often the endless jobs come. */
import { hourMs, minuteMs } from "@cardkeep/contract/core/durations";
import type { Task } from "@cardkeep/db/queue/catalogue";
import { type ChoreAge, listChoreAges } from "@cardkeep/db/queries/operations/chores";
import type { Services } from "../../core/services.ts";

/**
 * How often a worker starts each chore. A chore is named after its verb.
 *
 * - isWhole: its turn is not cut. A close of the books reads three days again before it seals one, and would begin anew each time.
 */
export const chores = {
  recoverJobs: { periodMs: 1_000 },
  fanOut: { periodMs: 1_000 },
  wakeEndpoints: { periodMs: 1_000 },
  detectRestore: { periodMs: 1_000 },
  enqueueMessages: { periodMs: 2_000 },
  addMissingJobs: { periodMs: 10_000 },
  expireCards: { periodMs: 10_000 },
  forgetRemovedWallets: { periodMs: 10_000 },
  deleteOldRows: { periodMs: 10_000 },
  checkVerdicts: { periodMs: 5_000 },
  reportSigners: { periodMs: 5_000 },
  reportHead: { periodMs: 60_000 },
  expireApprovals: { periodMs: 60_000 },
  reportAlerts: { periodMs: 60_000 },
  resealSecrets: { periodMs: 60_000 },
  closeStatements: { periodMs: 60_000 },
  postBooks: { periodMs: 15_000 },
  closeBooks: { periodMs: 60_000, isWhole: true },
  countFigures: { periodMs: 15_000 },
  addPartitions: { periodMs: 600_000 },
  runBackfills: { periodMs: 10_000 },
} as const satisfies Record<string, { periodMs: number; isWhole?: true }>;

export type ChoreName = keyof typeof chores;

/** How often the jobs come that the whole service needs: those of the queue's `endlessTasks`, of which none is given up. */
export const endlessJobs = {
  "chain.follow": { periodMs: 1_000 },
  "chain.reconcile": { periodMs: minuteMs },
  "chain.funds": { periodMs: 15_000 },
  "chain.nonces": { periodMs: 30_000 },
  "chain.topUps": { periodMs: 15_000 },
  "treasury.approvals": { periodMs: 15_000 },
  "issuer.balance": { periodMs: minuteMs },
  "card.compare": { periodMs: hourMs },
  "card.callbacks": { periodMs: hourMs },
} as const satisfies Partial<Record<Task, { periodMs: number }>>;

const watched = { ...chores, ...endlessJobs };

/** The names of the periodic work that is overdue without a success. */
export const watchedNames: readonly string[] = Object.keys(watched);

/** A chore or an endless job is overdue when it has not succeeded for 6 periods, and for a minute at least. */
const overduePeriods = 6;
const overdueSecondsMin = 60;

export interface OverdueChore extends ChoreAge {
  name: keyof typeof watched;
}

const isKnown = (age: ChoreAge): age is OverdueChore => Object.hasOwn(watched, age.name);

/** A chore with its period and its last success. */
export interface ChoreState extends OverdueChore {
  periodSeconds: number;
  /** It is overdue after so many seconds without a success. */
  limitSeconds: number;
}

const limitOf = (name: OverdueChore["name"]): number =>
  Math.max(overdueSecondsMin, (overduePeriods * watched[name].periodMs) / 1000);

/** A turn of a chore ends itself after half of that time, and the next one goes on: much work is not overdue. Null: it is not cut. */
export const turnMsOf = (name: ChoreName): number | null =>
  "isWhole" in chores[name] ? null : (limitOf(name) * 1000) / 2;

/** Every chore, and every endless job, that a worker ever started. */
export const listChores = async ({ db }: Pick<Services, "db">): Promise<ChoreState[]> =>
  // Another version of the program may have left chores that this one does not know.
  (await listChoreAges(db))
    .filter(isKnown)
    .map((age) => ({ ...age, periodSeconds: watched[age.name].periodMs / 1000, limitSeconds: limitOf(age.name) }));

/** Periodic work that no worker has done for several periods: it fails, it hangs, or no worker runs. */
export const listOverdueChores = async (ctx: Pick<Services, "db">): Promise<OverdueChore[]> =>
  (await listChores(ctx)).filter(({ seconds, limitSeconds }) => seconds > limitSeconds);

/** The overdue chores and the operator's next step, as text. */
export function describeOverdueChores(overdue: readonly OverdueChore[]): string {
  const ages = overdue.map(({ name, seconds, succeeded }) =>
    succeeded ? `${name} last succeeded ${Math.round(seconds)} s ago` : `${name} has never succeeded`,
  );
  return `Chores are overdue: ${ages.join(", ")}. See the worker's log`;
}
