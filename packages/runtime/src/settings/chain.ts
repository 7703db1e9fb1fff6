/** Settings of the chains. */
import type { ChainPolicy } from "@cardkeep/domain/core/policy";
import { z } from "zod";
import { type Values, wholeNumber } from "./types.ts";

export const chainEnvironment = {
  CHAIN_ID: wholeNumber(100, 1, "Chain id"),
  CONFIRMATIONS: wholeNumber(1, 1, "Number of blocks that makes a transaction final, with its own"),
  ENS_RPC_URL: z
    .url()
    .optional()
    .describe("Node of the chain with ENS, for cards with an ENS name; unset: such orders are rejected"),
};

export const readChain = (e: Values<typeof chainEnvironment>): ChainPolicy => ({
  chainId: e.CHAIN_ID,
  confirmations: e.CONFIRMATIONS,
});
