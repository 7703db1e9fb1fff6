/**
 * The queue's catalogue.
 *
 * - job: a row of the queue. - task: the code that runs it. - payload: what the row carries, ids only; the last of them
 *   names the request that all this goes back to.
 * - job key: names a job, so that adding it again moves it instead of doubling it.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../client.ts";

/** Every task and the subject of its jobs. */
interface Subjects {
  /** Follows the head of the chain, always again. */
  "chain.follow": { chainId: string };
  /** Compares the queues on chain with the rows, each minute again. */
  "chain.reconcile": { chainId: string };
  /** Compares the ledger's settlement balance with the chain's, every 15 s again. */
  "chain.funds": { chainId: string };
  /** Compares the nonces of the sender keys with the chain's, each half minute again. */
  "chain.nonces": { chainId: string };
  /** Deploys and sets up one Safe. */
  "safe.deploy": { safeId: string };
  /** Checks the queue entries of one Safe that the follower of the chain did not see. */
  "safe.check": { safeId: string };
  /** Finds out how one violation ends: executed, or expired. */
  "safe.violation": { violationId: string };
  /** Signs the enqueue of the oldest accepted operation of one Safe. */
  "delay.relay": { safeId: string };
  /** Executes, waits for or gives up one queued operation. */
  "delay.dispatch": { delayId: string };
  /** Looks at the transaction that is to pay one order. */
  "order.payment": { orderId: string };
  /** Has the issuer make one card that was promised. */
  "card.issue": { issueId: string };
  /** Brings one card at the issuer to what it is here. */
  "card.tell": { cardId: string };
  /** Opens what a client encrypted for the worker. */
  "card.open": { envelopeId: string };
  /** Tells a user by mail that one card was activated. */
  "card.mail": { cardId: string };
  /** Brings what is asked for at the e-money institution for one user to its end: profile, address, IBAN. */
  "iban.open": { userId: string };
  /** Brings one thread of card money to what the issuer says of it. */
  "card.settle": { threadId: string };
  /** Asks the issuer for uses of cards that nobody here knows of, each hour again. */
  "card.compare": { chainId: string };
  /** Signs the chain's side of one transfer of card money. */
  "card.transfer": { transferId: string };
  /** Collects what one user owes for card payments, again and again until nothing is owed. */
  "card.collect": { userId: string };
  /** Takes one dispute to the issuer. */
  "card.dispute": { disputeId: string };
  /** Sends what is due to one partner's endpoint. */
  "webhook.deliver": { partnerId: string };
  /** Tells a partner by mail that its endpoint was disabled. */
  "webhook.notice": { partnerId: string };
  /** Tells a change of one Safe's balance, if there is one. */
  "balance.tell": { safeId: string };
  /** Sends the signed bytes of one relay transaction, and sees it through. */
  "relay.broadcast": { relayTransactionId: string };
  /** Looks for the receipt of one relay transaction. */
  "relay.confirm": { relayTransactionId: string };
}

export type Task = keyof Subjects;

/** Every task and the payload of its jobs. */
export type Jobs = { readonly [T in Task]: Subjects[T] & { requestId: string } };

/** After so many failures a job is left for the operator. */
export const attemptsMax = 25;

/** Tasks whose jobs of one subject run one after the other, whoever added them; each subject has a queue of its own. */
const inTurn: readonly Task[] = ["webhook.deliver"];
/** Tasks of which the same holds, but whose subjects are as many as there are users. */
export const inSharedTurn: readonly Task[] = ["card.issue", "card.tell", "iban.open", "balance.tell"];

/**
 * The queue that jobs of a task share by the hash of their subject, in SQL.
 *
 * Whoever fetches a job looks at every queue that ever was, so there must not be one per user; but more than there are
 * jobs at a time.
 */
export const sharedQueueOf = (task: SQL, subject: SQL): SQL =>
  sql`${task} || ':' || (hashtextextended(${subject}, 0) & 31)`;

/** The key under which a job for one subject exists at most once while it waits. */
export const jobKeyOf = (task: Task, subjectId: string): string => `${task}:${subjectId}`;

const subjectOf = ({ requestId: _, ...subject }: Jobs[Task]): string => Object.values(subject)[0] ?? "";

/** A job to be added, to run `delayMs` after the commit, or as soon as that. */
export interface NewJob<T extends Task> {
  payload: Jobs[T];
  delayMs?: number;
}

/**
 * Adds a job in the caller's transaction, to run `delayMs` after it commits.
 *
 * A job of the same task and subject that waits already is moved to this time; one that runs already is followed by it.
 */
export const enqueue = <T extends Task>(on: Executor, task: T, payload: Jobs[T], delayMs = 0): Promise<void> =>
  enqueueAll(on, task, [{ payload, delayMs }]);

/** Adds a job as `enqueue` does where none of its task and subject waits; one that does keeps its time. */
export const enqueueIfNone = <T extends Task>(
  on: Executor,
  task: T,
  payload: Jobs[T],
  delayMs: number,
): Promise<void> => addJobs(on, task, [{ payload, delayMs }], { keepsTime: true });

/** Adds jobs of one task, each of another subject, as `enqueue` adds one; in the order of their keys, whoever adds them. */
export const enqueueAll = <T extends Task>(on: Executor, task: T, jobs: readonly NewJob<T>[]): Promise<void> =>
  addJobs(on, task, jobs, { keepsTime: false });

/** Has workers look for `count` jobs now, as the queue itself does for jobs that are added. */
export async function wakeWorkers(on: Executor, count: number): Promise<void> {
  await on.execute(sql`select pg_notify('jobs:insert', ${JSON.stringify({ r: Math.random(), count })})`);
}

async function addJobs<T extends Task>(
  on: Executor,
  task: T,
  jobs: readonly NewJob<T>[],
  { keepsTime }: { keepsTime: boolean },
): Promise<void> {
  if (jobs.length === 0) return;
  const specs = jobs.map(({ payload, delayMs = 0 }) => {
    const subject = subjectOf(payload);
    return { key: jobKeyOf(task, subject), subject, payload, delay_ms: Math.max(0, Math.round(delayMs)) };
  });
  // Whoever adds several jobs holds their rows until its commit.
  specs.sort((a, b) => (a.key < b.key ? -1 : 1));
  const shared = inSharedTurn.includes(task) ? sharedQueueOf(sql`${task}::text`, sql`subject`) : sql`null`;
  const queue = inTurn.includes(task) ? sql`key` : shared;
  await on.execute(sql`
    select from graphile_worker.add_jobs(array(
      select (${task}, payload, ${queue}, now() + delay_ms * interval '1 millisecond', ${attemptsMax}, key, null, null)::graphile_worker.job_spec
      from json_to_recordset(${JSON.stringify(specs)}::json) as job(key text, subject text, payload json, delay_ms bigint)),
      job_key_preserve_run_at := ${keepsTime})`);
}
