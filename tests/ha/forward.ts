/** Passes TCP connections on, from one address to another. As a program: `forward.ts FROM TO ...`, each as `host:port`. */
import { connect, createServer, type Server } from "node:net";

const split = (address: string) => {
  const [host = "", port = ""] = address.split(":");
  return { host, port: Number(port) };
};

/** Listens at `from`; either end of a connection ends the other. */
export async function forward(from: string, to: string): Promise<Server> {
  const server = createServer((client) => {
    const target = connect(split(to));
    client.pipe(target).pipe(client);
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      socket.on("error", () => {});
      socket.on("close", () => other.destroy());
    }
  });
  const { host, port } = split(from);
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen(port, host, resolve));
  return server;
}

if (import.meta.main) {
  const addresses = process.argv.slice(2);
  for (let index = 0; index < addresses.length; index += 2)
    await forward(addresses[index] ?? "", addresses[index + 1] ?? "");
  process.stdout.write("forwards\n");
}
