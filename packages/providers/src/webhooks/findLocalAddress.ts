import { connect } from "node:net";

const loopback = ["127.0.0.1", "::1"] as const;

const canConnect = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });

/** The address of a receiver at `localhost`. Some servers listen on one of the two that the name stands for. */
export async function findLocalAddress(url: URL): Promise<string> {
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  for (const address of loopback) if (await canConnect(address, port)) return address;
  return loopback[0];
}
