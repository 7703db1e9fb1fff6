import { findFreePort, isPortFree } from "@cardkeep/local/ports";

/** Ports that nobody listened on a moment ago. */
export const findFreePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, findFreePort));

/** Below what operating systems give to outgoing connections: what ends and comes back finds its port free again. */
const lastingPorts = { first: 20_000, count: 10_000 } as const;

/** Ports for processes that are started again and again on them. */
export async function findLastingPorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = lastingPorts.first + Math.floor(Math.random() * lastingPorts.count);
    if (await isPortFree(port)) found.add(port);
  }
  return [...found];
}
