/** The one address of a database whose primary changes, as HAProxy offers it. */
import { connect, createServer, type Socket } from "node:net";

export interface PrimaryProxy {
  readonly port: number;
  /** Ends every connection and sends new ones to this port; null refuses them. */
  switchTo(port: number | null): void;
  stop(): Promise<void>;
}

/** Listens on a free port. It refuses connections until the first `switchTo`. */
export async function startPrimaryProxy(): Promise<PrimaryProxy> {
  const sockets = new Set<Socket>();
  let target: number | null = null;
  const server = createServer((client) => {
    if (target === null) return void client.destroy();
    const database = connect(target, "127.0.0.1");
    client.pipe(database).pipe(client);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    switchTo: (port) => {
      target = port;
      cut();
    },
    stop: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
