/** Ports of this machine, for processes that run beside others of the same kind. */
import { createServer } from "node:net";

/**
 * Below the range that operating systems use for outgoing connections: such a connection could take a port between
 * check and use. A process reserves a block by listening on its first port, so that parallel processes never find the
 * same port.
 */
const blocks = { firstPort: 20_000, count: 50, size: 200 } as const;

/**
 * Listens on a port without keeping the process alive. Returns a function that frees it, or null if the port is in
 * use.
 */
const listen = (port: number, host: "127.0.0.1" | "::1" = "127.0.0.1") =>
  new Promise<(() => Promise<void>) | null>((resolve) => {
    const server = createServer().unref();
    server.once("error", ({ code }: NodeJS.ErrnoException) => {
      // A machine without IPv6 has no ::1.
      const isTaken = host === "127.0.0.1" || code === "EADDRINUSE";
      resolve(isTaken ? null : async () => {});
    });
    server.listen(port, host, () => resolve(() => new Promise((done) => server.close(() => done()))));
  });

/** Whether a port is free at both addresses that `localhost` names. */
export async function isPortFree(port: number): Promise<boolean> {
  for (const host of ["127.0.0.1", "::1"] as const) {
    const letGo = await listen(port, host);
    if (letGo === null) return false;
    await letGo();
  }
  return true;
}

/** Requires that no two settings name one port; 0 is any free one. */
export function requireDistinctPorts(ports: Readonly<Record<string, number>>): void {
  const names = new Map<number, string>();
  for (const [name, port] of Object.entries(ports)) {
    const other = port === 0 ? undefined : names.get(port);
    if (other !== undefined) throw new Error(`${other} and ${name} are both ${port}. Give one of them another port.`);
    names.set(port, name);
  }
}

let block: Promise<number> | null = null;
let given = 0;

async function takeBlock(): Promise<number> {
  const start = Math.floor(Math.random() * blocks.count);
  for (let index = 0; index < blocks.count; index++) {
    const port = blocks.firstPort + ((start + index) % blocks.count) * blocks.size;
    if ((await listen(port)) !== null) return port;
  }
  throw new Error(`No port is free from ${blocks.firstPort} on. Stop the programs that use them.`);
}

/** A free port that no other process is given. The same port comes again after 198 others. */
export async function findFreePort(): Promise<number> {
  block ??= takeBlock();
  const first = await block;
  for (let attempt = 1; attempt < blocks.size; attempt++) {
    const port = first + 1 + (given++ % (blocks.size - 1));
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No port is free from ${first} to ${first + blocks.size - 1}. Stop the programs that use them.`);
}
