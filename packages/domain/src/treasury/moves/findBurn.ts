import { buildTransferTopics } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { listTransfersOf } from "@cardkeep/chain/transfers";
import { secondMs } from "@cardkeep/contract/core/durations";
import { address, type Hex, nativeToken } from "@cardkeep/contract/core/primitives";
import { listHashesOfMoves, type TreasuryMove } from "@cardkeep/db/queries/treasury/moves";
import { findCloseBlockSince, readTimestamps } from "../../chain/guards/findBlockSince.ts";
import { chainSkewMs } from "../../core/clockSkew.ts";
import type { Context } from "../../core/context.ts";

/**
 * The final transaction that burned a redeem's tokens, where the institution does not name it: the first of its amount since it
 * was planned that no other move has. Null where the chain shows none.
 *
 * @throws ChainUnavailable
 */
export async function findBurn(
  ctx: Context,
  { token, amount, source, createdAt }: Pick<TreasuryMove, "token" | "amount" | "source" | "createdAt">,
): Promise<Hex | null> {
  const { fromBlock, head } = await findCloseBlockSince(ctx, createdAt);
  const logs = await ctx.chain.getLogs({
    addresses: [tokens[token].address],
    topics: buildTransferTopics({ from: address.parse(source), to: nativeToken }),
    fromBlock,
    toBlock: head.number - BigInt(ctx.policy.confirmations - 1),
  });
  const times = await readTimestamps(ctx, logs);
  const isSince = (block: bigint) => (times.get(block) ?? 0) * secondMs >= createdAt.getTime() - chainSkewMs;
  const burns = listTransfersOf(logs).filter((burn) => burn.amount === amount && isSince(burn.log.blockNumber));
  const hashes = burns.map(({ log }) => log.transactionHash);
  const taken = await listHashesOfMoves(ctx.db, hashes);
  return hashes.find((hash) => !taken.includes(hash)) ?? null;
}
