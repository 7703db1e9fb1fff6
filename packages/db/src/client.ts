/**
 * The database.
 *
 * - db: a pool. - tx: one transaction on it. - executor: either, for what may run in both.
 */
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import * as schema from "./schema/tables.ts";

const connect = (client: postgres.Sql) => drizzle(client, { schema, casing: "snake_case" });

export type Db = ReturnType<typeof connect>;
export type Tx = Parameters<Parameters<Db["transaction"]>[0]>[0];
export type Executor = Db | Tx;

export interface Database {
  readonly db: Db;
  /** Ends every connection, waiting at most 5 s for queries in flight. */
  close(): Promise<void>;
}

/**
 * Opens a pool of at most `connectionsMax` connections; the first is made by the first query.
 *
 * A statement that runs longer than `statementTimeoutMs` is ended by the server, so that no slot is lost for ever.
 */
export function openDatabase(input: {
  url: string;
  connectionsMax: number;
  statementTimeoutMs: number;
  applicationName: string;
}): Database {
  const client = postgres(input.url, {
    max: input.connectionsMax,
    connect_timeout: 5,
    onnotice: () => {},
    connection: { application_name: input.applicationName, statement_timeout: input.statementTimeoutMs },
  });
  return { db: connect(client), close: () => client.end({ timeout: 5 }) };
}
