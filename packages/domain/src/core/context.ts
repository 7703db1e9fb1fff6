/**
 * What a verb is given.
 *
 * - verb: `verb(ctx, input) => Promise<output>`, the only way in for REST, tRPC, jobs, sandbox and CLI.
 * - services: ports and policy of the process. - context: services plus one request or job. - actor: who asks.
 * - commit: the one transaction of a mutating verb, in which rows, jobs, events and the reply are written.
 */
import type { Tx } from "@cardkeep/db/client";
import { type Wakeup, wakeSoon, writeJobsLast } from "@cardkeep/db/queue/enqueue";
import type { OperatorActor, UserActor, WalletActor } from "./actor.ts";
import { endCommit, type Rests } from "./commitEnd.ts";
import { type ActionRecord, appendActions } from "./operators/appendAction.ts";
import { endApproval, type RunningApproval } from "./operators/endApproval.ts";
import { requireRole } from "./operators/requireRole.ts";
import type { OperatorChange } from "./operators/verbs.ts";
import type { Log } from "./ports.ts";
import type { Services, WorkerKeys } from "./services.ts";

/** One transaction under way, its instant, and the request that caused it. */
export interface Work {
  readonly tx: Tx;
  readonly now: Date;
  readonly requestId: string;
  /** The blocks that its rows rest on: see `restOn`. */
  readonly rests: Rests;
  /** Runs `effect` on this process's memory once the transaction is committed. */
  afterCommit(effect: () => void): void;
  /** Wakes the workers once the transaction is committed: see `wakeSoon`. */
  wake(wakeup: Wakeup): void;
}

/**
 * Writes for the caller's commit. A verb that asks the chain or a provider does so first, outside any transaction, and
 * returns the writes that follow from the answers.
 */
export type WriteStep = (work: Work) => Promise<void>;

/** The step of a verb whose answers change nothing. */
export const writeNothing: WriteStep = async () => {};

/**
 * What a verb writes in its transaction, and the output of that.
 *
 * The verb of a request whose reply may be stored returns its commit. Server and idempotency run it once, together with
 * the reply, so the stored reply is always the output of the writes it stands for.
 */
export type Commit<T> = (work: Work) => Promise<T>;

/** The commit of a verb that has nothing left to write but its reply. */
export const reply =
  <T>(value: T): Commit<T> =>
  async () =>
    value;

/** Names one request of one user: a digest of operation, input and idempotency key, so that no other request has it. */
export type RequestKey = `request:${string}`;

export interface Context extends Services {
  readonly log: Log;
  /** Names the request from its answer through its jobs to its chain transactions; a job has that of its request. */
  readonly requestId: string;
  /** Finds what an earlier attempt of the same request began; null without an idempotency key. */
  readonly requestKey: RequestKey | null;
  /** The `Accept-Language` of the request; null without one, and in jobs. */
  readonly acceptLanguage: string | null;
  /**
   * Runs `write` in a transaction before the commit. No reply is stored with it, so a request that is repeated runs it
   * again.
   */
  prepare<T>(write: Commit<T>): Promise<T>;
}

/** The context of a job, a callback, the operator, or a request whose reply is never stored: its verb commits by itself. */
export interface CommitContext extends Context {
  /** Runs `write` in one transaction, after everything that the verb had to ask others. */
  commit<T>(write: Commit<T>): Promise<T>;
}

export interface WalletContext extends Context {
  readonly actor: WalletActor;
}

export interface UserContext extends Context {
  readonly actor: UserActor;
}

/** A partner, by its API key. */
export interface PartnerContext extends Context {
  readonly partnerId: string;
}

/** What a change of an operator gives back, and what the action log records of it. */
export interface Act<T> extends ActionRecord {
  readonly output: T;
}

/** An operator, who acts from outside of the API. Every change passes through `act`. */
export interface OperatorContext extends Services {
  readonly log: Log;
  readonly requestId: string;
  readonly actor: OperatorActor;
  /** Why the operator acts, in the operator's own words; null where none were given. */
  readonly reason: string | null;
  /** The request that another operator approved, while its verb runs. */
  readonly approval: RunningApproval | null;
  /** Runs in the commit of each act. Who approves hands it to the act of the one who asked. */
  readonly alongside: Alongside;
  /**
   * Checks the operator's role, runs `write` in one transaction, and records the action in the same commit.
   *
   * A change outside of the database, such as one of a file, comes after this commit: an act without its record is worse than
   * a record without its act.
   *
   * @throws operators.forbidden
   */
  act<T>(verb: OperatorChange, write: (work: Work) => Promise<Act<T>>): Promise<T>;
}

export interface WorkerContext extends CommitContext, WorkerKeys {
  /** Aborted when the worker stops: work that a later job can repeat ends then. */
  readonly stopping: AbortSignal;
}

/** Gives services to one request or job. */
export function createContext<S extends Services>(
  services: S,
  { log, requestId, acceptLanguage = null }: { log: Log; requestId: string; acceptLanguage?: string | null },
): S & CommitContext {
  const { db, clock } = services;
  const commit: CommitContext["commit"] = async (write) => {
    const effects: (() => void)[] = [];
    const afterCommit = (effect: () => void) => void effects.push(effect);
    const wakeups = new Set<Wakeup>();
    const wake = (wakeup: Wakeup) => void wakeups.add(wakeup);
    const output = await db.transaction(async (tx) => {
      const rests: Rests = { blocks: new Map(), oldest: null };
      const writeJobs = writeJobsLast(tx);
      const written = await write({ tx, now: await clock.hold(tx), requestId, rests, afterCommit, wake });
      if (await endCommit(tx, rests, writeJobs)) wake("jobs");
      return written;
    });
    for (const effect of effects) effect();
    wakeSoon(db, wakeups).catch((error: unknown) => log.warn({ err: error }, "the workers could not be woken"));
    return output;
  };
  return { ...services, log, requestId, acceptLanguage, requestKey: null, prepare: commit, commit };
}

/** Runs in the commit of each act, before its writes. What it answers runs behind them. */
export type Alongside = (work: Work, verb: OperatorChange) => Promise<(record: ActionRecord) => Promise<void>>;

/** Gives services to one operator, for one page or command. */
export function createOperatorContext(
  services: Services,
  {
    log,
    requestId,
    actor,
    reason,
    approval = null,
    alongside = async () => async () => {},
  }: {
    log: Log;
    requestId: string;
    actor: OperatorActor;
    reason: string | null;
    approval?: RunningApproval | null;
    alongside?: Alongside;
  },
): OperatorContext {
  const { commit } = createContext(services, { log, requestId });
  const act: OperatorContext["act"] = async (verb, write) => {
    requireRole(actor, verb);
    const approved = approval?.verb === verb ? approval : null;
    if (approved === null && services.policy.operators.twoPersons.some((each) => each === verb))
      throw new Error(`${verb} needs a second person, and did not ask for one`);
    const { output, recorded } = await commit(async (work) => {
      const recordBeside = await alongside(work, verb);
      if (approved !== null) await endApproval(work.tx, work.now, approved);
      const { output: written, ...record } = await write(work);
      await recordBeside(record);
      const source = { actor, verb, reason, requestId };
      return { output: written, recorded: await appendActions(work, { source, record, approved }) };
    });
    for (const { verb: done, operatorId, sequence, hash } of recorded)
      log.info({ verb: done, operatorId, sequence: Number(sequence), hash }, "an operator acted");
    return output;
  };
  return { ...services, log, requestId, actor, reason, approval, alongside, act };
}
