/**
 * The queue's catalogue.
 *
 * - job: a row of the queue. - task: the code that runs it. - payload: what the row carries, ids only; the last of them
 *   names the request that all this goes back to.
 * - job key: names a job, so that adding it again moves it instead of doubling it.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "./client.ts";

/** Every task and the subject of its jobs. */
interface Subjects {
  /** Follows the head of the chain, always again. */
  "chain.follow": { chainId: string };
  /** Compares the queues on chain with the rows, each minute again. */
  "chain.reconcile": { chainId: string };
  /** Deploys and sets up one Safe. */
  "safe.deploy": { safeId: string };
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

/**
 * The queue in which a job of a task runs after those before it of the same subject, whoever added them, in SQL; null for
 * tasks whose jobs may run side by side.
 *
 * Who fetches a job looks at every queue that ever was. So subjects that grow with the users share some, by their hash;
 * each partner has its own, because its endpoint may take long.
 */
export const queueOf = (task: SQL, subject: SQL): SQL => sql`case
  when ${task} = 'webhook.deliver' then ${task} || ':' || ${subject}
  when ${task} in ('card.issue', 'card.tell', 'iban.open', 'balance.tell')
    then ${task} || ':' || (hashtextextended(${subject}, 0) & ${sql.raw(String(queuesPerTask - 1))}) end`;

/** More than there are jobs at a time, and a power of two. */
const queuesPerTask = 32;

/** The key under which a job for one subject exists at most once while it waits. */
export const jobKeyOf = (task: Task, subjectId: string): string => `${task}:${subjectId}`;

const subjectOf = ({ requestId: _, ...subject }: Jobs[Task]): string => Object.values(subject)[0] ?? "";

/**
 * Adds a job in the caller's transaction, to run `delayMs` after it commits.
 *
 * A job of the same task and subject that waits already is moved to this time; one that runs already is followed by it.
 */
export async function enqueue<T extends Task>(on: Executor, task: T, payload: Jobs[T], delayMs = 0): Promise<void> {
  const subject = subjectOf(payload);
  await on.execute(sql`
    select graphile_worker.add_job(
      ${task}, payload := ${JSON.stringify(payload)}::json, max_attempts := ${attemptsMax},
      job_key := ${jobKeyOf(task, subject)}, queue_name := ${queueOf(sql`${task}::text`, sql`${subject}::text`)}, run_at := now() + ${Math.max(0, Math.round(delayMs))} * interval '1 millisecond')`);
}
