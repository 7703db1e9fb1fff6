import { createServer } from "node:net";

const findFreePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });

/** Ports that nobody listened on a moment ago. */
export const findFreePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, findFreePort));
