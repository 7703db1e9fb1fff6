/** A chain for one test file. */
import { type Chain, startChain } from "@cardkeep/local/chain";
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where `bun start` caches compiled contracts too, so that they are compiled once per checkout. */
const cacheDirectory = fileURLToPath(new URL("../../.cardkeep/cache", import.meta.url));
const linesOfEndMax = 40;

/**
 * Starts a chain with every contract in place, on a free port; its state is deleted at the end.
 * A node that ends before it is stopped says so on the error output, with its own last lines: else each later test of
 * the file would fail without a cause. Bun itself ends it, with code 0, where a test or a hook runs out of time.
 */
export async function startTestChain(): Promise<Chain> {
  const logFile = join(tmpdir(), `chain-${randomUUID()}.log`);
  const chain = await startChain({ cacheDirectory, port: 0, logFile });
  let isStopped = false;
  void chain.ended.then(async (how) => {
    if (isStopped) return;
    const said = await readFile(logFile, "utf8");
    const lines = said.trimEnd().split("\n").slice(-linesOfEndMax).join("\n");
    process.stderr.write(`The chain at ${chain.rpcUrl} ended (${how}):\n${lines}\n`);
  });
  return {
    ...chain,
    stop: async () => {
      isStopped = true;
      await chain.stop();
      await rm(logFile, { force: true });
    },
  };
}
