import { ChainUnavailable } from "@cardkeep/chain/errors";
import { type ChainCall, isCall } from "@cardkeep/chain/log";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { Context } from "../../core/context.ts";

/**
 * The transaction of a log; null for one that creates a contract, which no key of ours sends. The node that is asked may be
 * another one than the one with the log, or have no index.
 *
 * @throws ChainUnavailable where the node lacks it: that does not make it another sender's
 */
export async function findLoggedCall({ chain }: Pick<Context, "chain">, hash: Hex): Promise<ChainCall | null> {
  const transaction = await chain.findTransaction(hash);
  if (!transaction) throw new ChainUnavailable("The node lacks a transaction whose log is on chain");
  return isCall(transaction) ? transaction : null;
}
