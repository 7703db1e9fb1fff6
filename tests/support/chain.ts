/** A chain for one test file. */
import { type Chain, startChain } from "@cardkeep/local/chain";
import { fileURLToPath } from "node:url";

/** Where `bun start` caches compiled contracts too, so that they are compiled once per checkout. */
const cacheDirectory = fileURLToPath(new URL("../../.cardkeep/cache", import.meta.url));

/** Starts a chain with every contract in place, on a free port; its state is deleted at the end. */
export const startTestChain = (): Promise<Chain> => startChain({ cacheDirectory, port: 0 });
