import { ChainUnavailable } from "@cardkeep/chain/errors";
import { type ChainLog, logBlocksMax } from "@cardkeep/chain/log";
import { readSafeHistory, type SafeHistory, safeHistoryTopics } from "@cardkeep/chain/safeHistory";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import type { Context } from "../../core/context.ts";
import { least } from "../../core/money.ts";
import { findBlocks, type Span } from "./sinceOpened.ts";

/** Why a Safe of the older way is of no use, in words for operators. */
export const usedReason = "It ran a transaction of its own before its set-up";

/**
 * The transactions that a Safe of the older way ran itself, by its logs: the set-up that its owner signed, and any other up to
 * the set-up's block. The address is random until the Safe has its row, so nothing is older than that.
 *
 * It reads up to the set-up, and without one up to the end of the span.
 *
 * @throws ChainUnavailable, also while the node is behind that block, or lacks the Safe's creation and so perhaps more
 */
export async function readSetUpHistory(
  ctx: Pick<Context, "chain">,
  { address, createdAt, setUpHash }: Pick<Safe, "address" | "createdAt" | "setUpHash">,
  span: Span = {},
): Promise<SafeHistory> {
  const { fromBlock, toBlock: end } = await findBlocks(ctx, createdAt, span);
  const logs: ChainLog[] = [];
  let history: SafeHistory = { hasCreation: false, own: null, other: null };
  for (let first = fromBlock; first <= end && history.own === null; first += logBlocksMax) {
    const blocks = { fromBlock: first, toBlock: least(first + logBlocksMax - 1n, end) };
    logs.push(...(await ctx.chain.getLogs({ addresses: [address], topics: safeHistoryTopics, ...blocks })));
    history = readSafeHistory(logs, { safe: address, hash: setUpHash });
  }
  if (!history.hasCreation && span.after === undefined)
    throw new ChainUnavailable(`The node lacks the logs of the creation of ${address}`);
  return history;
}
