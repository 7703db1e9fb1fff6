/** A proxy between a service and its database that records every executed statement. */
import { connect, createServer, type Socket } from "node:net";

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

/**
 * Starts a proxy to the database at `databaseUrl`. With `isStopping`, a leaving client gets the message of a stopping
 * server.
 */
export async function startSqlProxy(
  databaseUrl: string,
  { isStopping = false, port: wanted = 0 } = {},
): Promise<SqlProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let noted: string[] = [];
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const leave = () => void (isStopping && client.write(buildFarewell()));
    const read = createReader((statement) => noted.push(statement), leave);
    client.on("data", read);
    client.pipe(database).pipe(client);
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
