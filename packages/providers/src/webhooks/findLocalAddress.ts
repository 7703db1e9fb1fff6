import { connect } from "node:net";
import { hostOf } from "./address.ts";

const loopback = ["127.0.0.1", "::1"] as const;

const canConnect = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });

/** The address of a receiver on this machine. Some servers listen on one of the two that `localhost` stands for. */
export async function findLocalAddress(url: URL): Promise<string> {
  const host = hostOf(url);
  if (host !== "localhost") return host;
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  for (const address of loopback) if (await canConnect(address, port)) return address;
  return loopback[0];
}
