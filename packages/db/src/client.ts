/**
 * The database.
 *
 * - db: a pool. - tx: one transaction on it. - executor: either, for what may run in both.
 * - reads: a pool for the few questions that are asked all the time.
 * - pooled: between program and database is a pooler in transaction mode; session address: leads past it.
 */
import { drizzle } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { jitter } from "./jitter.ts";
import type { NodeKind } from "./nodes.ts";
import { buildSessionSetup } from "./lostMachine.ts";
import { openClient } from "./openClient.ts";

/** The driver sends a statement without parameters as a text, which Postgres plans anew each time; only a text can hold several. */
const isOne = (text: string): boolean => !text.includes(";");

type Transact = (work: (tx: postgres.Sql) => unknown) => unknown;

/**
 * A client that prepares each statement once per connection. Drizzle's own statements are never prepared (drizzle-orm issue
 * 6096), which costs each of them a second round trip and a new plan.
 *
 * `opening` is a statement that begins each transaction. It is sent in one write with the transaction's first statement.
 */
function preparing<C extends postgres.Sql>(client: C, opening: string | null): C {
  return new Proxy(client, {
    get: (target, key) => {
      if (key === "unsafe") {
        return (...[text, parameters, options]: Parameters<C["unsafe"]>) =>
          target.unsafe(text, parameters, { ...options, prepare: true, ...(isOne(text) && { simple: false }) });
      }
      if (key === "begin" || key === "savepoint") {
        const run: Transact = Reflect.get<object, string>(target, key);
        return (work: (tx: postgres.Sql) => unknown) =>
          run((tx) => {
            if (opening !== null && key === "begin")
              tx.unsafe(opening).catch(() => {
                // The driver rejects the whole transaction with this error.
              });
            return work(preparing(tx, opening));
          });
      }
      return Reflect.get(target, key);
    },
  });
}

/** Without a schema: with one, drizzle makes an object for each table in each transaction. */
const connect = (client: postgres.Sql, opening: string | null) =>
  drizzle(preparing(client, opening), { casing: "snake_case" });

export type Db = ReturnType<typeof connect>;
export type Tx = Parameters<Parameters<Db["transaction"]>[0]>[0];
export type Executor = Db | Tx;

/**
 * Runs a query in SQL and returns its rows in one round trip. Postgres parses and plans each query once per connection, for
 * all values of its parameters. So values that a partial index depends on must be literals in the text.
 */
export type Reads = postgres.Sql;

export interface Database {
  readonly db: Db;
  readonly reads: Reads;
  /** A pool on the read replica; null without one. See `lists.ts`. */
  readonly replica: Db | null;
  /** Whether a pooler is between this pool and the database. */
  readonly isPooled: boolean;
  /**
   * Calls `wake` at each notification on a channel, and each time the connection is restored. Returns a function that ends it.
   *
   * Each call has a connection of its own, because the driver remembers a refused LISTEN for as long as its client lives.
   */
  listen(channel: string, wake: () => void): Promise<() => Promise<void>>;
  /** Ends every connection, waiting at most 5 s for queries in flight. */
  close(): Promise<void>;
}

/**
 * Mean pause before a connection is tried again. The driver's own pauses grow to 20 s, and queries wait for them. With this
 * one, a query fails at once while the database is away, and works as soon as it is back.
 */
const reconnectMs = 50;

/**
 * While every connection is busy, further queries are pipelined on one of them. Few connections send many queries in one
 * write, and each of these queries takes less than a millisecond.
 */
export const readConnectionsMax = 4;

/** The connections of one process to the replica. */
const replicaConnectionsMax = 4;

/**
 * Opens a pool of at most `connectionsMax` connections and one of `readConnectionsMax` for `reads`; a connection is made by
 * the first query that needs it.
 *
 * A statement that runs longer than `statementTimeoutMs` is ended by the server, so that no slot is lost for ever. Through a
 * pooler this holds in transactions; a single statement has the limit of the database's role or of the pooler.
 *
 * @throws DatabaseAddressError
 */
export function openDatabase(input: {
  url: string;
  /** The address of what needs a session; without one, `url`. Another address than `url` means that `url` is a pooler. */
  sessionUrl?: string;
  /** The address of a replica for lists; null or none: the primary answers them. */
  readUrl?: string | null;
  connectionsMax: number;
  readConnectionsMax?: number;
  statementTimeoutMs: number;
  applicationName: string;
}): Database {
  const { url, sessionUrl = url, connectionsMax } = input;
  const isPooled = sessionUrl !== url;
  const timeout = `statement_timeout = ${input.statementTimeoutMs}`;
  const open = (to: string, max: number, settings: string | undefined, kind: NodeKind = "primary") =>
    openClient(
      to,
      {
        max,
        backoff: () => jitter(reconnectMs) / 1000,
        setup: settings,
        connection: { application_name: input.applicationName },
      },
      kind,
    );
  // A setting of a pooler's connection would stay for its next user.
  const client = open(url, connectionsMax, isPooled ? undefined : buildSessionSetup(timeout));
  // Left to itself Postgres plans a question anew whenever it hopes to gain by it, which takes longer than these do.
  const reads = open(
    url,
    Math.min(connectionsMax, input.readConnectionsMax ?? readConnectionsMax),
    isPooled ? undefined : buildSessionSetup(timeout, "plan_cache_mode = force_generic_plan"),
  );
  const db = connect(client, isPooled ? `set local ${timeout}` : null);
  const ofReplica = input.readUrl ? open(input.readUrl, replicaConnectionsMax, undefined, "standby") : null;
  const close = async () => {
    await Promise.all([client, reads, ofReplica].map((each) => each?.end({ timeout: 5 })));
  };
  const listen: Database["listen"] = async (channel, wake) => {
    const listener = open(sessionUrl, 1, buildSessionSetup());
    const end = () => listener.end({ timeout: 1 });
    try {
      await listener.listen(channel, wake, wake);
      return end;
    } catch (error) {
      await end();
      throw error;
    }
  };
  const replica = ofReplica && connect(ofReplica, `set local ${timeout}`);
  return { db, reads, replica, isPooled, listen, close };
}
