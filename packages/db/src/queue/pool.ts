/** The connections of the queue's library, which has another driver than the rest. */
import { Socket } from "node:net";
import pg from "pg";
import { parseDatabaseAddress } from "../databaseAddress.ts";
import { buildSessionSetup, watchConnection } from "../lostMachine.ts";
import { buildCredentials, createNodeFinder } from "../nodes.ts";

/** A connection that takes longer is given up. The search among several nodes takes 6 s at most. */
const connectTimeoutMs = 10_000;
/** A connection at rest is kept so long; each new one costs a search. */
const idleTimeoutMs = 60_000;

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** The database refuses writes. Its code is that of a read-only transaction, SQLSTATE 25006. */
class NotWritable extends Error {
  override readonly name = "NotWritable";
  readonly code = "25006";
}

/** @throws NotWritable for a node in recovery or a read-only one */
export function refuseReadOnly(row: { recovery: boolean; readOnly: boolean } | undefined): void {
  if (row?.recovery === true) throw new NotWritable("The database's node is in recovery");
  if (row?.readOnly === true) throw new NotWritable("The database is read-only");
}

export const writableQuery = `select pg_is_in_recovery() as recovery, current_setting('transaction_read_only')::bool as "readOnly"`;

/**
 * Opens a pool for graphile-worker. Each new connection searches the node that takes writes, and refuses every other.
 * `onError` gets the errors of connections at rest, which the pool replaces by itself.
 *
 * @throws DatabaseAddressError
 */
export function createQueuePool(input: {
  url: string;
  applicationName: string;
  connectionsMax: number;
  onError(error: Error): void;
}): pg.Pool {
  const address = parseDatabaseAddress(input.url);
  const find = createNodeFinder(address, "primary");

  class PrimaryClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      // From its first moment: a connection that ends during its set-up has no other listener, which would end the process.
      this.on("error", input.onError);
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connecting = find().then((node) => {
        this.host = node.host;
        this.port = node.port;
        return super.connect();
      });
      if (callback === undefined) return connecting;
      const call = (...values: unknown[]) => Reflect.apply(callback, this, values);
      void connecting.then((client) => call(null, client), call);
      return undefined;
    }
  }

  const pool = new pg.Pool({
    ...buildCredentials(address),
    Client: PrimaryClient,
    application_name: input.applicationName,
    max: input.connectionsMax,
    idleTimeoutMillis: idleTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    // The pool waits for the promise; its types do not say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client) => {
      const { rows } = await client.query<{ recovery: boolean; readOnly: boolean }>(writableQuery);
      refuseReadOnly(rows[0]);
      await client.query(buildSessionSetup());
    },
  });
  pool.on("error", input.onError);
  pool.on("connect", (client) => {
    const { stream } = client.connection;
    if (!(stream instanceof Socket)) return;
    let answered = stream.bytesWritten;
    stream.on("data", () => {
      answered = stream.bytesWritten;
    });
    // This driver sends a statement after the answer to the one before.
    watchConnection(stream, () => stream.bytesWritten > answered);
  });
  return pool;
}
