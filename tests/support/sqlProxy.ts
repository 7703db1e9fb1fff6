/** A proxy between a service and its database that records every executed statement, and may hold up commits. */
import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

/** Gets the statements of a transaction and the way on of its commit, which the database answers or never gets. */
type CommitInterceptor = (statements: readonly string[], forward: () => Promise<void>) => Promise<void>;

export interface SqlProxy {
  /** The database's address through the proxy. */
  readonly url: string;
  /** Returns and clears the recorded statements, in order. */
  take(): string[];
  stop(): Promise<void>;
}

const lengthBytes = 4;

/**
 * Parses the messages of one client (PostgreSQL, Frontend/Backend Protocol): a start-up message without a type, then
 * typed ones.
 */
function createReader(note: (statement: string) => void, leave: () => void): (chunk: Buffer) => void {
  const texts = new Map<string, string>();
  let isStarted = false;
  let held = Buffer.alloc(0);
  const read = (type: string, body: Buffer) => {
    const [first = "", second = ""] = body.toString().split("\0");
    if (type === "Q") note(first);
    else if (type === "P") texts.set(first, second);
    else if (type === "B") note(texts.get(second) ?? "");
    else if (type === "X") leave();
  };
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const typeBytes = isStarted ? 1 : 0;
      if (held.length < typeBytes + lengthBytes) return;
      const end = typeBytes + held.readUInt32BE(typeBytes);
      if (held.length < end) return;
      if (isStarted) read(String.fromCharCode(held[0] ?? 0), held.subarray(typeBytes + lengthBytes, end));
      isStarted = true;
      held = held.subarray(end);
    }
  };
}

/** The message of a stopping server to each connection. */
function buildFarewell(): Buffer {
  const body = ["SFATAL", "VFATAL", "C57P01", "Mterminating connection due to administrator command", "", ""].join(
    "\0",
  );
  const head = Buffer.alloc(1 + lengthBytes, "E");
  head.writeUInt32BE(lengthBytes + body.length, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

interface SqlProxyOptions {
  isStopping?: boolean;
  port?: number;
  onCommit?: CommitInterceptor;
}

/** The way of one client to the database. `forward` of a commit ends once the database has answered it. */
function createGate(
  database: Socket,
  read: (chunk: Buffer) => string[],
  onCommit: CommitInterceptor | undefined,
): Transform {
  let transaction: string[] = [];
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const statements = read(chunk);
      transaction.push(...statements);
      if (onCommit === undefined || statements.at(-1)?.toLowerCase() !== "commit") return done(null, chunk);
      const ended = transaction;
      transaction = [];
      let isForwarded = false;
      const forward = () => {
        isForwarded = true;
        const answered = new Promise<void>((resolve) => database.once("data", () => resolve()));
        done(null, chunk);
        return answered;
      };
      void onCommit(ended, forward).then(() => void (isForwarded || database.destroy()));
    },
  });
}

/**
 * Starts a proxy to the database at `databaseUrl`. With `isStopping`, a leaving client gets the message of a stopping
 * server. A commit goes to `onCommit`; one that it does not forward never happens, and its connection ends.
 */
export async function startSqlProxy(
  databaseUrl: string,
  { isStopping = false, port: wanted = 0, onCommit }: SqlProxyOptions = {},
): Promise<SqlProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let noted: string[] = [];
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const leave = () => void (isStopping && client.write(buildFarewell()));
    let fresh: string[] = [];
    const parse = createReader((statement) => fresh.push(statement), leave);
    const read = (chunk: Buffer): string[] => {
      parse(chunk);
      const statements = fresh;
      fresh = [];
      noted.push(...statements);
      return statements;
    };
    client
      .pipe(createGate(database, read, onCommit))
      .pipe(database)
      .pipe(client);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
  });
  await new Promise<void>((resolve) => server.listen(wanted, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    take: () => {
      const taken = noted;
      noted = [];
      return taken;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
