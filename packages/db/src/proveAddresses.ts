/**
 * Proves at the start that the database's addresses keep what the program needs from them.
 *
 * - session: one backend of the server for as long as the connection lasts, with its locks and LISTEN. A pooler in
 *   transaction mode gives each transaction any backend that is free.
 */
import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { openClient } from "./openClient.ts";

/** An address that the program cannot run with. The message is one line that says what to set. */
export class UnusableAddressError extends Error {
  override readonly name = "UnusableAddressError";
}

/** Opens a client with one connection. */
type Connect = () => postgres.Sql;

/** A pooler may take another backend by chance, so each proof is repeated. */
const rounds = 3;
/** A notification is repeated until it arrives or this time has passed. */
const notifyMsMax = 10_000;
const notifyMs = 200;
/** How long a statement may wait for a backend that the other client of a proof holds. */
const backendMsMax = 1_000;

interface Addresses {
  url: string;
  sessionUrl: string;
}

const connectTo = (url: string) => () =>
  openClient(url, { max: 1, connection: { application_name: "cardkeep-proof" } });

/**
 * Proves that the session address keeps sessions.
 *
 * @throws UnusableAddressError; the driver's error where the database does not answer
 */
export async function proveSession({ url, sessionUrl }: Addresses): Promise<void> {
  if (await keepsSession(connectTo(sessionUrl))) return;
  const fault = "keeps no session: it leads through a pooler in transaction mode";
  throw new UnusableAddressError(
    url === sessionUrl
      ? `DATABASE_URL ${fault}. Set DATABASE_SESSION_URL to an address past the pooler`
      : `DATABASE_SESSION_URL ${fault}. Set it to an address past the pooler`,
  );
}

/**
 * Proves the addresses of a process.
 *
 * @throws UnusableAddressError; the driver's error where the database does not answer
 */
export async function proveAddresses({ url, sessionUrl }: Addresses): Promise<void> {
  await proveSession({ url, sessionUrl });
  const isPooled = url !== sessionUrl;
  if (isPooled && !(await keepsPreparedStatements(connectTo(url))))
    throw new UnusableAddressError(
      "DATABASE_URL leads through a pooler that loses prepared statements. Use PgBouncer 1.21 or later with max_prepared_statements above 0",
    );
  if (await hearsNotifications({ from: connectTo(url), to: connectTo(sessionUrl) })) return;
  throw new UnusableAddressError(
    isPooled
      ? "DATABASE_SESSION_URL receives no notification sent through DATABASE_URL: it leads to another database, or through a pooler"
      : "DATABASE_URL delivers no notifications: it leads through a pooler. Set DATABASE_SESSION_URL to an address past the pooler",
  );
}

async function withClients<T>(
  connect: Connect,
  prove: (one: postgres.Sql, other: postgres.Sql) => Promise<T>,
): Promise<T> {
  const [one, other] = [connect(), connect()];
  try {
    return await prove(one, other);
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })]);
  }
}

interface Backend {
  pid: number;
  /** When its last statement began. Null where the server does not track activities. */
  askedAt: string | null;
}

/** The backend of a connection. As a simple query: a pooler may have lost any prepared statement. */
async function readBackend(on: postgres.ISql): Promise<Backend | undefined> {
  const [row] = await on<Backend[]>`
    select pid, query_start::text as "askedAt" from pg_stat_get_activity(pg_backend_pid()) `.simple();
  return row;
}

/** Waits for `work`, at most as long as a backend may be waited for. */
const waitForBackend = (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work.catch(() => null), new Promise((resolve) => setTimeout(resolve, backendMsMax))]);

/**
 * Whether a connection has one backend, which no other connection gets meanwhile: neither the other of this proof nor one of
 * another process. It leaves neither a lock nor a setting on a pooler's connection.
 */
export const keepsSession = (connect: Connect): Promise<boolean> =>
  withClients(connect, async (one, other) => {
    for (let round = 0; round < rounds; round++) {
      const own = await readBackend(one);
      if (own === undefined) return false;
      let asked: Promise<Backend | undefined> = Promise.resolve(own);
      const isOwn = await other.begin(async (tx) => {
        const [seen] = await tx.unsafe<Backend[]>(
          `select pg_backend_pid() as pid, query_start::text as "askedAt" from pg_stat_get_activity(${own.pid})`,
        );
        if (seen?.pid === own.pid || seen?.askedAt !== own.askedAt) return false;
        asked = readBackend(one);
        await waitForBackend(asked);
        return true;
      });
      if (!isOwn || (await asked)?.pid !== own.pid) return false;
    }
    return true;
  });

/** Whether a statement prepared on a connection is known in its later transactions, whichever backend they get. */
export const keepsPreparedStatements = (connect: Connect): Promise<boolean> =>
  withClients(connect, async (one, other) => {
    // In a transaction, because the driver prepares a lost statement again outside of one.
    const ask = () => one.begin((tx) => tx`select ${"statement"}::text as value`);
    await ask();
    for (let round = 0; round < rounds; round++) {
      let asked: Promise<unknown> = Promise.resolve();
      await other.begin(async (tx) => {
        await readBackend(tx);
        asked = ask();
        await waitForBackend(asked);
      });
      const isLost = await asked.then(() => false, isLostStatement);
      if (isLost) return false;
    }
    return true;
  });

/** SQLSTATE 26000: no such statement; 42P05: another one has its name; 08P01: the pooler refused the message. */
function isLostStatement(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "26000" || code === "42P05" || code === "08P01") return true;
  throw error;
}

/** Whether a notification that `from` sends reaches a LISTEN of `to`. */
export async function hearsNotifications({
  from,
  to,
  timeoutMs = notifyMsMax,
}: {
  from: Connect;
  to: Connect;
  timeoutMs?: number;
}): Promise<boolean> {
  const [sender, listener] = [from(), to()];
  const channel = `cardkeep:proof:${randomUUID()}`;
  const heard = Promise.withResolvers<boolean>();
  try {
    await listener.listen(channel, () => heard.resolve(true));
    for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += notifyMs) {
      await sender`select pg_notify(${channel}, '')`;
      const later = new Promise<boolean>((resolve) => setTimeout(resolve, notifyMs, false));
      if (await Promise.race([heard.promise, later])) return true;
    }
    return false;
  } finally {
    await Promise.all([sender.end({ timeout: 1 }), listener.end({ timeout: 1 })]);
  }
}
