import { afterAll, expect, test } from "bun:test";
import { findFreePort, isPortFree, requireDistinctPorts } from "@cardkeep/local/ports";

/** Requests this many ports at once, prints them in one line and stays, like a process with tests to run. */
const asker = `
  import { findFreePort } from "@cardkeep/local/ports";
  console.log(JSON.stringify(await Promise.all(Array.from({ length: 40 }, findFreePort))));
  setInterval(() => {}, 1_000);
`;
/** Takes the second port that it may be given, and prints what follows. */
const skipper = `
  import { findFreePort, isPortFree } from "@cardkeep/local/ports";
  const port = await findFreePort();
  const squatter = Bun.listen({ hostname: "127.0.0.1", port: port + 1, socket: { data: () => {} } });
  const isTaken = !(await isPortFree(port + 1));
  const isSkipped = (await findFreePort()) === port + 2;
  squatter.stop(true);
  console.log(JSON.stringify({ isTaken, isSkipped, isFreeAgain: await isPortFree(port) }));
`;
const askers: Bun.Subprocess<"ignore", "pipe", "inherit">[] = [];
afterAll(() => {
  for (const process of askers) process.kill("SIGKILL");
});

async function ask(): Promise<number[]> {
  const process = Bun.spawn([globalThis.process.execPath, "-e", asker], {
    cwd: import.meta.dir,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  askers.push(process);
  for await (const chunk of process.stdout) return JSON.parse(new TextDecoder().decode(chunk));
  throw new Error("It said nothing");
}

test("processes that look for ports in parallel get different ones, outside the range of outgoing connections", async () => {
  const found = (await Promise.all([ask(), ask(), ask(), ask()])).flat();
  expect(found).toHaveLength(160);
  expect(new Set(found).size).toBe(160);
  // Linux begins at 32768, others at 49152.
  expect(found.every((port) => port < 32_768)).toBe(true);
});

test("a port in use is skipped, and one that was given comes again last", async () => {
  // A process of its own begins at the first port of its block.
  const said = await new Response(Bun.spawn([process.execPath, "-e", skipper], { cwd: import.meta.dir }).stdout).json();
  expect(said).toEqual({ isTaken: true, isSkipped: true, isFreeAgain: true });
});

test("a port is in use where a program listens on it by IPv6 alone", async () => {
  const port = await findFreePort();
  expect(await isPortFree(port)).toBe(true);
  const squatter = Bun.listen({ hostname: "::1", port, socket: { data: () => {} } });
  expect(await isPortFree(port)).toBe(false);
  squatter.stop(true);
  expect(await isPortFree(port)).toBe(true);
});

test("two settings with one port are named in one line before anything starts", () => {
  const requiring = (ports: Record<string, number>) => () => requireDistinctPorts(ports);
  expect(requiring({ PORT: 3_000, SANDBOX_PORT: 3_001, CHAIN_PORT: 8_545 })).not.toThrow();
  expect(requiring({ PORT: 3_001, CHAIN_PORT: 8_545, SANDBOX_PORT: 3_001 })).toThrow(
    "PORT and SANDBOX_PORT are both 3001. Give one of them another port.",
  );
});
