/**
 * Lists, which a replica may answer.
 *
 * - reached: a replica has replayed the primary's log up to some position, so it shows every commit before it.
 *
 * A list is read from the replica only if the replica reached the primary's position of the moment of the request. So a
 * user sees every write that any server answered before, and so does a partner that heard of it by an event.
 */
import { sql } from "drizzle-orm";
import type { Database, Executor, Tx } from "./client.ts";
import { isDatabaseUnavailable, isWrongKind } from "./errors.ts";

export interface Lists {
  /** Runs `ask` on the replica if that is as new as the primary, otherwise on the primary. `ask` writes nothing. */
  read<T>(ask: (on: Executor) => Promise<T>): Promise<T>;
  /** What is wrong with the replica, for an operator; null where nothing is, and without a replica. */
  findFault(): Promise<string | null>;
}

/** A replica that is not as new after so many milliseconds is left for this list. It mostly is after one. */
const reachMsMax = 50;
const reachMs = 5;
/** A list waits so long for the replica, its connection included, before it asks the primary. */
const replicaMsMax = 1_000;
/** After a failure the replica is not asked for so long, so that further lists do not wait for it. */
const restMs = 2_000;
/** A replica that is further behind is reported. */
const lagSecondsMax = 5;

/** The replica cannot answer as the primary would. */
class NotReached extends Error {}

/** Builds the lists of one process. With a replica, `reads` asks the primary for its position, in one round trip. */
export function createLists({ db, reads, replica }: Pick<Database, "db" | "reads" | "replica">): Lists {
  if (replica === null) return { read: (ask) => ask(db), findFault: async () => null };
  let restUntilMs = 0;

  const readPosition = async (): Promise<string> => {
    const [row] = await reads<{ position: string }[]>`select pg_current_wal_flush_lsn()::text as position`;
    if (row === undefined) throw new NotReached("The primary has no position");
    return row.position;
  };

  const readReplica = async <T>(ask: (on: Executor) => Promise<T>): Promise<T> => {
    const position = await readPosition();
    // One transaction, because a proxy may have several replicas behind it.
    return replica.transaction(async (tx) => {
      const replayed = await waitUntilReached(tx, position);
      const [answer, later] = await Promise.all([ask(tx), readPosition()]);
      if (isBefore(later, replayed)) throw new NotReached(otherTimeline);
      return answer;
    });
  };

  return {
    read: async (ask) => {
      if (performance.now() < restUntilMs) return ask(db);
      try {
        return await limit(readReplica(ask));
      } catch (error) {
        if (error instanceof NotReached || isDatabaseUnavailable(error)) restUntilMs = performance.now() + restMs;
        return ask(db);
      }
    },
    findFault: async () => {
      const position = await readPosition();
      try {
        const state = await limit(replica.transaction((tx) => readState(tx, position)));
        if (!state.isStandby) return `${notStandby}; ${consequence}`;
        if (isBefore(await readPosition(), state.replayed)) return `${otherTimeline}; ${consequence}`;
        if (state.isReached || state.behindSeconds <= lagSecondsMax) return null;
        return `The read replica is ${Math.round(state.behindSeconds)} s behind; ${consequence}`;
      } catch (error) {
        if (isWrongKind(error)) return `${notStandby}; ${consequence}`;
        return `The read replica does not answer (${error instanceof Error ? error.message : String(error)}); ${consequence}`;
      }
    },
  };
}

const consequence = "lists read the primary, see DATABASE_READ_URL";
const notStandby = "The read replica is no standby";
const otherTimeline = "The read replica is ahead of the primary: it follows another timeline";

interface ReplicaState {
  isStandby: boolean;
  isReached: boolean;
  replayed: string;
  /** By the time of the last replayed commit; 0 while none was replayed. */
  behindSeconds: number;
}

async function readState(tx: Tx, position: string): Promise<ReplicaState> {
  const [row] = await tx.execute<ReplicaState & Record<string, unknown>>(sql`
    select pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn() >= ${position}::pg_lsn as "isReached",
      pg_last_wal_replay_lsn()::text as replayed,
      coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8 as "behindSeconds"`);
  if (row === undefined) throw new NotReached(notStandby);
  return row;
}

/** Returns the position that the replica has replayed. @throws NotReached */
async function waitUntilReached(tx: Tx, position: string): Promise<string> {
  for (let waitedMs = 0; waitedMs < reachMsMax; waitedMs += reachMs) {
    const { isStandby, isReached, replayed } = await readState(tx, position);
    if (!isStandby) throw new NotReached(notStandby);
    if (isReached) return replayed;
    await new Promise((resolve) => setTimeout(resolve, reachMs));
  }
  throw new NotReached("The read replica is behind");
}

/** Compares two positions of the log, which are two hexadecimal halves. */
function isBefore(one: string, other: string): boolean {
  const toNumber = (position: string): bigint => {
    const [high = "0", low = "0"] = position.split("/");
    return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
  };
  return toNumber(one) < toNumber(other);
}

/** Rejects after the time limit of a replica; what `work` does afterwards counts no more. */
function limit<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NotReached("no answer in time")), replicaMsMax);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
