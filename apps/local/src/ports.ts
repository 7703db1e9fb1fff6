/** Ports of this machine, for what is started beside other things of the same kind. */
import { createServer } from "node:net";

/**
 * Below what operating systems give to outgoing connections, one of which could take a port between its finding and its use.
 * A process takes a block for itself by listening on its first port: two that look at once never find the same.
 */
const blocks = { firstPort: 20_000, count: 50, size: 200 } as const;

/** Listens on a port without keeping the process alive for it; answers how to let go, or null where somebody else does. */
const listen = (port: number) =>
  new Promise<(() => Promise<void>) | null>((resolve) => {
    const server = createServer().unref();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => resolve(() => new Promise((done) => server.close(() => done()))));
  });

/** Whether nobody listens on a port. */
export async function isPortFree(port: number): Promise<boolean> {
  const letGo = await listen(port);
  await letGo?.();
  return letGo !== null;
}

let block: Promise<number> | null = null;
let given = 0;

async function takeBlock(): Promise<number> {
  const start = Math.floor(Math.random() * blocks.count);
  for (let index = 0; index < blocks.count; index++) {
    const port = blocks.firstPort + ((start + index) % blocks.count) * blocks.size;
    if ((await listen(port)) !== null) return port;
  }
  throw new Error(`No port is free from ${blocks.firstPort} on: end what runs there`);
}

/** A port that nobody listens on, and that no other process is given; this one is given it again after 198 others. */
export async function findFreePort(): Promise<number> {
  block ??= takeBlock();
  const first = await block;
  for (let attempt = 1; attempt < blocks.size; attempt++) {
    const port = first + 1 + (given++ % (blocks.size - 1));
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No port is free from ${first} to ${first + blocks.size - 1}: end what runs there`);
}
