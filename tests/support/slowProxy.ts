/** A network to the database that is slow, or that stalls without closing a connection. */
import { connect, createServer, type Socket } from "node:net";

export interface SlowProxy {
  readonly port: number;
  /** Each direction takes half of this round trip; null stalls all connections, also new ones. */
  setRoundTripMs(ms: number | null): void;
  stop(): Promise<void>;
}

/** Listens on a free port and forwards to `target` of this machine. */
export async function startSlowProxy(target: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>();
  let roundTripMs: number | null = 0;
  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on("data", (chunk) => {
      if (roundTripMs !== null) setTimeout(() => to.writable && to.write(chunk), roundTripMs / 2);
    });
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    const database = connect(target, "127.0.0.1");
    forward(client, database);
    forward(database, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    setRoundTripMs: (ms) => {
      roundTripMs = ms;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
