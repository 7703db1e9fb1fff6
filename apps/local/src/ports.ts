import { createServer } from "node:net";

const probe = (port: number) =>
  new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });

/** A port of this machine that nobody listened on a moment ago. */
export const findFreePort = (): Promise<number> => probe(0);

/** Whether nobody listens on a port of this machine. */
export const isPortFree = (port: number): Promise<boolean> =>
  probe(port).then(
    () => true,
    () => false,
  );
