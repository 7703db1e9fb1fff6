import { buildApprovalTopics, isApproval } from "@cardkeep/chain/approvalLogs";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { tokenList } from "@cardkeep/chain/tokens";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import type { Context } from "../../core/context.ts";
import { findCloseBlockSince } from "../../chain/guards/findBlockSince.ts";

/**
 * Whether a Safe let another account move a token that accounts can use, up to a block; up to the newest one without it.
 *
 * Before the set-up the owner's key signs for the Safe (ERC-1271), and a token takes that for an approval without a
 * transaction of the Safe. One is enough: it may still stand in part. The address is random until the Safe has its row, and no
 * earlier signature is valid after the set-up, because the Safe has another owner.
 *
 * @throws ChainUnavailable, also while the node is behind that block
 */
export async function hasApprovedBefore(
  ctx: Pick<Context, "chain">,
  { address, createdAt }: Pick<Safe, "address" | "createdAt">,
  upTo?: bigint,
): Promise<boolean> {
  const { fromBlock, head } = await findCloseBlockSince(ctx, createdAt);
  const toBlock = upTo ?? head.number;
  if (head.number < toBlock) throw new ChainUnavailable("The node is behind a set-up that has run");
  const addresses = tokenList.map((token) => token.address);
  const logs = await ctx.chain.getLogs({ addresses, topics: buildApprovalTopics(address), fromBlock, toBlock });
  return logs.some(isApproval);
}
